/**
 * Creating, changing, moving and deleting pages. Locks are taken on the parent before the page, and only where needed: a
 * new page takes a shared lock on its direct parent, a change locks its page, a move takes the shared lock on the new
 * parent first. Slugs are looked up before they are used; a transaction that loses a race for one violates the unique
 * index, and the event bus runs it again.
 */
import type { QueryCreator } from "kysely";
import { ApiError, type EventTransaction, freeSlug, slugOf, sql } from "lectern/core";
import { prepared, type Tables } from "lectern/db";
import { type ContentColumns, contentColumns, contentIn, editorAfter, storedContent } from "./content.ts";
import type { PageChange, PageCreate, PageParent, PageRow, PagesContext, PageUpdate } from "./contract.ts";
import { lockDraftPage } from "./draft_pages.ts";
import { isIn, lockParent, type NamedParent, parentIn } from "./parents.ts";
import { lockPage } from "./queries.ts";
import { deleteOlderRevisions, type RevisionParameters, revisionBy, withRevision } from "./revisions.ts";

const MAX_PRIORITY = 2_147_483_647;
const CONFLICT = new ApiError(409, "This page was changed since you opened it");

/** The name, slug and content columns of a page that is written. */
type WrittenContent = ContentColumns & Pick<PageRow, "slug">;

type NewPage = WrittenContent & PageParent & RevisionParameters & { readonly priority: number | null };

const INITIAL = "Initial publish";
const NEXT_ID = sql<number>`nextval(pg_get_serial_sequence('pages', 'id'))`;

/** The columns of a page that is created or published; without a priority it comes last in its parent. */
function newPageColumns(db: QueryCreator<Tables>, p: NewPage) {
  return {
    book_id: p.book_id,
    chapter_id: p.chapter_id,
    ...contentColumns(p),
    slug: p.slug,
    priority: sql<number>`coalesce(${p.priority}::integer, ${lastPriority(db, p)})`,
    created_by: p.author,
    updated_by: p.author,
    owned_by: p.author,
  };
}

/** SQL for the priority of a new page at the end of its parent (content-api 4.5). */
function lastPriority(db: QueryCreator<Tables>, { book_id, chapter_id }: PageParent) {
  const ofChapters = db
    .selectFrom("chapters")
    .select((eb) => eb.fn.max("priority").as("highest"))
    .where("book_id", "=", book_id)
    .where("deleted_at", "is", null);
  const ofPages = db
    .selectFrom("pages")
    .select((eb) => eb.fn.max("priority").as("highest"))
    .where("book_id", "=", book_id)
    .where("chapter_id", "is", null)
    .where("deleted_at", "is", null)
    .where((eb) => eb.not(eb.ref("draft")));
  const inChapter = db
    .selectFrom("pages")
    .select((eb) => eb.fn.max("priority").as("highest"))
    .where("chapter_id", "=", chapter_id)
    .where("deleted_at", "is", null);
  return sql<number>`least(case when ${chapter_id}::integer is null then greatest(1, ${ofChapters}, ${ofPages})
    else coalesce(${inChapter}, 0) end::int8 + 1, ${sql.lit(MAX_PRIORITY)}::int8)::integer`;
}

const insertPublished = prepared(
  "pages.insert",
  (db, p: NewPage & { readonly id: number | null; readonly acl_id: number }) =>
    withRevision(
      db,
      db
        .insertInto("pages")
        .values({
          ...newPageColumns(db, p),
          id: sql<number>`coalesce(${p.id}::integer, ${NEXT_ID})`,
          acl_id: p.acl_id,
        })
        .returningAll(),
      p,
    ),
);

/** The rows that `insertPage` has inserted with the access list of their locked parent. */
const WITH_PARENT_LIST = new WeakSet<object>();

/** Whether a page was inserted with the access list of its parent, so that its create event sets none. */
export function hasParentList(page: object): boolean {
  return WITH_PARENT_LIST.has(page);
}

// A published draft gets the present time as created_at, so that lists of new pages show it.
const publishDraft = prepared("pages.publishDraft", (db, p: NewPage & { readonly id: number }) =>
  withRevision(
    db,
    db
      .updateTable("pages")
      .set((eb) => ({
        ...newPageColumns(db, p),
        draft: eb.lit(false),
        revision_count: eb.lit(1),
        created_at: eb.fn<string>("clock_timestamp"),
        updated_at: eb.fn<string>("clock_timestamp"),
      }))
      .where("id", "=", p.id)
      .returningAll(),
    p,
  ),
);

/** Creates a published page (content-api 8.2), or publishes the draft page that the draft names. */
export async function insertPage(
  context: PagesContext,
  draft: PageCreate,
  named: NamedParent,
  tx: EventTransaction,
): Promise<PageRow> {
  const wanted = slugOf(draft.name);
  const { parent, acl_id, isTaken } = await lockParent(named, tx, { slug: wanted, ownId: draft.draft_id ?? 0 });
  const draftId = draft.draft_id === undefined ? undefined : await lockDraftPage(draft.draft_id, tx);
  let knownId = draftId;
  const pageId = async () => (knownId ??= await nextId(tx));
  const stored = await storedContent(context, draft, pageId, tx);
  const isFree = wanted !== "" && !isTaken;
  const slug = isFree ? wanted : await slugIn(parent.book_id, draft.name, tx, knownId);
  const values = {
    ...{ ...stored, ...parent, slug, name: draft.name, priority: draft.priority ?? null },
    ...{ editor: editorAfter(draft, undefined, tx.viewer), ...revisionBy(tx, draft.summary?.trim() || INITIAL) },
  };
  const page = await (draftId === undefined
    ? insertPublished.executeTakeFirstOrThrow(tx.db, { ...values, acl_id, id: knownId ?? null })
    : publishDraft.executeTakeFirstOrThrow(tx.db, { ...values, id: draftId }));
  // A draft page may have overrides of its own, so its list is derived after it is published.
  if (draftId === undefined) WITH_PARENT_LIST.add(page);
  await deleteOlderRevisions(context, page, tx);
  const tags = draft.tags === undefined ? [] : context.contracts.tags.read(draft.tags);
  if (tags.length > 0) await context.contracts.tags.save("page", page.id, tags, tx);
  return page;
}

/**
 * The locked page that an update starts from; the parent that it moves to is locked first. Throws ApiError 409 where the
 * update names a base revision and the page has another one by now.
 */
export async function lockForUpdate(stale: PageRow, draft: PageUpdate, tx: EventTransaction): Promise<PageRow> {
  const target = parentIn(draft);
  if (target && !isIn(stale, target)) await lockParent(target, tx);
  const page = await lockPage(stale.id, tx);
  if (draft.base_revision !== undefined && draft.base_revision !== page.revision_count) throw CONFLICT;
  return page;
}

type ChangedPage = WrittenContent &
  RevisionParameters & { readonly id: number; readonly priority: number; readonly step: number };

/** Changes a page and adds `step` to its revision_count. */
function updating(db: QueryCreator<Tables>, p: ChangedPage) {
  return db
    .updateTable("pages")
    .set((eb) => ({
      ...contentColumns(p),
      slug: p.slug,
      priority: p.priority,
      revision_count: eb("revision_count", "+", sql<number>`${p.step}::integer`),
      updated_by: p.author,
      updated_at: eb.fn<string>("clock_timestamp"),
    }))
    .where("id", "=", p.id)
    .returningAll();
}

const update = prepared("pages.update", (db, p: ChangedPage) => updating(db, p));
const updateWithRevision = prepared("pages.updateWithRevision", (db, p: ChangedPage) =>
  withRevision(db, updating(db, p), p),
);

/**
 * Changes a locked page: moves it where the draft names another parent (content-api 8.4), then sets the fields that were
 * sent and raises `revision_count` (content-api 8.3, 8.6). A draft page gets no revisions: once it is published, its
 * readers could read in them what its author never published.
 */
export async function updatePage(
  context: PagesContext,
  { row, draft, restored }: PageChange,
  tx: EventTransaction,
): Promise<PageRow> {
  const page = await moveWhereAsked(row, draft, tx);
  const name = draft.name ?? page.name;
  const slug = name === page.name || page.draft ? page.slug : await slugIn(page.book_id, name, tx, page.id);
  const stored = contentIn(draft) ? await storedContent(context, draft, async () => page.id, tx) : page;
  const values = {
    ...{ id: page.id, name, slug, step: page.draft ? 0 : 1, priority: draft.priority ?? page.priority },
    ...{ html: stored.html, markdown: stored.markdown, text: stored.text, rendered: stored.rendered },
    editor: editorAfter(draft, page.editor, tx.viewer),
  };
  const note = draft.summary?.trim() ?? "";
  const summary = restored ? `Restored from #${restored.number}; ${restored.summary}` : note;
  const keepsRevision = restored || (!page.draft && (note !== "" || needsRevision(page, draft)));
  const statement = keepsRevision ? updateWithRevision : update;
  const result = await statement.executeTakeFirstOrThrow(tx.db, { ...values, ...revisionBy(tx, summary) });
  if (keepsRevision) await deleteOlderRevisions(context, result, tx);
  if (draft.tags !== undefined)
    await context.contracts.tags.save("page", page.id, context.contracts.tags.read(draft.tags), tx);
  return result;
}

/** Whether an update changes name or content, as compared with what is stored (content-api 8.6). */
function needsRevision(page: PageRow, { name, html, markdown }: PageUpdate): boolean {
  return (
    (name ?? page.name) !== page.name ||
    (html ?? page.html) !== page.html ||
    (markdown ?? page.markdown) !== page.markdown
  );
}

const move = prepared("pages.move", (db, p: PageParent & { readonly id: number; readonly slug: string }) =>
  db
    .updateTable("pages")
    .set((eb) => ({
      book_id: p.book_id,
      chapter_id: p.chapter_id,
      slug: p.slug,
      updated_at: eb.fn<string>("clock_timestamp"),
    }))
    .where("id", "=", p.id)
    .returningAll(),
);

async function moveWhereAsked(page: PageRow, draft: PageUpdate, tx: EventTransaction): Promise<PageRow> {
  const target = parentIn(draft);
  if (!target || isIn(page, target)) return page;
  const { parent } = await lockParent(target, tx);
  return tx.perform("page_move", { row: page, parent }, async (final) => {
    const { book_id, chapter_id } = final.parent;
    const slug = page.draft ? page.slug : await slugIn(book_id, page.name, tx, page.id);
    return move.executeTakeFirstOrThrow(tx.db, { id: page.id, book_id, chapter_id, slug });
  });
}

const softDelete = prepared("pages.softDelete", (db, p: { id: number }) =>
  db
    .updateTable("pages")
    .set((eb) => ({ deleted_at: eb.fn<string>("now") }))
    .where("id", "=", p.id),
);

const takeId = prepared("pages.takeId", (db, _p: Record<never, never>) =>
  db.selectNoFrom(sql<number>`${NEXT_ID}::integer`.as("id")),
);

/** Moves a page into the recycle bin. */
export async function deletePage(page: PageRow, tx: EventTransaction): Promise<void> {
  await softDelete.execute(tx.db, { id: page.id });
}

async function nextId(tx: EventTransaction): Promise<number> {
  return (await takeId.executeTakeFirstOrThrow(tx.db, {})).id;
}

/** A slug that is free among the pages of a book; the page's own slug counts as free (content-api 4.1). */
function slugIn(bookId: number, name: string, tx: EventTransaction, ownId = 0): Promise<string> {
  return freeSlug(tx.db, "pages", name, { id: ownId, where: sql<boolean>`book_id = ${bookId}::integer` });
}
