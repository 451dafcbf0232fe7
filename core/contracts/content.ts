/**
 * Kinds of content. A plugin contributes its kind to the slot `content`; plugins that work on all kinds (search, recycle bin,
 * audit log) read that slot. Others add fields to the answers about a kind by `response_fields`, and name by `dependents`
 * what is removed with its items. The rows and their visibility stay with the plugin of the kind.
 */
import type { TProperties } from "@sinclair/typebox";
import { type Expression, type RawBuilder, sql } from "kysely";
import type { TableName } from "../../db/mod.ts";
import type { TableDependency } from "../events/cached_answers.ts";
import type { EventTransaction } from "../events/event_bus.ts";
import { callContribution, callContributionNow, unwritable } from "../faults.ts";
import { deepFreeze } from "../freeze.ts";
import type { Viewer } from "../viewer.ts";
import type { KindLabels } from "./labels.ts";

/** An entry of a book's contents (content-api 5.3), before it is nested. */
export interface ContentEntry {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly book_id: number;
  /** The chapter of the entry; chapters have none. */
  readonly chapter_id?: number | null;
  readonly draft?: boolean;
  readonly priority: number;
  /** Where screens link to, with the base URL. */
  readonly url: string;
  readonly type: string;
  readonly [key: string]: unknown;
}

/**
 * A kind of content. Plugins that work on all kinds read these and name none.
 * @example
 * context.contribute("content", {
 *   kind: "note",
 *   labels: { one: "Note", many: "Notes", icon: "tag" },
 *   table: "notes",
 *   segment: "notes",
 *   parents: [],
 *   columns: ["id", "name", "slug"],
 *   path: expressionBuilder<{ notes: { slug: string } }, "notes">().fn<string>("concat", [sql.lit("/notes/"), "notes.slug"]),
 * });
 */
export interface ContentKind {
  /** As in events, permissions and the audit log: "page", "chapter", "book", "bookshelf". */
  readonly kind: string;
  /** How people call it; a kind without labels is shown by its name. */
  readonly labels?: KindLabels;
  /** A table with the columns of `ItemTable`; a missing `acl_id` is added at boot. */
  readonly table: TableName;
  /** Below /api, such as "pages". */
  readonly segment: string;
  /**
   * All kinds it may be in, nearest first, with the column of the parent's id. Its items are deleted with a book or chapter that they are
   * in, restored with it, and get the parents of one that is moved.
   */
  readonly parents: readonly { readonly kind: string; readonly column: string }[];
  /** A boolean column that marks rows which only their owner sees, such as drafts. */
  readonly ownOnly?: string;
  /**
   * Whether a new item was inserted with the `acl_id` of its direct parent, read under a lock on the parent. `item` is the result of
   * the create event. Otherwise, and without this member, the item gets the list by a statement after the event.
   */
  readonly hasParentList?: (item: object) => boolean;
  /** The columns that listings and the recycle bin show; the first one is `id`. */
  readonly columns: readonly string[];
  /** SQL for the path of its screen, over its table: '/books/' || books.slug. Of a plugin that does not ship a checked expression. */
  readonly path: Expression<string>;
  /** Its visible entries in the contents of a book, in order. */
  readonly contents?: (viewer: Viewer, bookId: number) => Promise<ContentEntry[]>;
  /**
   * SQL for the same entries as a JSON array, for a statement that reads the book; over its columns. Times: `jsonTime`. Of a plugin that
   * does not ship it is not used.
   */
  readonly selectContents?: (book: BookColumns, viewer: Viewer) => RawBuilder<ContentEntry[]>;
  /**
   * The tables that its entries are read from, with the column of the book's id. Answers with the contents are then cached until
   * one of them changes; without this member they are not cached.
   */
  readonly contentsDependOn?: readonly TableDependency[];
}

/** The columns of a book that its contents are selected over. */
export interface BookColumns {
  readonly id: RawBuilder<unknown>;
  readonly slug: RawBuilder<unknown>;
}

/**
 * SQL for a time within JSON as answers show it: 2026-01-05T09:30:00.000000Z.
 * @example
 * const times = sql`select json_build_object('created_at', ${jsonTime("notes.created_at")}) from notes`;
 */
export function jsonTime(column: string): RawBuilder<string> {
  return sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/**
 * Further fields in the answers about a kind of item, such as the cover of a book or the comments of a page. `add` gets the
 * ids of all items of an answer and returns the fields to merge, by id. It may be called before the item is found; its
 * result is dropped where there is no such item or the viewer does not see it.
 * @example
 * context.contribute("response_fields", {
 *   kind: "page",
 *   moment: "read",
 *   schema: { notes: t.Integer() },
 *   async add(ids) {
 *     const found = await context.db.selectFrom("notes").select("id").where("id", "in", [...ids]).execute();
 *     return new Map(ids.map((id) => [id, { notes: found.filter((each) => each.id === id).length }]));
 *   },
 *   cached: { dependsOn: [{ table: "notes", column: "id" }] },
 * });
 */
export interface ResponseFields {
  readonly kind: string;
  readonly moment: "listed" | "saved" | "read";
  /** The schemas of the fields, for the documentation and the check of answers; without them any fields may be added. */
  readonly schema?: TProperties;
  readonly add: (ids: readonly number[], viewer: Viewer) => Promise<ReadonlyMap<number, Record<string, unknown>>>;
  /**
   * SQL for the same fields of one item as a JSON object, over the column of its id; null for none. A read that can select them
   * with the item does so instead of calling `add`, which saves a statement. Its SQL may depend on the viewer alone. Of a plugin
   * that does not ship it is read by a statement of its own, with its rights.
   */
  readonly select?: (id: RawBuilder<unknown>, viewer: Viewer) => RawBuilder<Record<string, unknown> | null>;
  /** Makes the fields of what was selected, where that is not the fields themselves. */
  readonly present?: (selected: Record<string, unknown>, viewer: Viewer) => Promise<Record<string, unknown>>;
  /** Allows single reads with these fields to be cached; without this member they are not cached. */
  readonly cached?: CachedFields;
}

/** What the fields of a single read follow from: rows of tables and the viewer, and nothing else, such as the time. */
export interface CachedFields {
  /** The tables that they are read from, with the column of the item's id. */
  readonly dependsOn: readonly TableDependency[];
  /** Called for each answer from the cache, for which `add` and `present` are not called. */
  readonly onHit?: (id: number, viewer: Viewer) => void;
}

/**
 * Rows that depend on items of a kind: attachments, comments, tags. They stay while an item is in the recycle bin, and are
 * removed before the item is.
 * @example
 * context.contribute("dependents", {
 *   kind: "page",
 *   async destroy(ids, { db }) {
 *     await db.deleteFrom("notes").where("id", "in", [...ids]).execute();
 *   },
 * });
 */
export interface Dependents {
  /** The kind of the items; every kind by default. */
  readonly kind?: string;
  /** Removes the dependents of these items; files and the like with `tx.afterCommit`, as they cannot be rolled back. */
  readonly destroy: (ids: readonly number[], tx: EventTransaction, kind: string) => Promise<void>;
}

/**
 * The text of a kind of content that search finds, beside name and tags.
 * @example
 * const eb = expressionBuilder<{ notes: { text: string } }, "notes">();
 * context.contribute("searchable", { kind: "note", body: eb.ref("notes.text") });
 */
export interface Searchable {
  /** A kind of the slot `content`. */
  readonly kind: string;
  /** SQL for its plain text, over its table: books.description. Of a plugin that does not ship a checked expression, as is `html`. */
  readonly body: Expression<string>;
  /** SQL for HTML whose headings rank higher than the rest of the text. */
  readonly html?: Expression<string>;
}

declare module "../runtime/registry.ts" {
  interface Slots {
    searchable: Searchable;
    content: ContentKind;
    dependents: Dependents;
    response_fields: ResponseFields;
  }
}

/** Fields of the contributions to the slot `response_fields`, by item id. */
export type FieldsById = readonly ReadonlyMap<number, Record<string, unknown>>[];

/**
 * Calls the contributions to the slot `response_fields` for items by id; one that fails is left out.
 * @example
 * const added = await responseFieldsOf(context.slot("response_fields"), "note", "listed", [1, 2], viewer);
 */
export async function responseFieldsOf(
  contributions: readonly ResponseFields[],
  kind: string,
  moment: ResponseFields["moment"],
  ids: readonly number[],
  viewer: Viewer,
): Promise<FieldsById> {
  if (ids.length === 0) return [];
  const wanted = contributions.filter((field) => field.kind === kind && field.moment === moment);
  return await Promise.all(wanted.map((field) => addedBy(field, ids, viewer)));
}

/**
 * SQL for the fields of a single read that contributions select with the item: a JSON array, in their order.
 * @example
 * const fields = selectedFields(context.slot("response_fields"), "note", sql.ref("notes.id"), viewer);
 * const read = sql`select notes.*, ${fields} as selected from notes`;
 */
export function selectedFields(
  contributions: readonly ResponseFields[],
  kind: string,
  id: RawBuilder<unknown>,
  viewer: Viewer,
): RawBuilder<SelectedFields> {
  const selects = contributions.flatMap((field) =>
    isRead(field, kind) && field.select
      ? [callContributionNow(field, (each) => each.select?.(id, viewer), placeOf(field)) ?? sql`null`]
      : [],
  );
  return selects.length === 0 ? sql`'[]'::json` : sql`json_build_array(${sql.join(selects)})`;
}

/** In place of `selectedFields`: selects no fields, so that `fieldsOfRead` reads them by `add`. */
export const NO_SELECTED_FIELDS: RawBuilder<SelectedFields> = deepFreeze(sql`null::json`);

/** The value of `selectedFields`; null where none were selected. */
export type SelectedFields = readonly (Record<string, unknown> | null)[] | null;

/**
 * Records each contribution whose SQL for the fields of one item fails; `select` runs it.
 * @example
 * const fields = context.slot("response_fields");
 * await recordFailedSelects(fields, "note", sql.ref("notes.id"), viewer, (selected) =>
 *   sql`select ${selected} from notes`.execute(db),
 * );
 */
export async function recordFailedSelects(
  contributions: readonly ResponseFields[],
  kind: string,
  id: RawBuilder<unknown>,
  viewer: Viewer,
  select: (fields: RawBuilder<unknown>) => Promise<unknown>,
): Promise<void> {
  for (const field of contributions.filter((each) => isRead(each, kind)))
    await callContribution(
      field,
      async (each) => {
        if (each.select) await select(each.select(id, viewer) ?? sql`null`);
      },
      placeOf(field),
    );
}

/**
 * The fields of a single read, by contribution: those that were selected with the item, and those that are read now.
 * @example
 * const added = await fieldsOfRead(context.slot("response_fields"), "note", { id: 1, selected: [] }, viewer);
 * const [shown] = mergeResponseFields([{ id: 1, name: "Milk" }], added);
 */
export async function fieldsOfRead(
  contributions: readonly ResponseFields[],
  kind: string,
  { id, selected }: { readonly id: number; readonly selected: SelectedFields },
  viewer: Viewer,
): Promise<FieldsById> {
  const values = selected?.values();
  return Promise.all(
    contributions
      .filter((field) => isRead(field, kind))
      .map(async (field) => {
        if (!field.select || !values) return addedBy(field, [id], viewer);
        const value = values.next().value ?? {};
        if (!field.present) return new Map([[id, value]]);
        const presented = await callContribution(
          field,
          async (each) => written((await each.present?.(value, viewer)) ?? value),
          placeOf(field),
        );
        return new Map([[id, presented ?? {}]]);
      }),
  );
}

const NO_FIELDS: ReadonlyMap<number, Record<string, unknown>> = new Map();

async function addedBy(field: ResponseFields, ids: readonly number[], viewer: Viewer) {
  const added = await callContribution(
    field,
    async (each) => {
      const given: unknown = await each.add(ids, viewer);
      if (!(given instanceof Map)) throw new Error("It returned no Map of fields by id");
      for (const fields of given.values()) written(fields);
      return given as ReadonlyMap<number, Record<string, unknown>>;
    },
    placeOf(field),
  );
  return added ?? NO_FIELDS;
}

/** Fields that can be answered as JSON. Throws for any others. */
function written<T>(fields: T): T {
  if (typeof fields !== "object" || fields === null) throw new Error("It returned no object of fields");
  const reason = unwritable(fields);
  if (reason !== undefined) throw new Error(`It returned ${reason}`);
  return fields;
}

function placeOf({ kind, moment }: ResponseFields): string {
  return `${kind}.${moment}`;
}

function isRead(field: ResponseFields, kind: string): boolean {
  return field.kind === kind && field.moment === "read";
}

/**
 * Merges the contributions to the slot `response_fields` into items, in the order of `items`.
 * @example
 * const notes = [{ id: 1, name: "Milk" }];
 * const shown = await withResponseFields(context.slot("response_fields"), "note", "listed", notes, viewer);
 */
export async function withResponseFields<T extends { id: number }>(
  contributions: readonly ResponseFields[],
  kind: string,
  moment: ResponseFields["moment"],
  items: readonly T[],
  viewer: Viewer,
): Promise<T[]> {
  const ids = items.map((item) => item.id);
  return mergeResponseFields(items, await responseFieldsOf(contributions, kind, moment, ids, viewer));
}

/**
 * Merges fields into items, in the order of `items`.
 * @example
 * mergeResponseFields([{ id: 1 }], [new Map([[1, { stars: 3 }]])]); // [{ id: 1, stars: 3 }]
 */
export function mergeResponseFields<T extends { id: number }>(items: readonly T[], additions: FieldsById): T[] {
  // Most items of a listing get no fields, and are not copied.
  return items.map((item) => {
    const added = additions.flatMap((addition) => addition.get(item.id) ?? []);
    return added.length === 0 ? item : Object.assign({}, item, ...added);
  });
}
