/**
 * Draft pages: new pages that are not published yet (content-api 8.6). Only their owner sees them, they perform no event
 * until `POST /api/pages` publishes them, and their slugs are random, so that they take no slug that a page could want.
 */
import type { ExpressionBuilder } from "kysely";
import type { DraftPage } from "lectern/contracts";
import { authorOf, type EventTransaction, notFound, randomText, sql } from "lectern/core";
import { prepared, type Tables } from "lectern/db";
import { type ContentColumns, contentColumns, contentIn, editorAfter } from "./content.ts";
import type { PageParent, PagesContext } from "./contract.ts";
import { lockParent } from "./parents.ts";

const SLUG_LENGTH = 20;

/** The columns of a draft page that a save writes. */
type SavedDraft = ContentColumns & { readonly author: number | null };

function isOwnDraft(eb: ExpressionBuilder<Tables, "pages">, author: number | null) {
  return eb.and([eb.ref("draft"), eb("deleted_at", "is", null), eb("owned_by", "=", author)]);
}

const updateDraft = prepared("pages.updateDraft", (db, p: SavedDraft & { readonly id: number | null }) =>
  db
    .updateTable("pages")
    .set((eb) => ({
      ...contentColumns(p),
      updated_at: eb.fn<string>("clock_timestamp"),
    }))
    .where("id", "=", sql<number>`${p.id}::integer`)
    .where((eb) => isOwnDraft(eb, p.author))
    .returning("id"),
);

// Access lists are set by handlers of events. A draft page has none, so it gets the list of its parent here.
const insertDraft = prepared("pages.insertDraft", (db, p: SavedDraft & PageParent & { readonly slug: string }) =>
  db
    .insertInto("pages")
    .values((eb) => ({
      book_id: p.book_id,
      chapter_id: p.chapter_id,
      ...contentColumns(p),
      slug: p.slug,
      priority: eb.lit(0),
      draft: eb.lit(true),
      revision_count: eb.lit(0),
      created_by: p.author,
      updated_by: p.author,
      owned_by: p.author,
      acl_id: eb
        .case()
        .when(sql<number>`${p.chapter_id}::integer`, "is", null)
        .then(eb.selectFrom("books").select("acl_id").where("id", "=", p.book_id).$asScalar())
        .else(eb.selectFrom("chapters").select("acl_id").where("id", "=", p.chapter_id).$asScalar())
        .end()
        .$notNull(),
    }))
    .returning("id"),
);

const lockDrafts = prepared("pages.lockDrafts", (db, p: { ids: readonly number[] }) =>
  db
    .selectFrom("pages")
    .select("id")
    .where("id", "=", sql<number>`any(${p.ids}::integer[])`)
    .where((eb) => eb.ref("draft"))
    .where("deleted_at", "is", null)
    .orderBy("id")
    .forUpdate(),
);

const deletePages = prepared("pages.delete", (db, p: { ids: readonly number[] }) =>
  db.deleteFrom("pages").where("id", "=", sql<number>`any(${p.ids}::integer[])`),
);

const lockOwnDraft = prepared("pages.lockOwnDraft", (db, p: { id: number; author: number | null }) =>
  db
    .selectFrom("pages")
    .select("id")
    .where("id", "=", p.id)
    .where((eb) => isOwnDraft(eb, p.author))
    .forUpdate(),
);

/** Stores a draft page and returns its id; see `Pages.keepDraft`. */
export async function saveDraftPage(context: PagesContext, draft: DraftPage, tx: EventTransaction): Promise<number> {
  const { viewer } = tx;
  const prepared =
    draft.prepared ?? (await context.contracts.markup.prepare(contentIn(draft) ?? { html: "" }, { viewer }));
  const { html, markdown, text, rendered } = await prepared.keep(
    async ({ bytes, extension }) => `data:image/${extension};base64,${Buffer.from(bytes).toString("base64")}`,
  );
  const values = {
    ...{ name: draft.name, html, markdown, text, rendered },
    ...{ editor: editorAfter(draft, undefined, viewer), author: authorOf(viewer) },
  };
  const updated = await updateDraft.executeTakeFirst(tx.db, { ...values, id: draft.id });
  if (updated) return updated.id;
  const slug = `draft-${randomText(SLUG_LENGTH)}`;
  const { parent } = await lockParent(draft.parent, tx);
  const inserted = await insertDraft.executeTakeFirstOrThrow(tx.db, { ...values, ...parent, slug });
  return inserted.id;
}

/** Removes draft pages permanently; see `Pages.discardDrafts`. */
export async function discardDraftPages(
  { slot }: PagesContext,
  ids: readonly number[],
  tx: EventTransaction,
): Promise<void> {
  const locked = await lockDrafts.execute(tx.db, { ids: [...ids] });
  if (locked.length === 0) return;
  const removed = locked.map(({ id }) => id);
  for (const { kind, destroy } of slot("dependents"))
    if (kind === undefined || kind === "page") await destroy(removed, tx, "page");
  await deletePages.execute(tx.db, { ids: removed });
}

/** Locks a draft page of the viewer until the transaction ends and returns its id. Throws 404 for any other page. */
export async function lockDraftPage(id: number, tx: EventTransaction): Promise<number> {
  const draft = await lockOwnDraft.executeTakeFirst(tx.db, { id, author: authorOf(tx.viewer) });
  if (!draft) throw notFound("Draft");
  return draft.id;
}
