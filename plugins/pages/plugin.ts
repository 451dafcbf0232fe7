/**
 * Pages: the leaves of the house, with content in HTML or Markdown, revisions, moving, and what follows from changes of
 * the books and chapters that hold them (content-api 8, 9). Content is prepared when it is saved, so that reading is one
 * statement and parses nothing; only pages that include others are rendered for each reader. Comments, attachments
 * and pictures belong to other plugins, which join in through events and slots.
 */
import { definePlugin, dressed, itemPermissions, type ListSpec, mountResource, type ResourceSpec, sql, t } from "lectern/core";
import { pagesOfBook, pagesOfChapters } from "./contents.ts";
import type { FoundPage, PageRow } from "./contract.ts";
import { lockPage, pageFinder } from "./find.ts";
import { followDeleted, followMoved } from "./follow.ts";
import { migrations } from "./migrations.ts";
import { findParent, liesIn, type NamedParent, parentIn } from "./parents.ts";
import type { Parts } from "./parts.ts";
import { pagesContract } from "./rewrite.ts";
import { createRules, updateRules } from "./rules.ts";
import { changePage, insertPage, lockForUpdate, removePage } from "./save.ts";
import { LISTED, shownPage } from "./show.ts";

const list: ListSpec = {
  table: "pages",
  fields: {
    id: "integer", book_id: "integer", chapter_id: { type: "integer", nullable: true, zeroIsNull: true }, name: "text", slug: "text",
    priority: "integer", draft: "boolean", template: "boolean", created_at: "timestamp", updated_at: "timestamp",
    created_by: { type: "integer", nullable: true }, updated_by: { type: "integer", nullable: true }, owned_by: { type: "integer", nullable: true },
  },
  columns: LISTED,
  joins: sql`join books on books.id = pages.book_id`,
};

const spec: ResourceSpec<typeof createRules, typeof updateRules> = {
  name: "page", noun: "Page", path: "/pages", create: createRules, update: updateRules, bodyFirst: true, list,
  about: {
    list: "Lists pages visible to the user.",
    create: "Creates a page in a book or, if chapter_id is given, in a chapter.\n"
      + "Either html or markdown is required; Markdown wins where both are sent.\n"
      + "Pictures given as base64 data URIs become images of the gallery.",
    read: "Reads a page.\nThe html is ready to show, includes resolved; raw_html is the content as stored.",
    update: "Changes a page; only what is sent changes.\nA book_id or chapter_id other than the present parent moves the page there.",
    delete: "Deletes a page; it typically goes into the recycle bin.",
  },
};

const NO_COMMENTS = { active: [], archived: [] };

export default definePlugin({
  name: "pages",
  requires: ["access", "markup", "tags", "users"],
  provides: ["pages"],
  permissions: { write: ["pages", "page_revisions"], read: ["books", "chapters", "tags", "users"] },
  settings: t.Object({
    revisionLimit: t.Integer({ default: 100, minimum: 0, env: "REVISION_LIMIT", description: "Newest revisions kept of each page; 0 or false keeps all" }),
  }),
  migrations,
  events: ["page_create", "page_update", "page_move", "page_delete"],
  adds: [...itemPermissions("page"), "editor-change"],
  setup(context) {
    const { contracts, contribute, on, slot, visible } = context;
    const { access, tags } = contracts;
    const parts: Parts = {
      db: context.db as unknown as Parts["db"],
      contracts,
      baseUrl: context.baseUrl,
      sees: (table, viewer) => visible.where(table, viewer),
      pictureKeeper: () => slot("picture_keeper")[0],
      revisionLimit: context.settings.revisionLimit,
    };
    const find = pageFinder(parts);

    context.narrow("pages", (viewer) => sql<boolean>`pages.deleted_at is null and (not pages.draft or pages.owned_by = ${viewer.id}::integer)`);
    context.narrow("pages", access.sees("page", "pages"));
    context.provide("pages", pagesContract(parts));
    contribute("content", {
      kind: "page", table: "pages", segment: "pages",
      parents: [{ kind: "chapter", column: "chapter_id" }, { kind: "book", column: "book_id" }],
      contents: (viewer, bookId) => pagesOfBook(parts, viewer, bookId),
    });
    contribute("shown", pagesOfChapters(parts));

    // Whoever takes part in a change sees the page as it is, not as it was when the request came.
    on("page_update", { filter: async ({ row, draft }, work) => ({ row: await lockForUpdate(row, draft, work), draft }) });
    on("page_delete", { filter: (row, work) => lockPage(row.id, work) });
    on("book_delete", { join: ({ id }, work) => followDeleted("book_id", id, work) });
    on("chapter_delete", { join: ({ id }, work) => followDeleted("chapter_id", id, work) });
    on("chapter_move", { join: (chapter, work) => followMoved(chapter, work) });

    mountResource<PageRow | FoundPage, typeof createRules, typeof updateRules, NamedParent>(context, spec, {
      find: find.seen,
      may: (viewer, verb, row) => access.may(viewer, `page-${verb}`, row),
      async place(viewer, draft) {
        if (draft?.tags !== undefined) tags.read(draft.tags);
        const named = parentIn(draft ?? {}) as NamedParent;
        await access.need(viewer, "page-create", await findParent(parts, viewer, named));
        return named;
      },
      async arrange(viewer, row, draft) {
        if (draft.tags !== undefined) tags.read(draft.tags);
        const wished = parentIn(draft);
        if (!wished) return;
        const parent = await findParent(parts, viewer, wished);
        if (liesIn(row, wished)) return;
        await access.need(viewer, "page-delete", row);
        await access.need(viewer, "page-create", parent);
      },
      insert: (draft, work, named) => insertPage(parts, draft, named, work),
      change: (row, draft, work) => changePage(parts, row as PageRow, draft, work),
      remove: (row, work) => removePage(row as PageRow, work),
      listed: (records) => [...records],
      async show(row, viewer, moment) {
        const page = await shownPage(parts, "tags" in row ? row : await find.written(row.id), viewer);
        if (moment === "saved") return (await dressed(slot("shown"), "page", "saved", [page], viewer))[0];
        return (await dressed(slot("shown"), "page", "read", [{ ...page, comments: NO_COMMENTS }], viewer))[0];
      },
    });
  },
});
