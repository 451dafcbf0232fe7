/** Every text of the screens, and every message the API may answer with, is there in each language that ships. */
import { expect, test } from "bun:test";
import { createTexts } from "lectern/core";
import german from "../../plugins/operations/languages/de.json" with { type: "json" };
import french from "../../plugins/operations/languages/fr.json" with { type: "json" };
import renamedTexts from "../../plugins/web/shell/renamed_texts.json" with { type: "json" };
import { readSources, type Source } from "./_source.ts";

const LANGUAGES: Readonly<Record<string, Readonly<Record<string, string>>>> = { de: german, fr: french };
/** Where the English text of a message stands in code: as what `t` says, or as data that is said later. */
const SAID = [/\bt\(\s*"((?:[^"\\]|\\.)+)"/g];
const TEXTS = [
  /\b(?:title|text|empty|question|detail|submit|label|help|about): "((?:[^"\\]|\\.)*[a-z](?:[^"\\]|\\.)*)"/g,
  // Every string that reads as a word or a sentence of a screen: lists of states, kinds and notices.
  /"((?:[A-Z“(]|[1-9]\. |:[a-z]+[ ,:])(?:[^"\\\n]|\\.)*[a-z](?:[^"\\\n]|\\.)*)"/g,
];
/** Labels of kinds, permissions and activities. */
const LABELS = [/\b(?:one|many|section|phrase): "([^"]+)"/g];
const MESSAGES = [/new ApiError\(\s*40[0-9],\s*"([^"]+)"/g, /\bnotFound\("([^"]+)"\)/g];
/** Answered to programs in protocols of their own, whose texts clients compare (dashboard-stats 3.4 and 6.4). */
const ELSEWHERE = /^plugins\/(?:monitoring|operations\/docs|transfer\/(?:loader|migrate))\//;
/** Data under those names that is no text of a screen. */
const NO_TEXT = /^[a-z0-9_./-]*$|^\/|https?:/;
/** Names that are the same in every language, what is written to the log, and pieces of templates. */
const NAMES =
  /^(?:Edge|Opera|Firefox|Chrome|Safari|Android|Windows|Linux|macOS|iOS)$|^A theme has |^Cannot |^Switched off after$|\$\{/;

function textsIn({ path, text: whole, comments }: Source): string[] {
  // Examples in docstrings are answered to nobody; names of the client's types are no texts.
  const code = comments.reduce((rest, comment) => rest.replace(comment.text, ""), whole);
  const text = code.replace(/\bSchema<"\w+">/g, "");
  const isScreen = /^plugins\/web\/[a-z]+\/[^/]+\.ts$/.test(path) && !path.endsWith("_test.ts");
  const patterns = isScreen ? [...TEXTS, ...MESSAGES] : [...MESSAGES, ...LABELS];
  if (!isScreen && (ELSEWHERE.test(path) || !/^(?:core|plugins)\//.test(path) || path.endsWith("_test.ts"))) return [];
  const found = (all: readonly RegExp[]) =>
    all.flatMap((pattern) => [...text.matchAll(pattern)].map(([, one = ""]) => JSON.parse(`"${one}"`) as string));
  return [...(isScreen ? found(SAID) : []), ...found(patterns).filter((one) => !NO_TEXT.test(one) && !NAMES.test(one))];
}

/** The names of the places of a text, in order of the alphabet. */
function places(text: string): string {
  return `${[...text.matchAll(/(?<!\p{L}):([a-z]+)/gu)].map(([, name]) => name).sort()}`;
}

/** Texts of screens by their old wording. */
const renamed: Readonly<Record<string, string>> = renamedTexts;

const wanted = new Set(readSources().flatMap(textsIn));

test("the texts of screens and the messages of the API are found in the code", () => {
  for (const text of [
    "Sign in",
    "Overwrite that change",
    "Book",
    "This page was changed since you opened it",
    "Failed",
    "any",
  ])
    expect([text, wanted.has(text)]).toEqual([text, true]);
  expect(wanted.size).toBeGreaterThan(150);
});

test("old wordings lead to texts that screens show, with the same places, and are used no more", () => {
  const wrong = Object.entries(renamed).filter(
    ([old, text]) => wanted.has(old) || !wanted.has(text) || places(old) !== places(text),
  );
  expect(wrong).toEqual([]);
});

for (const [language, texts] of Object.entries(LANGUAGES)) {
  test(`every text is there in ${language}`, () => {
    expect([...wanted].filter((text) => !(text in texts)).sort()).toEqual([]);
  });

  test(`texts in ${language} have the places of the English ones, and none is empty`, () => {
    const english = createTexts();
    const wrong = Object.entries(texts).filter(
      ([key, text]) => text.trim() === "" || places(english.say(key)) !== places(text),
    );
    expect(wrong).toEqual([]);
  });
}
