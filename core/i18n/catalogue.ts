/** Texts of a language by key, such as `validation.required`; `:name` is a placeholder. */
export type Catalogue = Readonly<Record<string, string>>;

/** Texts of all languages. English is complete; later additions replace earlier ones. */
export interface Texts {
  /** The text of a key with its placeholders filled; English where the language lacks it, else the key itself. */
  say(key: string, params?: Readonly<Record<string, string | number>>, language?: string): string;
  /**
   * Adds or replaces texts of a language. A text under an old key (see `rename`) becomes one of the present key, unless the
   * same texts have that too.
   */
  add(language: string, texts: Catalogue): void;
  /**
   * Makes old keys aliases of the present ones, `{ old: present }`: a reworded English text is still found by its old
   * wording, in catalogues of plugins and themes and in calls of `say`. Both have the same placeholders.
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
  const catalogues = new Map<string, Record<string, string>>([["en", { ...ENGLISH }]]);
  const renamed = new Map<string, string>();
  const find = (key: string, language: string): string =>
    catalogues.get(language)?.[key] ??
    catalogues.get(language.split(/[-_]/)[0] ?? "")?.[key] ??
    catalogues.get("en")?.[key] ??
    key;
  /** The texts under present keys alone. */
  const current = (texts: Catalogue): Catalogue => {
    const old = Object.entries(texts).filter(([key]) => renamed.has(key));
    const rest = Object.entries(texts).filter(([key]) => !renamed.has(key));
    return Object.fromEntries([...old.map(([key, text]) => [renamed.get(key) ?? key, text]), ...rest]);
  };
  return {
    say: (key, params = {}, language = "en") => filled(find(renamed.get(key) ?? key, language), params),
    add(language, texts) {
      catalogues.set(language, { ...catalogues.get(language), ...current(texts) });
    },
    rename(keys) {
      for (const [old, present] of Object.entries(keys)) renamed.set(old, present);
      // Texts that were added before: one under an old key was written by somebody who knew no other.
      for (const [language, texts] of catalogues) {
        const old = Object.entries(texts).filter(([key]) => Object.hasOwn(keys, key));
        if (old.length > 0) catalogues.set(language, { ...current(texts), ...current(Object.fromEntries(old)) });
      }
    },
    languages: () => [...catalogues.keys()],
  };
}

/** A text with its placeholders filled; those without a value stay. */
export function filled(text: string, params: Readonly<Record<string, string | number>>): string {
  return text.replace(/:([a-z]+)/g, (placeholder, name: string) =>
    Object.hasOwn(params, name) ? String(params[name]) : placeholder,
  );
}
