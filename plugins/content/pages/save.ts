/**
 * Writing pages. Locks are taken parent before child and only where needed: a new page shares its direct parent with
 * other writers, a change locks its page, a move shares the new parent first. Slugs are looked up before they are used;
 * who loses a race for one meets the unique index, and the bus runs the action again.
 */
import { ApiError, authorOf, type EventTransaction, freeSlug, type RawBuilder, sql } from "lectern/core";
import { rows } from "lectern/db";
import { contentIn, editorAfter, storedContent } from "./content.ts";
import type { PageChange, PageParent, PageRow } from "./contract.ts";
import { lockDraft } from "./drafts.ts";
import { lockPage } from "./find.ts";
import { liesIn, lockParent, type NamedParent, parentIn } from "./parents.ts";
import type { Parts } from "./parts.ts";
import { writeWithRevision } from "./revisions.ts";
import type { PageCreate, PageUpdate } from "./rules.ts";

const MAX_PRIORITY = 2_147_483_647;
const CHANGED = new ApiError(409, "This page was changed since you opened it");

/** Creates a page, published at once (content-api 8.2), or publishes the draft page that is named. */
export async function insertPage(
  parts: Parts,
  draft: PageCreate,
  named: NamedParent,
  tx: EventTransaction,
): Promise<PageRow> {
  const parent = await lockParent(named, tx);
  let reserved = draft.draft_id === undefined ? undefined : await lockDraft(draft.draft_id, tx);
  const isDraft = reserved !== undefined;
  const reserve = async () => (reserved ??= await nextId(tx));
  const { html, markdown, text, rendered } = await storedContent(parts, draft, reserve, tx);
  const slug = await slugIn(parent.book_id, draft.name, tx, reserved);
  const priority = draft.priority === undefined ? priorityIn(parent) : sql`${draft.priority}::integer`;
  const author = sql`${authorOf(tx.viewer)}::integer`;
  const id = reserved === undefined ? sql`nextval(pg_get_serial_sequence('pages', 'id'))` : sql`${reserved}::integer`;
  const columns = sql`(book_id, chapter_id, name, slug, html, markdown, text, rendered, priority, editor,
    created_by, updated_by, owned_by`;
  const values = sql`${parent.book_id}::integer, ${parent.chapter_id}::integer, ${draft.name}, ${slug}, ${html},
    ${markdown}, ${text}, ${rendered}, ${priority}, ${editorAfter(draft, undefined, tx.viewer)},
    ${author}, ${author}, ${author}`;
  const page = await writeWithRevision(
    parts,
    // A page is as old as it is for others, so that lists of what is new show it.
    isDraft
      ? sql<PageRow>`update pages set ${columns}, draft, revision_count, created_at, updated_at)
          = (${values}, false, 1, clock_timestamp(), clock_timestamp()) where id = ${id} returning *`
      : sql<PageRow>`insert into pages ${columns}, id) values (${values}, ${id}) returning *`,
    "Initial publish",
    tx,
  );
  const tags = draft.tags === undefined ? [] : parts.contracts.tags.read(draft.tags);
  if (tags.length > 0) await parts.contracts.tags.save("page", (page as PageRow).id, tags, tx);
  return page as PageRow;
}

/**
 * The locked page that an update starts from; the parent it shall move to is kept first. Throws ApiError 409 where the
 * update names a revision it starts from and the page has another one by now.
 */
export async function lockForUpdate(stale: PageRow, draft: PageUpdate, tx: EventTransaction): Promise<PageRow> {
  const wished = parentIn(draft);
  if (wished && !liesIn(stale, wished)) await lockParent(wished, tx);
  const page = await lockPage(stale.id, tx);
  if (draft.base_revision !== undefined && draft.base_revision !== page.revision_count) throw CHANGED;
  return page;
}

/**
 * Changes a locked page: moves it where asked (8.4), then sets what was sent; always counts (content-api 8.3, 8.6). A draft
 * page has no history until it is published, since its readers could read there what its author never published.
 */
export async function changePage(
  parts: Parts,
  { row, draft, restored }: PageChange,
  tx: EventTransaction,
): Promise<PageRow> {
  const page = await moved(row, draft, tx);
  const name = draft.name ?? page.name;
  const slug = name === page.name || page.draft ? page.slug : await slugIn(page.book_id, name, tx, page.id);
  const stored = contentIn(draft) ? await storedContent(parts, draft, async () => page.id, tx) : page;
  const statement = sql<PageRow>`update pages set name = ${name}, slug = ${slug}, html = ${stored.html},
      markdown = ${stored.markdown}, text = ${stored.text}, rendered = ${stored.rendered},
      priority = ${draft.priority ?? page.priority}::integer,
      editor = ${editorAfter(draft, page.editor, tx.viewer)},
      revision_count = revision_count + ${page.draft ? 0 : 1}::integer, updated_by = ${authorOf(tx.viewer)}::integer, updated_at = clock_timestamp()
    where id = ${page.id}::integer returning *`;
  const summary = restored ? `Restored from #${restored.id}; ${restored.summary}` : "";
  const result =
    restored || (changes(page, draft) && !page.draft)
      ? await writeWithRevision(parts, statement, summary, tx)
      : (await rows(tx.db, statement))[0];
  if (draft.tags !== undefined)
    await parts.contracts.tags.save("page", page.id, parts.contracts.tags.read(draft.tags), tx);
  return result as PageRow;
}

/** Whether an update is worth a revision: what was sent is compared with what is stored (content-api 8.6). */
function changes(page: PageRow, { name, html, markdown }: PageUpdate): boolean {
  return (
    (name ?? page.name) !== page.name ||
    (html ?? page.html) !== page.html ||
    (markdown ?? page.markdown) !== page.markdown
  );
}

async function moved(page: PageRow, draft: PageUpdate, tx: EventTransaction): Promise<PageRow> {
  const wished = parentIn(draft);
  if (!wished || liesIn(page, wished)) return page;
  const parent = await lockParent(wished, tx);
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

/** Puts a page where nobody sees it, until it is restored or removed for good. */
export async function removePage(page: PageRow, tx: EventTransaction): Promise<void> {
  await rows(tx.db, sql`update pages set deleted_at = now() where id = ${page.id}::integer`);
}

async function nextId(tx: EventTransaction): Promise<number> {
  const [next] = await rows<{ id: number }>(
    tx.db,
    sql`select nextval(pg_get_serial_sequence('pages', 'id'))::integer as id`,
  );
  return (next as { id: number }).id;
}

/** A slug that is free among the pages of a book; that of the page itself counts as free (content-api 4.1). */
function slugIn(bookId: number, name: string, tx: EventTransaction, ownId = 0): Promise<string> {
  return freeSlug(tx.db, "pages", name, { id: ownId, where: sql<boolean>`book_id = ${bookId}::integer` });
}

/** The priority of a new page: after all that lies there (content-api 4.5). */
function priorityIn({ book_id, chapter_id }: PageParent): RawBuilder<unknown> {
  const highest =
    chapter_id === null
      ? sql`greatest(1, (select max(priority) from chapters where book_id = ${book_id}::integer and deleted_at is null),
        (select max(priority) from pages where book_id = ${book_id}::integer and chapter_id is null
          and deleted_at is null and not draft))`
      : sql`coalesce((select max(priority) from pages where chapter_id = ${chapter_id}::integer
          and deleted_at is null), 0)`;
  return sql`least(${highest}::int8 + 1, ${MAX_PRIORITY}::int8)::integer`;
}
