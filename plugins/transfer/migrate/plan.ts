/**
 * Reserves ids and addresses here for all items of the source before any is copied, so that a page can link to one that is
 * copied later. Items get the address they have at the source where it is free. An item that was changed here keeps its
 * address here, which links must point to.
 */
import type { Json } from "lectern/cli";
import type { MigrateContext } from "./contract.ts";
import { imagePath, preferredPath } from "./images.ts";
import type { AddressRequest } from "./state.ts";
import { pathOf, type Target } from "./target_map.ts";
import { idIn, textOf } from "./values.ts";

/** The content of the source, as rows of its listings. */
export interface SourceListing {
  readonly shelves: readonly Json[];
  readonly books: readonly Json[];
  readonly chapters: readonly Json[];
  readonly pages: readonly Json[];
  readonly images: readonly Json[];
  readonly attachments: readonly Json[];
}

/** Reserves ids and addresses for all listed items, and fills the target map. */
export async function reserveTargets(context: MigrateContext, listing: SourceListing): Promise<void> {
  const { state } = context;
  const scopeOf = (row: Json) => state.get("book", idIn(row.book_id))?.own_id ?? 0;
  const reserveTops = async (kind: "bookshelf" | "book", list: readonly Json[]) =>
    mapTops(context, kind, list, await state.reserve(kind, requestsOf(list)));
  await reserveTops("bookshelf", listing.shelves);
  const books = await reserveTops("book", listing.books);
  await mapChildren(
    context,
    "chapter",
    listing.chapters,
    books,
    await state.reserve("chapter", requestsOf(listing.chapters, scopeOf)),
  );
  await mapChildren(
    context,
    "page",
    listing.pages,
    books,
    await state.reserve("page", requestsOf(listing.pages, scopeOf)),
  );
  const images = listing.images.map((row) => ({ ...row, slug: preferredPath(row) }));
  await state.reserve("image", requestsOf(images));
  await state.reserve("attachment", requestsOf(listing.attachments.map((row) => ({ ...row, slug: "" }))));
  mapFiles(context, listing);
}

function requestsOf(list: readonly Json[], scopeOf: (row: Json) => number = () => 0): AddressRequest[] {
  return list.map((row) => ({
    id: idIn(row) ?? 0,
    slug: textOf(row.slug),
    name: textOf(row.name),
    scope: scopeOf(row),
  }));
}

/** The slugs of a book at the source and here. */
interface BookSlugs {
  readonly sourceSlug: string;
  readonly targetSlug: string;
}

/** Maps shelves or books. Returns their slugs by id at the source. */
async function mapTops(
  context: MigrateContext,
  kind: "bookshelf" | "book",
  list: readonly Json[],
  requested: ReadonlySet<number>,
): Promise<Map<number, BookSlugs>> {
  const slugs = new Map<number, BookSlugs>();
  const changed = await locallyChangedPaths(context, kind, requested);
  for (const row of list) {
    const id = idIn(row) ?? 0;
    const entry = context.state.get(kind, id);
    if (!entry) continue;
    const sourceSlug = textOf(row.slug);
    const path = changed.get(id) ?? pathOf(kind, entry.slug);
    context.targets.addItem(pathOf(kind, sourceSlug), { kind, id: entry.own_id, path });
    slugs.set(id, { sourceSlug, targetSlug: decodeURIComponent(path.slice(path.lastIndexOf("/") + 1)) });
    reportAddress(context, kind, sourceSlug, entry.slug);
  }
  return slugs;
}

async function mapChildren(
  context: MigrateContext,
  kind: "chapter" | "page",
  list: readonly Json[],
  books: ReadonlyMap<number, BookSlugs>,
  requested: ReadonlySet<number>,
): Promise<void> {
  const changed = await locallyChangedPaths(context, kind, requested);
  for (const row of list) {
    const id = idIn(row) ?? 0;
    const entry = context.state.get(kind, id);
    const book = books.get(idIn(row.book_id) ?? 0);
    if (!entry || !book) continue;
    const sourceSlug = textOf(row.slug);
    const path = changed.get(id) ?? pathOf(kind, book.targetSlug, entry.slug);
    const target = { kind, id: entry.own_id, path };
    context.targets.addItem(pathOf(kind, book.sourceSlug, sourceSlug), target);
    if (kind === "page") context.targets.addPage(id, target);
    reportAddress(context, kind, sourceSlug, entry.slug);
  }
}

/** Paths of items that were changed here and keep their address, except those whose changes are overwritten. */
async function locallyChangedPaths(
  { state, options }: MigrateContext,
  kind: Target["kind"],
  requested: ReadonlySet<number>,
): Promise<ReadonlyMap<number, string>> {
  const changed = await state.changedLocally(kind);
  if (options.overwrite) for (const id of requested) changed.delete(id);
  return changed;
}

function reportAddress({ report }: MigrateContext, kind: string, sourceSlug: string, targetSlug: string): void {
  if (sourceSlug !== targetSlug) report.add("addresses", `${kind} "${sourceSlug}": "${targetSlug}"`);
}

function mapFiles({ state, targets }: MigrateContext, { images, attachments }: SourceListing): void {
  for (const row of images) {
    const id = idIn(row) ?? 0;
    const entry = state.get("image", id);
    if (entry) targets.addImage(imagePath(row), entry.slug, { source: id, target: entry.own_id });
  }
  // Images that no listing has are known from the state of earlier runs.
  for (const [id, { hash, source_slug, slug }] of state.ofKind("image"))
    if (id < 0 && hash !== null) targets.addImage(source_slug, slug);
  for (const row of attachments) {
    const id = idIn(row) ?? 0;
    const entry = state.get("attachment", id);
    if (entry) targets.addAttachment(id, entry.own_id);
  }
}
