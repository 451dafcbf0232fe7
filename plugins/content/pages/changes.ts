/**
 * Creating, changing, moving and deleting pages. Locks are taken on the parent before the page, and only where needed: a
 * new page takes a shared lock on its direct parent, a change locks its page, a move takes the shared lock on the new
 * parent first. Slugs are looked up before they are used; a transaction that loses a race for one violates the unique
 * index, and the event bus runs it again.
 */
import { ApiError, authorOf, type EventTransaction, freeSlug, type RawBuilder, sql } from "lectern/core";
import { rows } from "lectern/db";
import { contentIn, editorAfter, storedContent } from "./content.ts";
import type { PageChange, PageCreate, PageParent, PageRow, PagesContext, PageUpdate } from "./contract.ts";
import { lockDraftPage } from "./draft_pages.ts";
import { isIn, lockParent, type NamedParent, parentIn } from "./parents.ts";
import { lockPage } from "./queries.ts";
import { writeWithRevision } from "./revisions.ts";

const MAX_PRIORITY = 2_147_483_647;
const CONFLICT = new ApiError(409, "This page was changed since you opened it");

/** Creates a published page (content-api 8.2), or publishes the draft page that the draft names. */
export async function insertPage(
  context: PagesContext,
  draft: PageCreate,
  named: NamedParent,
  tx: EventTransaction,
): Promise<PageRow> {
  const parent = await lockParent(named, tx);
  let knownId = draft.draft_id === undefined ? undefined : await lockDraftPage(draft.draft_id, tx);
  const isDraft = knownId !== undefined;
  const pageId = async () => (knownId ??= await nextId(tx));
  const { html, markdown, text, rendered } = await storedContent(context, draft, pageId, tx);
  const slug = await slugIn(parent.book_id, draft.name, tx, knownId);
  const priority = draft.priority === undefined ? lastPriority(parent) : sql`${draft.priority}::integer`;
  const author = sql`${authorOf(tx.viewer)}::integer`;
  const id = knownId === undefined ? sql`nextval(pg_get_serial_sequence('pages', 'id'))` : sql`${knownId}::integer`;
  const columns = sql`(book_id, chapter_id, name, slug, html, markdown, text, rendered, priority, editor,
    created_by, updated_by, owned_by`;
  const values = sql`${parent.book_id}::integer, ${parent.chapter_id}::integer, ${draft.name}, ${slug}, ${html},
    ${markdown}, ${text}, ${rendered}, ${priority}, ${editorAfter(draft, undefined, tx.viewer)},
    ${author}, ${author}, ${author}`;
  const page = await writeWithRevision(
    context,
    // A published draft gets the present time as created_at, so that lists of new pages show it.
    isDraft
      ? sql<PageRow>`update pages set ${columns}, draft, revision_count, created_at, updated_at)
          = (${values}, false, 1, clock_timestamp(), clock_timestamp()) where id = ${id} returning *`
      : sql<PageRow>`insert into pages ${columns}, id) values (${values}, ${id}) returning *`,
    "Initial publish",
    tx,
  );
  const tags = draft.tags === undefined ? [] : context.contracts.tags.read(draft.tags);
  if (tags.length > 0) await context.contracts.tags.save("page", (page as PageRow).id, tags, tx);
  return page as PageRow;
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
  const statement = sql<PageRow>`update pages set name = ${name}, slug = ${slug}, html = ${stored.html},
      markdown = ${stored.markdown}, text = ${stored.text}, rendered = ${stored.rendered},
      priority = ${draft.priority ?? page.priority}::integer,
      editor = ${editorAfter(draft, page.editor, tx.viewer)},
      revision_count = revision_count + ${page.draft ? 0 : 1}::integer, updated_by = ${authorOf(tx.viewer)}::integer, updated_at = clock_timestamp()
    where id = ${page.id}::integer returning *`;
  const summary = restored ? `Restored from #${restored.id}; ${restored.summary}` : "";
  const result =
    restored || (needsRevision(page, draft) && !page.draft)
      ? await writeWithRevision(context, statement, summary, tx)
      : (await rows(tx.db, statement))[0];
  if (draft.tags !== undefined)
    await context.contracts.tags.save("page", page.id, context.contracts.tags.read(draft.tags), tx);
  return result as PageRow;
}

/** Whether an update changes name or content, as compared with what is stored (content-api 8.6). */
function needsRevision(page: PageRow, { name, html, markdown }: PageUpdate): boolean {
  return (
    (name ?? page.name) !== page.name ||
    (html ?? page.html) !== page.html ||
    (markdown ?? page.markdown) !== page.markdown
  );
}

async function moveWhereAsked(page: PageRow, draft: PageUpdate, tx: EventTransaction): Promise<PageRow> {
  const target = parentIn(draft);
  if (!target || isIn(page, target)) return page;
  const parent = await lockParent(target, tx);
  return tx.perform("page_move", { row: page, parent }, async (final) => {
    const { book_id, chapter_id } = final.parent;
    const slug = page.draft ? page.slug : await slugIn(book_id, page.name, tx, page.id);
    const [result] = await rows<PageRow>(
      tx.db,
      sql`update pages set book_id = ${book_id}::integer, chapter_id = ${chapter_id}::integer,
      slug = ${slug}, updated_at = clock_timestamp() where id = ${page.id}::integer returning *`,
    );
    return result as PageRow;
  });
}

/** Moves a page into the recycle bin. */
export async function deletePage(page: PageRow, tx: EventTransaction): Promise<void> {
  await rows(tx.db, sql`update pages set deleted_at = now() where id = ${page.id}::integer`);
}

async function nextId(tx: EventTransaction): Promise<number> {
  const [next] = await rows<{ id: number }>(
    tx.db,
    sql`select nextval(pg_get_serial_sequence('pages', 'id'))::integer as id`,
  );
  return (next as { id: number }).id;
}

/** A slug that is free among the pages of a book; the page's own slug counts as free (content-api 4.1). */
function slugIn(bookId: number, name: string, tx: EventTransaction, ownId = 0): Promise<string> {
  return freeSlug(tx.db, "pages", name, { id: ownId, where: sql<boolean>`book_id = ${bookId}::integer` });
}

/** SQL for the priority of a new page at the end of its parent (content-api 4.5). */
function lastPriority({ book_id, chapter_id }: PageParent): RawBuilder<unknown> {
  const highest =
    chapter_id === null
      ? sql`greatest(1, (select max(priority) from chapters where book_id = ${book_id}::integer and deleted_at is null),
        (select max(priority) from pages where book_id = ${book_id}::integer and chapter_id is null
          and deleted_at is null and not draft))`
      : sql`coalesce((select max(priority) from pages where chapter_id = ${chapter_id}::integer
          and deleted_at is null), 0)`;
  return sql`least(${highest}::int8 + 1, ${MAX_PRIORITY}::int8)::integer`;
}
