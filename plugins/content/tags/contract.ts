import type { GeneratedAlways } from "kysely";
import { listingSchema, type PluginContext, type Static, t } from "lectern/core";

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

/** Tags of the items of a kind with an access list. */
interface CountedTags {
  kind: string;
  acl_id: number;
  name: string;
  /** Equal where names are without case and accents. */
  name_key: GeneratedAlways<string>;
}

/** Numbers of tags. The present ones are the sums with their changes (counts.ts). */
export interface TagCountTable extends CountedTags {
  value: string;
  value_key: GeneratedAlways<string>;
  n: number;
  /** Whether the value is used under this name with other kinds or lists or in other spellings, too. */
  is_shared: boolean;
}

/** Changes of numbers of tags that are not merged yet. */
export interface TagChangeTable extends CountedTags {
  value: string;
  value_key: GeneratedAlways<string>;
  n: number;
}

/** Uses of names, and the numbers of values that are not shared. */
export interface TagNameCountTable extends CountedTags {
  usages: number;
  own_values: number;
}

/** What the files of this plugin share. */
export type TagsContext = PluginContext<
  "access",
  "tags" | "tag_change" | "tag_count" | "tag_name_count" | "books" | "chapters" | "pages" | "bookshelves"
>;

const count = t.Integer({ minimum: 0 });
const countFields = { usages: count, page_count: count, chapter_count: count, book_count: count, shelf_count: count };

/** A name of tags with its uses; `values` is the number of different values. Case and accents make no difference, as in filters. */
export const tagNameSchema = t.Object({ name: t.String(), values: count, ...countFields }, { $id: "TagName" });

/** A value of tags of one name with its uses. */
export const tagValueSchema = t.Object({ name: t.String(), value: t.String(), ...countFields }, { $id: "TagValue" });

/** The answers about tags. */
export const tagAnswers = { names: listingSchema(tagNameSchema), values: listingSchema(tagValueSchema) };

declare module "lectern/contracts" {
  interface Answers {
    "/api/tags/names": Static<typeof tagAnswers.names>;
    "/api/tags/values-for-name": Static<typeof tagAnswers.values>;
  }
}

declare module "lectern/db" {
  interface Tables {
    tags: TagsTable;
    tag_change: TagChangeTable;
    tag_count: TagCountTable;
    tag_name_count: TagNameCountTable;
  }
}
