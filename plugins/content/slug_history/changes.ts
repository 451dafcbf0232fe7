import type { ExpressionBuilder } from "kysely";
import { type EventTransaction, sql } from "lectern/core";
import { prepared, type Tables } from "lectern/db";
import { BECAME_BOOK } from "./conversions.ts";

type History = ExpressionBuilder<Tables & { history: Tables["slug_history"] }, "history">;

/** SQL for whether the history of another item refers to a book. */
function isReferenced(eb: History) {
  return eb.exists(eb.selectFrom("slug_history as inside").whereRef("inside.book_id", "=", "history.item_id"));
}

const keepSlugsOfBooks = prepared("slug_history.keepSlugsOfBooks", (db, p: { ids: readonly number[] }) =>
  db
    .insertInto("slug_history")
    .columns(["kind", "item_id", "slug"])
    .expression((eb) =>
      eb
        .selectFrom("books")
        .select([sql<string>`'book'`.as("kind"), "books.id", "books.slug"])
        .where("books.id", "=", sql<number>`any(${p.ids}::integer[])`)
        .where((of) => of.exists(of.selectFrom("slug_history as inside").whereRef("inside.book_id", "=", "books.id"))),
    )
    .onConflict((conflict) =>
      conflict
        .columns(["kind", "item_id", "slug", "book_id", "book_slug"])
        .doUpdateSet((eb) => ({ until: eb.ref("excluded.until") })),
    ),
);

const deleteOf = prepared("slug_history.deleteOf", (db, p: { kind: string; ids: readonly number[] }) =>
  db
    .deleteFrom("slug_history as history")
    .where("history.kind", "=", p.kind)
    .where("history.item_id", "=", sql<number>`any(${p.ids}::integer[])`)
    .where((eb) => eb.or([sql<boolean>`${p.kind}::text <> 'book'`, eb.not(isReferenced(eb))]))
    .returning("history.book_id"),
);

const deleteOfGoneBooks = prepared("slug_history.deleteOfGoneBooks", (db, p: { bookIds: readonly number[] }) =>
  db
    .deleteFrom("slug_history as history")
    .where("history.kind", "=", sql.lit("book"))
    .where("history.item_id", "=", sql<number>`any(${p.bookIds}::integer[])`)
    .where((eb) => eb.not(eb.exists(eb.selectFrom("books").whereRef("books.id", "=", "history.item_id"))))
    .where((eb) => eb.not(isReferenced(eb))),
);

/**
 * Removes the history of items that are removed permanently. Items that left a book earlier still have addresses with that
 * book's slugs, so the slugs of a book, its last one too, stay for as long as the history of another item refers to it.
 */
export async function removeHistory(ids: readonly number[], { db }: EventTransaction, kind: string): Promise<void> {
  if (kind === "book") await keepSlugsOfBooks.execute(db, { ids: [...ids] });
  const kinds = kind === "book" ? [kind, BECAME_BOOK] : [kind];
  const deleted = [];
  for (const each of kinds) deleted.push(...(await deleteOf.execute(db, { kind: each, ids: [...ids] })));
  const bookIds = [...new Set(deleted.map(({ book_id }) => book_id))].filter((id) => id !== 0);
  if (bookIds.length > 0) await deleteOfGoneBooks.execute(db, { bookIds });
}
