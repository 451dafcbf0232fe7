/**
 * Reads of comments: listing, a comment with its replies, and all comments of pages. The latter are read by their own for many
 * pages, and selected as JSON with a page that is found by its slug. A viewer sees the comments of the pages they see.
 */
import { jsonTime, type UserRef } from "lectern/contracts";
import { type ListSpec, type RawBuilder, sql, type Viewer } from "lectern/core";
import { flattened, prepared, refs } from "lectern/db";
import { type CommentRow, type CommentsContext, type FoundComment, PAGE_TYPE } from "./contract.ts";

/** The listing of comments (content-api 3, 10.1). */
export const listing: ListSpec = {
  table: "comments",
  fields: {
    id: "integer",
    commentable_id: { type: "integer", column: refs("comments.page_id") },
    commentable_type: { type: "code", column: sql`${sql.lit(PAGE_TYPE)}::text` },
    parent_id: { type: "integer", nullable: true },
    local_id: "integer",
    content_ref: "code",
    created_by: { type: "integer", nullable: true },
    updated_by: { type: "integer", nullable: true },
    created_at: "timestamp",
    updated_at: "timestamp",
  },
  columns: sql`${refs("comments.id", "comments.page_id as commentable_id")},
    ${sql.lit(PAGE_TYPE)}::text as commentable_type, ${refs(
      ...(["comments.parent_id", "comments.local_id", "comments.content_ref", "comments.created_by"] as const),
      ...(["comments.updated_by", "comments.created_at", "comments.updated_at"] as const),
    )}`,
};

const CREATED_BY = flattened(refs("comments.created_by"));
const UPDATED_BY = flattened(refs("comments.updated_by"));

interface FindParameters {
  readonly id: number;
  readonly createdBy: RawBuilder<UserRef | null>;
  readonly updatedBy: RawBuilder<UserRef | null>;
  readonly visible: RawBuilder<boolean>;
}

const findWithReplies = prepared("comments.findWithReplies", (db, p: FindParameters) =>
  db
    .selectFrom("comments as asked")
    .innerJoin("comments", (join) =>
      join
        .onRef("comments.page_id", "=", "asked.page_id")
        .on((eb) =>
          eb.or([eb("comments.id", "=", eb.ref("asked.id")), eb("comments.parent_id", "=", eb.ref("asked.local_id"))]),
        ),
    )
    .selectAll("comments")
    .select((eb) =>
      sql<Required<FoundComment>["people"]>`case when ${eb.ref("comments.id")} = ${eb.ref("asked.id")} then
        json_build_object('created_by', ${p.createdBy}, 'updated_by', ${p.updatedBy}) end`.as("people"),
    )
    .where("asked.id", "=", p.id)
    .where(p.visible)
    .orderBy("comments.created_at")
    .orderBy("comments.id"),
);

const ofPages = prepared(
  "comments.ofPages",
  (db, p: { pageIds: readonly number[]; author: RawBuilder<UserRef | null>; visible: RawBuilder<boolean> }) =>
    db
      .selectFrom("comments")
      .selectAll("comments")
      .select(p.author.as("author"))
      .where("page_id", "=", sql<number>`any(${p.pageIds}::integer[])`)
      .where(p.visible)
      .orderBy("created_at")
      .orderBy("id"),
);

/** A comment with its direct replies, in one statement; undefined unless the viewer sees its page. */
export async function findComment(
  context: CommentsContext,
  viewer: Viewer,
  id: number,
): Promise<FoundComment | undefined> {
  const { users } = context.contracts;
  const found = await findWithReplies.execute(context.db, {
    id,
    createdBy: users.ref(CREATED_BY),
    updatedBy: users.ref(UPDATED_BY),
    visible: context.visibleTo("comments", viewer),
  });
  const comment = found.find((row) => row.id === id);
  return comment && { ...comment, replies: found.filter((row) => row !== comment) };
}

/** A comment with its author, as pages show it. */
export type PageComment = CommentRow & { readonly author: UserRef | null };

/** SQL for the comments of a page, oldest first, as JSON `{ comments: PageComment[] }`, over the column of the page's id. */
export function selectedComments(
  context: CommentsContext,
  pageId: RawBuilder<unknown>,
  viewer: Viewer,
): RawBuilder<{ comments: PageComment[] }> {
  return sql`json_build_object('comments', coalesce((select json_agg(json_build_object('id', comments.id,
      'page_id', comments.page_id, 'local_id', comments.local_id, 'parent_id', comments.parent_id, 'html', comments.html,
      'content_ref', comments.content_ref, 'archived', comments.archived, 'created_by', comments.created_by,
      'updated_by', comments.updated_by, 'markdown', comments.markdown, 'passage', comments.passage, 'created_at', ${jsonTime("comments.created_at")},
      'updated_at', ${jsonTime("comments.updated_at")},
      'author', ${context.contracts.users.ref(sql.ref("comments.created_by"))}) order by comments.created_at, comments.id)
    from comments where comments.page_id = ${pageId} and ${context.visibleTo("comments", viewer)}), '[]'))`;
}

/** Makes the function that reads all comments of pages, oldest first; the fixed part of its SQL is prepared once. */
export function pageCommentsQuery(
  context: CommentsContext,
): (pageIds: readonly number[], viewer: Viewer) => Promise<PageComment[]> {
  const author = flattened(context.contracts.users.ref(refs("comments.created_by")));
  return (pageIds, viewer) =>
    ofPages.execute(context.db, { pageIds: [...pageIds], author, visible: context.visibleTo("comments", viewer) });
}
