/**
 * Writes comments. Their HTML is cleaned before the transaction begins. The transaction locks the page or the comment, so that
 * numbers are unique and no comment is added to a deleted page.
 */
import {
  ApiError,
  authorOf,
  type EventTransaction,
  type InputObject,
  invalidFields,
  notFound,
  type RawBuilder,
  saveChanges,
  sql,
  type Viewer,
} from "lectern/core";
import { prepared } from "lectern/db";
import type { CommentCreate, CommentRow, CommentsContext, CommentUpdate, StoredPassage } from "./contract.ts";
import { passageOf } from "./passages.ts";
import { rememberSanitized } from "./presenter.ts";

/** A reference to a block of the page, a checksum of its text and optionally a range of it (content-api 10.2). */
const CONTENT_REF = /^bkmrk-.+:\d+:(\d*-\d*)?$/;
/** Maximum length of a reference; ids of blocks are shorter. */
const MAX_CONTENT_REF = 300;

const insert = prepared(
  "comments.insert",
  (
    db,
    p: {
      pageId: number;
      replyTo: number | null;
      html: string;
      markdown: string | null;
      contentRef: string;
      passage: string | null;
      author: number | null;
    },
  ) =>
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
        markdown: p.markdown,
        content_ref: p.contentRef,
        passage: sql<StoredPassage | null>`${p.passage}::text::jsonb`,
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
  const { html, markdown, sanitized } = await cleaned(context, draft, draft.html, tx.viewer);
  await lockPage(context, draft.page_id, tx);
  const sent = { contentRef: contentRef(draft.content_ref), quote: draft.quote ?? "" };
  const passage = await passageOf(context, draft.page_id, sent, tx);
  const row = await insert.executeTakeFirstOrThrow(tx.db, {
    ...{ pageId: draft.page_id, replyTo: draft.reply_to ?? null, html, markdown },
    // A reference that came with a quote may be near it; without one it is stored as sent.
    ...{ contentRef: (sent.quote !== "" && passage?.place) || sent.contentRef, author: authorOf(tx.viewer) },
    passage: passage && JSON.stringify(passage),
  });
  rememberSanitized(row, sanitized);
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
  const { html } = draft;
  const text = html === undefined ? undefined : await cleaned(context, draft, html, tx.viewer);
  if (archived !== undefined && row.parent_id !== null)
    throw new ApiError(400, `Only top-level comments can be ${archived ? "archived" : "un-archived"}.`);
  const wanted = {
    // Archiving alone does not change who edited the comment last.
    ...(text && { html: text.html, markdown: text.markdown, updated_by: authorOf(tx.viewer) }),
    ...(archived !== undefined && { archived }),
  };
  const changed = await saveChanges<CommentRow>(tx.db, "comments", row, { wanted });
  if (text) rememberSanitized(changed, text.sanitized);
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
interface TextDraft {
  readonly html?: string | undefined;
  readonly markdown?: string | undefined;
}

interface Cleaned {
  /** What was cleaned. */
  readonly source: TextDraft;
  /** The HTML to store. */
  readonly html: string;
  /** The Markdown to store; null where the HTML is not made of it. */
  readonly markdown: string | null;
  /** The HTML as answers show it. */
  readonly sanitized: string;
}

/** Cleaned HTML by draft, made before its transaction begins. */
const CLEANED = new WeakMap<TextDraft, Cleaned>();

/**
 * The body of a create or update with the HTML of its Markdown, which handlers of the event then see as that of every comment. Throws ApiError 422
 * for Markdown that is too large.
 */
export async function withHtml(context: CommentsContext, input: InputObject, viewer: Viewer): Promise<InputObject> {
  const { markdown } = input;
  if (typeof markdown !== "string" || markdown.trim() === "") return input;
  return { ...input, html: await htmlOf(context, markdown, viewer) };
}

/** The HTML to store of Markdown. Throws ApiError 422 for Markdown that is too large. */
export async function htmlOf(context: CommentsContext, markdown: string, viewer: Viewer): Promise<string> {
  checkSize(context, "markdown", markdown);
  return context.contracts.markup.commentOfMarkdown(markdown, { viewer });
}

/**
 * Cleans the HTML of a draft, before the transaction since it may take long. Throws ApiError 422 for HTML that is too
 * large.
 */
export async function prepareComment(context: CommentsContext, draft: TextDraft, viewer: Viewer): Promise<void> {
  if (draft.html !== undefined) CLEANED.set(draft, await cleanedNow(context, draft.html, draft.markdown, viewer));
}

async function cleanedNow(
  context: CommentsContext,
  source: string,
  markdown: string | undefined,
  viewer: Viewer,
): Promise<Cleaned> {
  checkSize(context, "html", source);
  const { markup } = context.contracts;
  // A handler of the event may have changed the HTML, which the Markdown then does not say.
  const isOfMarkdown = markdown !== undefined && source === (await markup.commentOfMarkdown(markdown, { viewer }));
  const html = isOfMarkdown ? source : await markup.comment(source, { viewer });
  return {
    ...{ source: { html: source, markdown }, html, markdown: isOfMarkdown ? markdown : null },
    sanitized: await markup.filtered(html, { viewer }),
  };
}

/** The cleaned HTML of a draft. Cleans it now if an event handler replaced it or the draft. */
async function cleaned(context: CommentsContext, draft: TextDraft, html: string, viewer: Viewer): Promise<Cleaned> {
  const known = CLEANED.get(draft);
  const isKnown = known && known.source.html === html && known.source.markdown === draft.markdown;
  return isKnown ? known : cleanedNow(context, html, draft.markdown, viewer);
}

function checkSize({ maxBytes }: CommentsContext, field: "html" | "markdown", text: string): void {
  if (Buffer.byteLength(text) > maxBytes)
    throw invalidFields({ [field]: `The ${field} may not be larger than ${maxBytes} bytes.` });
}

/** A reference to store; "" for an invalid one. */
function contentRef(sent: string | undefined): string {
  return sent !== undefined && sent.length <= MAX_CONTENT_REF && CONTENT_REF.test(sent) ? sent : "";
}
