/**
 * Writing comments. A new one keeps its page until the transaction ends, so that no two get the same number on it and
 * none is left behind on a page that is being removed. HTML goes through both filters when it is written, that for
 * descriptions and that for scripts (content-api 10.2), so that reading a page with many comments parses nothing.
 */
import { ApiError, authorOf, notFound, saveChanges, sql, type Work } from "lectern/core";
import { rows } from "lectern/db";
import type { CommentCreate, CommentRow, CommentUpdate } from "./contract.ts";
import type { Parts } from "./parts.ts";
import { contentRef } from "./refs.ts";

/** Creates a comment; one that replies to none on its page stands by itself. Throws 404 or 400 for gone and draft pages. */
export async function insertComment(parts: Parts, draft: CommentCreate, work: Work): Promise<CommentRow> {
  const { page_id, reply_to = null } = draft;
  const html = filtered(parts, draft.html);
  await lockPage(page_id, work);
  const author = sql`${authorOf(work.viewer)}::integer`;
  // The time of the statement and not of the transaction, which may have waited for the page: order of time is then
  // order of numbers.
  const [row] = await rows<CommentRow>(
    work.db,
    sql`insert into comments
      (page_id, local_id, parent_id, html, content_ref, created_by, updated_by, created_at, updated_at)
    values (${page_id}::integer,
      (select coalesce(max(local_id), 0) + 1 from comments where page_id = ${page_id}::integer),
      (select local_id from comments where page_id = ${page_id}::integer and local_id = ${reply_to}::integer),
      ${html}, ${contentRef(draft.content_ref)}, ${author}, ${author}, statement_timestamp(), statement_timestamp())
    returning *`,
  );
  return row as CommentRow;
}

/** Changes a locked comment. Throws 400 where a reply shall be archived or taken back (content-api 1.4). */
export async function changeComment(
  parts: Parts,
  row: CommentRow,
  { html, archived }: CommentUpdate,
  work: Work,
): Promise<CommentRow> {
  if (archived !== undefined && row.parent_id !== null)
    throw new ApiError(
      400,
      archived ? "Only top-level comments can be archived." : "Only top-level comments can be un-archived.",
    );
  // Whoever archives a comment is not the one who wrote what it says.
  const wanted = {
    ...(archived === undefined ? {} : { archived }),
    ...(html === undefined ? {} : { html: filtered(parts, html), updated_by: authorOf(work.viewer) }),
  };
  return saveChanges<CommentRow>(work.db, "comments", row, { wanted });
}

/** Removes a comment for good; replies to it stay (content-api 10.2). */
export async function removeComment(row: CommentRow, work: Work): Promise<void> {
  await rows(work.db, sql`delete from comments where id = ${row.id}::integer`);
}

/** Removes all comments of pages that are being removed for good. */
export async function removeOfPages(pageIds: readonly number[], work: Work): Promise<void> {
  await rows(work.db, sql`delete from comments where page_id = any(${[...pageIds]}::integer[])`);
}

/** Forgets who it was that made and changed comments; what was said stays (platform 5.4). */
export async function forgetUser(id: number, work: Work): Promise<void> {
  await rows(
    work.db,
    sql`update comments
    set created_by = nullif(created_by, ${id}::integer), updated_by = nullif(updated_by, ${id}::integer)
    where created_by = ${id}::integer or updated_by = ${id}::integer`,
  );
}

/** The comment as it is now, kept so until the transaction ends. Throws 404 where it is gone. */
export async function lockComment(id: number, work: Work): Promise<CommentRow> {
  const [row] = await rows<CommentRow>(work.db, sql`select * from comments where id = ${id}::integer for update`);
  if (!row) throw notFound("Comment");
  return row;
}

async function lockPage(id: number, work: Work): Promise<void> {
  const [page] = await rows<{ draft: boolean }>(
    work.db,
    sql`select draft from pages where id = ${id}::integer and deleted_at is null for no key update`,
  );
  if (!page) throw notFound("Page");
  if (page.draft) throw new ApiError(400, "You cannot add comments to a draft.");
}

function filtered({ contracts: { markup } }: Parts, html: string): string {
  return markup.safe(markup.comment(html));
}
