/**
 * Writing drafts. The draft of a new page has a draft page, so that pictures can be uploaded to it before anything is
 * published; draft and draft page are written and removed in one transaction.
 */
import type { Pages, PreparedContent } from "lectern/contracts";
import { ApiError, authorOf, type EventTransaction, type Result, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { DraftKey, DraftToKeep, PageDraft } from "./contract.ts";

const UNNAMED = "New page";
/** `kept_at` of a draft that was never stored. */
const NONE = "none";
const CHANGED_ELSEWHERE = new ApiError(409, "This draft was changed in another window");
const GONE_ELSEWHERE = new ApiError(409, "This draft was saved as a page or thrown away in another window");

/**
 * Stores a draft, replacing the present one; for a new page its draft page as well. Throws ApiError 409 where another
 * window has stored the draft since `kept_at`, or has published or discarded that of a new page. `prepared` is the content
 * prepared before the transaction began.
 */
export async function keepDraft(pages: Pages, draft: DraftToKeep, tx: EventTransaction, prepared?: PreparedContent) {
  const { kind, item_id, kept_at, name, html, markdown, base_revision } = draft;
  const present = await lockDraft(draft, tx);
  // A client that lost the answer sends the same text again, which is no conflict with another window.
  const isRepeated = present?.name === name && present.html === html && present.markdown === markdown;
  if (present && !isRepeated && kept_at !== undefined && present.updated_at !== kept_at) throw CHANGED_ELSEWHERE;
  // Stored again, the draft would be published as a second page. A change of a page is checked by its base revision.
  if (!present && kind !== "page" && kept_at !== undefined && kept_at !== NONE) throw GONE_ELSEWHERE;
  const page_id = hasDraftPage(kind, tx.viewer)
    ? await pages.keepDraft(
        {
          id: present?.page_id ?? null,
          parent: { kind, id: item_id },
          name: name.trim() === "" ? UNNAMED : name,
          html,
          markdown,
          prepared,
        },
        tx,
      )
    : null;
  await rows(
    tx.db,
    sql`insert into page_drafts (user_id, kind, item_id, slot, name, html, markdown, tags, base_revision, page_id)
      values (${draft.user_id}, ${kind}, ${item_id}, ${draft.slot}, ${name}, ${html}, ${markdown},
        ${JSON.stringify(draft.tags)}::text::jsonb, ${base_revision}, ${page_id}::integer)
      on conflict (kind, item_id, user_id, slot) do update set name = excluded.name, html = excluded.html,
        markdown = excluded.markdown, tags = excluded.tags, base_revision = excluded.base_revision,
        page_id = excluded.page_id, updated_at = clock_timestamp()`,
  );
  return { ...draft, page_id };
}

/** The present draft, locked until the transaction ends; undefined where there was none. */
async function lockDraft(draft: DraftKey, tx: EventTransaction) {
  // A concurrent first save of the same draft waits here. Otherwise each would make a draft page, and all but one would be
  // left without a draft.
  const inserted = await rows(
    tx.db,
    sql`insert into page_drafts (user_id, kind, item_id, slot, name, html, markdown, tags)
      values (${draft.user_id}, ${draft.kind}, ${draft.item_id}, ${draft.slot}, '', '', '', '[]')
      on conflict do nothing returning slot`,
  );
  if (inserted.length > 0) return undefined;
  const [present] = await rows<Pick<PageDraft, "page_id" | "updated_at" | "name" | "html" | "markdown">>(
    tx.db,
    sql`select page_id, updated_at, name, html, markdown from page_drafts where ${hasKey(draft)} for update`,
  );
  return present;
}

/** Removes drafts, and the draft pages of new pages; their pictures stay in the gallery as unused images. */
export async function discardDrafts(pages: Pages, drafts: readonly DraftKey[], tx: EventTransaction): Promise<void> {
  const ids: number[] = [];
  for (const draft of drafts) {
    const deleted = await rows<{ page_id: number | null }>(
      tx.db,
      sql`delete from page_drafts where ${hasKey(draft)} returning page_id`,
    );
    ids.push(...deleted.flatMap(({ page_id }) => page_id ?? []));
  }
  if (ids.length > 0) await pages.discardDrafts(ids, tx);
}

/**
 * Copies an API update of a draft page into its draft, so that editors show it; an editor that is open notices the change
 * by `kept_at`. A draft page that moved gets another slot, since its own may be taken in the new place.
 */
export async function updateDraftOf(page: Result<"page_update">, { db }: EventTransaction): Promise<void> {
  const { id, book_id, chapter_id, name, html, markdown } = page;
  const kind = chapter_id === null ? "book" : "chapter";
  const parentId = chapter_id ?? book_id;
  await rows(
    db,
    sql`update page_drafts set name = ${name}, html = ${markdown === "" ? html : ""}, markdown = ${markdown},
        slot = case when kind = ${kind} and item_id = ${parentId}::integer then slot else ${`page-${id}`} end,
        kind = ${kind}, item_id = ${parentId}::integer, updated_at = clock_timestamp()
      where page_id = ${id}::integer`,
  );
}

/** Whether a draft has a draft page. Guests own no items, so a draft page of theirs would have no owner. */
export function hasDraftPage(kind: DraftKey["kind"], viewer: Viewer): kind is "book" | "chapter" {
  return kind !== "page" && authorOf(viewer) !== null;
}

function hasKey({ user_id, kind, item_id, slot }: DraftKey) {
  return sql`kind = ${kind} and item_id = ${item_id}::integer and user_id = ${user_id}::integer and slot = ${slot}`;
}
