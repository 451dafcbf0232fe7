/**
 * What the plugin of comments declares: its table, the bodies and answers of its routes, its events and permissions, and what its
 * files share (content-api 10).
 */
import type { ColumnType, Generated, Selectable } from "kysely";
import type { Passage, UserRef } from "lectern/contracts";
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

/** The passage of a page that a comment is about, as it was found last. */
export interface StoredPassage extends Passage {
  /** Whether the page does not have it any more. */
  readonly outdated: boolean;
}

/** Comments on pages. */
export interface CommentsTable {
  id: Generated<number>;
  page_id: number;
  /** Number of the comment within its page, from 1. */
  local_id: number;
  /** The `local_id` of the comment it replies to, which may have been deleted; null for none. */
  parent_id: number | null;
  html: string;
  /** What was typed of a comment in Markdown, which `html` is made of; null for one in HTML. */
  markdown: string | null;
  /** The range of the page it refers to, as sent, such as "bkmrk-call-the-dba:735:5-12"; "" for the whole page. */
  content_ref: string;
  /** The passage that it is about, null where none was found; given as the text of its JSON. */
  passage: ColumnType<
    StoredPassage | null,
    RawBuilder<StoredPassage | null> | undefined,
    RawBuilder<StoredPassage | null>
  >;
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

/** Characters of the quote of a passage. */
const MAX_QUOTE = 1_000;

/** Rules for the body of a create (content-api 2.4), once HTML was made of its Markdown; beyond BookStack's fields `markdown`, `quote`. */
export const createRules = rules({
  page_id: ["required", "integer"],
  reply_to: ["nullable", "integer"],
  html: ["required", "string"],
  markdown: ["string"],
  content_ref: ["string"],
  quote: ["string", `max:${MAX_QUOTE}`],
});

/** The same for the documentation and clients: HTML or Markdown. */
export const sentCreateRules = rules({
  ...createRules,
  html: ["required_without:markdown", "string"],
  markdown: ["required_without:html", "string"],
});

/** Rules for the body of an update. */
export const updateRules = rules({ html: ["string"], markdown: ["string"], archived: ["boolean"] });

/** Rules for the body of a preview. */
export const previewRules = rules({ markdown: ["required", "string"] });

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
const savedFields = {
  ...listedFields,
  html: t.String(),
  archived: t.Boolean(),
  markdown: t.Optional(t.String({ description: "What was typed of a comment in Markdown, which html is made of" })),
  passage: t.Optional(
    t.Object(
      {
        quote: t.String({ description: "Its text, with each run of white space as one space" }),
        content_ref: t.String({ description: "Where the page has it now, or had it last" }),
        outdated: t.Boolean({ description: "Whether the page does not have it any more" }),
      },
      { description: "The passage that content_ref or quote named, where the page had it" },
    ),
  ),
};
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

/** The answer to a preview. */
export const previewAnswer = t.Object({ html: t.String() }, { $id: "CommentPreview" });

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
    "POST /api/comments/preview": Static<typeof previewAnswer>;
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
