/**
 * Shelves, books and chapters. They are copied in that order of need: books first, chapters into them, shelves once the
 * books stand that they hold. A cover comes along as it is at the source, under the address it has there.
 */
import type { Json } from "lectern/cli";
import type { EventTransaction } from "lectern/core";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { describedOf, historyOf, overridesOf, slugFor, textsOf, writeContent } from "./content.ts";
import type { Outcome } from "./contract.ts";
import { fetchCover, writeCover } from "./covers.ts";
import { keep, type Row, updateRow } from "./keep.ts";
import type { Run } from "./run_parts.ts";
import { idIn, listOf, numberOf, tagsOf, textOf } from "./values.ts";

/** Copies a book or shelf, given in full. */
export async function copyTop(run: Run, kind: "book" | "bookshelf", id: number, item: Json): Promise<Outcome> {
  const name = textOf(item.name);
  const what = `${kind} "${name}"`;
  const { columns, links } = describedOf(run, what, item);
  const template = run.places.page(idIn(item.default_template_id) ?? 0)?.id ?? null;
  const cover = await fetchCover(run, item.cover);
  const facts = {
    name,
    ...columns,
    ...historyOf(run, item),
    ...(kind === "book" && { default_template_id: template }),
  };
  const books =
    kind === "bookshelf" ? listOf(item.books).flatMap((book) => run.state.written("book", idIn(book)) ?? []) : [];
  const tags = tagsOf(item.tags);
  const overrides = await overridesOf(run, kind, id, what);
  return keep(run, {
    kind,
    id,
    wanted: { ...facts, ...textsOf(item), tags, overrides, books, cover: cover?.wanted },
    async write({ own, id: ownId, entry }, tx) {
      const table = kind === "book" ? "books" : "bookshelves";
      const slug = await slugFor({ table, slug: entry.slug, name, id: ownId }, tx);
      const draft = { description_html: columns.description_html };
      const sourceSlug = entry.source_slug;
      const content = { kind, own, id: ownId, sourceSlug, columns: { ...facts, slug }, tags, overrides, links, draft };
      await writeContent(run, content, tx);
      await writeCover(run, { kind, id: ownId }, cover, tx);
      if (kind === "bookshelf") await fillShelf(ownId, books, tx);
    },
  });
}

async function fillShelf(id: number, books: readonly number[], tx: EventTransaction): Promise<void> {
  await rows(tx.db, sql`delete from bookshelf_books where shelf_id = ${id}::integer`);
  await rows(
    tx.db,
    sql`insert into bookshelf_books (shelf_id, book_id, position)
      select ${id}::integer, book_id, min(position) from unnest(${[...books]}::integer[])
        with ordinality as sent(book_id, position) group by book_id`,
  );
}

/** Copies a chapter, given in full. Undefined where its book is not here. */
export async function copyChapter(run: Run, id: number, item: Json): Promise<Outcome | undefined> {
  const name = textOf(item.name);
  const bookId = run.state.written("book", idIn(item.book_id));
  if (bookId === undefined) return undefined;
  const what = `chapter "${name}"`;
  const { columns, links } = describedOf(run, what, item);
  const facts = {
    name,
    ...columns,
    ...historyOf(run, item),
    book_id: bookId,
    priority: numberOf(item.priority) ?? 0,
    default_template_id: run.places.page(idIn(item.default_template_id) ?? 0)?.id ?? null,
  };
  const tags = tagsOf(item.tags);
  const overrides = await overridesOf(run, "chapter", id, what);
  return keep(run, {
    kind: "chapter",
    id,
    wanted: { ...facts, ...textsOf(item), tags, overrides },
    async write({ own, id: ownId, entry }, tx) {
      const book = await lockBook(bookId, tx);
      const slug = await slugFor({ table: "chapters", slug: entry.slug, name, id: ownId, bookId }, tx);
      const placed = own && (await moved(own, { ...book, chapterSlug: slug }, tx));
      const draft = { book_id: bookId, description_html: columns.description_html, priority: facts.priority };
      const result = { book_slug: book.slug };
      const all = { ...facts, slug };
      const content = { kind: "chapter", own: placed, id: ownId, sourceSlug: entry.source_slug, columns: all } as const;
      await writeContent(run, { ...content, tags, overrides, links, draft, result }, tx);
    },
  });
}

/** A chapter that went to another book takes its pages along, as if somebody had moved it here. */
async function moved(
  own: Row,
  to: { id: number; slug: string; chapterSlug: string },
  tx: EventTransaction,
): Promise<Row> {
  if (own.book_id === to.id) return own;
  const book = { id: to.id, slug: to.slug };
  const act = async (_: unknown, inner: EventTransaction) => {
    const row = await updateRow(inner, "chapters", own.id, { book_id: to.id, slug: to.chapterSlug });
    return { ...row, book_slug: to.slug, tags: [] };
  };
  const row = await tx.perform("chapter_move", { row: { ...own, tags: [] } as never, to: book }, act as never);
  return { ...own, ...row };
}

/** The book, kept as it is until the transaction ends. Throws where it was removed here. */
async function lockBook(id: number, tx: EventTransaction): Promise<{ id: number; slug: string }> {
  const [book] = await rows<{ id: number; slug: string }>(
    tx.db,
    sql`select id, slug from books where id = ${id}::integer and deleted_at is null for share`,
  );
  if (!book) throw new Error("its book was removed here");
  return book;
}
