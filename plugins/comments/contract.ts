import type { Generated, Selectable } from "kysely";
import type { Input, UserRef } from "lectern/core";
import type { createRules, updateRules } from "./rules.ts";

/** What people say about pages. */
export interface CommentsTable {
  id: Generated<number>;
  /** What answers call `commentable_id`. */
  page_id: number;
  /** Numbers the comments of a page, from 1. */
  local_id: number;
  /** The `local_id` of the comment this one replies to, which may be gone; null for those that reply to none. */
  parent_id: number | null;
  /** Filtered when it was written, so that it is shown as it is. */
  html: string;
  /** The part of the page it speaks of, such as "bkmrk-call-the-dba:735:5-12"; "" for the page as a whole. */
  content_ref: string;
  archived: Generated<boolean>;
  created_by: number | null;
  updated_by: number | null;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

/** A comment as the table holds it; the result of the events of comments. */
export type CommentRow = Selectable<CommentsTable>;

/** A comment as one statement reads it for an answer: with who made and changed it, and with direct replies. */
export interface FoundComment extends CommentRow {
  /** Null in replies, which are shown with numbers for people. */
  readonly people?: { readonly created_by: UserRef | null; readonly updated_by: UserRef | null } | null;
  readonly replies?: readonly CommentRow[];
}

/** A new comment as asked for. */
export type CommentCreate = Input<typeof createRules>;
/** A change of a comment as asked for. */
export type CommentUpdate = Input<typeof updateRules>;

/** What roles may hold about comments (platform 2.1). */
export type CommentPermission = `comment-${"create" | "update" | "delete"}-${"all" | "own"}`;

declare module "lectern/db" {
  interface Tables {
    comments: CommentsTable;
  }
}

declare module "lectern/core" {
  interface Events {
    comment_create: { draft: CommentCreate; result: CommentRow };
    /** The draft's row is the locked one, as it was before. */
    comment_update: { draft: { row: CommentRow; draft: CommentUpdate }; result: CommentRow };
    comment_delete: { draft: CommentRow; result: CommentRow };
  }
  interface Permissions extends Record<CommentPermission, true> {}
}
