import { definePlugin, type EventTransaction, sql } from "lectern/core";
import { rows } from "lectern/db";
import type {} from "./contract.ts";
import { type Changed, followLinks } from "./follow.ts";
import { migrations } from "./migrations.ts";
import { recordLinks, type Source } from "./record.ts";

/** What the items whose descriptions may hold links have in common. */
interface Described {
  readonly id: number;
  readonly slug: string;
  readonly description_html: string;
}

/** Links between items: recorded when content is saved, rewritten when an address changes (content-api 4.4). */
export default definePlugin({
  name: "links",
  requires: ["markup", "pages"],
  permissions: { write: ["content_links", "books", "chapters", "bookshelves"], read: ["pages"] },
  migrations,
  setup({ baseUrl, contracts, contribute, on, visible }) {
    const record = (source: Source, before: string, after: string, tx: EventTransaction) =>
      recordLinks({ baseUrl, sees: visible.where }, source, { before, after }, tx);
    const follow = (changed: Changed, tx: EventTransaction) => followLinks({ contracts, baseUrl }, changed, tx);
    const created =
      (kind: Source["kind"]) =>
      ({ id, description_html }: Described, tx: EventTransaction) =>
        record({ kind, id }, "", description_html, tx);
    const updated = async (
      kind: Source["kind"],
      { before, after }: { before: Described; after: Described },
      tx: EventTransaction,
    ) => {
      await record({ kind, id: after.id }, before.description_html, after.description_html, tx);
      if (after.slug !== before.slug) await follow({ kind, id: after.id, withContents: kind === "book" }, tx);
    };

    contribute("content_record", {
      changed: ({ kind, id }, { before, after }, tx) => record({ kind: kind as Source["kind"], id }, before, after, tx),
    });
    contribute("dependents", {
      async destroy(ids, { db }, kind) {
        const gone = sql`any(${[...ids]}::integer[])`;
        await rows(
          db,
          sql`delete from content_links where (from_kind = ${kind} and from_id = ${gone})
            or (to_kind = ${kind} and to_id = ${gone})`,
        );
      },
    });
    on("page_create", { inTransaction: ({ id, html }, tx) => record({ kind: "page", id }, "", html, tx) });
    on("page_update", {
      async inTransaction(after, tx, { draft: { row: before } }) {
        await record({ kind: "page", id: after.id }, before.html, after.html, tx);
        if (after.slug !== before.slug) await follow({ kind: "page", id: after.id, withContents: false }, tx);
      },
    });
    on("page_move", { inTransaction: ({ id }, tx) => follow({ kind: "page", id, withContents: false }, tx) });
    on("chapter_create", { inTransaction: created("chapter") });
    on("chapter_update", {
      inTransaction: (after, tx, { draft: { row: before } }) => updated("chapter", { before, after }, tx),
    });
    on("chapter_move", { inTransaction: ({ id }, tx) => follow({ kind: "chapter", id, withContents: true }, tx) });
    on("book_create", { inTransaction: created("book") });
    on("book_update", {
      inTransaction: (after, tx, { draft: { row: before } }) => updated("book", { before, after }, tx),
    });
    on("bookshelf_create", { inTransaction: created("bookshelf") });
    on("bookshelf_update", {
      inTransaction: (after, tx, { draft: { row: before } }) => updated("bookshelf", { before, after }, tx),
    });
  },
});
