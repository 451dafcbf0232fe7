/**
 * Draft pages: new pages that somebody is still writing (content-api 8.6). Only their owner sees them, they perform no
 * event until they are published by `POST /api/pages`, and their random slugs take none that others could want.
 */
import type { Dependents, DraftPage } from "lectern/contracts";
import { authorOf, type EventTransaction, notFound, randomText, sql } from "lectern/core";
import { rows } from "lectern/db";
import { contentIn, editorAfter } from "./content.ts";
import { lockParent } from "./parents.ts";
import type { Parts } from "./parts.ts";

const SLUG_LENGTH = 20;

/** Stores a draft page; see `Pages.keepDraft`. */
export async function keepDraft(parts: Parts, draft: DraftPage, tx: EventTransaction): Promise<number> {
  const { viewer } = tx;
  const prepared =
    draft.prepared ?? (await parts.contracts.markup.prepare(contentIn(draft) ?? { html: "" }, { viewer }));
  const { html, markdown, text, rendered } = await prepared.keep(
    async ({ bytes, extension }) => `data:image/${extension};base64,${Buffer.from(bytes).toString("base64")}`,
  );
  const editor = editorAfter(draft, undefined, tx.viewer);
  const [kept] = await rows<{ id: number }>(
    tx.db,
    sql`update pages set name = ${draft.name}, html = ${html}, markdown = ${markdown}, text = ${text},
      rendered = ${rendered}, editor = ${editor}, updated_at = clock_timestamp()
    where id = ${draft.id}::integer and ${ownDraft(tx)} returning id`,
  );
  if (kept) return kept.id;
  const { book_id, chapter_id } = await lockParent(draft.parent, tx);
  const author = sql`${authorOf(tx.viewer)}::integer`;
  const [made] = await rows<{ id: number }>(
    tx.db,
    // No event gives it an access list, so it takes that of what holds it.
    sql`insert into pages (book_id, chapter_id, name, slug, html, markdown, text, rendered, priority, draft,
        revision_count, editor, created_by, updated_by, owned_by, acl_id)
      select ${book_id}::integer, ${chapter_id}::integer, ${draft.name}, ${`draft-${randomText(SLUG_LENGTH)}`}, ${html},
        ${markdown}, ${text}, ${rendered}, 0, true, 0, ${editor}, ${author}, ${author}, ${author}, holder.acl_id
      from ${sql.table(chapter_id === null ? "books" : "chapters")} as holder
      where holder.id = ${chapter_id ?? book_id}::integer returning id`,
  );
  return (made as { id: number }).id;
}

/** Removes draft pages for good; see `Pages.discardDrafts`. */
export async function discardDrafts(
  dependents: readonly Dependents[],
  ids: readonly number[],
  tx: EventTransaction,
): Promise<void> {
  const found = await rows<{ id: number }>(
    tx.db,
    sql`select id from pages where id = any(${[...ids]}::integer[]) and draft and deleted_at is null
      order by id for update`,
  );
  if (found.length === 0) return;
  const gone = found.map(({ id }) => id);
  for (const part of dependents)
    if (part.kind === undefined || part.kind === "page") await part.destroy(gone, tx, "page");
  await rows(tx.db, sql`delete from pages where id = any(${gone}::integer[])`);
}

/** Keeps a draft page of the viewer as it is until the transaction ends, and answers its id. Throws 404 for any other page. */
export async function lockDraft(id: number, tx: EventTransaction): Promise<number> {
  const [draft] = await rows<{ id: number }>(
    tx.db,
    sql`select id from pages where id = ${id}::integer and ${ownDraft(tx)} for update`,
  );
  if (!draft) throw notFound("Draft");
  return draft.id;
}

function ownDraft({ viewer }: EventTransaction) {
  return sql`draft and deleted_at is null and owned_by = ${authorOf(viewer)}::integer`;
}
