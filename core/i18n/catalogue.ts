/**
 * The texts of the interface by language and key, with placeholders. A language that lacks a text falls back to the nearest other one of
 * the same language, then to English. Plugins add and replace texts, and reworded English texts keep their old keys. Catalogues that
 * are given as functions are read when a text of their language is first said: a server that speaks two of twelve languages does not hold ten others.
 *
 * A text that depends on a number has a form for each category of CLDR that the language has, and the number of one placeholder decides
 * (`DECIDING`).
 */

import { filled } from "../std/filled.ts";
import { keptByTag, localeTag, nearestOf } from "./languages.ts";

/**
 * A text in the forms of its language, by the category that `Intl.PluralRules` has for the number in it; `other` stands for those
 * that are not there.
 */
export type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

/** Texts of a language by key, such as `validation.required`; `:name` is a placeholder. */
export type Catalogue = Readonly<Record<string, string | PluralForms>>;

/** Texts, or what reads them when they are first needed. It is called once. */
export type CatalogueSource = Catalogue | (() => Catalogue);

/** Values of placeholders. */
type Params = Readonly<Record<string, string | number>>;

/** Texts of all languages. English is complete; later additions replace earlier ones. */
export interface Texts {
  /**
   * The text of a key with its placeholders filled; English where the language lacks it, else the key itself. Of several forms
   * it is that for the number among `params`, without one `other`. Numbers are written as digits alone, unless `write` writes them.
   */
  say(key: string, params?: Params, language?: string, write?: (value: number) => string): string;
  /** Adds or replaces texts of a language. */
  add(language: string, texts: CatalogueSource): void;
  /** Replaces texts of others: one under an old key (see `rename`) replaces the present one as well. */
  override(language: string, texts: Catalogue): void;
  /**
   * Declares old keys of reworded English texts, `{ old: present }`, with the same placeholders. In other languages each is looked
   * up under both keys, its own first, so that translations of either wording are found. English is found under its own key.
   */
  rename(keys: Readonly<Record<string, string>>): void;
  /** Languages with at least one text. */
  languages(): string[];
  /** The language of readers who have not chosen one and whose browser names none that is there. */
  language(): string;
  /** Makes another language that of such readers, in this process. */
  useLanguage(language: string): void;
}

/** Placeholders whose number decides the form of a text: the first of these that it has. */
const DECIDING = ["total", "items", "count", "max", "min", "days", "minutes", "seconds"] as const;

/**
 * The English texts with a key of their own, exactly as existing clients know them (content-api 2.2, platform 1.7). All
 * other texts are in the code that uses them: the English text is the key.
 */
const ENGLISH: Catalogue = {
  "validation.invalid": "The given data was invalid.",
  "validation.alpha_dash": "The :attribute may only contain letters, numbers, dashes and underscores.",
  "validation.array": "The :attribute must be an array.",
  "validation.boolean": "The :attribute field must be true or false.",
  "validation.email": "The :attribute must be a valid email address.",
  "validation.exists": "The selected :attribute is invalid.",
  "validation.file": "The :attribute must be provided as a valid file.",
  "validation.image_extension": "The :attribute must have a valid & supported image extension.",
  "validation.in": "The selected :attribute is invalid.",
  "validation.integer": "The :attribute must be an integer.",
  "validation.max.file": "The :attribute may not be greater than :max kilobytes.",
  "validation.max.number": "The :attribute may not be greater than :max.",
  "validation.max.string": "The :attribute may not be greater than :max characters.",
  "validation.max.array": "The :attribute may not have more than :max items.",
  "validation.mimes": "The :attribute must be a file of type: :values.",
  "validation.min.array": "The :attribute must have at least :min items.",
  "validation.min.file": "The :attribute must be at least :min kilobytes.",
  "validation.min.number": "The :attribute must be at least :min.",
  "validation.min.string": "The :attribute must be at least :min characters.",
  "validation.required": "The :attribute field is required.",
  "validation.required_if": "The :attribute field is required when :other is :value.",
  "validation.required_with": "The :attribute field is required when :values is present.",
  "validation.required_without": "The :attribute field is required when :values is not present.",
  "validation.safe_url": "The provided link may not be safe.",
  "validation.string": "The :attribute must be a string.",
  "validation.unique": "The :attribute has already been taken.",
  "validation.uploaded": "The file could not be uploaded. The server may not accept files of this size.",
};

/**
 * Creates a catalogue with the English texts, of an instance in a language.
 * @example
 * const texts = createTexts();
 * texts.add("de", { "At most :max notes": { one: "Höchstens eine Notiz", other: "Höchstens :max Notizen" } });
 * texts.say("At most :max notes", { max: 20 }, "de"); // Höchstens 20 Notizen
 */
export function createTexts(ofInstance = "en"): Texts {
  let instanceLanguage = ofInstance;
  const catalogues = new Map<string, Catalogue>([["en", joined(ENGLISH)]]);
  /** What was given as functions, by language, in the order of the additions that follow it. */
  const unread = new Map<string, CatalogueSource[]>();
  const present = new Map<string, string>();
  const old = new Map<string, string[]>();
  /** The catalogues of a language in which a text is looked for, nearest first. */
  let searched = searchIn([]);
  const catalogueOf = (language: string): Catalogue | undefined => {
    const sources = unread.get(language);
    if (sources === undefined) return catalogues.get(language);
    const read = sources.map((source) => (typeof source === "function" ? source() : source));
    unread.delete(language);
    catalogues.set(language, joined(...read));
    return catalogues.get(language);
  };
  const translated = (key: string, language: string): string | PluralForms | undefined => {
    const texts = catalogueOf(language);
    if (!texts || language === "en") return texts?.[key];
    const others = [...(old.get(key) ?? []), present.get(key) ?? key];
    return texts[key] ?? others.map((other) => texts[other]).find((text) => text !== undefined);
  };
  const add = (language: string, texts: CatalogueSource) => {
    const isNew = !catalogues.has(language);
    const waiting = unread.get(language);
    if (waiting) waiting.push(texts);
    else if (typeof texts === "function") unread.set(language, [catalogues.get(language) ?? {}, texts]);
    else catalogues.set(language, joined(catalogues.get(language) ?? {}, texts));
    if (!isNew) return;
    if (!catalogues.has(language)) catalogues.set(language, joined());
    searched = searchIn([...catalogues.keys()]);
  };
  return {
    say(key, params = {}, language = "en", write = String) {
      const said = (text: string) => filled(text, params, write);
      for (const name of language === "en" ? ONLY_ENGLISH : searched(language)) {
        const text = translated(key, name);
        if (text !== undefined) return said(typeof text === "string" ? text : formOf(text, params, name));
      }
      return said(key);
    },
    add,
    override(language, texts) {
      const current = Object.entries(texts).map(([key, text]) => [present.get(key) ?? key, text]);
      add(language, { ...texts, ...Object.fromEntries(current), ...texts });
    },
    rename(keys) {
      for (const [before, after] of Object.entries(keys)) {
        present.set(before, after);
        old.set(after, [...(old.get(after) ?? []), before]);
      }
    },
    languages: () => [...catalogues.keys()],
    language: () => instanceLanguage,
    useLanguage(language) {
      instanceLanguage = language;
    },
  };
}

const ONLY_ENGLISH: readonly string[] = ["en"];

/** Finds the catalogues for a language among those there are; English is the last of each. */
function searchIn(known: readonly string[]): (language: string) => readonly string[] {
  return keptByTag((language) => [...new Set([...nearestOf(language, known), "en"])]);
}

const pluralRules = keptByTag((language) => new Intl.PluralRules([localeTag(language), "en"]));

/** The form for the number among the values of the placeholders. */
function formOf(forms: PluralForms, params: Params, language: string): string {
  const name = DECIDING.find((each) => forms.other.includes(`:${each}`));
  const number = name && Object.hasOwn(params, name) ? Number(params[name]) : Number.NaN;
  return Number.isNaN(number) ? forms.other : (forms[pluralRules(language).select(number)] ?? forms.other);
}

/** Texts without the members that every object has: values from requests are looked up too, such as "constructor". */
function joined(...texts: readonly Catalogue[]): Catalogue {
  return Object.assign(Object.create(null), ...texts);
}
