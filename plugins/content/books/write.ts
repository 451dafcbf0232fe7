import { saveTags } from "lectern/contracts";
import {
  authorOf,
  type EventTransaction,
  freeSlug,
  notFound,
  type ResourceHandlers,
  saveChanges,
  softDelete,
  sql,
  type Viewer,
} from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { BooksContext } from "./_context.ts";
import type { Book, BookChange, BookDraft, CreateRules, UpdateRules } from "./contract.ts";

type Handlers = ResourceHandlers<Book, CreateRules, UpdateRules, true>;

/** How books are created, changed and put into the bin (content-api 4). */
export function writing(context: BooksContext): Pick<Handlers, "insert" | "change" | "remove"> {
  return {
    insert: (draft, tx) => insert(context, draft, tx),
    change: (row, draft, tx) => change(context, { row, draft }, tx),
    remove: ({ id }, { db }) => softDelete(db, "books", "Book", id),
  };
}

async function insert(context: BooksContext, draft: BookDraft, tx: EventTransaction): Promise<Book> {
  const {
    contracts: { tags, markup },
  } = context;
  const { db, viewer } = tx;
  const author = authorOf(viewer);
  const { description, description_html } = markup.describe(draft) ?? { description: "", description_html: "" };
  const slug = await freeSlug(db, "books", draft.name);
  const template = await templateOf(context, db, viewer, draft.default_template_id);
  const [book] = (await rows<Book>(
    db,
    sql`
    insert into books (name, slug, description, description_html, default_template_id, created_by, updated_by, owned_by)
    values (${draft.name}, ${slug}, ${description}, ${description_html}, ${template}, ${author}, ${author}, ${author})
    returning *`,
  )) as [Book];
  const sent = draft.tags;
  return { ...book, tags: sent === undefined ? [] : await saveTags(tags, { kind: "book", id: book.id, sent }, tx) };
}

async function change(
  context: BooksContext,
  { row, draft }: { row: Book; draft: BookChange },
  tx: EventTransaction,
): Promise<Book> {
  const {
    contracts: { tags, markup },
  } = context;
  const { db, viewer } = tx;
  const { id } = row;
  const [locked] = await rows<Book>(db, sql`select * from books where id = ${id} and deleted_at is null for update`);
  if (!locked) throw notFound("Book");
  // Whoever joins compares with the row as it was when the lock was taken, not when it was looked up.
  Object.assign(row, locked);
  const renamed = draft.name !== undefined && draft.name !== locked.name;
  const asked = draft.default_template_id;
  // The template in force may be sent again even where it is no longer visible.
  const retemplated = asked !== undefined && asked !== locked.default_template_id;
  const wanted: Partial<Book> = {
    ...markup.describe(draft),
    updated_by: authorOf(viewer),
    ...(renamed && { name: draft.name, slug: await freeSlug(db, "books", draft.name, { id }) }),
    ...(retemplated && { default_template_id: await templateOf(context, db, viewer, asked) }),
  };
  const saved = await saveChanges(db, "books", locked, {
    wanted,
    touched: draft.tags !== undefined || draft.image !== undefined,
  });
  return { ...saved, tags: await saveTags(tags, { kind: "book", id, sent: draft.tags }, tx) };
}

/** The template to store: the asked one if the viewer may use it, else none (content-api 4.7). */
async function templateOf(
  { visible }: BooksContext,
  db: Db,
  viewer: Viewer,
  asked: number | null | undefined,
): Promise<number | null> {
  if (!asked) return null;
  const [page] = await rows(
    db,
    sql`select 1 from pages
    where pages.id = ${asked} and pages.template and ${visible.where("pages", viewer)}`,
  );
  return page ? asked : null;
}
