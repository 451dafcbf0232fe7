/**
 * Texts of the interface in the languages that ship. Every text of a screen, and every message that the API may answer with, is there in
 * German and French; the other catalogues, which are made of these, may lack a twentieth, so that a change need not bring twelve
 * translations. All have the placeholders of the English texts, the plural forms of their language, and no markup.
 */
import { expect, test } from "bun:test";
import { createTexts, directionOf } from "lectern/core";
import renamedTexts from "../../plugins/web/shell/renamed_texts.json" with { type: "json" };
import { CATALOGUES, type Catalogue, catalogueText, fileOf, formsOf, inOrder } from "./_languages.ts";
import { readSources, type Source } from "./_source.ts";

const ENGLISH = createTexts();
/** Languages in which each text has to be there. */
const COMPLETE = ["de", "fr"];
/** The part of the texts that any other language has at least. */
const SHARE = 0.95;
/** Placeholders whose number decides the form of a text, in order (core/i18n/catalogue.ts). */
const DECIDING = ["total", "items", "count", "max", "min", "days", "minutes", "seconds"];
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

/** The names of the places of a text, each once, in order of the alphabet. */
function places(text: string): string {
  return `${[...new Set([...text.matchAll(/(?<!\p{Script=Latin}):([a-z]+)/gu)].map(([, name]) => name))].sort()}`;
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

const { de: german = {}, en: english = {} } = CATALOGUES;
/** Texts that scripts fill in, which do not know the forms of a language: they are said without values. */
const filledByScripts = new Set(
  readSources().flatMap(({ path, text }) =>
    path.startsWith("plugins/web/")
      ? [...text.matchAll(/\bt\(\s*"((?:[^"\\]|\\.)+)",?\s*\)/g)].map(
          ([, one = ""]) => JSON.parse(`"${one}"`) as string,
        )
      : [],
  ),
);

test.each(COMPLETE)("every text is there in %s", (language) => {
  const texts = CATALOGUES[language] ?? {};
  expect([...wanted].filter((text) => !(text in texts)).sort()).toEqual([]);
});

test("catalogues have the texts of the German one and no others, and lack a twentieth at most", () => {
  const known = Object.keys(german);
  for (const [language, texts] of Object.entries(CATALOGUES)) {
    expect([language, Object.keys(texts).filter((text) => !(text in german))]).toEqual([language, []]);
    if (language === "en") continue;
    const lacking = known.filter((text) => !(text in texts));
    expect([language, lacking.length > known.length * (1 - SHARE) ? lacking : []]).toEqual([language, []]);
  }
});

for (const [language, texts] of Object.entries(CATALOGUES)) {
  test(`texts in ${language} have the places of the English ones, the forms of the language, and no markup`, () => {
    expect(Object.entries(texts).flatMap(([key, text]) => wrongIn(language, key, text))).toEqual([]);
  });

  test(`the catalogue of ${language} is in order`, async () => {
    if ((await Bun.file(fileOf(language)).text()) !== catalogueText(inOrder(texts)))
      throw new Error(`Run "bun test/rules/_languages.ts": ${language}.json is not in order`);
  });
}

/** A text without what a language from right to left isolates, such as "[[", whose brackets would turn. */
function signsIn(words: string, language: string): string {
  return directionOf(language) === "rtl" ? words.replace(/\u2066[^\u2066-\u2069]+\u2069/g, "") : words;
}

/** What is wrong with a text of a catalogue. */
function wrongIn(language: string, key: string, text: Catalogue[string]): string[] {
  const wanted = places(ENGLISH.say(key));
  const deciding = DECIDING.find((name) => wanted.split(",").includes(name));
  const { required, optional, single } = formsOf(language);
  const wrong = (what: string) => [`${key}: ${what}`];
  const wrongText = (words: string) => {
    if (words.trim() !== words || words === "") return wrong("empty, or with space around it");
    if (/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(signsIn(words, language))) return wrong("marks of direction");
    if (/<\/?[a-z]|&[a-z#]\w*;/i.test(words.replace(key.match(/<[^>]*>/)?.[0] ?? "", ""))) return wrong("markup");
    if (language === "fr" && /'|[ \u00a0][?!;:»](?!\p{L})|«[ \u00a0]/u.test(words)) return wrong("French typography");
    return [];
  };
  if (typeof text === "string") {
    if (key in english && required.length > 1) return wrong(`needs the forms ${required}`);
    return places(text) === wanted ? wrongText(text) : wrong(`places ${places(text)} instead of ${wanted}`);
  }
  if (deciding === undefined || filledByScripts.has(key)) return wrong("has forms, and no number decides");
  const forms = Object.keys(text);
  if (
    required.some((form) => !forms.includes(form)) ||
    forms.some((form) => ![...required, ...optional].includes(form))
  )
    return wrong(`forms ${forms} instead of ${required}`);
  return Object.entries(text).flatMap(([form, words]) => {
    const own = places(words);
    const isSpelt = single.includes(form) && own === places(key.replaceAll(`:${deciding}`, ""));
    return own === wanted || isSpelt ? wrongText(words) : wrong(`${form} has the places ${own} instead of ${wanted}`);
  });
}
