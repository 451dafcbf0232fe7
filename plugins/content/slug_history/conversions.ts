/** The addresses of chapters that have become books, which lead to the books. */
import { type EventTransaction, sql } from "lectern/core";
import { prepared } from "lectern/db";

/** The kind of an earlier address of a chapter that is a book now; its `item_id` is the book. */
export const BECAME_BOOK = "chapter_as_book";
/** The same before the book is known; its `item_id` is the chapter. There is none outside of a conversion's transaction. */
const BECOMES_BOOK = "chapter_to_book";

const keepAddresses = prepared("slug_history.keepAddresses", (db, p: { id: number }) =>
  db
    .insertInto("slug_history")
    .columns(["kind", "item_id", "slug", "book_id", "book_slug"])
    .expression((eb) =>
      eb
        .selectFrom("chapters")
        .select([
          sql<string>`${BECOMES_BOOK}::text`.as("kind"),
          "id",
          "slug",
          "book_id",
          sql<string>`''`.as("book_slug"),
        ])
        .where("id", "=", p.id)
        .unionAll(
          eb
            .selectFrom("slug_history")
            .select([sql<string>`${BECOMES_BOOK}::text`.as("kind"), "item_id as id", "slug", "book_id", "book_slug"])
            .where("kind", "=", sql.lit("chapter"))
            .where("item_id", "=", p.id),
        ),
    )
    .onConflict((conflict) => conflict.columns(["kind", "item_id", "slug", "book_id", "book_slug"]).doNothing()),
);

const leadToBook = prepared("slug_history.leadToBook", (db, p: { chapterId: number; bookId: number }) =>
  db
    .updateTable("slug_history")
    .set({ kind: BECAME_BOOK, item_id: p.bookId })
    .where("kind", "=", BECOMES_BOOK)
    .where("item_id", "=", p.chapterId),
);

/** Keeps the addresses of a chapter that is about to become a book: with the chapter its own history goes. */
export async function keepChapter(id: number, { db }: EventTransaction): Promise<void> {
  await keepAddresses.write(db, { id });
}

/** Leads the kept addresses to the book. */
export async function leadChapterToBook(chapterId: number, bookId: number, { db }: EventTransaction): Promise<void> {
  await leadToBook.write(db, { chapterId, bookId });
}
