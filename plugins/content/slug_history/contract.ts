import type { ColumnType } from "kysely";
import type { PluginContext } from "lectern/core";

/** Earlier addresses of items. */
export interface SlugHistoryTable {
  /** As events spell it: "page", "chapter", "book", "bookshelf"; and that of `conversions.ts`. */
  kind: string;
  item_id: number;
  slug: string;
  /** The book that the item was in; 0 for books and shelves, and where only the book's slug is known. */
  book_id: ColumnType<number, number | undefined, number>;
  /** The slug of that book where its id is not known, else empty. */
  book_slug: ColumnType<string, string | undefined, string>;
  /** When the item stopped having the address. */
  until: ColumnType<string, string | undefined, string>;
}

/** What the files of this plugin share. */
export type SlugHistoryContext = Pick<
  PluginContext<"pages", "slug_history" | "bookshelves" | "books" | "chapters" | "pages">,
  "db" | "visible"
>;

declare module "lectern/db" {
  interface Tables {
    slug_history: SlugHistoryTable;
  }
}
