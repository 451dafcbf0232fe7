import type { ItemReader } from "lectern/contracts";
import { type RawBuilder, sql } from "lectern/core";
import { prepared } from "lectern/db";
import { itemQueries } from "../_items/queries.ts";
import { addressFinder, type FoundFields, fieldsOfRow, type SlugParameters } from "../_items/reader.ts";
import { BOOK, type Book, type BooksContext } from "./contract.ts";
import { bookPresenter } from "./presenter.ts";

const findBySlug = prepared("books.findBySlug", (db, p: SlugParameters) =>
  db
    .selectFrom("books")
    .selectAll()
    .select([p.people.as("people"), p.tags.as("tags"), p.fields.as("fields")])
    .where("books.slug", "=", p.slug)
    .where(p.visible),
);

const listByIds = prepared("books.listByIds", (db, p: { ids: readonly number[]; visible: RawBuilder<boolean> }) =>
  db
    .selectFrom("books")
    .select(["id", "name", "slug", "description", "created_at", "updated_at", "created_by", "updated_by", "owned_by"])
    .where("books.id", "=", sql<number>`any(${p.ids}::integer[])`)
    .where(p.visible),
);

/** Reads books for other plugins. */
export function bookReader(context: BooksContext): ItemReader<"book"> {
  const { db, visible } = context;
  const { listed, read } = bookPresenter(context);
  const find = addressFinder<Book & Partial<FoundFields>>(context, BOOK, {
    id: itemQueries<Book>(context, BOOK).find,
    slug: (parameters) => findBySlug.executeTakeFirst(db, parameters),
  });
  return {
    kind: "book",
    noun: BOOK.noun,
    async find(viewer, where) {
      const book = await find(viewer, where);
      return book && read(book, viewer, fieldsOfRow(context, BOOK.kind, book, viewer));
    },
    async list(viewer, where) {
      if (!("ids" in where)) return [];
      const found = await listByIds.execute(db, { ids: [...where.ids], visible: visible.where("books", viewer) });
      const books = new Map((await listed(found, viewer)).map((book) => [book.id, book]));
      return where.ids.flatMap((id) => books.get(id) ?? []);
    },
  };
}
