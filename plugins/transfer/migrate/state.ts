/**
 * What is copied, will be, and as what: for each item of the source the id and the address it has here. Both are kept for
 * it before anything is written, so that a page can name another one that comes after it. A row gets its hash in the
 * transaction that writes its item: a run that is killed leaves nothing half written and forgets nothing.
 */
import { type RawBuilder, randomText, slugOf, sql } from "lectern/core";
import { type Db, rows, type TableName } from "lectern/db";
import type { Kind, MigratedItemsTable } from "./contract.ts";

/** What is known of an item. */
export type Entry = Pick<MigratedItemsTable, "own_id" | "source_slug" | "slug" | "hash" | "stamp" | "run">;

/** The hash of what was found here and is left alone. */
export const FOUND = "=";

/** Tables by what lies in them. */
export const TABLES: Readonly<Record<Kind, TableName>> = {
  role: "roles",
  user: "users",
  bookshelf: "bookshelves",
  book: "books",
  chapter: "chapters",
  page: "pages",
  image: "images",
  cover: "images",
  attachment: "attachments",
  comment: "comments",
};

/** An item a place is wanted for. */
export interface Wish {
  readonly id: number;
  /** The part of its address that is its own; "" for none. */
  readonly slug: string;
  /** What a slug is made of where that one is taken. */
  readonly name: string;
  /** Within what its slug is its own: the id of its book here, else 0. */
  readonly scope: number;
}

const BOOK = sql`'/books/' || (select slug from books where id = item.book_id)`;
/** Addresses of items, over their table as "item". */
const PATHS = {
  bookshelf: sql`'/shelves/' || item.slug`,
  book: sql`'/books/' || item.slug`,
  chapter: sql`${BOOK} || '/chapter/' || item.slug`,
  page: sql`${BOOK} || '/page/' || item.slug`,
} as const;

/** A time as text, as the store gives it on the wire: what stamps are compared with. */
export function stampOf(time: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

const BATCH = 1000;
const SUFFIX_LENGTH = 3;

/** What is known of one source. */
export class State {
  readonly source: string;
  readonly run: number;
  /** Whether an earlier run did not end, so that this one goes on with it. */
  readonly resumed: boolean;
  readonly #db: Db;
  readonly #entries = new Map<string, Entry>();

  private constructor(db: Db, source: string, { run, resumed }: { run: number; resumed: boolean }) {
    this.#db = db;
    this.source = source;
    this.run = run;
    this.resumed = resumed;
  }

  /** Begins a run, or goes on with the last one. */
  static async open(db: Db, source: string): Promise<State> {
    const [before] = await rows<{ finished: boolean }>(
      db,
      sql`select finished from migration_sources where source = ${source}`,
    );
    const [begun] = await rows<{ run: number }>(
      db,
      sql`insert into migration_sources (source, run, finished) values (${source}, 1, false)
        on conflict (source) do update set finished = false,
          run = migration_sources.run + migration_sources.finished::integer returning run`,
    );
    const state = new State(db, source, { run: begun?.run ?? 1, resumed: before?.finished === false });
    const known = await rows<Entry & { kind: Kind; source_id: number }>(
      db,
      sql`select * from migrated_items where source = ${source}`,
    );
    for (const { kind, source_id, ...entry } of known) state.note(kind, source_id, entry);
    return state;
  }

  /** Ends the run. */
  async finish(): Promise<void> {
    await rows(this.#db, sql`update migration_sources set finished = true where source = ${this.source}`);
  }

  /** What is known of an item. */
  get(kind: Kind, id: number | undefined): Entry | undefined {
    return id === undefined ? undefined : this.#entries.get(`${kind} ${id}`);
  }

  /** The id here of an item that has been written. */
  written(kind: Kind, id: number | undefined): number | undefined {
    const entry = this.get(kind, id);
    return entry?.hash ? entry.own_id : undefined;
  }

  /** Remembers what was written about an item. */
  note(kind: Kind, id: number, entry: Entry): void {
    this.#entries.set(`${kind} ${id}`, entry);
  }

  /** Everything known of a kind. */
  *ofKind(kind: Kind): Iterable<readonly [id: number, entry: Entry]> {
    for (const [key, entry] of this.#entries)
      if (key.startsWith(`${kind} `)) yield [Number(key.slice(kind.length + 1)), entry];
  }

  /** Notes that the run is through with an item that needed nothing. */
  async pass(kind: Kind, id: number): Promise<void> {
    const entry = this.get(kind, id);
    if (!entry || entry.run === this.run) return;
    await rows(this.#db, sql`update migrated_items set run = ${this.run}::integer where ${this.row(kind, id)}`);
    this.note(kind, id, { ...entry, run: this.run });
  }

  /** The row of an item, as a condition. */
  row(kind: Kind, id: number): RawBuilder<boolean> {
    return sql<boolean>`source = ${this.source} and kind = ${kind} and source_id = ${id}::integer`;
  }

  /** Notes that an item is one that was here already; with a stamp it may be changed as long as nobody else does. */
  async match(kind: Kind, id: number, own: number, stamp: string | null): Promise<void> {
    const hash = stamp === null ? FOUND : "";
    await rows(
      this.#db,
      sql`insert into migrated_items (source, kind, source_id, own_id, source_slug, slug, hash, stamp, run)
        values (${this.source}, ${kind}, ${id}::integer, ${own}::integer, '', '', ${hash}, ${stamp}, 0)
        on conflict do nothing`,
    );
    this.note(kind, id, { own_id: own, source_slug: "", slug: "", hash, stamp, run: 0 });
  }

  /**
   * Keeps ids and addresses for items that have none yet, and new addresses for those that got others there. Answers
   * whose those are.
   */
  async reserve(kind: Kind, wishes: readonly Wish[]): Promise<ReadonlySet<number>> {
    const open = wishes.filter(({ id, slug }) => this.get(kind, id)?.source_slug !== slug);
    const fresh = new Set(open.map(({ id }) => id));
    if (open.length === 0) return fresh;
    const taken = await this.#taken(kind, open);
    for (const wish of wishes) {
      const entry = this.get(kind, wish.id);
      if (entry?.source_slug === wish.slug) taken.add(placeOf(wish.scope, entry.slug));
    }
    for (let at = 0; at < open.length; at += BATCH) {
      const batch = open.slice(at, at + BATCH).map((wish) => {
        const slug = freeOf(kind, wish, taken);
        taken.add(placeOf(wish.scope, slug));
        return { source_id: wish.id, source_slug: wish.slug, slug };
      });
      await this.#keep(kind, batch);
    }
    return fresh;
  }

  /** Addresses here, by id there, of items that were changed here since they were written. */
  async changedHere(kind: keyof typeof PATHS): Promise<Map<number, string>> {
    const table = sql.table(TABLES[kind]);
    const found = await rows<{ source_id: number; path: string }>(
      this.#db,
      sql`select migrated.source_id, ${PATHS[kind]} as path
        from migrated_items migrated join ${table} as item on item.id = migrated.own_id and item.deleted_at is null
        where source = ${this.source} and kind = ${kind} and hash is not null
          and stamp is distinct from ${stampOf(sql.ref("item.updated_at"))}`,
    );
    return new Map(found.map(({ source_id, path }) => [source_id, encodeURI(path)]));
  }

  async #keep(kind: Kind, batch: readonly { source_id: number; source_slug: string; slug: string }[]): Promise<void> {
    const kept = await rows<Entry & { source_id: number }>(
      this.#db,
      sql`insert into migrated_items (source, kind, source_id, own_id, source_slug, slug, run)
        select ${this.source}, ${kind}, sent.source_id,
          nextval(pg_get_serial_sequence(${TABLES[kind]}, 'id'))::integer, sent.source_slug, sent.slug, 0
        from jsonb_to_recordset(${JSON.stringify(batch)}::text::jsonb)
          as sent(source_id integer, source_slug text, slug text)
        on conflict (source, kind, source_id) do update set source_slug = excluded.source_slug, slug = excluded.slug
        returning source_id, own_id, source_slug, slug, hash, stamp, run`,
    );
    for (const { source_id, ...entry } of kept) this.note(kind, source_id, entry);
  }

  /** Addresses of this kind that are in use here, among those that are wished for. */
  async #taken(kind: Kind, wishes: readonly Wish[]): Promise<Set<string>> {
    const slugs = [...new Set(wishes.map(({ slug }) => slug))].filter((slug) => slug !== "");
    const used = slugs.length === 0 ? undefined : USED[kind]?.(slugs);
    const found = used ? await rows<{ id: number; scope: number; slug: string }>(this.#db, used) : [];
    const moving = new Set(wishes.map(({ id }) => this.get(kind, id)?.own_id));
    return new Set(found.filter(({ id }) => !moving.has(id)).map(({ scope, slug }) => placeOf(scope, slug)));
  }
}

const USED: Partial<Record<Kind, (slugs: string[]) => RawBuilder<{ id: number; scope: number; slug: string }>>> = {
  user: (slugs) => sql`select id, 0 as scope, slug from users where slug = any(${slugs}::text[])`,
  bookshelf: (slugs) => sql`select id, 0 as scope, slug from bookshelves
    where slug = any(${slugs}::text[]) and deleted_at is null`,
  book: (slugs) =>
    sql`select id, 0 as scope, slug from books where slug = any(${slugs}::text[]) and deleted_at is null`,
  chapter: (slugs) => sql`select id, book_id as scope, slug from chapters
    where slug = any(${slugs}::text[]) and deleted_at is null`,
  page: (slugs) => sql`select id, book_id as scope, slug from pages
    where slug = any(${slugs}::text[]) and deleted_at is null`,
  image: (paths) => sql`select id, 0 as scope, path as slug from images where path = any(${paths}::text[])`,
  cover: (paths) => sql`select id, 0 as scope, path as slug from images where path = any(${paths}::text[])`,
};

function placeOf(scope: number, slug: string): string {
  return `${scope} ${slug}`;
}

/** The address that was wished for where it is free and can be one, else another like it. */
function freeOf(kind: Kind, { slug, name, scope }: Wish, taken: ReadonlySet<string>): string {
  if (USED[kind] === undefined) return "";
  const isPath = kind === "image" || kind === "cover";
  const base = slug !== "" && (isPath || /^[^\s/?#"'<>]{1,255}$/.test(slug)) ? slug : slugOf(name) || "item";
  let free = base;
  while (taken.has(placeOf(scope, free)))
    free = isPath ? base.replace(/([^/]*)$/, `${randomText(SUFFIX_LENGTH)}$1`) : `${base}-${randomText(SUFFIX_LENGTH)}`;
  return free;
}
