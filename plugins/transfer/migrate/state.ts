/**
 * The state of a migration: the id and address here of each item of the source. Both are reserved before anything is written,
 * so that a page can link to one that is copied later. The hash of an item is set in the transaction that writes the item, so
 * that a killed run leaves a consistent state.
 */
import { type Expression, expressionBuilder } from "kysely";
import { type RawBuilder, randomText, slugOf, sql } from "lectern/core";
import type { Db, TableName, Tables } from "lectern/db";
import type { Kind, MigratedItemsTable } from "./contract.ts";

/** The columns of the state of an item. */
export const STATE_COLUMNS = ["own_id", "source_slug", "slug", "hash", "stamp", "run", "listed", "overrides"] as const;

/** The state of an item. */
export type StateEntry = Pick<MigratedItemsTable, (typeof STATE_COLUMNS)[number]>;

/** A row of the audit log of the source. */
export interface SeenActivity {
  readonly id: number;
  readonly at: string;
  /** Ids of rows about permissions before and after it that were read as well. */
  readonly seen: readonly number[];
}

/** The hash of an item that existed here and is not changed. */
export const MATCHED = "=";

/** Tables by kind. */
export const TABLES = {
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
} as const satisfies Record<Kind, TableName>;

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

/** The kinds of content, and whether their addresses begin with that of their book. */
const CONTENT = {
  bookshelf: { folder: "/shelves/", isInBook: false },
  book: { folder: "/books/", isInBook: false },
  chapter: { folder: "/chapter/", isInBook: true },
  page: { folder: "/page/", isInBook: true },
} as const;

/** SQL expression of a time as text in the format of answers, for comparison with `stamp`. */
export function stampOf(time: Expression<string>): RawBuilder<string> {
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
  /** The newest row of the audit log of the source when the last run began; undefined where that is not known. */
  readonly activity: SeenActivity | undefined;
  readonly #db: Db;
  readonly #entries = new Map<string, StateEntry>();

  private constructor(db: Db, source: string, facts: Pick<MigrationState, "run" | "resumed" | "activity">) {
    this.#db = db;
    this.source = source;
    this.run = facts.run;
    this.resumed = facts.resumed;
    this.activity = facts.activity;
  }

  /** Starts a run, or resumes an unfinished one. */
  static async open(db: Db, source: string): Promise<MigrationState> {
    const before = await db
      .selectFrom("migration_sources")
      .select(["finished", "activity_id", "activity_at", "activity_seen"])
      .where("source", "=", source)
      .executeTakeFirst();
    const begun = await db
      .insertInto("migration_sources")
      .values({ source, run: 1, finished: false })
      .onConflict((conflict) =>
        conflict.column("source").doUpdateSet(({ cast, eb }) => ({
          finished: false,
          run: eb("migration_sources.run", "+", cast<number>("migration_sources.finished", "integer")),
        })),
      )
      .returning("run")
      .executeTakeFirst();
    const activity =
      before?.activity_id == null
        ? undefined
        : { id: before.activity_id, at: before.activity_at ?? "", seen: before.activity_seen ?? [] };
    const facts = { run: begun?.run ?? 1, resumed: before?.finished === false, activity };
    const state = new MigrationState(db, source, facts);
    const known = await db
      .selectFrom("migrated_items")
      .select(["kind", "source_id", ...STATE_COLUMNS])
      .where("source", "=", source)
      .execute();
    for (const { kind, source_id, ...entry } of known) state.set(kind as Kind, source_id, entry);
    return state;
  }

  /** Marks the run as finished. */
  async finish(): Promise<void> {
    await this.#db.updateTable("migration_sources").set({ finished: true }).where("source", "=", this.source).execute();
  }

  /** Has items read again by the next run at the latest, and stores up to where the audit log of the source was read. */
  async reopen(items: readonly { kind: string; id: number }[], activity: SeenActivity | undefined): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      for (const [kind, of] of Map.groupBy(items, (item) => item.kind))
        await tx
          .updateTable("migrated_items")
          .set({ listed: null })
          .where("source", "=", this.source)
          .where("kind", "=", kind)
          .where("source_id", "=", sql<number>`any(${of.map(({ id }) => id)}::integer[])`)
          .execute();
      await tx
        .updateTable("migration_sources")
        .set({
          activity_id: activity?.id ?? null,
          activity_at: activity?.at ?? null,
          activity_seen: sql`${activity ? [...activity.seen] : null}::integer[]`,
        })
        .where("source", "=", this.source)
        .execute();
    });
    for (const { kind, id } of items) {
      const entry = this.get(kind as Kind, id);
      if (entry) this.set(kind as Kind, id, { ...entry, listed: null });
    }
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
    await this.#db.updateTable("migrated_items").set({ run: this.run }).where(this.row(kind, id)).execute();
    this.set(kind, id, { ...entry, run: this.run });
  }

  /** SQL condition for the row of an item. */
  row(kind: Kind, id: number) {
    return expressionBuilder<Tables, "migrated_items">().and({ source: this.source, kind, source_id: id });
  }

  /** Matches an item with one that existed here. With a stamp it may be updated, as long as it is not changed here. */
  async match(kind: Kind, id: number, targetId: number, stamp: string | null): Promise<void> {
    const hash = stamp === null ? MATCHED : "";
    const entry = { own_id: targetId, source_slug: "", slug: "", hash, stamp, run: 0, listed: null, overrides: null };
    await this.#db
      .insertInto("migrated_items")
      .values({ source: this.source, kind, source_id: id, ...entry })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    this.set(kind, id, entry);
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
  async changedLocally(kind: keyof typeof CONTENT): Promise<Map<number, string>> {
    const { folder, isInBook } = CONTENT[kind];
    const found = await this.#db
      .selectFrom("migrated_items as migrated")
      // Content tables have these columns in common, but for `book_id`, which is read where they have it.
      .innerJoin(`${TABLES[kind] as "pages"} as item`, "item.id", "migrated.own_id")
      .select(({ ref, selectFrom }) => {
        const book = selectFrom("books").select("slug").whereRef("books.id", "=", "item.book_id");
        const start = isInBook ? sql`'/books/' || ${book} || ` : sql``;
        return ["migrated.source_id", sql<string>`${start}${sql.lit(folder)} || ${ref("item.slug")}`.as("path")];
      })
      .where("item.deleted_at", "is", null)
      .where("migrated.source", "=", this.source)
      .where("migrated.kind", "=", kind)
      .where("migrated.hash", "is not", null)
      .where(({ eb, ref }) => eb("migrated.stamp", "is distinct from", stampOf(ref("item.updated_at"))))
      .execute();
    return new Map(found.map(({ source_id, path }) => [source_id, encodeURI(path)]));
  }

  async #insertReserved(
    kind: Kind,
    batch: readonly { source_id: number; source_slug: string; slug: string }[],
  ): Promise<void> {
    const sent = sql<(typeof batch)[number]>`jsonb_to_recordset(${JSON.stringify(batch)}::text::jsonb)`;
    const reserved = await this.#db
      .insertInto("migrated_items")
      .columns(["source", "kind", "source_id", "own_id", "source_slug", "slug", "run"])
      .expression((eb) =>
        eb
          .selectFrom(sent.as<"sent">(sql`sent (source_id integer, source_slug text, slug text)`))
          .select([
            sql<string>`${this.source}::text`.as("source"),
            sql<string>`${kind}::text`.as("kind"),
            "sent.source_id",
            sql<number>`nextval(pg_get_serial_sequence(${TABLES[kind]}, 'id'))::integer`.as("own_id"),
            "sent.source_slug",
            "sent.slug",
            sql.lit(0).as("run"),
          ]),
      )
      .onConflict((conflict) =>
        conflict.columns(["source", "kind", "source_id"]).doUpdateSet(({ ref }) => ({
          source_slug: ref("excluded.source_slug"),
          slug: ref("excluded.slug"),
        })),
      )
      .returning(["source_id", ...STATE_COLUMNS])
      .execute();
    for (const { source_id, ...entry } of reserved) this.set(kind, source_id, entry);
  }

  /** The requested addresses that are in use here. */
  async #taken(kind: Kind, requests: readonly AddressRequest[]): Promise<Set<string>> {
    const slugs = [...new Set(requests.map(({ slug }) => slug))].filter((slug) => slug !== "");
    const found = slugs.length === 0 ? [] : await USED_ADDRESSES[kind]?.(this.#db, slugs);
    const moving = new Set(requests.map(({ id }) => this.get(kind, id)?.own_id));
    return new Set((found ?? []).filter(({ id }) => !moving.has(id)).map(({ scope, slug }) => scopeKey(scope, slug)));
  }
}

const anyOf = (slugs: readonly string[]) => sql<string>`any(${slugs}::text[])`;
const NO_SCOPE = sql.lit(0).as("scope");

const usedPaths = (db: Db, paths: readonly string[]) =>
  db.selectFrom("images").select(["id", NO_SCOPE, "path as slug"]).where("path", "=", anyOf(paths)).execute();
/** Slugs in tables of content that have them for the whole instance. */
const usedSlugs = (table: "bookshelves" | "books") => (db: Db, slugs: readonly string[]) =>
  db
    .selectFrom(table as "books")
    .select(["id", NO_SCOPE, "slug"])
    .where("slug", "=", anyOf(slugs))
    .where("deleted_at", "is", null)
    .execute();
/** Slugs in tables of content that have them by book. */
const usedSlugsInBooks = (table: "chapters" | "pages") => (db: Db, slugs: readonly string[]) =>
  db
    .selectFrom(table as "pages")
    .select(["id", "book_id as scope", "slug"])
    .where("slug", "=", anyOf(slugs))
    .where("deleted_at", "is", null)
    .execute();

const USED_ADDRESSES: Partial<
  Record<Kind, (db: Db, slugs: readonly string[]) => Promise<{ id: number; scope: number; slug: string }[]>>
> = {
  user: (db, slugs) =>
    db.selectFrom("users").select(["id", NO_SCOPE, "slug"]).where("slug", "=", anyOf(slugs)).execute(),
  bookshelf: usedSlugs("bookshelves"),
  book: usedSlugs("books"),
  chapter: usedSlugsInBooks("chapters"),
  page: usedSlugsInBooks("pages"),
  image: usedPaths,
  cover: usedPaths,
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
