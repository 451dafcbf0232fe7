/**
 * Conversions: a chapter becomes a book, and a book a shelf with a book for each of its chapters, as in BookStack. Pages and all else that
 * is below keep their ids and move with the events of a move, so that their earlier addresses lead to them; deleted and hidden items
 * move, too. The new item has the texts, tags, cover and own permissions of the old one, those of its book where a chapter has
 * none, whoever converts it, and the converter as its owner. A chapter, and a book that nothing is left in, are removed for good, since nothing of them is lost.
 */
import type { ItemRef, MadeItem } from "lectern/contracts";
import {
  ApiError,
  type EventTransaction,
  notFound,
  type Result,
  SYSTEM,
  saveChanges,
  softDelete,
  sql,
  type Viewer,
} from "lectern/core";
import { prepared, rows, write } from "lectern/db";
import type { Converted, Convertible, CopiesContext } from "./contract.ts";
import { coverOf, makerOf, storeCover } from "./copy_items.ts";
import { kindNotFound, kindOf } from "./queries.ts";

/** A book as its events carry it. */
type BookRow = Result<"book_delete">;

const MAX_NAME = 255;

const lockBook = prepared("content_copies.lockBook", (db, p: { id: number }) =>
  db.selectFrom("books").selectAll().where("id", "=", p.id).where("deleted_at", "is", null).forUpdate(),
);

const lockChapter = prepared("content_copies.lockChapter", (db, p: { id: number }) =>
  db.selectFrom("chapters").selectAll().where("id", "=", p.id).where("deleted_at", "is", null).forUpdate(),
);

const placeOf = prepared("content_copies.placeOf", (db, p: { id: number }) =>
  db.selectFrom("chapters").select("book_id").where("id", "=", p.id),
);

const chaptersOf = prepared("content_copies.chaptersOf", (db, p: { bookId: number }) =>
  db
    .selectFrom("chapters")
    .select(["id", "name"])
    .where("book_id", "=", p.bookId)
    .where("deleted_at", "is", null)
    .orderBy("priority")
    .orderBy("id"),
);

const shelve = prepared("content_copies.shelve", (db, p: { shelfId: number; bookIds: readonly number[] }) =>
  db
    .insertInto("bookshelf_books")
    .columns(["shelf_id", "book_id", "position"])
    .expression((eb) =>
      eb
        .selectFrom(
          sql<{ id: number; place: number }>`unnest(${p.bookIds}::integer[]) with ordinality`.as<"sent">(
            sql`sent(id, place)`,
          ),
        )
        .select([sql<number>`${p.shelfId}::integer`.as("shelf_id"), "sent.id", "sent.place"]),
    ),
);

/** Converts a chapter into a book. Throws 404 where it is gone. */
export function convertChapter(context: CopiesContext, viewer: Viewer, chapter: Convertible): Promise<Converted> {
  return context.perform("chapter_convert", viewer, chapter, ({ id }, tx) => bookOfChapter(context, id, tx));
}

/** Converts a book into a shelf. Throws 404 where it is gone. */
export async function convertBook(context: CopiesContext, viewer: Viewer, book: Convertible): Promise<Converted> {
  const cover = await coverOf(context, viewer, { kind: "book", id: book.id });
  return context.perform("book_convert", viewer, book, async ({ id }, tx) => {
    const row = await lockBook.executeTakeFirst(tx.db, { id });
    if (!row) throw notFound("Book");
    const from = { kind: "book", id };
    const shelf = await madeOf(context, from, "bookshelf", tx);
    if (cover) await storeCover(context, shelf, cover, tx);
    await context.contracts.overrides?.copy([{ from, to: shelf }], tx);
    const bookIds: number[] = [];
    for (const chapter of await chaptersOf.execute(tx.db, { bookId: id })) {
      const made = await tx.perform("chapter_convert", chapter, (final, inner) =>
        bookOfChapter(context, final.id, inner),
      );
      bookIds.push(made.id);
    }
    if (await isLeft(context, { ...row, tags: [] }, tx)) bookIds.push(id);
    if (bookIds.length > 0) await shelve.write(tx.db, { shelfId: shelf.id, bookIds });
    return { kind: "bookshelf", id: shelf.id, name: row.name, from };
  });
}

/** The book of a chapter, which gets the permissions of the book that the chapter was in where the chapter has none of its own. */
async function bookOfChapter(context: CopiesContext, id: number, tx: EventTransaction): Promise<Converted> {
  const place = await placeOf.executeTakeFirst(tx.db, { id });
  // The book before the chapter, as all writers lock them.
  const held = place && (await lockBook.executeTakeFirst(tx.db, { id: place.book_id }));
  const chapter = held && (await lockChapter.executeTakeFirst(tx.db, { id }));
  if (!chapter || chapter.book_id !== held.id) throw notFound("Chapter");
  const from = { kind: "chapter", id };
  const book = await madeOf(context, from, "book", tx);
  // Before the move: pages then have the same permissions at each moment.
  const { overrides } = context.contracts;
  const copied = await overrides?.copy([{ from, to: book }], tx);
  if (copied === 0) await overrides?.copy([{ from: { kind: "book", id: held.id }, to: book }], tx);
  const to = { id: book.id, slug: String(book.shown.slug) };
  const row = { ...chapter, book_slug: held.slug, tags: [] };
  await tx.perform("chapter_move", { row, to }, async (final, { db }) => {
    const moved = await saveChanges(db, "chapters", final.row, { wanted: { book_id: to.id } });
    return { ...moved, book_slug: to.slug };
  });
  await leaveChapter(context, id, tx);
  await destroy(context, from, tx);
  return { kind: "book", id: book.id, name: chapter.name, from };
}

/** Makes an item of another kind with the texts and tags of one. */
async function madeOf(context: CopiesContext, from: ItemRef, kind: string, tx: EventTransaction): Promise<MadeItem> {
  const source = (await makerOf(context, from.kind).read?.([from.id], tx, SYSTEM))?.get(from.id);
  if (!source) throw kindNotFound(context, from.kind);
  return makerOf(context, kind).make(source, undefined, tx);
}

/** Takes everything out of a chapter into the book that it is in. */
async function leaveChapter({ slot }: CopiesContext, id: number, { db }: EventTransaction): Promise<void> {
  for (const { table, parents } of slot("content")) {
    const column = parents.find(({ kind }) => kind === "chapter")?.column;
    // A template, since the tables are those of contributed kinds.
    if (column !== undefined)
      await write(
        db,
        sql`update ${sql.table(table)} set ${sql.ref(column)} = null where ${sql.ref(column)} = ${id}::integer`,
      );
  }
}

/**
 * What becomes of a book without chapters: with something in it, it stays as the book of its pages, which is true. Otherwise it is removed,
 * or deleted where the recycle bin has something of it, which can then still be restored.
 */
async function isLeft(context: CopiesContext, book: BookRow, tx: EventTransaction): Promise<boolean> {
  const held = await Promise.all(
    context.slot("content").flatMap(({ table, parents }) => {
      const column = parents.find(({ kind }) => kind === "book")?.column;
      return column === undefined
        ? []
        : [
            // A template, since the tables are those of contributed kinds.
            rows<{ present: boolean }>(
              tx.db,
              sql`select distinct deleted_at is null as present from ${sql.table(table)} where ${sql.ref(column)} = ${book.id}::integer`,
            ),
          ];
    }),
  );
  const states = held.flat();
  if (states.some(({ present }) => present)) {
    await renameBook(context, book, tx);
    return true;
  }
  if (states.length === 0) await destroy(context, { kind: "book", id: book.id }, tx);
  else
    await tx.perform("book_delete", book, async (final, { db }) => {
      await softDelete(db, "books", "Book", final.id);
      return final;
    });
  return false;
}

/** Names a book after the pages that are left in it: "Runbooks Pages". */
async function renameBook(
  { texts }: CopiesContext,
  { id, name }: BookRow,
  { callAs, viewer }: EventTransaction,
): Promise<void> {
  const named = (text: string) => texts.say(":name Pages", { name: text }, viewer.language ?? texts.language());
  const tooLong = [...named(name)].length - MAX_NAME;
  const input = { name: named(tooLong > 0 ? [...name].slice(0, -tooLong).join("") : name) };
  const answer = await callAs(viewer, "PUT", `/api/books/${id}`, { input });
  if (!answer.ok) throw new ApiError(answer.status, `Cannot rename the book "${name}": ${await answer.text()}`);
}

/** Removes an item for good, with what depends on it. */
async function destroy(context: CopiesContext, { kind, id }: ItemRef, tx: EventTransaction): Promise<void> {
  for (const dependents of context.slot("dependents"))
    if (dependents.kind === undefined || dependents.kind === kind) await dependents.destroy([id], tx, kind);
  // A template, since the table is that of a contributed kind.
  await write(tx.db, sql`delete from ${sql.table(kindOf(context, kind).table)} where id = ${id}::integer`);
}
