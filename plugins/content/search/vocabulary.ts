/**
 * The vocabulary of the index: which words of letters there are, and their stems. Words are added in the transaction that indexes them.
 * A search finds other forms of its words by it, words that begin with them, and what a misspelt word may have meant. Words of items that
 * and parts that are destroyed go with them. It says nothing about who sees a word: one counts for a viewer only where a search finds it for them.
 */
import { MINUTE_MS, type RawBuilder, type SearchedParts, sql, yieldToEventLoop } from "lectern/core";
import { type Executor, hasTrigrams, rows } from "lectern/db";
import type { StemLanguages } from "./languages.ts";
import { normalizeText } from "./normalize_text.ts";
import { textChunks } from "./tokenize.ts";

/** Words that are known to be in the vocabulary, so that saving an item asks for none of them again: some megabytes. */
const MAX_KNOWN = 50_000;
/** Milliseconds after which they are looked up again, since another server may have removed one with its item. */
const KNOWN_MS = 10 * MINUTE_MS;
/** Words of one item that are added at a time. */
const BATCH = 2_000;
/** A word that has forms: of letters, of a script with spaces between words. */
const LEARNED =
  /^[[\p{L}\p{M}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]]{2,40}$/v;
const LETTERS = /[\p{L}\p{M}]{2,80}/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the ASCII range starts with control characters
const BESIDE_ASCII = /[^\x00-\x7f]/;
/** Forms of one word that a search looks for. */
const MAX_FORMS = 24;
/** Words near a misspelt one that are compared with it. */
const MAX_NEAR = 40;
/** Milliseconds for which the languages in use are remembered. */
const LANGUAGES_MS = MINUTE_MS;

/** What the vocabulary says of a word of a search. */
export interface KnownWord {
  /** Whether the index has the word. */
  readonly known: boolean;
  /** Whether a word of the index begins with it. */
  readonly begins: boolean;
  /** Whether it is one that says nothing, such as `the`. */
  readonly stop: boolean;
  /** Other forms of it. */
  readonly forms: readonly string[];
}

/** The texts and words of an item. */
export interface Learned {
  readonly language: string;
  /** In their normal form. */
  readonly words: ReadonlySet<string>;
  /** As they are written: stems depend on accents. */
  readonly texts: readonly (string | null)[];
}

/** SQL for the words of what is deleted, as rows, and for entries of the index that are about to be. */
export interface GoneWords {
  readonly words: RawBuilder<unknown>;
  readonly except?: RawBuilder<unknown>;
}

/** Keeps and reads the vocabulary. */
export class Vocabulary {
  readonly languages: StemLanguages;
  readonly #db: Executor;
  readonly #parts: () => readonly SearchedParts[];
  readonly #known = new Set<string>();
  #knownSince = performance.now();
  /** Words that a transaction has added: they are not known before others see them. */
  readonly #added = new WeakMap<Executor, Set<string>>();
  #inUse: { readonly at: number; readonly languages: readonly string[] } | undefined;
  #hasTrigrams: Promise<boolean> | undefined;

  /** `parts` are rows of other plugins whose words are searched too; complete once the runtime has booted. */
  constructor(db: Executor, languages: StemLanguages, parts: () => readonly SearchedParts[]) {
    this.#db = db;
    this.languages = languages;
    this.#parts = parts;
  }

  /** Adds the words of items that the vocabulary lacks, in the transaction of `db`. */
  async learn(items: readonly Learned[], db: Executor): Promise<void> {
    if (performance.now() - this.#knownSince > KNOWN_MS) this.#forgetKnown();
    for (const [language, ofLanguage] of Map.groupBy(items, (item) => item.language)) {
      const unknown = new Set<string>();
      const writtenIn: string[] = [];
      for (const { words, texts } of ofLanguage) {
        const before = unknown.size;
        for (const word of words) if (!this.#isKnown(language, word, db) && LEARNED.test(word)) unknown.add(word);
        if (unknown.size > before)
          for (const text of texts) if (text !== null && BESIDE_ASCII.test(text)) writtenIn.push(text);
      }
      if (unknown.size > 0) await this.#add(language, unknown, writtenIn, db);
    }
  }

  #isKnown(language: string, word: string, db: Executor): boolean {
    const key = `${language} ${word}`;
    return this.#known.has(key) || (this.#added.get(db)?.has(key) ?? false);
  }

  async #add(
    language: string,
    unknown: ReadonlySet<string>,
    writtenIn: readonly string[],
    db: Executor,
  ): Promise<void> {
    const dictionary = await this.languages.dictionaryOf(language);
    const written = await writtenForms(unknown, writtenIn);
    const added = this.#added.get(db) ?? new Set<string>();
    this.#added.set(db, added);
    const all = [...unknown];
    for (let at = 0; at < all.length; at += BATCH) {
      const words = all.slice(at, at + BATCH);
      // A template: the statement looks up, adds and answers at once.
      const there = await rows<{ word: string }>(
        db,
        sql`with wanted as (select word, written, exists (select from search_words
              where search_words.language = ${language}::text and search_words.word = wanted.word collate "C") as there
            from unnest(${words}::text[], ${words.map((word) => written.get(word) ?? word)}::text[]) as wanted(word, written)),
          added as (insert into search_words (language, word, stem)
            select ${language}::text, word, text_key((ts_lexize(${dictionary}::text::regdictionary, written))[1])
            from wanted where not there)
          select word from wanted where there`,
      );
      if (this.#known.size + there.length > MAX_KNOWN) this.#forgetKnown();
      const found = new Set(there.map(({ word }) => word));
      for (const word of words) (found.has(word) ? this.#known : added).add(`${language} ${word}`);
    }
  }

  /**
   * Removes those words of deleted items or parts that no other entry of the index and no other part has, in the transaction of `db`.
   * `common` are words that others have for certain.
   */
  async forget(
    { words, except }: GoneWords,
    { common, db }: { readonly common: readonly string[]; readonly db: Executor },
  ): Promise<void> {
    this.#forgetKnown();
    const languages = await this.#languagesInUse();
    const entries = sql`select from search_index
      where search_index.words @@ quote_literal(gone.word)::tsquery ${except ? sql`and not (${except})` : sql``}`;
    const parts = this.#parts().map(
      ({ table, wordsColumn }) => sql`select from ${sql.table(table)}
        where ${sql.ref(`${table}.${wordsColumn}`)} @@ quote_literal(gone.word)::tsquery`,
    );
    const nowhere = [entries, ...parts].map((found) => sql`not exists (${found})`);
    // A template: words are compared as queries, which are made of them. They are of letters alone.
    await rows(
      db,
      sql`with gone as materialized (select distinct search_words.word from (${words}) as of_row(word)
            join search_words on search_words.language = any(${languages}::text[]) and search_words.word = of_row.word
          where of_row.word <> all(${[...common]}::text[])),
        unused as materialized (select gone.word from gone where ${sql.join(nowhere, sql` and `)})
        delete from search_words
          where search_words.language = any(${languages}::text[]) and search_words.word in (select word from unused)`,
    );
  }

  #forgetKnown(): void {
    this.#known.clear();
    this.#knownSince = performance.now();
  }

  /** Looks up words of a search, given in their normal form and as they were typed. */
  async lookUp(words: readonly { readonly word: string; readonly written: string }[]): Promise<KnownWord[]> {
    if (words.length === 0) return [];
    const languages = await this.#languagesInUse();
    const dictionaries = await Promise.all(languages.map((language) => this.languages.dictionaryOf(language)));
    // A template: one statement looks up all words in all languages.
    return rows<KnownWord>(
      this.#db,
      sql`with stems as materialized (select asked.n, of.language,
            ts_lexize(of.dictionary::regdictionary, asked.written) as found
          from unnest(${words.map(({ written }) => written)}::text[]) with ordinality as asked(written, n),
            unnest(${languages}::text[], ${dictionaries}::text[]) as of(language, dictionary))
        select exists (select from search_words
            where search_words.language = any(${languages}::text[]) and search_words.word = asked.word) as known,
          exists (select from search_words where search_words.language = any(${languages}::text[])
            and search_words.word >= asked.word and search_words.word < asked.word || ${"\u{10ffff}"}::text) as begins,
          exists (select from stems where stems.n = asked.n and stems.found = '{}') as stop,
          array(select distinct search_words.word from stems, search_words
            where stems.n = asked.n and search_words.language = stems.language
              and search_words.stem = text_key(stems.found[1]) collate "C" and search_words.word <> asked.word
            limit ${MAX_FORMS}::integer) as forms
        from unnest(${words.map(({ word }) => word)}::text[]) with ordinality as bare(typed, n)
          cross join lateral (select bare.typed collate "C" as word, bare.n) as asked order by asked.n`,
    );
  }

  /** Words of the vocabulary that resemble a word, the most similar first; none without the extension pg_trgm. */
  async near(word: string): Promise<string[]> {
    this.#hasTrigrams ??= hasTrigrams(this.#db);
    if (!(await this.#hasTrigrams)) return [];
    // A template: the operator of similar texts is of an extension.
    const found = await rows<{ word: string }>(
      this.#db,
      sql`select word from (select distinct search_words.word, similarity(search_words.word, ${word}::text) as alike
          from search_words where search_words.word % ${word}::text
            and char_length(search_words.word) between ${word.length - 2}::integer and ${word.length + 2}::integer) as near
        order by alike desc, word limit ${MAX_NEAR}::integer`,
    );
    return found.map((one) => one.word);
  }

  async #languagesInUse(): Promise<readonly string[]> {
    if (this.#inUse && performance.now() - this.#inUse.at < LANGUAGES_MS) return this.#inUse.languages;
    // A template: the languages are a list of its own, and not rows of a table.
    const found = await rows<{ language: string }>(
      this.#db,
      sql`select language from unnest(${[...this.languages.all]}::text[]) as one(language)
        where exists (select from search_words where search_words.language = one.language collate "C")`,
    );
    const languages = found.map(({ language }) => language);
    this.#inUse = { at: performance.now(), languages };
    return languages;
  }
}

/** How words are written in texts, by their normal form, where that differs. */
async function writtenForms(words: ReadonlySet<string>, texts: readonly string[]): Promise<Map<string, string>> {
  const written = new Map<string, string>();
  const yieldNow = yieldToEventLoop();
  for (const text of texts)
    for (const chunk of textChunks(text)) {
      await yieldNow();
      for (const [run] of chunk.normalize("NFC").toLowerCase().matchAll(LETTERS)) {
        if (!BESIDE_ASCII.test(run)) continue;
        const word = normalizeText(run);
        if (word !== run && words.has(word) && !written.has(word)) written.set(word, run);
      }
    }
  return written;
}
