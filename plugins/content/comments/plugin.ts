/**
 * Comments on pages: replies, archived threads, references to a stretch of the page (content-api 10). Who sees the page
 * sees its comments, drafts have none. A comment stays while its page is in the recycle bin and goes with it for good;
 * one that is deleted is gone at once, and what replied to it stays.
 */
import { activityOf } from "lectern/contracts";
import { definePlugin, mountResource, sql, t, withoutAuthor } from "lectern/core";
import { rows } from "lectern/db";
import { about, examples } from "./about.ts";
import { type CommentPermission, createRules, type FoundComment, updateRules } from "./contract.ts";
import { migrations } from "./migrations.ts";
import { commentsReader, findComment, listing, type Parts, readComment, savedComment, shownHtml } from "./show.ts";
import { changeComment, insertComment, lockComment, prepareComment } from "./write.ts";

const PERMISSIONS = (["create", "update", "delete"] as const).flatMap((action): CommentPermission[] => [
  `comment-${action}-all`,
  `comment-${action}-own`,
]);

export default definePlugin({
  name: "comments",
  requires: ["access", "markup", "pages", "users"],
  permissions: { write: ["comments"], read: ["pages", "users"] },
  settings: t.Object({
    maxBytes: t.Integer({
      default: 65_535,
      minimum: 1_000,
      maximum: 1_000_000,
      env: "COMMENT_MAX_BYTES",
      description: "Bytes of a comment's HTML; 422 beyond",
    }),
  }),
  migrations,
  events: ["comment_create", "comment_update", "comment_delete"],
  adds: PERMISSIONS,
  setup(context) {
    const { contracts, contribute, visibilityRule, on, visible } = context;
    const parts: Parts = {
      db: context.db as unknown as Parts["db"],
      contracts,
      maxBytes: context.settings.maxBytes,
      sees: (table, viewer) => visible.where(table, viewer),
    };

    visibilityRule(
      "comments",
      (viewer) => sql<boolean>`exists (select from pages
        where pages.id = comments.page_id and ${visible.where("pages", viewer)})`,
    );
    contribute("response_fields", { kind: "page", moment: "read", add: commentsReader(parts) });
    contribute("dependents", {
      kind: "page",
      async destroy(ids, { db }) {
        await rows(db, sql`delete from comments where page_id = any(${[...ids]}::integer[])`);
      },
    });
    for (const event of ["comment_create", "comment_update", "comment_delete"] as const)
      contribute(
        "activity",
        activityOf(event, ({ result: { page_id, ...comment }, result }) => [
          {
            type: event,
            detail: `Comment #${comment.local_id} (ID: ${comment.id}) for page (ID: ${page_id})`,
            related: {
              ...comment,
              html: shownHtml(parts, result),
              commentable_id: page_id,
              commentable_type: "page",
            },
          },
          // The page is told of too (platform 6.4).
          ...(event === "comment_create" ? [{ type: "commented_on", item: { kind: "page", id: page_id } }] : []),
        ]),
      );
    // Whoever takes part in a change sees the comment as it is, not as it was when the request came.
    on("comment_create", { beforeTransaction: (draft, viewer) => prepareComment(parts, draft, viewer) });
    on("comment_update", {
      beforeTransaction: ({ draft }, viewer) => prepareComment(parts, draft, viewer),
      filter: async ({ row, draft }, tx) => ({ row: await lockComment(row.id, tx), draft }),
    });
    on("user_delete", { inTransaction: ({ id }, { db }) => withoutAuthor(db, "comments", id) });
    on("comment_delete", { filter: (row, tx) => lockComment(row.id, tx) });

    mountResource<FoundComment, typeof createRules, typeof updateRules, undefined>(
      context,
      {
        name: "comment",
        noun: "Comment",
        path: "/comments",
        create: createRules,
        update: updateRules,
        bodyFirst: false,
        permits: { create: "comment-create-all" },
        list: listing,
        about,
        examples,
      },
      {
        find: (viewer, id) => findComment(parts, viewer, id),
        may: (viewer, verb, { id, created_by }) =>
          contracts.access.may(viewer, `comment-${verb}`, { id, owned_by: created_by }),
        // The page is looked for once the body has been judged, in the action that locks it (content-api 1.5).
        place: async () => undefined,
        insert: (draft, tx) => insertComment(parts, draft, tx),
        change: (row, draft, tx) => changeComment(parts, row, draft, tx),
        async remove({ id }, { db }) {
          await rows(db, sql`delete from comments where id = ${id}::integer`);
        },
        listed: (records) => [...records],
        show: async (row, viewer, moment) =>
          moment === "saved" ? savedComment(parts, row) : readComment(parts, row, viewer),
      },
    );
  },
});
