/**
 * The state of a migration: the id and address here of each item of the source. Both are reserved before anything is written,
 * so that a page can link to one that is copied later. The hash of an item is set in the transaction that writes the item, so
 * that a killed run leaves a consistent state.
 */
import { type RawBuilder, randomText, slugOf, sql } from "lectern/core";
import { type Db, rows, type TableName } from "lectern/db";
import type { Kind, MigratedItemsTable } from "./contract.ts";

/** The state of an item. */
export type StateEntry = Pick<MigratedItemsTable, "own_id" | "source_slug" | "slug" | "hash" | "stamp" | "run">;

/** The hash of an item that existed here and is not changed. */
export const MATCHED = "=";

/** Tables by kind. */
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

/** A request to reserve an id and address. */
export interface AddressRequest {
  readonly id: number;
  /** Its slug or path at the source; "" for none. */
  readonly slug: string;
  /** The name that a slug is made from where that one is invalid. */
  readonly name: string;
  /** The scope in which its slug is unique: the id of its book here, else 0. */
  readonly scope: number;
}

const BOOK = sql`'/books/' || (select slug from books where id = item.book_id)`;
/** SQL expressions of paths, over a content table with the alias "item". */
const PATHS = {
  bookshelf: sql`'/shelves/' || item.slug`,
  book: sql`'/books/' || item.slug`,
  chapter: sql`${BOOK} || '/chapter/' || item.slug`,
  page: sql`${BOOK} || '/page/' || item.slug`,
} as const;

/** SQL expression of a time as text in the format of answers, for comparison with `stamp`. */
export function stampOf(time: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

const BATCH = 1000;
const SUFFIX_LENGTH = 3;

/** The state of one source. */
export class MigrationState {
  readonly source: string;
  readonly run: number;
  /** Whether an unfinished run is resumed. */
  readonly resumed: boolean;
  readonly #db: Db;
  readonly #entries = new Map<string, StateEntry>();

  private constructor(db: Db, source: string, { run, resumed }: { run: number; resumed: boolean }) {
    this.#db = db;
    this.source = source;
    this.run = run;
    this.resumed = resumed;
  }

  /** Starts a run, or resumes an unfinished one. */
  static async open(db: Db, source: string): Promise<MigrationState> {
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
    const state = new MigrationState(db, source, { run: begun?.run ?? 1, resumed: before?.finished === false });
    const known = await rows<StateEntry & { kind: Kind; source_id: number }>(
      db,
      sql`select * from migrated_items where source = ${source}`,
    );
    for (const { kind, source_id, ...entry } of known) state.set(kind, source_id, entry);
    return state;
  }

  /** Marks the run as finished. */
  async finish(): Promise<void> {
    await rows(this.#db, sql`update migration_sources set finished = true where source = ${this.source}`);
  }

  /** The state of an item; undefined for unknown ones. */
  get(kind: Kind, id: number | undefined): StateEntry | undefined {
    return id === undefined ? undefined : this.#entries.get(`${kind} ${id}`);
  }

  /** The id here of an item that was written; undefined for others. */
  targetIdOf(kind: Kind, id: number | undefined): number | undefined {
    const entry = this.get(kind, id);
    return entry?.hash ? entry.own_id : undefined;
  }

  /** Sets the state of an item in memory. */
  set(kind: Kind, id: number, entry: StateEntry): void {
    this.#entries.set(`${kind} ${id}`, entry);
  }

  /** The states of a kind's items, by id at the source. */
  *ofKind(kind: Kind): Iterable<readonly [id: number, entry: StateEntry]> {
    for (const [key, entry] of this.#entries)
      if (key.startsWith(`${kind} `)) yield [Number(key.slice(kind.length + 1)), entry];
  }

  /** Marks an unchanged item as processed by this run. */
  async markProcessed(kind: Kind, id: number): Promise<void> {
    const entry = this.get(kind, id);
    if (!entry || entry.run === this.run) return;
    await rows(this.#db, sql`update migrated_items set run = ${this.run}::integer where ${this.row(kind, id)}`);
    this.set(kind, id, { ...entry, run: this.run });
  }

  /** SQL condition for the row of an item. */
  row(kind: Kind, id: number): RawBuilder<boolean> {
    return sql<boolean>`source = ${this.source} and kind = ${kind} and source_id = ${id}::integer`;
  }

  /** Matches an item with one that existed here. With a stamp it may be updated, as long as it is not changed here. */
  async match(kind: Kind, id: number, targetId: number, stamp: string | null): Promise<void> {
    const hash = stamp === null ? MATCHED : "";
    await rows(
      this.#db,
      sql`insert into migrated_items (source, kind, source_id, own_id, source_slug, slug, hash, stamp, run)
        values (${this.source}, ${kind}, ${id}::integer, ${targetId}::integer, '', '', ${hash}, ${stamp}, 0)
        on conflict do nothing`,
    );
    this.set(kind, id, { own_id: targetId, source_slug: "", slug: "", hash, stamp, run: 0 });
  }

  /**
   * Reserves ids and addresses for new items, and addresses for items whose address changed at the source. Returns the ids
   * of those items.
   */
  async reserve(kind: Kind, requests: readonly AddressRequest[]): Promise<ReadonlySet<number>> {
    const pending = requests.filter(({ id, slug }) => this.get(kind, id)?.source_slug !== slug);
    const requested = new Set(pending.map(({ id }) => id));
    if (pending.length === 0) return requested;
    const taken = await this.#taken(kind, pending);
    for (const request of requests) {
      const entry = this.get(kind, request.id);
      if (entry?.source_slug === request.slug) taken.add(scopeKey(request.scope, entry.slug));
    }
    for (let at = 0; at < pending.length; at += BATCH) {
      const batch = pending.slice(at, at + BATCH).map((request) => {
        const slug = freeAddress(kind, request, taken);
        taken.add(scopeKey(request.scope, slug));
        return { source_id: request.id, source_slug: request.slug, slug };
      });
      await this.#insertReserved(kind, batch);
    }
    return requested;
  }

  /** Paths of items that were changed here since they were written, by id at the source. */
  async changedLocally(kind: keyof typeof PATHS): Promise<Map<number, string>> {
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

  async #insertReserved(
    kind: Kind,
    batch: readonly { source_id: number; source_slug: string; slug: string }[],
  ): Promise<void> {
    const reserved = await rows<StateEntry & { source_id: number }>(
      this.#db,
      sql`insert into migrated_items (source, kind, source_id, own_id, source_slug, slug, run)
        select ${this.source}, ${kind}, sent.source_id,
          nextval(pg_get_serial_sequence(${TABLES[kind]}, 'id'))::integer, sent.source_slug, sent.slug, 0
        from jsonb_to_recordset(${JSON.stringify(batch)}::text::jsonb)
          as sent(source_id integer, source_slug text, slug text)
        on conflict (source, kind, source_id) do update set source_slug = excluded.source_slug, slug = excluded.slug
        returning source_id, own_id, source_slug, slug, hash, stamp, run`,
    );
    for (const { source_id, ...entry } of reserved) this.set(kind, source_id, entry);
  }

  /** The requested addresses that are in use here. */
  async #taken(kind: Kind, requests: readonly AddressRequest[]): Promise<Set<string>> {
    const slugs = [...new Set(requests.map(({ slug }) => slug))].filter((slug) => slug !== "");
    const used = slugs.length === 0 ? undefined : USED_ADDRESSES[kind]?.(slugs);
    const found = used ? await rows<{ id: number; scope: number; slug: string }>(this.#db, used) : [];
    const moving = new Set(requests.map(({ id }) => this.get(kind, id)?.own_id));
    return new Set(found.filter(({ id }) => !moving.has(id)).map(({ scope, slug }) => scopeKey(scope, slug)));
  }
}

const USED_ADDRESSES: Partial<
  Record<Kind, (slugs: string[]) => RawBuilder<{ id: number; scope: number; slug: string }>>
> = {
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

function scopeKey(scope: number, slug: string): string {
  return `${scope} ${slug}`;
}

/** The requested address where it is valid and free, else a similar one. */
function freeAddress(kind: Kind, { slug, name, scope }: AddressRequest, taken: ReadonlySet<string>): string {
  if (USED_ADDRESSES[kind] === undefined) return "";
  const isPath = kind === "image" || kind === "cover";
  const base = slug !== "" && (isPath || /^[^\s/?#"'<>]{1,255}$/.test(slug)) ? slug : slugOf(name) || "item";
  let free = base;
  while (taken.has(scopeKey(scope, free)))
    free = isPath ? base.replace(/([^/]*)$/, `${randomText(SUFFIX_LENGTH)}$1`) : `${base}-${randomText(SUFFIX_LENGTH)}`;
  return free;
}
