/**
 * Writing drafts. The draft of a new page has a draft page, so that pictures can be uploaded to it before anything is
 * published; draft and draft page are written and removed in one transaction.
 */
import type { ExpressionBuilder } from "kysely";
import type { Pages, PreparedContent } from "lectern/contracts";
import { ApiError, authorOf, type EventTransaction, type Result, sql, type Viewer } from "lectern/core";
import { prepared, type Tables } from "lectern/db";
import type { DraftKey, DraftToKeep, PageDraft } from "./contract.ts";

const UNNAMED = "New page";
/** `kept_at` of a draft that was never stored. */
const NONE = "none";
const CHANGED_ELSEWHERE = new ApiError(409, "This draft was changed in another window");
const GONE_ELSEWHERE = new ApiError(409, "This draft was saved as a page or thrown away in another window");

function hasKey(eb: ExpressionBuilder<Tables, "page_drafts">, { user_id, kind, item_id, slot }: DraftKey) {
  return eb.and([
    eb("kind", "=", kind),
    eb("item_id", "=", item_id),
    eb("user_id", "=", user_id),
    eb("slot", "=", slot),
  ]);
}

type StoredDraft = DraftKey &
  Pick<PageDraft, "name" | "html" | "markdown" | "base_revision" | "page_id"> & {
    readonly tags: string;
    readonly baseTags: string | null;
    readonly merged: boolean;
  };

const store = prepared("page_drafts.store", (db, p: StoredDraft) =>
  db
    .insertInto("page_drafts")
    .values({
      user_id: p.user_id,
      kind: p.kind,
      item_id: p.item_id,
      slot: p.slot,
      name: p.name,
      html: p.html,
      markdown: p.markdown,
      tags: sql<PageDraft["tags"]>`${p.tags}::text::jsonb`,
      base_revision: p.base_revision,
      base_tags: sql<PageDraft["base_tags"]>`${p.baseTags}::text::jsonb`,
      page_id: p.page_id,
    })
    .onConflict((conflict) =>
      conflict.columns(["kind", "item_id", "user_id", "slot"]).doUpdateSet((eb) => {
        // A base that was raised without a merge would hide what others have saved since the draft was begun.
        const keepsBase = eb.and([
          eb("excluded.base_revision", ">", eb.ref("page_drafts.base_revision")),
          sql<boolean>`not ${p.merged}::boolean`,
        ]);
        return {
          name: eb.ref("excluded.name"),
          html: eb.ref("excluded.html"),
          markdown: eb.ref("excluded.markdown"),
          tags: eb.ref("excluded.tags"),
          base_revision: eb
            .case()
            .when(keepsBase)
            .then(eb.ref("page_drafts.base_revision"))
            .else(eb.ref("excluded.base_revision"))
            .end(),
          base_tags: eb
            .case()
            .when(keepsBase)
            .then(eb.ref("page_drafts.base_tags"))
            .when("excluded.base_revision", "=", eb.ref("page_drafts.base_revision"))
            .then(eb.fn.coalesce("excluded.base_tags", "page_drafts.base_tags"))
            .else(eb.ref("excluded.base_tags"))
            .end(),
          page_id: eb.ref("excluded.page_id"),
          updated_at: eb.fn<string>("clock_timestamp"),
        };
      }),
    ),
);

const insertEmpty = prepared("page_drafts.insertEmpty", (db, p: DraftKey) =>
  db
    .insertInto("page_drafts")
    .values({
      user_id: p.user_id,
      kind: p.kind,
      item_id: p.item_id,
      slot: p.slot,
      name: sql.lit(""),
      html: sql.lit(""),
      markdown: sql.lit(""),
      tags: sql<PageDraft["tags"]>`'[]'`,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning("slot"),
);

const lock = prepared("page_drafts.lock", (db, p: DraftKey) =>
  db
    .selectFrom("page_drafts")
    .select(["page_id", "updated_at", "name", "html", "markdown"])
    .where((eb) => hasKey(eb, p))
    .forUpdate(),
);

const deleteDraft = prepared("page_drafts.delete", (db, p: DraftKey) =>
  db
    .deleteFrom("page_drafts")
    .where((eb) => hasKey(eb, p))
    .returning("page_id"),
);

type DraftUpdate = Pick<PageDraft, "kind" | "item_id" | "slot" | "name" | "html" | "markdown"> & {
  readonly pageId: number;
};

const update = prepared("page_drafts.update", (db, p: DraftUpdate) =>
  db
    .updateTable("page_drafts")
    .set((eb) => ({
      name: p.name,
      html: p.html,
      markdown: p.markdown,
      slot: eb
        .case()
        .when(eb.and([eb("kind", "=", p.kind), eb("item_id", "=", p.item_id)]))
        .then(eb.ref("slot"))
        .else(sql<string>`${p.slot}`)
        .end(),
      kind: p.kind,
      item_id: p.item_id,
      updated_at: eb.fn<string>("clock_timestamp"),
    }))
    .where("page_id", "=", p.pageId),
);

/** Deletes the drafts for items of a kind, and those whose draft pages they are. */
export const deleteDraftsOf = prepared("page_drafts.deleteOf", (db, p: { kind: string; ids: readonly number[] }) => {
  const isRemoved = sql<number>`any(${p.ids}::integer[])`;
  return db
    .deleteFrom("page_drafts")
    .where((eb) =>
      eb.or([
        eb.and([sql<boolean>`${eb.ref("kind")} = ${p.kind}::text`, eb("item_id", "=", isRemoved)]),
        eb.and([sql<boolean>`${p.kind}::text = 'page'`, eb("page_id", "=", isRemoved)]),
      ]),
    );
});

/**
 * Moves the drafts of draft pages that have left an item to where these pages are now: a chapter that becomes a book is removed after its
 * pages were moved. Their slots are new, as a user may have a draft with the same slot there.
 */
export const moveDraftsWithPages = prepared(
  "page_drafts.moveWithPages",
  (db, p: { kind: string; ids: readonly number[] }) =>
    db
      .updateTable("page_drafts")
      .from("pages")
      .set((eb) => ({
        kind: sql<"book" | "chapter">`case when ${eb.ref("pages.chapter_id")} is null then 'book' else 'chapter' end`,
        item_id: eb.fn.coalesce("pages.chapter_id", "pages.book_id"),
        slot: sql<string>`gen_random_uuid()::text`,
      }))
      .whereRef("pages.id", "=", "page_drafts.page_id")
      .where((eb) => sql<boolean>`${eb.ref("page_drafts.kind")} = ${p.kind}::text`)
      .where("page_drafts.item_id", "=", sql<number>`any(${p.ids}::integer[])`)
      .where(
        (eb) =>
          sql<boolean>`case ${p.kind}::text when 'chapter' then ${eb.ref("pages.chapter_id")} is distinct from ${eb.ref("page_drafts.item_id")} when 'book' then ${eb.ref("pages.book_id")} <> ${eb.ref("page_drafts.item_id")} else false end`,
      ),
);

/** Deletes the draft of a draft page. */
export const deleteDraftsOfPage = prepared("page_drafts.deleteOfPage", (db, p: { pageId: number }) =>
  db.deleteFrom("page_drafts").where("page_id", "=", p.pageId),
);

/**
 * Stores a draft, replacing the present one; for a new page its draft page as well. Throws ApiError 409 where another
 * window has stored the draft since `kept_at`, or has published or discarded that of a new page. `prepared` is the content
 * prepared before the transaction began.
 */
export async function keepDraft(pages: Pages, draft: DraftToKeep, tx: EventTransaction, prepared?: PreparedContent) {
  const { kind, item_id, kept_at, name, html, markdown } = draft;
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
  const baseTags = draft.base_tags === null ? null : JSON.stringify(draft.base_tags);
  await store.execute(tx.db, { ...draft, tags: JSON.stringify(draft.tags), baseTags, page_id });
  return { ...draft, page_id };
}

/** The present draft, locked until the transaction ends; undefined where there was none. */
async function lockDraft(draft: DraftKey, tx: EventTransaction) {
  // A concurrent first save of the same draft waits here. Otherwise each would make a draft page, and all but one would be
  // left without a draft.
  if (await insertEmpty.executeTakeFirst(tx.db, draft)) return undefined;
  return lock.executeTakeFirst(tx.db, draft);
}

/** Removes drafts, and the draft pages of new pages; their pictures stay in the gallery as unused images. */
export async function discardDrafts(pages: Pages, drafts: readonly DraftKey[], tx: EventTransaction): Promise<void> {
  const ids: number[] = [];
  for (const draft of drafts) {
    const deleted = await deleteDraft.execute(tx.db, draft);
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
  await update.execute(db, {
    ...{ pageId: id, slot: `page-${id}`, name, markdown, html: markdown === "" ? html : "" },
    ...(chapter_id === null ? { kind: "book", item_id: book_id } : { kind: "chapter", item_id: chapter_id }),
  });
}

/** Whether a draft has a draft page. Guests own no items, so a draft page of theirs would have no owner. */
export function hasDraftPage(kind: DraftKey["kind"], viewer: Viewer): kind is "book" | "chapter" {
  return kind !== "page" && authorOf(viewer) !== null;
}
