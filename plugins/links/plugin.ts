import { definePlugin, sql, type Work } from "lectern/core";
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
    const record = (source: Source, before: string, after: string, work: Work) =>
      recordLinks({ baseUrl, sees: visible.where }, source, { before, after }, work);
    const follow = (changed: Changed, work: Work) => followLinks({ contracts, baseUrl }, changed, work);
    const created =
      (kind: Source["kind"]) =>
      ({ id, description_html }: Described, work: Work) =>
        record({ kind, id }, "", description_html, work);
    const updated = async (
      kind: Source["kind"],
      { before, after }: { before: Described; after: Described },
      work: Work,
    ) => {
      await record({ kind, id: after.id }, before.description_html, after.description_html, work);
      if (after.slug !== before.slug) await follow({ kind, id: after.id, withContents: kind === "book" }, work);
    };

    contribute("content_record", {
      changed: ({ kind, id }, { before, after }, work) =>
        record({ kind: kind as Source["kind"], id }, before, after, work),
    });
    contribute("hanging", {
      async destroy(ids, { db }, kind) {
        const gone = sql`any(${[...ids]}::integer[])`;
        await rows(
          db,
          sql`delete from content_links where (from_kind = ${kind} and from_id = ${gone})
            or (to_kind = ${kind} and to_id = ${gone})`,
        );
      },
    });
    on("page_create", { join: ({ id, html }, work) => record({ kind: "page", id }, "", html, work) });
    on("page_update", {
      async join(after, work, { draft: { row: before } }) {
        await record({ kind: "page", id: after.id }, before.html, after.html, work);
        if (after.slug !== before.slug) await follow({ kind: "page", id: after.id, withContents: false }, work);
      },
    });
    on("page_move", { join: ({ id }, work) => follow({ kind: "page", id, withContents: false }, work) });
    on("chapter_create", { join: created("chapter") });
    on("chapter_update", {
      join: (after, work, { draft: { row: before } }) => updated("chapter", { before, after }, work),
    });
    on("chapter_move", { join: ({ id }, work) => follow({ kind: "chapter", id, withContents: true }, work) });
    on("book_create", { join: created("book") });
    on("book_update", { join: (after, work, { draft: { row: before } }) => updated("book", { before, after }, work) });
    on("bookshelf_create", { join: created("bookshelf") });
    on("bookshelf_update", {
      join: (after, work, { draft: { row: before } }) => updated("bookshelf", { before, after }, work),
    });
  },
});
