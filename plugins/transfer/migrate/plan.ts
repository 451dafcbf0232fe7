/**
 * What the source has, and where each thing of it will be here: known before anything is copied, so that a page may name
 * one that comes later. Normally things get the addresses they have there. Who was changed here keeps the address it has
 * here, since that is where links must lead.
 */
import type { Json } from "lectern/cli";
import { picturePath, wishedPath } from "./pictures.ts";
import { type Place, pathOf } from "./places.ts";
import type { Run } from "./run_parts.ts";
import type { Wish } from "./state.ts";
import { idIn, textOf } from "./values.ts";

/** All that the source lists of content, as its listings show it. */
export interface Stock {
  readonly shelves: readonly Json[];
  readonly books: readonly Json[];
  readonly chapters: readonly Json[];
  readonly pages: readonly Json[];
  readonly pictures: readonly Json[];
  readonly attachments: readonly Json[];
}

/** Keeps a place here for everything that is listed, and learns what addresses of the source lead to. */
export async function reservePlaces(run: Run, stock: Stock): Promise<void> {
  const { state } = run;
  const scopeOf = (row: Json) => state.get("book", idIn(row.book_id))?.own_id ?? 0;
  const tops = async (kind: "bookshelf" | "book", list: readonly Json[]) =>
    addTops(run, kind, list, await state.reserve(kind, wishesOf(list)));
  await tops("bookshelf", stock.shelves);
  const books = await tops("book", stock.books);
  await addParts(
    run,
    "chapter",
    stock.chapters,
    books,
    await state.reserve("chapter", wishesOf(stock.chapters, scopeOf)),
  );
  await addParts(run, "page", stock.pages, books, await state.reserve("page", wishesOf(stock.pages, scopeOf)));
  const images = stock.pictures.map((row) => ({ ...row, slug: wishedPath(row) }));
  await state.reserve("image", wishesOf(images));
  await state.reserve("attachment", wishesOf(stock.attachments.map((row) => ({ ...row, slug: "" }))));
  addFiles(run, stock);
}

function wishesOf(list: readonly Json[], scopeOf: (row: Json) => number = () => 0): Wish[] {
  return list.map((row) => ({
    id: idIn(row) ?? 0,
    slug: textOf(row.slug),
    name: textOf(row.name),
    scope: scopeOf(row),
  }));
}

/** The slugs of a book there and here. */
interface BookSlugs {
  readonly there: string;
  readonly here: string;
}

/** Shelves or books; answers the slugs of each by its number there. */
async function addTops(
  run: Run,
  kind: "bookshelf" | "book",
  list: readonly Json[],
  fresh: ReadonlySet<number>,
): Promise<Map<number, BookSlugs>> {
  const slugs = new Map<number, BookSlugs>();
  const changed = await kept(run, kind, fresh);
  for (const row of list) {
    const id = idIn(row) ?? 0;
    const entry = run.state.get(kind, id);
    if (!entry) continue;
    const there = textOf(row.slug);
    const path = changed.get(id) ?? pathOf(kind, entry.slug);
    run.places.addItem(pathOf(kind, there), { kind, id: entry.own_id, path });
    slugs.set(id, { there, here: decodeURIComponent(path.slice(path.lastIndexOf("/") + 1)) });
    tellAddress(run, kind, there, entry.slug);
  }
  return slugs;
}

async function addParts(
  run: Run,
  kind: "chapter" | "page",
  list: readonly Json[],
  books: ReadonlyMap<number, BookSlugs>,
  fresh: ReadonlySet<number>,
): Promise<void> {
  const changed = await kept(run, kind, fresh);
  for (const row of list) {
    const id = idIn(row) ?? 0;
    const entry = run.state.get(kind, id);
    const book = books.get(idIn(row.book_id) ?? 0);
    if (!entry || !book) continue;
    const there = textOf(row.slug);
    const path = changed.get(id) ?? pathOf(kind, book.here, entry.slug);
    const place = { kind, id: entry.own_id, path };
    run.places.addItem(pathOf(kind, book.there, there), place);
    if (kind === "page") run.places.addPage(id, place);
    tellAddress(run, kind, there, entry.slug);
  }
}

/** Addresses that stay because the items were changed here; those that shall be overwritten get the new ones they have there. */
async function kept(
  { state, choices }: Run,
  kind: Place["kind"],
  fresh: ReadonlySet<number>,
): Promise<ReadonlyMap<number, string>> {
  const changed = await state.changedHere(kind);
  if (choices.overwrite) for (const id of fresh) changed.delete(id);
  return changed;
}

function tellAddress({ report }: Run, kind: string, there: string, here: string): void {
  if (there !== here) report.add("addresses", `${kind} "${there}": "${here}"`);
}

function addFiles({ state, places }: Run, { pictures, attachments }: Stock): void {
  for (const row of pictures) {
    const id = idIn(row) ?? 0;
    const own = state.get("image", id);
    if (own) places.addPicture(picturePath(row), own.slug, { source: id, own: own.own_id });
  }
  // Those that no listing names are known by what an earlier run made of them.
  for (const [id, { hash, source_slug, slug }] of state.ofKind("image"))
    if (id < 0 && hash !== null) places.addPicture(source_slug, slug);
  for (const row of attachments) {
    const id = idIn(row) ?? 0;
    const own = state.get("attachment", id);
    if (own) places.addAttachment(id, own.own_id);
  }
}
