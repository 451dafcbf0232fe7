/**
 * Pages: the leaves of the runtime, with content in HTML or Markdown, revisions, moving, and what follows from changes of
 * the books and chapters that hold them (content-api 8, 9). Content is prepared when it is saved, so that reading is
 * one statement and parses nothing; only pages that include others are rendered for each reader. Comments, attachments
 * and pictures belong to other plugins, which join in through events and slots.
 */
import { definePlugin, itemPermissions, sql, t } from "lectern/core";
import { rows } from "lectern/db";
import { prepareContent } from "./content.ts";
import { pagesOfBook, pagesOfChapters } from "./contents.ts";
import type {} from "./contract.ts";
import { pagesInExports } from "./export.ts";
import { lockPage } from "./find.ts";
import { followDeleted, followMoved } from "./follow.ts";
import { mountHistory } from "./history.ts";
import { pageMaker } from "./make.ts";
import { migrations } from "./migrations.ts";
import type { Parts } from "./parts.ts";
import { Renderings } from "./renderings.ts";
import { ACTIVITIES, mountRestore } from "./restore.ts";
import { pagesContract } from "./rewrite.ts";
import { mountPages } from "./routes.ts";
import { lockForUpdate } from "./save.ts";

/** What listings show of a page itself (content-api 8.1). */
const COLUMNS = [
  ...["id", "book_id", "chapter_id", "name", "slug", "priority", "draft", "revision_count", "template", "editor"],
  ...["created_at", "updated_at", "created_by", "updated_by", "owned_by"],
];

export default definePlugin({
  name: "pages",
  requires: ["access", "markup", "tags", "users"],
  provides: ["pages"],
  permissions: { write: ["pages", "page_revisions"], read: ["books", "chapters", "tags", "users"] },
  settings: t.Object({
    revisionLimit: t.Integer({
      default: 100,
      minimum: 0,
      env: "REVISION_LIMIT",
      description: "Newest revisions kept of each page; 0 or false keeps all",
    }),
    renderingBytes: t.Integer({
      default: 32_000_000,
      minimum: 0,
      env: "INCLUDES_CACHE_BYTES",
      description: "Memory for pages with includes as they were rendered; 0 renders them at each read",
    }),
  }),
  migrations,
  events: ["page_create", "page_update", "page_move", "page_delete", "revision_delete"],
  adds: [...itemPermissions("page"), "editor-change", "revision-view-all"],
  setup(context) {
    const { contracts, contribute, visibilityRule, on, provide, slot, visible } = context;
    const parts: Parts = {
      db: context.db as unknown as Parts["db"],
      contracts,
      baseUrl: context.baseUrl,
      sees: (table, viewer) => visible.where(table, viewer),
      pictureKeeper: () => slot("picture_keeper")[0],
      hooks: () => slot("page_content"),
      renderings: new Renderings(context.settings.renderingBytes),
      revisionLimit: context.settings.revisionLimit,
    };

    visibilityRule("pages", () => sql`pages.deleted_at is null`);
    // A draft is its owner's alone (content-api 8.6).
    visibilityRule("pages", ({ id }) => sql`(not pages.draft or pages.owned_by is not distinct from ${id}::integer)`);
    visibilityRule("pages", contracts.access.sees("page", "pages"));
    provide(
      "pages",
      pagesContract(parts, () => slot("dependents")),
    );
    contribute("content", {
      kind: "page",
      table: "pages",
      segment: "pages",
      parents: [
        { kind: "chapter", column: "chapter_id" },
        { kind: "book", column: "book_id" },
      ],
      ownOnly: "draft",
      columns: COLUMNS,
      path: sql<string>`(select '/books/' || holder.slug || '/page/' || pages.slug from books as holder
        where holder.id = pages.book_id)`,
      contents: (viewer, bookId) => pagesOfBook(parts, viewer, bookId),
    });
    contribute("searchable", { kind: "page", body: sql<string>`pages.text`, html: sql<string>`pages.html` });
    contribute("response_fields", pagesOfChapters(parts));
    contribute("export_kind", pagesInExports(parts));
    contribute(
      "content_maker",
      pageMaker(parts, () => slot("content_record")),
    );
    contribute("dependents", {
      kind: "page",
      async destroy(ids, { db }) {
        await rows(db, sql`delete from page_revisions where page_id = any(${[...ids]}::integer[])`);
      },
    });

    for (const source of ACTIVITIES) contribute("activity", source);

    // Whoever takes part in a change sees the page as it is, not as it was when the request came.
    on("page_create", { beforeTransaction: (draft, viewer) => prepareContent(parts, draft, viewer) });
    on("page_update", {
      beforeTransaction: ({ draft }, viewer) => prepareContent(parts, draft, viewer),
      filter: async (change, tx) => ({ ...change, row: await lockForUpdate(change.row, change.draft, tx) }),
    });
    on("page_delete", { filter: (row, tx) => lockPage(row.id, tx) });
    on("book_delete", { inTransaction: ({ id }, tx) => followDeleted("book_id", id, tx) });
    on("chapter_delete", { inTransaction: ({ id }, tx) => followDeleted("chapter_id", id, tx) });
    on("chapter_move", { inTransaction: (chapter, tx) => followMoved(chapter, tx) });

    // Who sees a page sees what it was; the routes look the page up first.
    visibilityRule("page_revisions", () => true);
    mountPages(context, parts);
    mountHistory(context, parts);
    mountRestore(context, parts);
  },
});
