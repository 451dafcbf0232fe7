/**
 * Links between content: which page or description refers to which item, recorded at each change, so that links are rewritten
 * when an item gets another address. Links to other sites are not recorded. Content that refers to an item is not changed
 * when the item is removed.
 */
import { itemReferences, referenceCheck } from "lectern/contracts";
import { definePlugin, type EventTransaction, sql } from "lectern/core";
import { prepared } from "lectern/db";
import { recordLinks } from "./changes.ts";
import type { LinkSource } from "./contract.ts";
import { migrations } from "./migrations.ts";
import { updateLinksTo } from "./relink.ts";

/** The columns of a described item that matter for links. */
interface DescribedItem {
  readonly id: number;
  readonly slug: string;
  readonly description_html: string;
}

const deleteOf = prepared("links.deleteOf", (db, p: { kind: string; ids: readonly number[] }) => {
  const isRemoved = sql<number>`any(${p.ids}::integer[])`;
  // Any kind of content may be removed, also one that has no links.
  const kind = sql<LinkSource["kind"]>`${p.kind}`;
  return db
    .deleteFrom("content_links")
    .where((eb) =>
      eb.or([
        eb.and([eb("from_kind", "=", kind), eb("from_id", "=", isRemoved)]),
        eb.and([eb("to_kind", "=", kind), eb("to_id", "=", isRemoved)]),
      ]),
    );
});

/** Links between items: recorded when content is saved, rewritten when an item's address changes (content-api 4.4). */
export default definePlugin({
  name: "links",
  requires: ["markup", "pages"],
  grants: { write: ["content_links", "books", "chapters", "bookshelves", "pages"] },
  migrations,
  setup(context) {
    const { contribute, db, on, slot } = context;
    const onCreated =
      (kind: LinkSource["kind"]) =>
      ({ id, description_html }: DescribedItem, tx: EventTransaction) =>
        recordLinks(context, { kind, id }, { before: "", after: description_html }, tx);
    const onUpdated = async (
      kind: LinkSource["kind"],
      { before, after }: { before: DescribedItem; after: DescribedItem },
      tx: EventTransaction,
    ) => {
      const { id } = after;
      await recordLinks(context, { kind, id }, { before: before.description_html, after: after.description_html }, tx);
      if (after.slug !== before.slug) await updateLinksTo(context, { kind, id, withContents: kind === "book" }, tx);
    };

    contribute("content_record", {
      // Contributors of the slot name kinds of content, which are the kinds of sources.
      changed: ({ kind, id }, change, tx) => recordLinks(context, { kind: kind as LinkSource["kind"], id }, change, tx),
    });
    contribute("dependents", {
      async destroy(ids, { db }, kind) {
        await deleteOf.execute(db, { kind, ids: [...ids] });
      },
    });
    contribute(
      "self_check",
      referenceCheck(db, {
        name: "links/items",
        title: "Every recorded link is from an item to an item",
        references: () => [
          ...itemReferences(slot("content"), { table: "content_links", kind: "from_kind", id: "from_id" }),
          ...itemReferences(slot("content"), { table: "content_links", kind: "to_kind", id: "to_id" }),
        ],
        repair: "delete",
      }),
    );
    on("page_create", {
      inTransaction: ({ id, html }, tx) => recordLinks(context, { kind: "page", id }, { before: "", after: html }, tx),
    });
    on("page_update", {
      async inTransaction({ id, html, slug }, tx, { draft: { row } }) {
        await recordLinks(context, { kind: "page", id }, { before: row.html, after: html }, tx);
        if (slug !== row.slug) await updateLinksTo(context, { kind: "page", id, withContents: false }, tx);
      },
    });
    on("page_move", {
      inTransaction: ({ id }, tx) => updateLinksTo(context, { kind: "page", id, withContents: false }, tx),
    });
    on("chapter_create", { inTransaction: onCreated("chapter") });
    on("chapter_update", {
      inTransaction: (after, tx, { draft: { row: before } }) => onUpdated("chapter", { before, after }, tx),
    });
    on("chapter_move", {
      inTransaction: ({ id }, tx) => updateLinksTo(context, { kind: "chapter", id, withContents: true }, tx),
    });
    on("book_create", { inTransaction: onCreated("book") });
    on("book_update", {
      inTransaction: (after, tx, { draft: { row: before } }) => onUpdated("book", { before, after }, tx),
    });
    on("bookshelf_create", { inTransaction: onCreated("bookshelf") });
    on("bookshelf_update", {
      inTransaction: (after, tx, { draft: { row: before } }) => onUpdated("bookshelf", { before, after }, tx),
    });
  },
});
