import type { PluginContext } from "lectern/core";

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

/** What the files of this plugin share. */
export type TagsContext = PluginContext<never, "tags" | "books" | "chapters" | "pages" | "bookshelves">;

declare module "lectern/db" {
  interface Tables {
    tags: TagsTable;
  }
}
