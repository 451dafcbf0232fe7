import type { GeneratedAlways } from "kysely";
import { listingSchema, type PluginContext, t } from "lectern/core";

/** A tag of an item of any kind. */
export interface TagsTable {
  /** The kind as events spell it: "book". */
  kind: string;
  item_id: number;
  /** Index within the request, from 0. */
  position: number;
  name: string;
  value: string;
  /** Answered as `order`; rows sort by it first. Always 0 for tags set over the API. */
  sort_order: number;
}

/** Counts of tags by the access list of their items. A count is the sum of its rows (counts.ts). */
export interface TagCountTable {
  kind: string;
  acl_id: number;
  name: string;
  name_key: GeneratedAlways<string>;
  value: string;
  n: number;
}

/** What the files of this plugin share. */
export type TagsContext = PluginContext<
  "access",
  "tags" | "tag_count" | "books" | "chapters" | "pages" | "bookshelves"
>;

const count = t.Integer({ minimum: 0 });
const countFields = { usages: count, page_count: count, chapter_count: count, book_count: count, shelf_count: count };

/** A name of tags with its uses; `values` is the number of different values. */
export const tagNameSchema = t.Object({ name: t.String(), values: count, ...countFields }, { $id: "TagName" });

/** A value of tags of one name with its uses. */
export const tagValueSchema = t.Object({ name: t.String(), value: t.String(), ...countFields }, { $id: "TagValue" });

/** The answers about tags. */
export const tagAnswers = { names: listingSchema(tagNameSchema), values: listingSchema(tagValueSchema) };

declare module "lectern/db" {
  interface Tables {
    tags: TagsTable;
    tag_count: TagCountTable;
  }
}
