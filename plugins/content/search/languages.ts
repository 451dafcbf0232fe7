/**
 * The languages that words can be stemmed in: the Snowball dictionaries that PostgreSQL ships, by language tag. Which of them a
 * server has depends on its version, so they are looked up.
 */
import { sql } from "lectern/core";
import { type Executor, rows } from "lectern/db";

/** The dictionaries of PostgreSQL 15 to 18 without `_stem`, by language. */
const DICTIONARIES: Readonly<Record<string, string>> = {
  ar: "arabic",
  ca: "catalan",
  da: "danish",
  de: "german",
  el: "greek",
  en: "english",
  es: "spanish",
  et: "estonian",
  eu: "basque",
  fi: "finnish",
  fr: "french",
  ga: "irish",
  hi: "hindi",
  hu: "hungarian",
  hy: "armenian",
  id: "indonesian",
  it: "italian",
  lt: "lithuanian",
  nb: "norwegian",
  ne: "nepali",
  nl: "dutch",
  nn: "norwegian",
  no: "norwegian",
  pl: "polish",
  pt: "portuguese",
  ro: "romanian",
  ru: "russian",
  sr: "serbian",
  sv: "swedish",
  ta: "tamil",
  tr: "turkish",
  yi: "yiddish",
};
/** The names of the tag that gives the language of an item, such as `language: de`. */
const TAGS = ["language", "lang"];
const BLANKS = /\s+/;
/** Characters of the tags of an item that are looked at. */
const MAX_TAGS = 2_000;

/** Finds the dictionaries of a server. */
export class StemLanguages {
  readonly #db: Executor;
  readonly #default: string;
  #there: Promise<ReadonlyMap<string, string>> | undefined;

  /** `language` is that of the instance, such as `de` or `pt-BR`. */
  constructor(db: Executor, language: string) {
    this.#db = db;
    this.#default = baseOf(language);
  }

  /** The language of an item by its tags, `name value` each; else that of the instance. */
  of(tags: string | null): string {
    if (!tags) return this.#default;
    const words = tags.slice(0, MAX_TAGS).toLowerCase().split(BLANKS);
    const tagged = baseOf(words.find((_, at) => TAGS.includes(words[at - 1] ?? "")) ?? "");
    return Object.hasOwn(DICTIONARIES, tagged) ? tagged : this.#default;
  }

  /** The dictionary of each language, as SQL names it; `simple` where the server has none. */
  async dictionaryOf(language: string): Promise<string> {
    this.#there ??= this.#find().catch((error: unknown) => {
      this.#there = undefined;
      throw error;
    });
    return (await this.#there).get(language) ?? "pg_catalog.simple";
  }

  async #find(): Promise<ReadonlyMap<string, string>> {
    const names = Object.values(DICTIONARIES).map((name) => `${name}_stem`);
    // A template: Kysely's builder has no words for catalogs.
    const found = await rows<{ name: string }>(
      this.#db,
      sql`select dictname as name from pg_ts_dict
        where dictnamespace = 'pg_catalog'::regnamespace and dictname = any(${names}::text[])`,
    );
    const there = new Set(found.map(({ name }) => name));
    return new Map(
      Object.entries(DICTIONARIES).flatMap(([language, name]) =>
        there.has(`${name}_stem`) ? [[language, `pg_catalog.${name}_stem`] as const] : [],
      ),
    );
  }

  /** All languages that have a dictionary in some version of PostgreSQL. */
  get all(): readonly string[] {
    return [...new Set([this.#default, ...Object.keys(DICTIONARIES)])];
  }
}

/** `pt` of `pt-BR` and `pt_BR`. */
function baseOf(language: string): string {
  return language.toLowerCase().split(/[-_]/)[0] ?? language;
}
