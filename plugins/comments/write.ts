import { ApiError, authorOf, notFound, saveChanges, sql, type Work } from "lectern/core";
import { rows } from "lectern/db";
import type { CommentCreate, CommentRow, CommentUpdate } from "./contract.ts";
import type { Parts } from "./show.ts";

/** Where in a page a comment belongs: a block, a checksum of its text, and perhaps a stretch of it (content-api 10.2). */
const CONTENT_REF = /^bkmrk-.+:\d+:(\d*-\d*)?$/;
/** Longer ones name no block of ours. */
const MAX_CONTENT_REF = 300;

/**
 * Adds a comment. The page is locked: two comments never get one number, and none is left on a page that goes. Its time is
 * that of the statement after the lock, so that times follow numbers.
 */
export async function insertComment(parts: Parts, draft: CommentCreate, work: Work): Promise<CommentRow> {
  const html = shown(parts, draft.html);
  await lockPage(parts, draft.page_id, work);
  const author = sql`${authorOf(work.viewer)}::integer`;
  const page = sql`${draft.page_id}::integer`;
  const [row] = await rows<CommentRow>(
    work.db,
    sql`insert into comments (page_id, local_id, parent_id, html, content_ref, created_by, updated_by,
      created_at, updated_at)
    values (${page}, (select coalesce(max(local_id), 0) + 1 from comments where page_id = ${page}),
      (select local_id from comments where page_id = ${page} and local_id = ${draft.reply_to ?? null}::integer),
      ${html}, ${contentRef(draft.content_ref)}, ${author}, ${author},
      statement_timestamp(), statement_timestamp())
    returning *`,
  );
  return row as CommentRow;
}

/** Changes a locked comment. Throws ApiError 400 where a reply shall be archived or taken out of the archive. */
export async function changeComment(
  parts: Parts,
  row: CommentRow,
  { html, archived }: CommentUpdate,
  work: Work,
): Promise<CommentRow> {
  if (archived !== undefined && row.parent_id !== null)
    throw new ApiError(400, `Only top-level comments can be ${archived ? "archived" : "un-archived"}.`);
  const wanted = {
    // Whoever archives a comment has not written it.
    ...(html !== undefined && { html: shown(parts, html), updated_by: authorOf(work.viewer) }),
    ...(archived !== undefined && { archived }),
  };
  return saveChanges<CommentRow>(work.db, "comments", row, { wanted });
}

/** The comment as it is now, kept so until the transaction ends. Throws 404 where it is gone. */
export async function lockComment(id: number, work: Work): Promise<CommentRow> {
  const [row] = await rows<CommentRow>(work.db, sql`select * from comments where id = ${id}::integer for update`);
  if (!row) throw notFound("Comment");
  return row;
}

/** Throws 404 unless the viewer sees the page, 400 where it is a draft. */
async function lockPage(parts: Parts, id: number, work: Work): Promise<void> {
  const [page] = await rows<{ draft: boolean }>(
    work.db,
    sql`select pages.draft from pages where pages.id = ${id}::integer and ${parts.sees("pages", work.viewer)}
      for no key update`,
  );
  if (!page) throw notFound("Page");
  if (page.draft) throw new ApiError(400, "You cannot add comments to a draft.");
}

/** What is kept of a comment. Throws ApiError 422 where nothing is, as for one that is empty from the start. */
function shown({ contracts: { markup } }: Parts, html: string): string {
  const kept = markup.comment(html);
  if (kept === "")
    throw new ApiError(422, "The given data was invalid.", { validation: { html: ["The html field is required."] } });
  return kept;
}

function contentRef(sent: string | undefined): string {
  return sent !== undefined && sent.length <= MAX_CONTENT_REF && CONTENT_REF.test(sent) ? sent : "";
}
