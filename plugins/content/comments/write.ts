/**
 * Writing comments. What is kept of their HTML is made before the transaction; the page or the comment is locked in it, so
 * that numbers are unique and nothing is written to what is gone.
 */
import { ApiError, authorOf, type EventTransaction, notFound, saveChanges, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { CommentCreate, CommentRow, CommentUpdate } from "./contract.ts";
import { type Parts, rememberShown } from "./show.ts";

/** Where in a page a comment belongs: a block, a checksum of its text, and perhaps a stretch of it (content-api 10.2). */
const CONTENT_REF = /^bkmrk-.+:\d+:(\d*-\d*)?$/;
/** Longer ones name no block of ours. */
const MAX_CONTENT_REF = 300;

/**
 * Adds a comment. The page is locked: two comments never get one number, and none is left on a page that goes. Its time is
 * that of the statement after the lock, so that times follow numbers.
 */
export async function insertComment(parts: Parts, draft: CommentCreate, tx: EventTransaction): Promise<CommentRow> {
  const html = await keptHtml(parts, draft, tx.viewer);
  await lockPage(parts, draft.page_id, tx);
  const author = sql`${authorOf(tx.viewer)}::integer`;
  const page = sql`${draft.page_id}::integer`;
  const [row] = await rows<CommentRow>(
    tx.db,
    sql`insert into comments (page_id, local_id, parent_id, html, content_ref, created_by, updated_by,
      created_at, updated_at)
    values (${page}, (select coalesce(max(local_id), 0) + 1 from comments where page_id = ${page}),
      (select local_id from comments where page_id = ${page} and local_id = ${draft.reply_to ?? null}::integer),
      ${html}, ${contentRef(draft.content_ref)}, ${author}, ${author},
      statement_timestamp(), statement_timestamp())
    returning *`,
  );
  rememberShown(row as CommentRow, PREPARED.get(draft)?.shown ?? "");
  return row as CommentRow;
}

/** Changes a locked comment. Throws ApiError 400 where a reply shall be archived or taken out of the archive. */
export async function changeComment(
  parts: Parts,
  row: CommentRow,
  draft: CommentUpdate,
  tx: EventTransaction,
): Promise<CommentRow> {
  const { archived } = draft;
  const html = await keptHtml(parts, draft, tx.viewer);
  if (archived !== undefined && row.parent_id !== null)
    throw new ApiError(400, `Only top-level comments can be ${archived ? "archived" : "un-archived"}.`);
  const wanted = {
    // Whoever archives a comment has not written it.
    ...(html !== undefined && { html, updated_by: authorOf(tx.viewer) }),
    ...(archived !== undefined && { archived }),
  };
  const changed = await saveChanges<CommentRow>(tx.db, "comments", row, { wanted });
  const prepared = html === undefined ? undefined : PREPARED.get(draft);
  if (prepared) rememberShown(changed, prepared.shown);
  return changed;
}

/** The comment as it is now, kept so until the transaction ends. Throws 404 where it is gone. */
export async function lockComment(id: number, tx: EventTransaction): Promise<CommentRow> {
  const [row] = await rows<CommentRow>(tx.db, sql`select * from comments where id = ${id}::integer for update`);
  if (!row) throw notFound("Comment");
  return row;
}

/** Throws 404 unless the viewer sees the page, 400 where it is a draft. */
async function lockPage(parts: Parts, id: number, tx: EventTransaction): Promise<void> {
  const [page] = await rows<{ draft: boolean }>(
    tx.db,
    sql`select pages.draft from pages where pages.id = ${id}::integer and ${parts.sees("pages", tx.viewer)}
      for no key update`,
  );
  if (!page) throw notFound("Page");
  if (page.draft) throw new ApiError(400, "You cannot add comments to a draft.");
}

/** What is kept of drafts, made before their transactions began. */
const PREPARED = new WeakMap<Sent, { readonly source: string; readonly html: string; readonly shown: string }>();

interface Sent {
  readonly html?: string | undefined;
}

/** Does what takes long before a transaction begins. Throws ApiError 422 for a comment that is too large. */
export async function prepareComment(parts: Parts, draft: Sent, viewer: Viewer): Promise<void> {
  const source = draft.html;
  if (source === undefined) return;
  const { maxBytes } = parts;
  if (Buffer.byteLength(source) > maxBytes) {
    const error = `The html may not be larger than ${maxBytes} bytes.`;
    throw new ApiError(422, "The given data was invalid.", { validation: { html: [error] } });
  }
  const { markup } = parts.contracts;
  const html = await markup.comment(source, { viewer });
  PREPARED.set(draft, { source, html, shown: await markup.filtered(html, { viewer }) });
}

/** What is kept of a draft. */
async function keptHtml<S extends Sent>(parts: Parts, draft: S, viewer: Viewer): Promise<S["html"]> {
  // A handler in between may have changed the draft.
  if (draft.html !== PREPARED.get(draft)?.source) await prepareComment(parts, draft, viewer);
  return draft.html === undefined ? undefined : PREPARED.get(draft)?.html;
}

function contentRef(sent: string | undefined): string {
  return sent !== undefined && sent.length <= MAX_CONTENT_REF && CONTENT_REF.test(sent) ? sent : "";
}
