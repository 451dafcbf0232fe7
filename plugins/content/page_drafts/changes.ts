/**
 * Writing drafts. The draft of a new page has a draft page beside it, so that pictures have a page to be uploaded to before
 * anything is published; both are written and removed in one transaction.
 */
import type { Pages, PreparedContent } from "lectern/contracts";
import { ApiError, authorOf, type EventTransaction, type Result, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { DraftKey, DraftToKeep, PageDraft } from "./contract.ts";

const UNNAMED = "New page";
/** What a draft that was never kept names as its `kept_at`. */
const NONE = "none";
const CHANGED = new ApiError(409, "This draft was changed in another window");
const GONE = new ApiError(409, "This draft was saved as a page or thrown away in another window");

/**
 * Stores a draft in place of the one before, and a new page as a draft page too. Throws ApiError 409 where another window
 * has kept the draft since `kept_at`, or has published or discarded that of a new page. `prepared` is what was made of the content before the transaction began.
 */
export async function keepDraft(pages: Pages, draft: DraftToKeep, tx: EventTransaction, prepared?: PreparedContent) {
  const { kind, item_id, kept_at, name, html, markdown, base_revision } = draft;
  const present = await lockDraft(draft, tx);
  // Who did not hear that their own text was kept sends it again: that is no other window.
  const isSame = present?.name === name && present.html === html && present.markdown === markdown;
  if (present && !isSame && kept_at !== undefined && present.updated_at !== kept_at) throw CHANGED;
  // Kept anew, the draft would be published as a second page. A change of a page is told apart by its revision.
  if (!present && kind !== "page" && kept_at !== undefined && kept_at !== NONE) throw GONE;
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

/** The draft before, kept as it is until the transaction ends; undefined where there was none. */
async function lockDraft(draft: DraftKey, tx: EventTransaction) {
  // Who else begins the same draft waits here: with a draft page for each, all but one would be nobody's.
  const begun = await rows(
    tx.db,
    sql`insert into page_drafts (user_id, kind, item_id, slot, name, html, markdown, tags)
      values (${draft.user_id}, ${draft.kind}, ${draft.item_id}, ${draft.slot}, '', '', '', '[]')
      on conflict do nothing returning slot`,
  );
  if (begun.length > 0) return undefined;
  const [present] = await rows<Pick<PageDraft, "page_id" | "updated_at" | "name" | "html" | "markdown">>(
    tx.db,
    sql`select page_id, updated_at, name, html, markdown from page_drafts where ${isDraft(draft)} for update`,
  );
  return present;
}

/** Removes drafts, and with those of new pages their draft pages; pictures stay in the gallery as unused ones. */
export async function discardDrafts(pages: Pages, drafts: readonly DraftKey[], tx: EventTransaction): Promise<void> {
  const ids: number[] = [];
  for (const draft of drafts) {
    const gone = await rows<{ page_id: number | null }>(
      tx.db,
      sql`delete from page_drafts where ${isDraft(draft)} returning page_id`,
    );
    ids.push(...gone.flatMap(({ page_id }) => page_id ?? []));
  }
  if (ids.length > 0) await pages.discardDrafts(ids, tx);
}

/**
 * Writes what an update by API made of a draft page into its draft, so that it is seen where it is written; an editor that is
 * open there learns of it by its `kept_at`. Where the page has moved, the slot may be taken there already.
 */
export async function followPage(page: Result<"page_update">, { db }: EventTransaction): Promise<void> {
  const { id, book_id, chapter_id, name, html, markdown } = page;
  const kind = chapter_id === null ? "book" : "chapter";
  const holder = chapter_id ?? book_id;
  await rows(
    db,
    sql`update page_drafts set name = ${name}, html = ${markdown === "" ? html : ""}, markdown = ${markdown},
        slot = case when kind = ${kind} and item_id = ${holder}::integer then slot else ${`page-${id}`} end,
        kind = ${kind}, item_id = ${holder}::integer, updated_at = clock_timestamp()
      where page_id = ${id}::integer`,
  );
}

/** Whether a draft has a draft page. Guests own nothing, so one of theirs would be nobody's. */
export function hasDraftPage(kind: DraftKey["kind"], viewer: Viewer): kind is "book" | "chapter" {
  return kind !== "page" && authorOf(viewer) !== null;
}

function isDraft({ user_id, kind, item_id, slot }: DraftKey) {
  return sql`kind = ${kind} and item_id = ${item_id}::integer and user_id = ${user_id}::integer and slot = ${slot}`;
}
