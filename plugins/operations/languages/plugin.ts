/**
 * Texts for messages of the API and screens in the languages that ship: one catalogue per language, keyed by the English text or, if a
 * message has one, its key. Texts that a catalogue lacks are shown in English. A catalogue takes 100 KB and is read when its language is
 * first used. `en.json` has the forms of English texts that depend on a number.
 */
import { readFileSync } from "node:fs";
import { type Catalogue, definePlugin } from "lectern/core";
import english from "./en.json" with { type: "json" };

/** The languages beside English; the file of `pt-BR` is `pt_br.json`. */
const LANGUAGES = ["de", "fr", "es", "it", "nl", "pl", "pt-BR", "uk", "ja", "zh-Hans", "ar", "he"] as const;

/** Reads the catalogue of a language; the rule of tests holds the form of the file. */
function catalogueOf(language: (typeof LANGUAGES)[number]): Catalogue {
  return JSON.parse(readFileSync(new URL(`./${fileOf(language)}`, import.meta.url), "utf8")) as Catalogue;
}

function fileOf(language: string): string {
  return `${language.toLowerCase().replace("-", "_")}.json`;
}

export default definePlugin({
  name: "languages",
  texts: { en: english, ...Object.fromEntries(LANGUAGES.map((language) => [language, () => catalogueOf(language)])) },
  setup() {},
});
