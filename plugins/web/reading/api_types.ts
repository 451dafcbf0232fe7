/** Answers of the API about content, with the fields that the screens use. */
import type { ScreenItem, UserRef } from "lectern/contracts";

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
  readonly draft?: boolean;
  readonly pages?: readonly Entry[];
}

/** The cover of a book or shelf. */
export interface Cover {
  readonly url: string;
}

/** A single book. */
export interface Book extends Item {
  readonly cover: Cover | null;
  readonly contents: readonly Entry[];
}

/** A single shelf. */
export interface Shelf extends Item {
  readonly cover: Cover | null;
  readonly books: readonly { readonly id: number; readonly name: string; readonly slug: string }[];
}

/** A single chapter. */
export interface Chapter extends Item {
  readonly book_id: number;
  readonly pages: readonly Entry[];
}

/** A comment with its replies. */
export interface CommentTree {
  readonly comment: {
    readonly id: number;
    readonly local_id: number;
    readonly parent_id: number | null;
    readonly html: string;
    readonly archived: boolean;
    readonly created_at: string;
    readonly updated_at: string;
    readonly created_by: UserRef | null;
  };
  readonly children: readonly CommentTree[];
}

/** A single page. */
export interface Page extends Item {
  readonly book_id: number;
  readonly chapter_id: number | null;
  readonly html: string;
  readonly markdown: string;
  readonly draft: boolean;
  readonly revision_count: number;
  readonly comments: { readonly active: readonly CommentTree[]; readonly archived: readonly CommentTree[] };
}

/** A page of a listing. */
export interface Listing<T> {
  readonly data: readonly T[];
  readonly total: number;
}
