import { bookPath, type ExportKind } from "lectern/contracts";
import { sql } from "lectern/core";
import { flattened, prepared } from "lectern/db";
import { exportEntry } from "../_items/export.ts";
import type { ReadParameters } from "../_items/statements.ts";
import { BOOK, type BooksContext } from "./contract.ts";

const exported = prepared("books.exported", (db, p: ReadParameters) =>
  db.selectFrom("books").selectAll("books").select(p.tags.as("tags")).where("books.id", "=", p.id).where(p.visible),
);

/** Finds books for exports (content-api 15). */
export function bookExports(context: BooksContext): ExportKind {
  const tags = flattened(context.contracts.tags.of(BOOK.kind, sql.ref("books.id")));
  return {
    kind: BOOK.kind,
    async find(viewer, id) {
      const visible = context.visible.where("books", viewer);
      const book = await exported.executeTakeFirst(context.db, { id, tags, visible });
      if (!book) return undefined;
      return exportEntry(context, BOOK, book, { url: context.baseUrl + bookPath(book), priority: 0, parents: [] });
    },
  };
}
