/** Answers of the API about content, with the fields that the screens use. */
import type { Item as ReadItem, ScreenItem, UserRef } from "lectern/contracts";

/** The fields that listings and single items have in common. */
export interface Item extends ScreenItem {
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_by: UserRef | null;
  readonly updated_by: UserRef | null;
  readonly owned_by: UserRef | null;
}

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

/** The cover of a book or shelf. */
export interface Cover {
  readonly url: string;
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

/** A page of a listing. */
export interface Listing<T> {
  readonly data: readonly T[];
  readonly total: number;
}
