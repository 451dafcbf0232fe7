import type { Generated, Selectable } from "kysely";
import type { UserRef } from "lectern/contracts";
import { type Input, type ResourceEvents, rules } from "lectern/core";

/** Comments on pages. */
export interface CommentsTable {
  id: Generated<number>;
  /** The page. */
  page_id: number;
  /** Counts the comments of a page. */
  local_id: number;
  /** The `local_id` of the comment it replies to, which may be gone; null for none. */
  parent_id: number | null;
  html: string;
  /** The stretch of the page it is about, such as "bkmrk-call-the-dba:735:5-12"; "" for all of it. */
  content_ref: string;
  archived: boolean;
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

/** The body of a create (content-api 2.4). */
export const createRules = rules({
  page_id: ["required", "integer"],
  reply_to: ["nullable", "integer"],
  html: ["required", "string"],
  content_ref: ["string"],
});

/** The body of an update. */
export const updateRules = rules({ html: ["string"], archived: ["boolean"] });

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
  interface Events extends ResourceEvents<"comment", CommentCreate, CommentUpdate, CommentRow> {}
  interface Permissions extends Record<CommentPermission, true> {}
}
