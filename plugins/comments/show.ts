import { sql, type UserRef, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { CommentRow, FoundComment } from "./contract.ts";
import type { Parts } from "./parts.ts";

/** What a row of a listing shows. */
export const LISTED = sql`comments.id, comments.page_id as commentable_id, 'page' as commentable_type,
  comments.parent_id, comments.local_id, comments.content_ref, comments.created_by, comments.updated_by,
  comments.created_at, comments.updated_at`;

/** The comment with its direct replies, oldest first, if the viewer sees the page it is on. */
export async function findComment(parts: Parts, viewer: Viewer, id: number): Promise<FoundComment | undefined> {
  const { users } = parts.contracts;
  const found = await rows<FoundComment>(
    parts.db,
    sql`select found.*, case when found.id = comments.id then json_build_object(
      'created_by', ${users.ref(sql.ref("found.created_by"))},
      'updated_by', ${users.ref(sql.ref("found.updated_by"))}) end as people
    from comments join comments as found on found.page_id = comments.page_id
      and (found.id = comments.id or found.parent_id = comments.local_id)
    where comments.id = ${id}::integer and ${parts.sees("comments", viewer)}
    order by found.created_at, found.id`,
  );
  const itself = found.find((comment) => comment.id === id);
  return itself && { ...itself, replies: found.filter((comment) => comment !== itself) };
}

/** All comments of pages that the viewer sees, oldest first, each with its author. */
export function commentsOf(
  parts: Parts,
  viewer: Viewer,
  pageIds: readonly number[],
): Promise<(CommentRow & { readonly author: UserRef | null })[]> {
  return rows(
    parts.db,
    sql`select comments.*, ${parts.contracts.users.ref(sql.ref("comments.created_by"))} as author
    from comments where comments.page_id = any(${[...pageIds]}::integer[]) and ${parts.sees("comments", viewer)}
    order by comments.created_at, comments.id`,
  );
}

/** A comment as answers show it after a save, and as a reply (content-api 10.1). */
export function shownComment(row: CommentRow) {
  return {
    id: row.id,
    commentable_id: row.page_id,
    commentable_type: "page",
    html: row.html,
    parent_id: row.parent_id,
    local_id: row.local_id,
    created_by: row.created_by,
    updated_by: row.updated_by,
    created_at: row.created_at,
    updated_at: row.updated_at,
    content_ref: row.content_ref,
    archived: row.archived,
  };
}

/** A comment in full (content-api 10.4). */
export function readComment({ people, replies = [], ...row }: FoundComment) {
  return { ...shownComment(row), ...people, replies: replies.map(shownComment) };
}
