/**
 * Drafts: what a user types in an editor, stored on the server while they type, so that a closed window or a conflict does
 * not lose it. Only its author can read a draft; others learn that somebody is working on the page. The routes are an
 * addition to BookStack's API: BookStack has such drafts for its own editor only. As there, the draft of a new page has a
 * draft page.
 */
import { DAY_MS, definePlugin, SYSTEM, t } from "lectern/core";
import { deleteDraftsOf, deleteDraftsOfPage, discardDrafts, moveDraftsWithPages, updateDraftOf } from "./changes.ts";
import { migrations } from "./migrations.ts";
import { draftsOf, draftsOlderThan } from "./queries.ts";
import { mountDrafts, performDiscard } from "./routes.ts";

export default definePlugin({
  name: "page_drafts",
  requires: ["access", "markup", "pages", "tags", "users"],
  grants: { read: ["pages", "page_revisions", "chapters", "books", "users"], write: ["page_drafts"], system: true },
  settings: t.Object({
    days: t.Integer({
      default: 90,
      minimum: 1,
      env: "DRAFT_DAYS",
      unit: "days",
      description: "How long unsaved drafts of pages are kept after their last change",
    }),
  }),
  migrations,
  events: ["page_draft_save", "page_draft_discard"],
  setup(context) {
    const { contracts, contribute, db, jobs, on, settings } = context;
    mountDrafts(context);
    contribute("dependents", {
      async destroy(ids, tx, kind) {
        await moveDraftsWithPages.write(tx.db, { kind, ids: [...ids] });
        await deleteDraftsOf.execute(tx.db, { kind, ids: [...ids] });
      },
    });
    // A draft page that is published needs its draft no longer.
    on("page_create", {
      async inTransaction({ id }, tx, { draft }) {
        if (draft.draft_id !== undefined) await deleteDraftsOfPage.write(tx.db, { pageId: id });
      },
    });
    on("page_update", {
      async inTransaction(page, tx) {
        if (page.draft) await updateDraftOf(page, tx);
      },
    });
    on("user_delete", {
      async inTransaction({ id }, tx) {
        await discardDrafts(contracts.pages, await draftsOf(id, tx.db), tx);
      },
    });
    jobs.every("forget", DAY_MS, async () => {
      // A transaction for each, so that none holds the locks of all.
      for (const draft of await draftsOlderThan(settings.days, db)) await performDiscard(context, SYSTEM, [draft]);
    });
  },
});
