import { listedFields, withResponseFields } from "lectern/contracts";
import { type ListSpec, mountResource, sql, type Viewer } from "lectern/core";
import { refs } from "lectern/db";
import { HISTORY_FIELDS, NAME_FIELDS } from "../_items/listing.ts";
import { deletePage, insertPage, updatePage } from "./changes.ts";
import { createRules, type FoundPage, type PageRow, type PagesContext, pageAnswers, updateRules } from "./contract.ts";
import { about, examples } from "./docs.ts";
import { findParent, isIn, type NamedParent, parentIn } from "./parents.ts";
import { presentPage } from "./presenter.ts";
import { LISTED, pageFinder } from "./queries.ts";
import type { cachedPages } from "./reader.ts";

/** The listing of pages (content-api 3). */
const listing: ListSpec = {
  table: "pages",
  fields: {
    id: "integer",
    book_id: "integer",
    chapter_id: { type: "integer", nullable: true, zeroIsNull: true },
    ...NAME_FIELDS,
    priority: "integer",
    draft: "boolean",
    template: "boolean",
    ...HISTORY_FIELDS,
  },
  columns: LISTED,
  joins: sql`join books on ${refs("books.id")} = ${refs("pages.book_id")}`,
};

/** Mounts the five routes of pages. */
export function mountPages(context: PagesContext, reads: ReturnType<typeof cachedPages>): void {
  const { contracts, slot } = context;
  const { access, tags } = contracts;
  const find = pageFinder(context);
  const list = {
    ...{ ...listing, visibleRows: access.visibleRows("page", "pages") },
    added: (viewer: Viewer) => listedFields(slot("response_fields"), "page", refs("pages.id"), viewer),
  };
  const bodies = { create: createRules, update: updateRules, bodyFirst: true };
  mountResource<PageRow | FoundPage, typeof createRules, typeof updateRules, NamedParent, typeof pageAnswers>(
    context,
    {
      ...{ name: "page", noun: "Page", path: "/pages", ...bodies, list, answers: pageAnswers, about, examples },
      errors: { create: [404], update: [409] },
    },
    {
      find: find.visible,
      may: (viewer, verb, row) => access.may(viewer, `page-${verb}`, row),
      async place(viewer, draft) {
        if (draft?.tags !== undefined) tags.read(draft.tags);
        // The rules require one of the two parents.
        const parent = parentIn(draft ?? {}) as NamedParent;
        await access.need(viewer, "page-create", await findParent(context, viewer, parent));
        return parent;
      },
      async arrange(viewer, row, draft) {
        if (draft.tags !== undefined) tags.read(draft.tags);
        const target = parentIn(draft);
        if (!target) return;
        const parent = await findParent(context, viewer, target);
        if (isIn(row, target)) return;
        await access.need(viewer, "page-delete", row);
        await access.need(viewer, "page-create", parent);
      },
      insert: (draft, tx, parent) => insertPage(context, draft, parent, tx),
      // The events' filters have replaced the row by the locked one, which has all columns.
      change: (row, draft, tx) => updatePage(context, { row: row as PageRow, draft }, tx),
      remove: (row, tx) => deletePage(row as PageRow, tx),
      read: reads.read,
      // Called after saves alone, as there is `read`.
      async show(row, viewer) {
        const page = await presentPage(context, "tags" in row ? row : await find.written(row.id), viewer);
        const [saved = page] = await withResponseFields(slot("response_fields"), "page", "saved", [page], viewer);
        return saved;
      },
    },
  );
}
