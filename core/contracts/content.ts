/**
 * What kinds of content are to each other. A plugin that brings a kind contributes it to the slot `content`; whoever walks
 * the tree, searches it, keeps a bin or a log reads the kinds there and imports none of them. Others add keys to the
 * answers about a kind by `response_fields`, and say by `dependents` what goes with its items. Where items live and who sees them is
 * left to the plugin of the kind and to whoever gives its table a visibility rule.
 */
import type { RawBuilder } from "kysely";
import type { TableName } from "../../db/mod.ts";
import type { EventTransaction } from "../events/event_bus.ts";
import type { Viewer } from "../viewer.ts";

/** An entry of a book's contents (content-api 5.3), before it is nested. */
export interface ContentEntry {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly book_id: number;
  /** The chapter it lies in; chapters themselves have none. */
  readonly chapter_id?: number | null;
  readonly draft?: boolean;
  readonly priority: number;
  readonly url: string;
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A kind of content. Bins, exports, permissions and contents walk these and never name a kind themselves. */
export interface ContentKind {
  /** As events, permissions and audit rows spell it: "page", "chapter", "book", "bookshelf". */
  readonly kind: string;
  /** Its table has the columns of `ItemTable`; a missing `acl_id` is added at boot. */
  readonly table: TableName;
  /** Below /api, such as "pages". */
  readonly segment: string;
  /** All kinds that may hold it, directly or further up, nearest first, with the column that names the parent. */
  readonly parents: readonly { readonly kind: string; readonly column: string }[];
  /** A boolean column that marks rows as their owner's alone, such as drafts: they are nobody else's to count. */
  readonly ownOnly?: string;
  /** What listings show of an item alone, by column; the first one is `id`. Bins show it too. */
  readonly columns: readonly string[];
  /** SQL for its address below the instance's own, over its table: '/books/' || books.slug. */
  readonly path: RawBuilder<string>;
  /** Its entries in a book's contents, visible ones only, in their order. */
  readonly contents?: (viewer: Viewer, bookId: number) => Promise<ContentEntry[]>;
}

/**
 * Further keys in the answers about a kind of item, such as the cover of a book or the comments of a page: `add` is given
 * all items of the answer at once and returns what to merge into each, by id. It may be asked while an item is still being
 * found: what it says of one that is not there, or not for this viewer, is thrown away.
 */
export interface ResponseFields {
  readonly kind: string;
  readonly moment: "listed" | "saved" | "read";
  readonly add: (ids: readonly number[], viewer: Viewer) => Promise<ReadonlyMap<number, Record<string, unknown>>>;
}

/**
 * What hangs on items of a kind and is nothing without them: attachments, comments, tags. It stays while an item lies in
 * the recycle bin; whoever removes items for good walks these first.
 */
export interface Dependents {
  /** Whose items; every kind's where absent. */
  readonly kind?: string;
  /** Removes what hangs on these items; what cannot be rolled back, such as files, with `tx.afterCommit`. */
  readonly destroy: (ids: readonly number[], tx: EventTransaction, kind: string) => Promise<void>;
}

/** What can be found of a kind of content beside its name and tags. */
export interface Searchable {
  /** A kind of the slot `content`. */
  readonly kind: string;
  /** SQL for its plain text, over its table: books.description. */
  readonly body: RawBuilder<string>;
  /** SQL for HTML whose headings weigh more than the rest of the text. */
  readonly html?: RawBuilder<string>;
}

declare module "../runtime/registry.ts" {
  interface Slots {
    searchable: Searchable;
    content: ContentKind;
    dependents: Dependents;
    response_fields: ResponseFields;
  }
}

/** What the contributions to the slot `response_fields` have to say of items, by id. */
export type FieldsById = readonly ReadonlyMap<number, Record<string, unknown>>[];

/** Asks the contributions to the slot `response_fields` for what they add to the items of these ids. */
export async function responseFieldsOf(
  contributions: readonly ResponseFields[],
  kind: string,
  moment: ResponseFields["moment"],
  ids: readonly number[],
  viewer: Viewer,
): Promise<FieldsById> {
  if (ids.length === 0) return [];
  const wanted = contributions.filter((field) => field.kind === kind && field.moment === moment);
  return await Promise.all(wanted.map((field) => field.add(ids, viewer)));
}

/** Merges the contributions to the slot `response_fields` into items that have an `id`; items come back in their order. */
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

/** Merges into items what was said of them; items come back in their order. */
export function mergeResponseFields<T extends { id: number }>(items: readonly T[], additions: FieldsById): T[] {
  if (additions.length === 0) return [...items];
  return items.map((item) => Object.assign({}, item, ...additions.map((addition) => addition.get(item.id) ?? {})) as T);
}
