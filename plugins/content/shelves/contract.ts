/**
 * What the files of the plugin of shelves share: its tables, the schemas of bodies and answers, and what it declares. The field `shelves` of a
 * book is its own, as screens name the shelves that hold a book; positions on shelves stay out of answers.
 */
import type { Item, ItemListing, ItemPermissions } from "lectern/contracts";
import {
  fieldsOf,
  type Input,
  type PluginContext,
  peopleFields,
  peopleIdFields,
  type ResourceEvents,
  type Static,
  t,
} from "lectern/core";
import { coverField, describedFields, itemRefSchema, savedFields, shelvedBookSchema } from "../_items/answers.ts";
import type { DescribedItem, DescribedTable } from "../_items/contract.ts";
import { coveredListing } from "../_items/listing.ts";
import { coverRule, itemRules } from "../_items/rules.ts";
import { itemStatements } from "../_items/statements.ts";

/** Shelves. */
export interface BookshelvesTable extends DescribedTable {}

/** Which books are on a shelf, and in which order. */
export interface BookshelfBooksTable {
  shelf_id: number;
  book_id: number;
  /** Ascending, from left to right. */
  position: number;
}

/** A shelf, as events carry it. */
export type Shelf = DescribedItem<BookshelvesTable>;

/** The kind "bookshelf". */
export const SHELF = {
  kind: "bookshelf",
  noun: "Shelf",
  table: "bookshelves",
  statements: itemStatements("bookshelves", {}, (db) => db.selectFrom("bookshelves").selectAll("bookshelves")),
} as const;

/** The listing of shelves (content-api 3). */
export const listing = coveredListing(SHELF);

/** The bodies of a create and an update, for a limit on files in megabytes. */
export const shelfRules = (limitMb: number) =>
  itemRules({ books: ["array"], tags: ["array"], image: coverRule(limitMb) });

const shelfFields = { ...describedFields, ...savedFields, ...coverField };

/** The answers about shelves (content-api 6). */
export const shelfAnswers = {
  listed: t.Object(
    { ...describedFields, ...peopleIdFields, ...coverField },
    { $id: "ShelfListItem", ...fieldsOf("bookshelf", "listed") },
  ),
  saved: t.Object({ ...shelfFields, ...peopleIdFields }, { $id: "SavedShelf", ...fieldsOf("bookshelf", "saved") }),
  read: t.Object(
    { ...shelfFields, ...peopleFields, books: t.Array(shelvedBookSchema) },
    { $id: "Shelf", ...fieldsOf("bookshelf", "read") },
  ),
};

/** What the plugin adds to single reads of books: the shelves with the book. */
export const bookShelvesFields = { shelves: t.Array(itemRefSchema) };

/** What a create asks for. */
export type ShelfDraft = Input<ReturnType<typeof shelfRules>["create"]>;

/** What an update asks for: fields that are absent stay. */
export type ShelfChange = Input<ReturnType<typeof shelfRules>["update"]>;

/** What the files of this plugin share. */
export type ShelvesContext = Pick<
  PluginContext<"access" | "users" | "tags" | "markup", "bookshelves" | "bookshelf_books" | "books">,
  "baseUrl" | "contracts" | "db" | "slot" | "visible"
>;

declare module "lectern/contracts" {
  interface Answers {
    "/api/shelves": ItemListing<"bookshelf">;
    "POST /api/shelves": Static<typeof shelfAnswers.saved>;
    [shelf: `/api/shelves/${number}`]: Item<"bookshelf">;
    [shelfUpdate: `PUT /api/shelves/${number}`]: Static<typeof shelfAnswers.saved>;
  }
}

declare module "lectern/db" {
  interface Tables {
    bookshelves: BookshelvesTable;
    bookshelf_books: BookshelfBooksTable;
  }
}
declare module "lectern/core" {
  interface Items {
    bookshelf: { read: Static<typeof shelfAnswers.read>; listed: Static<typeof shelfAnswers.listed> };
  }
  interface ItemFields {
    "book.read.shelves": Static<typeof itemRefSchema>[];
  }
  interface Events extends ResourceEvents<"bookshelf", ShelfDraft, ShelfChange, Shelf> {}
  interface Permissions extends ItemPermissions<"bookshelf"> {}
}
