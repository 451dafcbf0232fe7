import type { ColumnType } from "kysely";

/** An earlier address of an item. */
export interface SlugHistoryTable {
  /** As events spell it: "page", "chapter", "book", "bookshelf". */
  kind: string;
  item_id: number;
  slug: string;
  /** The book it was in; 0 for books and shelves, and where only the book's slug is known. */
  book_id: ColumnType<number, number | undefined, number>;
  /** The slug of that book where its id is not known, else empty. */
  book_slug: ColumnType<string, string | undefined, string>;
  /** When the item left the address. */
  until: ColumnType<string, string | undefined, string>;
}

declare module "lectern/db" {
  interface Tables {
    slug_history: SlugHistoryTable;
  }
}
