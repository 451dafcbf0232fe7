/** Answers of the API about content: screens are clients like any other. */
import type { Schema } from "lectern/client";
import type { ScreenItem } from "lectern/contracts";

/** A single book. */
export type Book = Schema<"Book">;

/** A single shelf. */
export type Shelf = Schema<"Shelf">;

/** A single chapter. */
export type Chapter = Schema<"Chapter">;

/** A single page. */
export type Page = Schema<"Page">;

/** What the screens show of a single item of any kind. */
export interface Item
  extends ScreenItem,
    Pick<Page, "created_at" | "updated_at" | "created_by" | "updated_by" | "owned_by"> {}

/** An entry of a book's contents. */
export interface Entry extends Pick<Schema<"ContentsEntry">, "id" | "name" | "slug"> {
  readonly type?: string;
  readonly draft?: boolean;
  readonly pages?: readonly Entry[];
}

/** The cover of a book or shelf. */
export type Cover = NonNullable<Book["cover"]>;

/** A comment with its replies. */
export type CommentTree = Schema<"CommentTree">;

/** A page of a listing. */
export interface Listing<T> {
  readonly data: readonly T[];
  readonly total: number;
}
