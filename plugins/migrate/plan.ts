import type { Json } from "lectern/core";
import { picturePath, wishedPath } from "./pictures.ts";
import { type Place, pathOf } from "./places.ts";
import type { Run } from "./run_parts.ts";
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
  const { state, places } = run;
  const wish = (row: Json, scope = 0) => ({
    id: idIn(row) ?? 0,
    slug: textOf(row.slug),
    name: textOf(row.name),
    scope,
  });
  const scopeOf = (row: Json) => state.get("book", idIn(row.book_id))?.own_id ?? 0;
  await state.reserve(
    "bookshelf",
    stock.shelves.map((row) => wish(row)),
  );
  await state.reserve(
    "book",
    stock.books.map((row) => wish(row)),
  );
  for (const [kind, list] of [
    ["chapter", stock.chapters],
    ["page", stock.pages],
  ] as const)
    await state.reserve(
      kind,
      list.map((row) => wish(row, scopeOf(row))),
    );
  await state.reserve(
    "image",
    stock.pictures.map((row) => ({ ...wish(row), slug: wishedPath(row) })),
  );
  await state.reserve(
    "attachment",
    stock.attachments.map((row) => ({ ...wish(row), slug: "" })),
  );

  for (const shelf of stock.shelves) addPlace(run, "bookshelf", shelf);
  for (const book of stock.books) addPlace(run, "book", book);
  const bookSlugs = new Map(stock.books.map((book) => [idIn(book), textOf(book.slug)]));
  for (const [kind, list] of [
    ["chapter", stock.chapters],
    ["page", stock.pages],
  ] as const)
    for (const row of list) addPlace(run, kind, row, bookSlugs.get(idIn(row.book_id)));
  for (const row of stock.pictures) {
    const id = idIn(row) ?? 0;
    const own = state.get("image", id);
    if (own) places.addPicture(picturePath(row), own.slug, { source: id, own: own.own_id });
  }
  for (const row of stock.attachments) {
    const id = idIn(row) ?? 0;
    const own = state.get("attachment", id);
    if (own) places.addAttachment(id, own.own_id);
  }
}

function addPlace({ state, places, report }: Run, kind: Place["kind"], row: Json, bookSlug?: string): void {
  const id = idIn(row) ?? 0;
  const entry = state.get(kind, id);
  if (!entry) return;
  const slug = textOf(row.slug);
  if (slug !== entry.slug) report.add("addresses", `${kind} "${slug}": "${entry.slug}"`);
  if (kind === "book" || kind === "bookshelf") {
    places.addItem(pathOf(kind, slug), { kind, id: entry.own_id, path: pathOf(kind, entry.slug) });
    return;
  }
  const book = state.get("book", idIn(row.book_id));
  if (!book || bookSlug === undefined) return;
  const place = { kind, id: entry.own_id, path: pathOf(kind, book.slug, entry.slug) };
  places.addItem(pathOf(kind, bookSlug, slug), place);
  if (kind === "page") places.addPage(id, place);
}
