/**
 * The texts of the interface by language and key, with placeholders. A language that lacks a text falls back to its main language,
 * then to English. Plugins add and replace texts, and reworded English texts keep their old keys.
 */

import { filled } from "../std/filled.ts";

/** Texts of a language by key, such as `validation.required`; `:name` is a placeholder. */
export type Catalogue = Readonly<Record<string, string>>;

/** Texts of all languages. English is complete; later additions replace earlier ones. */
export interface Texts {
  /** The text of a key with its placeholders filled; English where the language lacks it, else the key itself. */
  say(key: string, params?: Readonly<Record<string, string | number>>, language?: string): string;
  /** Adds or replaces texts of a language. */
  add(language: string, texts: Catalogue): void;
  /** Replaces texts of others: one under an old key (see `rename`) replaces the present one as well. */
  override(language: string, texts: Catalogue): void;
  /**
   * Declares old keys of reworded English texts, `{ old: present }`, with the same placeholders. In other languages each is looked
   * up under both keys, its own first, so that translations of either wording are found. English is found under its own key.
   */
  rename(keys: Catalogue): void;
  /** Languages with at least one text. */
  languages(): string[];
}

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
 * Creates a catalogue with the English texts.
 * @example
 * const texts = createTexts();
 * texts.add("de", { "At most :max notes": "Höchstens :max Notizen" });
 * texts.say("At most :max notes", { max: 20 }, "de"); // Höchstens 20 Notizen
 */
export function createTexts(): Texts {
  const catalogues = new Map<string, Catalogue>([["en", joined(ENGLISH)]]);
  const present = new Map<string, string>();
  const old = new Map<string, string[]>();
  const translated = (key: string, language: string): string | undefined => {
    const texts = catalogues.get(language);
    if (!texts || language === "en") return texts?.[key];
    const others = [...(old.get(key) ?? []), present.get(key) ?? key];
    return texts[key] ?? others.map((other) => texts[other]).find((text) => text !== undefined);
  };
  const find = (key: string, language: string): string => {
    if (language === "en") return translated(key, "en") ?? key;
    return (
      translated(key, language) ?? translated(key, language.split(/[-_]/)[0] ?? "") ?? translated(key, "en") ?? key
    );
  };
  const add = (language: string, texts: Catalogue) =>
    void catalogues.set(language, joined(catalogues.get(language) ?? {}, texts));
  return {
    say: (key, params = {}, language = "en") => filled(find(key, language), params),
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
  };
}

/** Texts without the members that every object has: values from requests are looked up too, such as "constructor". */
function joined(...texts: readonly Catalogue[]): Catalogue {
  return Object.assign(Object.create(null), ...texts);
}
