/**
 * Writes comments. Their HTML is cleaned before the transaction begins. The transaction locks the page or the comment, so that
 * numbers are unique and no comment is added to a deleted page.
 */
import {
  ApiError,
  authorOf,
  type EventTransaction,
  invalidFields,
  notFound,
  type RawBuilder,
  saveChanges,
  sql,
  type Viewer,
} from "lectern/core";
import { prepared } from "lectern/db";
import type { CommentCreate, CommentRow, CommentsContext, CommentUpdate } from "./contract.ts";
import { rememberSanitized } from "./presenter.ts";

/** A reference to a block of the page, a checksum of its text and optionally a range of it (content-api 10.2). */
const CONTENT_REF = /^bkmrk-.+:\d+:(\d*-\d*)?$/;
/** Maximum length of a reference; ids of blocks are shorter. */
const MAX_CONTENT_REF = 300;

const insert = prepared(
  "comments.insert",
  (db, p: { pageId: number; replyTo: number | null; html: string; contentRef: string; author: number | null }) =>
    db
      .insertInto("comments")
      .values((eb) => ({
        page_id: p.pageId,
        local_id: eb
          .selectFrom("comments")
          .select((of) => sql<number>`coalesce(${of.fn.max("local_id")}, 0) + 1`.as("next"))
          .where("page_id", "=", p.pageId),
        parent_id: eb
          .selectFrom("comments")
          .select("local_id")
          .where("page_id", "=", p.pageId)
          .where("local_id", "=", p.replyTo),
        html: p.html,
        content_ref: p.contentRef,
        created_by: p.author,
        updated_by: p.author,
        created_at: eb.fn<string>("statement_timestamp"),
        updated_at: eb.fn<string>("statement_timestamp"),
      }))
      .returningAll(),
);

const lock = prepared("comments.lock", (db, p: { id: number }) =>
  db.selectFrom("comments").selectAll().where("id", "=", p.id).forUpdate(),
);

const lockVisiblePage = prepared("comments.lockPage", (db, p: { id: number; visible: RawBuilder<boolean> }) =>
  db.selectFrom("pages").select("pages.draft").where("pages.id", "=", p.id).where(p.visible).forNoKeyUpdate(),
);

const deleteOne = prepared("comments.delete", (db, p: { id: number }) =>
  db.deleteFrom("comments").where("id", "=", p.id),
);

const deleteOfPages = prepared("comments.deleteOfPages", (db, p: { pageIds: readonly number[] }) =>
  db.deleteFrom("comments").where("page_id", "=", sql<number>`any(${p.pageIds}::integer[])`),
);

/**
 * Inserts a comment. The lock on the page keeps two comments from getting the same number, and a comment from being added to a
 * page that is being deleted. `created_at` is taken after the lock, so that times are in the order of the numbers.
 */
export async function insertComment(
  context: CommentsContext,
  draft: CommentCreate,
  tx: EventTransaction,
): Promise<CommentRow> {
  const html = await cleanedHtml(context, draft, tx.viewer);
  await lockPage(context, draft.page_id, tx);
  const row = await insert.executeTakeFirstOrThrow(tx.db, {
    ...{ pageId: draft.page_id, replyTo: draft.reply_to ?? null, html },
    ...{ contentRef: contentRef(draft.content_ref), author: authorOf(tx.viewer) },
  });
  rememberSanitized(row, CLEANED.get(draft)?.sanitized ?? "");
  return row;
}

/** Updates a locked comment. Throws ApiError 400 for an attempt to archive or unarchive a reply. */
export async function changeComment(
  context: CommentsContext,
  row: CommentRow,
  draft: CommentUpdate,
  tx: EventTransaction,
): Promise<CommentRow> {
  const { archived } = draft;
  const html = await cleanedHtml(context, draft, tx.viewer);
  if (archived !== undefined && row.parent_id !== null)
    throw new ApiError(400, `Only top-level comments can be ${archived ? "archived" : "un-archived"}.`);
  const wanted = {
    // Archiving alone does not change who edited the comment last.
    ...(html !== undefined && { html, updated_by: authorOf(tx.viewer) }),
    ...(archived !== undefined && { archived }),
  };
  const changed = await saveChanges<CommentRow>(tx.db, "comments", row, { wanted });
  const cleaned = html === undefined ? undefined : CLEANED.get(draft);
  if (cleaned) rememberSanitized(changed, cleaned.sanitized);
  return changed;
}

/** Deletes a comment; replies to it stay. */
export async function deleteComment(id: number, { db }: EventTransaction): Promise<void> {
  await deleteOne.execute(db, { id });
}

/** Deletes all comments of pages that are permanently deleted. */
export async function deleteCommentsOfPages(pageIds: readonly number[], { db }: EventTransaction): Promise<void> {
  await deleteOfPages.execute(db, { pageIds: [...pageIds] });
}

/** Reads and locks a comment until the transaction ends. Throws ApiError 404 if it does not exist. */
export async function lockComment(id: number, tx: EventTransaction): Promise<CommentRow> {
  const row = await lock.executeTakeFirst(tx.db, { id });
  if (!row) throw notFound("Comment");
  return row;
}

/** Locks a page. Throws ApiError 404 unless the viewer sees it, 400 if it is a draft. */
async function lockPage(context: CommentsContext, id: number, tx: EventTransaction): Promise<void> {
  const page = await lockVisiblePage.executeTakeFirst(tx.db, { id, visible: context.visibleTo("pages", tx.viewer) });
  if (!page) throw notFound("Page");
  if (page.draft) throw new ApiError(400, "You cannot add comments to a draft.");
}

/** The part of a draft that is cleaned. */
interface HtmlDraft {
  readonly html?: string | undefined;
}

interface Cleaned {
  /** The HTML as sent. */
  readonly source: string;
  /** The HTML to store. */
  readonly html: string;
  /** The HTML as answers show it. */
  readonly sanitized: string;
}

/** Cleaned HTML by draft, made before its transaction begins. */
const CLEANED = new WeakMap<HtmlDraft, Cleaned>();

/**
 * Cleans the HTML of a draft, before the transaction since it may take long. Throws ApiError 422 for HTML that is too
 * large.
 */
export async function prepareComment(context: CommentsContext, draft: HtmlDraft, viewer: Viewer): Promise<void> {
  const source = draft.html;
  if (source === undefined) return;
  const { maxBytes } = context;
  if (Buffer.byteLength(source) > maxBytes)
    throw invalidFields({ html: `The html may not be larger than ${maxBytes} bytes.` });
  const { markup } = context.contracts;
  const html = await markup.comment(source, { viewer });
  CLEANED.set(draft, { source, html, sanitized: await markup.filtered(html, { viewer }) });
}

/** The cleaned HTML of a draft, undefined if it has none. Cleans it now if an event handler replaced it or the draft. */
async function cleanedHtml<S extends HtmlDraft>(
  context: CommentsContext,
  draft: S,
  viewer: Viewer,
): Promise<S["html"]> {
  if (draft.html !== CLEANED.get(draft)?.source) await prepareComment(context, draft, viewer);
  return draft.html === undefined ? undefined : CLEANED.get(draft)?.html;
}

/** A reference to store; "" for an invalid one. */
function contentRef(sent: string | undefined): string {
  return sent !== undefined && sent.length <= MAX_CONTENT_REF && CONTENT_REF.test(sent) ? sent : "";
}
