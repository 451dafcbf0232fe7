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
} from "lectern/core";
import { rows } from "lectern/db";
import type { ShelvesContext } from "./_context.ts";
import { idsOf, setBooks } from "./books.ts";
import type { CreateRules, Shelf, ShelfChange, ShelfDraft, UpdateRules } from "./contract.ts";

type Handlers = ResourceHandlers<Shelf, CreateRules, UpdateRules, true>;

/** How shelves are created, changed and put into the bin (content-api 4, 6). */
export function writing(context: ShelvesContext): Pick<Handlers, "insert" | "change" | "remove"> {
  return {
    insert: (draft, tx) => insert(context, draft, tx),
    change: (row, draft, tx) => change(context, { row, draft }, tx),
    remove: ({ id }, { db }) => softDelete(db, "bookshelves", "Shelf", id),
  };
}

async function insert(context: ShelvesContext, draft: ShelfDraft, tx: EventTransaction): Promise<Shelf> {
  const {
    contracts: { tags, markup },
  } = context;
  const { db, viewer } = tx;
  const author = authorOf(viewer);
  const { description, description_html } = markup.describe(draft) ?? { description: "", description_html: "" };
  const slug = await freeSlug(db, "bookshelves", draft.name);
  const [shelf] = (await rows<Shelf>(
    db,
    sql`
    insert into bookshelves (name, slug, description, description_html, created_by, updated_by, owned_by)
    values (${draft.name}, ${slug}, ${description}, ${description_html}, ${author}, ${author}, ${author})
    returning *`,
  )) as [Shelf];
  if (draft.books !== undefined) await setBooks(context, shelf.id, idsOf(draft.books), tx);
  const sent = draft.tags;
  return {
    ...shelf,
    tags: sent === undefined ? [] : await saveTags(tags, { kind: "bookshelf", id: shelf.id, sent }, tx),
  };
}

async function change(
  context: ShelvesContext,
  { row, draft }: { row: Shelf; draft: ShelfChange },
  tx: EventTransaction,
): Promise<Shelf> {
  const {
    contracts: { tags, markup },
  } = context;
  const { db, viewer } = tx;
  const { id } = row;
  const [locked] = await rows<Shelf>(
    db,
    sql`select * from bookshelves where id = ${id} and deleted_at is null for update`,
  );
  if (!locked) throw notFound("Shelf");
  // Whoever joins compares with the row as it was when the lock was taken, not when it was looked up.
  Object.assign(row, locked);
  const renamed = draft.name !== undefined && draft.name !== locked.name;
  const wanted: Partial<Shelf> = {
    ...markup.describe(draft),
    updated_by: authorOf(viewer),
    ...(renamed && { name: draft.name, slug: await freeSlug(db, "bookshelves", draft.name, { id }) }),
  };
  const saved = await saveChanges(db, "bookshelves", locked, {
    wanted,
    touched: draft.tags !== undefined || draft.image !== undefined,
  });
  if (draft.books !== undefined) await setBooks(context, id, idsOf(draft.books), tx);
  return { ...saved, tags: await saveTags(tags, { kind: "bookshelf", id, sent: draft.tags }, tx) };
}
