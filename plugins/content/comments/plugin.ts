/**
 * Comments on pages: replies, archived threads, references to a range of the page (content-api 10). Viewers see the comments
 * of the pages they see; drafts have none. Comments of a page in the recycle bin are deleted when the page is deleted for
 * good. A deleted comment is removed at once; replies to it stay.
 */
import { activityOf, authorReferences, referenceCheck, withoutAuthor } from "lectern/contracts";
import { definePlugin, sql, t } from "lectern/core";
import { flattened, overAll, refs } from "lectern/db";
import { deleteCommentsOfPages, lockComment, prepareComment } from "./changes.ts";
import { type CommentPermission, type CommentsContext, pageCommentsFields } from "./contract.ts";
import { migrations } from "./migrations.ts";
import { refindPassages } from "./passages.ts";
import { pageCommentsPresenter, presentPageComments, sanitizedHtml } from "./presenter.ts";
import { type PageComment, selectedComments } from "./queries.ts";
import { mountCommentRoutes } from "./routes.ts";

const PERMISSIONS = (["create", "update", "delete"] as const).flatMap((action): CommentPermission[] => [
  `comment-${action}-all`,
  `comment-${action}-own`,
]);

const IS_ITS_PAGE = flattened(sql`${refs("pages.id")} = ${refs("comments.page_id")}`);

export default definePlugin({
  name: "comments",
  requires: ["access", "markup", "pages", "users"],
  grants: { write: ["comments", "pages"], read: ["pages", "users"] },
  settings: t.Object({
    maxBytes: t.Integer({
      default: 65_535,
      minimum: 1_000,
      maximum: 1_000_000,
      constant: true,
      description: "Bytes of a comment's HTML; 422 beyond. What the text column of other servers with this API holds",
    }),
  }),
  migrations,
  events: ["comment_create", "comment_update", "comment_delete"],
  permissions: PERMISSIONS,
  setup(plugin) {
    const { contracts, contribute, visibilityRule, on, settings, visible } = plugin;
    const context: CommentsContext = {
      db: overAll(plugin.db),
      contracts,
      maxBytes: settings.maxBytes,
      visibleTo: (table, viewer) => visible.where(table, viewer),
    };

    visibilityRule(
      "comments",
      (viewer) => sql<boolean>`exists (select from pages
        where ${IS_ITS_PAGE} and ${visible.where("pages", viewer)})`,
      { pages: ["id", "draft", "owned_by", "acl_id", "deleted_at"] },
    );
    contribute("response_fields", {
      kind: "page",
      moment: "read",
      schema: pageCommentsFields,
      add: pageCommentsPresenter(context),
      select: (id, viewer) => selectedComments(context, id, viewer),
      // The value of selectedComments().
      cached: { dependsOn: [{ table: "comments", column: "page_id" }], isSame: true },
      present: ({ comments }, viewer) => presentPageComments(context, comments as PageComment[], viewer),
    });
    contribute("dependents", { kind: "page", destroy: deleteCommentsOfPages });
    contribute(
      "self_check",
      referenceCheck(plugin.db, {
        name: "comments/authors",
        title: "Every author of a comment is a user",
        references: () => authorReferences("comments"),
        repair: "clear",
      }),
    );
    contribute(
      "self_check",
      referenceCheck(plugin.db, {
        name: "comments/pages",
        title: "Every comment belongs to a page",
        references: () => [{ table: "comments", column: "page_id", to: "pages" }],
        repair: "delete",
      }),
    );
    for (const event of ["comment_create", "comment_update", "comment_delete"] as const)
      contribute(
        "activity",
        activityOf(event, ({ result: { page_id, markdown: _markdown, passage: _passage, ...comment }, result }) => [
          {
            type: event,
            detail: `Comment #${comment.local_id} (ID: ${comment.id}) for page (ID: ${page_id})`,
            related: {
              ...comment,
              html: sanitizedHtml(context, result),
              commentable_id: page_id,
              commentable_type: "page",
            },
          },
          // A second entry names the page (platform 6.4).
          ...(event === "comment_create" ? [{ type: "commented_on", item: { kind: "page", id: page_id } }] : []),
        ]),
      );
    on("comment_create", { beforeTransaction: (draft, viewer) => prepareComment(context, draft, viewer) });
    on("comment_update", {
      beforeTransaction: ({ draft }, viewer) => prepareComment(context, draft, viewer),
      // Handlers get the locked row of now, not the one read when the request came.
      filter: async ({ row, draft }, tx) => ({ row: await lockComment(row.id, tx), draft }),
    });
    on("page_update", {
      async inTransaction(page, tx, { draft: { row } }) {
        if (page.html !== row.html) await refindPassages(context, page, tx);
      },
    });
    on("user_delete", { inTransaction: ({ id }, { db }) => withoutAuthor(db, "comments", id) });
    on("comment_delete", { filter: (row, tx) => lockComment(row.id, tx) });

    mountCommentRoutes(plugin, context);
  },
});
