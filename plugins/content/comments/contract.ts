/**
 * What the plugin of comments declares: its table, the bodies and answers of its routes, its events and permissions, and what its
 * files share (content-api 10).
 */
import type { Generated, Selectable } from "kysely";
import type { UserRef } from "lectern/contracts";
import {
  type Contracts,
  type Input,
  idSchema,
  nullable,
  personSchema,
  type RawBuilder,
  type ResourceEvents,
  rules,
  type Static,
  t,
  timesFields,
  type Viewer,
} from "lectern/core";
import type { Executor } from "lectern/db";

/** What the files of this plugin share. */
export interface CommentsContext {
  readonly db: Executor;
  readonly contracts: Pick<Contracts, "access" | "markup" | "users">;
  /** Maximum size of a comment's HTML, in bytes. */
  readonly maxBytes: number;
  /** SQL condition for the rows of a table that a viewer sees. */
  readonly visibleTo: (table: "comments" | "pages", viewer: Viewer) => RawBuilder<boolean>;
}

/** Answered as `commentable_type`: only pages can be commented on. */
export const PAGE_TYPE = "page";

/** Comments on pages. */
export interface CommentsTable {
  id: Generated<number>;
  page_id: number;
  /** Number of the comment within its page, from 1. */
  local_id: number;
  /** The `local_id` of the comment it replies to, which may have been deleted; null for none. */
  parent_id: number | null;
  html: string;
  /** The range of the page it refers to, such as "bkmrk-call-the-dba:735:5-12"; "" for the whole page. */
  content_ref: string;
  archived: Generated<boolean>;
  created_by: number | null;
  updated_by: number | null;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

/** A row of the table; the result of the events of comments. */
export type CommentRow = Selectable<CommentsTable>;

/** A comment read for an answer, with its author, its last editor and its direct replies. */
export interface FoundComment extends CommentRow {
  /** Null in replies, whose answers name users by id. */
  readonly people?: { readonly created_by: UserRef | null; readonly updated_by: UserRef | null } | null;
  readonly replies?: readonly CommentRow[];
}

/** Rules for the body of a create (content-api 2.4). */
export const createRules = rules({
  page_id: ["required", "integer"],
  reply_to: ["nullable", "integer"],
  html: ["required", "string"],
  content_ref: ["string"],
});

/** Rules for the body of an update. */
export const updateRules = rules({ html: ["string"], archived: ["boolean"] });

const listedFields = {
  id: idSchema,
  commentable_id: idSchema,
  commentable_type: t.String(),
  parent_id: nullable(t.Integer({ description: "The local_id of the comment it replies to" })),
  local_id: t.Integer(),
  content_ref: t.String(),
  created_by: nullable(idSchema),
  updated_by: nullable(idSchema),
  ...timesFields,
};
const savedFields = { ...listedFields, html: t.String(), archived: t.Boolean() };
const saved = t.Object(savedFields, { $id: "SavedComment" });

/** The answers about comments (content-api 10). */
export const commentAnswers = {
  listed: t.Object(listedFields, { $id: "CommentListItem" }),
  saved,
  read: t.Object(
    { ...savedFields, created_by: personSchema, updated_by: personSchema, replies: t.Array(saved) },
    { $id: "Comment" },
  ),
};

const treeComment = t.Object({ ...savedFields, created_by: personSchema }, { $id: "PageComment" });
const tree = t.Recursive(
  (inner) => t.Object({ comment: treeComment, depth: t.Integer({ minimum: 0 }), children: t.Array(inner) }),
  { $id: "CommentTree" },
);

/** What the plugin adds to single reads of pages: threads of comments (content-api 10.5). */
export const pageCommentsFields = {
  comments: t.Object({ active: t.Array(tree), archived: t.Array(tree) }, { $id: "PageComments" }),
};

/** The draft of a new comment. */
export type CommentCreate = Input<typeof createRules>;
/** The draft of a change. */
export type CommentUpdate = Input<typeof updateRules>;

/** Permissions of roles on comments (platform 2.1). */
export type CommentPermission = `comment-${"create" | "update" | "delete"}-${"all" | "own"}`;

declare module "lectern/contracts" {
  interface Answers {
    "POST /api/comments": Static<typeof commentAnswers.saved>;
    [comment: `/api/comments/${number}`]: Static<typeof commentAnswers.read>;
    [commentUpdate: `PUT /api/comments/${number}`]: Static<typeof commentAnswers.saved>;
  }
}

declare module "lectern/db" {
  interface Tables {
    comments: CommentsTable;
  }
}

declare module "lectern/core" {
  interface ItemFields {
    "page.read.comments": Static<typeof pageCommentsFields.comments>;
  }
  interface Events extends ResourceEvents<"comment", CommentCreate, CommentUpdate, CommentRow> {}
  interface Permissions extends Record<CommentPermission, true> {}
}
