/**
 * Kinds of content. A plugin contributes its kind to the slot `content`; plugins that work on all kinds (search, recycle bin,
 * audit log) read that slot. Others add fields to the answers about a kind by `response_fields`, and name by `dependents`
 * what is removed with its items. The rows and their visibility stay with the plugin of the kind.
 */
import type { TProperties } from "@sinclair/typebox";
import type { Expression, RawBuilder } from "kysely";
import type { TableName } from "../../db/mod.ts";
import type { TableDependency } from "../events/cached_answers.ts";
import type { EventTransaction } from "../events/event_bus.ts";
import type { FieldsMoment } from "../http/answer_types.ts";
import type { Viewer } from "../viewer.ts";

/** How a kind of content is called. */
export interface KindLabels {
  /** One item: "Recipe". */
  readonly one: string;
  /** Several: "Recipes". */
  readonly many: string;
  /** The icon of its items; "page" by default. */
  readonly icon?: string;
  /** What a user did by an event of the kind, after their name; "created recipe" and so on by default. */
  readonly phrases?: Readonly<Partial<Record<ContentVerb, string>>>;
}

/** A verb of the events of content that are logged. */
export type ContentVerb = "create" | "update" | "delete" | "move";

/** An entry of the contents of an item, before it is nested. */
export interface ContentEntry {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
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
  /** Its visible entries in the contents of the item that it is in at last, such as a book, in order. */
  readonly contents?: (viewer: Viewer, parentId: number) => Promise<ContentEntry[]>;
  /**
   * SQL for the same entries as a JSON array, for a statement that reads that item; over its columns. Times: `jsonTime`. Of a plugin that
   * does not ship it is not used.
   */
  readonly selectContents?: (parent: ParentColumns, viewer: Viewer) => RawBuilder<ContentEntry[]>;
  /**
   * SQL for the same entries as a text, for a statement that reads that item where thousands of objects would be too many; `outlineLine` of
   * `lectern/contracts` has the form. Of a plugin that does not ship it is not used, and `contents` is called.
   */
  readonly selectOutline?: (parent: ParentColumns, viewer: Viewer) => RawBuilder<string>;
  /**
   * The tables that its entries are read from, with the column of that item's id. Answers with the contents are then cached until
   * one of them changes; without this member they are not cached.
   */
  readonly contentsDependOn?: readonly TableDependency[];
}

/** The columns of an item that its contents are selected over. */
export interface ParentColumns {
  readonly id: RawBuilder<unknown>;
  readonly slug: RawBuilder<unknown>;
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
  readonly moment: FieldsMoment;
  /** The schemas of the fields, for the documentation and the check of answers; without them any fields may be added. */
  readonly schema?: TProperties;
  readonly add: (ids: readonly number[], viewer: Viewer) => Promise<ReadonlyMap<number, Record<string, unknown>>>;
  /**
   * SQL for the same fields of one item as a JSON object, over the column of its id; null for none. A read or a listing that can select
   * them with the item does so instead of calling `add`, which saves a statement. Its SQL may depend on the viewer alone. Of a plugin
   * that does not ship it is read by a statement of its own, with its rights, and not used for listings.
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
  /**
   * Whether they are the same for all who see the item, so that readers may share its answer; without this member each reader's is kept.
   */
  readonly isSame?: boolean;
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

/**
 * Rows that belong to items of a kind and are found with them, such as the attachments of pages: who sees the item sees them, and a search
 * that matches one finds the item. Names are those of columns of `table`, which statements of the search put in as they are.
 * @example
 * context.contribute("searched_parts", {
 *   kind: "page",
 *   table: "notes",
 *   idColumn: "id",
 *   itemColumn: "page_id",
 *   nameColumn: "name",
 *   textColumn: "text",
 *   wordsColumn: "words",
 *   url: (id) => `${context.baseUrl}/notes/${id}`,
 * });
 */
export interface SearchedParts {
  /** A kind of the slot `content`. */
  readonly kind: string;
  /** The table with the rows. */
  readonly table: TableName;
  /** Its column of their ids: unique integers. */
  readonly idColumn: string;
  /** Of the id of the item, with an index. */
  readonly itemColumn: string;
  /** Of what they are called, which is shown. */
  readonly nameColumn: string;
  /** Of their plain text, null for none, from which passages are shown. */
  readonly textColumn: string;
  /** Of their words, null for none: a tsvector made by `wordsOf` of the contract "search", with a GIN index. */
  readonly wordsColumn: string;
  /** Where a row is read, with the base URL. */
  readonly url: (id: number) => string;
}

declare module "../registry.ts" {
  interface Slots {
    searchable: Searchable;
    searched_parts: SearchedParts;
    content: ContentKind;
    dependents: Dependents;
    response_fields: ResponseFields;
  }
}
