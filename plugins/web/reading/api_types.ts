/** Answers of the API about content, with the fields that the screens use. */
import type { Answers, Item as ReadItem, ScreenItem } from "lectern/contracts";

/** The fields that listings and single items have in common. */
export type Item = ScreenItem & Pick<Book, "created_at" | "updated_at" | "created_by" | "updated_by" | "owned_by">;

/** An entry of a book's contents. */
export interface Entry {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly type?: string;
  /** Of an entry of a book's contents. */
  readonly url?: string;
  readonly draft?: boolean;
  readonly pages?: readonly Entry[];
}

/** A single book. */
export type Book = ReadItem<"book">;

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
