/** The tables that statements name, to check that the answers made of them declare each. */
import { sql } from "kysely";
import { type Db, rows } from "../../db/mod.ts";

/** What a text reads: names of tables, and whether it calls a function whose value changes by itself. */
interface Read {
  readonly tables: readonly string[];
  readonly volatile: string | undefined;
}

/** Texts that are remembered; they vary with the permissions of viewers. */
const MAX_TEXTS = 2_000;
const LITERALS = /'(?:[^']|'')*'/g;
const WORDS = /[a-z_][a-z0-9_$]*/gi;
const VOLATILE =
  /\b(?:(?:now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|random|gen_random_uuid|nextval)(?=\s*\()|current_(?:date|time|timestamp)|localtime(?:stamp)?)/i;

/** What statements read, by their texts. */
export class ReadTables {
  #names: ReadonlySet<string> = new Set();
  readonly #known = new Map<string, Read>();

  /** Reads the names of all tables and views. */
  async learn(db: Db): Promise<void> {
    // A template: Kysely's builder has no words for catalogs.
    const found = await rows(
      db,
      sql<{ name: string }>`select distinct relname as name from pg_class where relkind in ('r', 'p', 'v', 'm', 'f')
        and relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace, 'pg_toast'::regnamespace)`,
    );
    this.#names = new Set(found.map(({ name }) => name));
  }

  /** A table that the texts name and that is not among the declared, or such a function; undefined for none. */
  undeclared(texts: Iterable<string>, declared: ReadonlySet<string>): string | undefined {
    for (const text of texts) {
      const { tables, volatile } = this.#read(text);
      const undeclared = volatile ?? tables.find((table) => !declared.has(table));
      if (undeclared !== undefined) return undeclared;
    }
    return undefined;
  }

  #read(text: string): Read {
    const known = this.#known.get(text);
    if (known) return known;
    const bare = text.replace(LITERALS, "''");
    const words = new Set(bare.match(WORDS));
    const read = { tables: [...words].filter((word) => this.#names.has(word)), volatile: VOLATILE.exec(bare)?.[0] };
    if (this.#known.size >= MAX_TEXTS) this.#known.clear();
    this.#known.set(text, read);
    return read;
  }
}
