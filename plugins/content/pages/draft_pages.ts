/**
 * Draft pages: new pages that are not published yet (content-api 8.6). Only their owner sees them, they perform no event
 * until `POST /api/pages` publishes them, and their slugs are random, so that they take no slug that a page could want.
 */
import type { DraftPage } from "lectern/contracts";
import { authorOf, type EventTransaction, notFound, randomText, sql } from "lectern/core";
import { rows } from "lectern/db";
import { contentIn, editorAfter } from "./content.ts";
import type { PagesContext } from "./contract.ts";
import { lockParent } from "./parents.ts";

const SLUG_LENGTH = 20;

/** Stores a draft page and returns its id; see `Pages.keepDraft`. */
export async function saveDraftPage(context: PagesContext, draft: DraftPage, tx: EventTransaction): Promise<number> {
  const { viewer } = tx;
  const prepared =
    draft.prepared ?? (await context.contracts.markup.prepare(contentIn(draft) ?? { html: "" }, { viewer }));
  const { html, markdown, text, rendered } = await prepared.keep(
    async ({ bytes, extension }) => `data:image/${extension};base64,${Buffer.from(bytes).toString("base64")}`,
  );
  const editor = editorAfter(draft, undefined, viewer);
  const [updated] = await rows<{ id: number }>(
    tx.db,
    sql`update pages set name = ${draft.name}, html = ${html}, markdown = ${markdown}, text = ${text},
      rendered = ${rendered}, editor = ${editor}, updated_at = clock_timestamp()
    where id = ${draft.id}::integer and ${isOwnDraft(tx)} returning id`,
  );
  if (updated) return updated.id;
  const { book_id, chapter_id } = await lockParent(draft.parent, tx);
  const author = sql`${authorOf(viewer)}::integer`;
  const [inserted] = await rows<{ id: number }>(
    tx.db,
    // Access lists are set by handlers of events. A draft page has none, so it gets the list of its parent here.
    sql`insert into pages (book_id, chapter_id, name, slug, html, markdown, text, rendered, priority, draft,
        revision_count, editor, created_by, updated_by, owned_by, acl_id)
      select ${book_id}::integer, ${chapter_id}::integer, ${draft.name}, ${`draft-${randomText(SLUG_LENGTH)}`}, ${html},
        ${markdown}, ${text}, ${rendered}, 0, true, 0, ${editor}, ${author}, ${author}, ${author}, holder.acl_id
      from ${sql.table(chapter_id === null ? "books" : "chapters")} as holder
      where holder.id = ${chapter_id ?? book_id}::integer returning id`,
  );
  return (inserted as { id: number }).id;
}

/** Removes draft pages permanently; see `Pages.discardDrafts`. */
export async function discardDraftPages(
  { slot }: PagesContext,
  ids: readonly number[],
  tx: EventTransaction,
): Promise<void> {
  const locked = await rows<{ id: number }>(
    tx.db,
    sql`select id from pages where id = any(${[...ids]}::integer[]) and draft and deleted_at is null
      order by id for update`,
  );
  if (locked.length === 0) return;
  const removed = locked.map(({ id }) => id);
  for (const { kind, destroy } of slot("dependents"))
    if (kind === undefined || kind === "page") await destroy(removed, tx, "page");
  await rows(tx.db, sql`delete from pages where id = any(${removed}::integer[])`);
}

/** Locks a draft page of the viewer until the transaction ends and returns its id. Throws 404 for any other page. */
export async function lockDraftPage(id: number, tx: EventTransaction): Promise<number> {
  const [draft] = await rows<{ id: number }>(
    tx.db,
    sql`select id from pages where id = ${id}::integer and ${isOwnDraft(tx)} for update`,
  );
  if (!draft) throw notFound("Draft");
  return draft.id;
}

function isOwnDraft({ viewer }: EventTransaction) {
  return sql`draft and deleted_at is null and owned_by = ${authorOf(viewer)}::integer`;
}
