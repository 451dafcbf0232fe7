/** Answers of the API about content, with the fields that the screens use. */
import type { Answers, OutlineEntry, Item as ReadItem, ScreenItem } from "lectern/contracts";

/** The fields that listings and single items have in common. */
export type Item = ScreenItem & Pick<Book, "created_at" | "updated_at" | "created_by" | "updated_by" | "owned_by">;

/** An entry of a book's outline. */
export type Entry = OutlineEntry;

/** A single book with its outline. */
export type Book = ReadItem<"book_outline">;

/** A single shelf. */
export type Shelf = ReadItem<"bookshelf">;

/** A single chapter. */
export type Chapter = ReadItem<"chapter">;

/** A single page. */
export type Page = ReadItem<"page">;

/** A comment with its replies. */
export type CommentTree = Page["comments"]["active"][number];

/** A book in listings. */
export type ListedBook = Answers["/api/books"]["data"][number];

/** A page in listings. */
export type ListedPage = Answers["/api/pages"]["data"][number];
