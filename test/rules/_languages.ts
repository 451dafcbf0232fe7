/**
 * The catalogues that ship, for the rules about them. Run as a program, it puts each file in order: keys by the alphabet, texts that the
 * German catalogue does not have left out. It prints what each language lacks, for those who translate.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Catalogue as AnyCatalogue, localeTag } from "lectern/core";

/** Texts of a language by their English text. */
export type Catalogue = AnyCatalogue;

const FOLDER = fileURLToPath(new URL("../../plugins/operations/languages/", import.meta.url));

/** The catalogues by language. */
export const CATALOGUES: Readonly<Record<string, Catalogue>> = Object.fromEntries(
  readdirSync(FOLDER)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => [
      localeTag(name.slice(0, -".json".length)),
      JSON.parse(readFileSync(FOLDER + name, "utf8")) as Catalogue,
    ]),
);

/** The path of the file of a language. */
export function fileOf(language: string): string {
  return `${FOLDER}${language.toLowerCase().replace("-", "_")}.json`;
}

/** A catalogue with its keys by the alphabet. */
export function inOrder(texts: Catalogue): Catalogue {
  return Object.fromEntries(
    Object.entries(texts).sort(([one], [other]) => one.localeCompare(other, "en") || (one < other ? -1 : 1)),
  );
}

/** The text of a catalogue's file. */
export function catalogueText(texts: Catalogue): string {
  return `${JSON.stringify(texts, null, 2)}\n`;
}

/** Numbers up to which the forms of a language are looked for: those of lists and counts. */
const MOST = 1_000;

/**
 * The forms of a language: those that a text with a number needs, those it may have as well (for fractions and millions), and of
 * the former those that stand for one number alone, whose text may say it as a word.
 */
export function formsOf(language: string): {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly single: readonly string[];
} {
  const rules = new Intl.PluralRules(language);
  const numbers = Map.groupBy(
    Array.from({ length: MOST + 1 }, (_, number) => number),
    (number) => rules.select(number),
  );
  const required = [...new Set([...numbers.keys(), "other"])];
  return {
    required,
    optional: rules.resolvedOptions().pluralCategories.filter((form) => !required.includes(form)),
    single: [...numbers].filter(([, all]) => all.length === 1).map(([form]) => form),
  };
}

if (import.meta.main) {
  const { de: german = {} } = CATALOGUES;
  for (const [language, texts] of Object.entries(CATALOGUES)) {
    const known = Object.fromEntries(Object.entries(texts).filter(([key]) => key in german));
    writeFileSync(fileOf(language), catalogueText(inOrder(known)));
    const lacking = language === "en" ? [] : Object.keys(german).filter((key) => !(key in texts));
    const lines = [`${language}: ${Object.keys(known).length} texts, ${lacking.length} lacking`, ...lacking];
    process.stdout.write(`${lines.join("\n  ")}\n`);
  }
}
