/**
 * Pages: content in HTML or Markdown, in a book or chapter, with revisions (content-api 8, 9). Content is prepared when it
 * is saved, so that a read is one statement and parses nothing; only pages that include others are rendered for each
 * reader. Comments, attachments and images belong to other plugins, which take part through events and slots.
 */

import { itemPermissions, pageContentSlots, pictureSlots } from "lectern/contracts";
import { definePlugin, sharedLimits, sql, t, type Viewer } from "lectern/core";
import { flattened, prepared, refs } from "lectern/db";
import { ACTIVITIES } from "./activity.ts";
import { hasParentList, lockForUpdate } from "./changes.ts";
import { prepareContent } from "./content.ts";
import { selectOutline, selectPages } from "./contents.ts";
import type { PagesContext } from "./contract.ts";
import { pageExports } from "./export.ts";
import { pageMaker } from "./import.ts";
import { mountMerge } from "./merge.ts";
import { migrations } from "./migrations.ts";
import { movePagesOf } from "./parent_changes.ts";
import { lockPage, pagesOfBook, pagesOfChapters } from "./queries.ts";
import { cachedPageReader, cachedPages, pageReader } from "./reader.ts";
import { RenderCache } from "./render_cache.ts";
import { mountRevisionChanges, mountRevisionReads } from "./revision_routes.ts";
import { mountPages } from "./routes.ts";
import { pageChecks } from "./self_checks.ts";
import { pagesService } from "./service.ts";
import { mountTemplates } from "./templates.ts";
import { contributeThemeHooks } from "./theme_hooks.ts";

/** The columns of pages that listings show (content-api 8.1). */
const COLUMNS = [
  ...["id", "book_id", "chapter_id", "name", "slug", "priority", "draft", "revision_count", "template", "editor"],
  ...["created_at", "updated_at", "created_by", "updated_by", "owned_by"],
];

const IS_PRESENT = flattened(sql<boolean>`${refs("pages.deleted_at")} is null`);
const IS_PUBLISHED_OR_OWNED_BY = flattened(
  sql`not ${refs("pages.draft")} or ${refs("pages.owned_by")} is not distinct from`,
);

const deleteRevisions = prepared("pages.deleteRevisions", (db, p: { pageIds: readonly number[] }) =>
  db.deleteFrom("page_revisions").where("page_id", "=", sql<number>`any(${p.pageIds}::integer[])`),
);

export default definePlugin({
  name: "pages",
  requires: ["access", "markup", "tags", "users"],
  provides: ["pages"],
  grants: {
    write: ["pages", "page_revisions", "books", "chapters"],
    read: ["books", "chapters", "tags", "users", "comments"],
  },
  optionalTables: ["comments"],
  settings: t.Object({
    revisionLimit: t.Integer({
      default: 100,
      minimum: 0,
      env: "REVISION_LIMIT",
      unit: "revisions",
      description: "Newest revisions kept of each page; 0 or false keeps all",
    }),
    answerCacheBytes: sharedLimits.answerCacheBytes,
    renderingBytes: t.Integer({
      default: 32_000_000,
      minimum: 0,
      constant: true,
      times: { of: "answerCacheBytes", by: 0.5 },
      description:
        "Bytes of memory for the cache of rendered pages with includes, which are fewer than all pages; 0 renders them at each read",
    }),
  }),
  migrations,
  events: ["page_create", "page_update", "page_move", "page_delete", "revision_delete"],
  permissions: [...itemPermissions("page"), "editor-change", "revision-view-all", "templates-manage"],
  slots: { ...pageContentSlots, ...pictureSlots },
  setup(context) {
    const { contracts, contribute, on, provide, settings, visibilityRule } = context;
    const { renderingBytes, revisionLimit } = settings;
    const pages: PagesContext = { ...context, renderCache: new RenderCache(renderingBytes), revisionLimit };

    visibilityRule(
      "pages",
      Object.assign(() => IS_PRESENT, { dependsOn: "roles" as const, ofRow: IS_PRESENT }),
    );
    // Only its owner sees a draft (content-api 8.6).
    const isShown = ({ id }: Viewer) => sql<boolean>`(${IS_PUBLISHED_OR_OWNED_BY} ${id}::integer)`;
    visibilityRule("pages", Object.assign(isShown, { dependsOn: "ownership" as const, ofRow: refs("pages.draft") }));
    visibilityRule("pages", contracts.access.visibilityRuleOf("page", "pages"));
    // They leave events and the check of the viewer to their callers.
    provide("pages", pagesService(pages), { rewrite: "ships", keepDraft: "ships", discardDrafts: "ships" });
    contributeThemeHooks(context);
    const reader = pageReader(pages);
    const reads = cachedPages(pages, reader);
    contribute("content", {
      kind: "page",
      labels: { one: "Page", many: "Pages", icon: "page" },
      table: "pages",
      segment: "pages",
      parents: [
        { kind: "chapter", column: "chapter_id" },
        { kind: "book", column: "book_id" },
      ],
      ownOnly: "draft",
      hasParentList,
      columns: COLUMNS,
      path: sql<string>`(select '/books/' || holder.slug || '/page/' || ${refs("pages.slug")} from books as holder
        where holder.id = ${refs("pages.book_id")})`,
      contents: (viewer, bookId) => pagesOfBook(pages, viewer, bookId),
      selectContents: (book, viewer) => selectPages(pages, book, viewer),
      selectOutline: (book, viewer) => selectOutline(pages, book, viewer),
      contentsDependOn: [{ table: "pages", column: "book_id", shown: true }],
    });
    contribute("searchable", {
      kind: "page",
      body: sql<string>`${refs("pages.text")}`,
      html: sql<string>`${refs("pages.html")}`,
    });
    contribute("item_reader", cachedPageReader(pages, reader, reads));
    contribute("response_fields", pagesOfChapters(pages));
    contribute("export_kind", pageExports(pages));
    contribute("content_maker", pageMaker(pages));
    contribute("dependents", {
      kind: "page",
      async destroy(ids, { db }) {
        await deleteRevisions.execute(db, { pageIds: [...ids] });
      },
    });
    for (const source of ACTIVITIES) contribute("activity", source);
    for (const check of pageChecks(context.db, contracts.markup)) contribute("self_check", check);
    contribute("metric", {
      name: "lectern_includes_cache_bytes",
      help: "Memory of rendered pages with includes.",
      type: "gauge",
      perProcess: true,
      read: () => [{ value: pages.renderCache.bytes }],
    });
    on("page_create", { beforeTransaction: (draft, viewer) => prepareContent(pages, draft, viewer) });
    // The filters lock the page, so that every later handler gets its present row, not the one that the request looked up.
    on("page_update", {
      beforeTransaction: ({ draft }, viewer) => prepareContent(pages, draft, viewer),
      filter: async (change, tx) => ({ ...change, row: await lockForUpdate(change.row, change.draft, tx) }),
    });
    on("page_delete", { filter: (row, tx) => lockPage(row.id, tx) });
    on("chapter_move", { inTransaction: (chapter, tx) => movePagesOf(chapter, tx) });

    // Revisions are as visible as their page, which the routes look up first.
    visibilityRule("page_revisions", () => true);
    mountPages(pages, reads);
    mountMerge(pages);
    mountTemplates(pages);
    mountRevisionReads(pages);
    mountRevisionChanges(pages);
  },
});
