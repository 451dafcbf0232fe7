import type { Item, ItemListing, ItemPermissions, Outlined } from "lectern/contracts";
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
import { contentsEntrySchema, coverField, describedFields, savedFields, templateField } from "../_items/answers.ts";
import type { DescribedItem, DescribedTable } from "../_items/contract.ts";
import { coveredListing } from "../_items/listing.ts";
import { coverRule, itemRules } from "../_items/rules.ts";
import { itemStatements } from "../_items/statements.ts";

/** Books. */
export interface BooksTable extends DescribedTable {
  /** The page whose content new pages start with; null for none. */
  default_template_id: number | null;
}

/** A book, as events carry it. */
export type Book = DescribedItem<BooksTable>;

/** The kind "book". */
export const BOOK = {
  kind: "book",
  noun: "Book",
  table: "books",
  statements: itemStatements("books", { default_template_id: true }, (db) => db.selectFrom("books").selectAll("books")),
} as const;

/** The listing of books (content-api 3). */
export const listing = coveredListing(BOOK);

/** The bodies of a create and an update, for a limit on files in megabytes. */
export function bookRules(limitMb: number) {
  const image = coverRule(limitMb);
  return itemRules({ tags: ["array"], image, default_template_id: ["nullable", "integer"] });
}

const bookFields = { ...describedFields, ...savedFields, ...templateField, ...coverField };

/** The answers about books (content-api 5). */
export const bookAnswers = {
  listed: t.Object(
    { ...describedFields, ...peopleIdFields, ...coverField },
    { $id: "BookListItem", ...fieldsOf("book", "listed") },
  ),
  saved: t.Object({ ...bookFields, ...peopleIdFields }, { $id: "SavedBook", ...fieldsOf("book", "saved") }),
  read: t.Object(
    { ...bookFields, ...peopleFields, contents: t.Array(contentsEntrySchema) },
    { $id: "Book", ...fieldsOf("book", "read") },
  ),
};

/** What a create asks for. */
export type BookDraft = Input<ReturnType<typeof bookRules>["create"]>;

/** What an update asks for: fields that are absent stay. */
export type BookChange = Input<ReturnType<typeof bookRules>["update"]>;

/** What the files of this plugin share. */
export type BooksContext = Pick<
  PluginContext<"access" | "users" | "tags" | "markup", "books" | "pages">,
  "baseUrl" | "contracts" | "db" | "slot" | "visible"
>;

declare module "lectern/contracts" {
  interface Answers {
    "/api/books": ItemListing<"book">;
    "POST /api/books": Static<typeof bookAnswers.saved>;
    [book: `/api/books/${number}`]: Item<"book">;
    [bookUpdate: `PUT /api/books/${number}`]: Static<typeof bookAnswers.saved>;
  }
}

declare module "lectern/core" {
  interface Items {
    book: { read: Static<typeof bookAnswers.read>; listed: Static<typeof bookAnswers.listed> };
    /** A book as screens show it: with an outline in place of the contents. */
    book_outline: { read: Omit<Item<"book">, "contents"> & Outlined };
  }
  interface Events extends ResourceEvents<"book", BookDraft, BookChange, Book> {}
  interface Permissions extends ItemPermissions<"book"> {}
}
declare module "lectern/db" {
  interface Tables {
    books: BooksTable;
  }
}
