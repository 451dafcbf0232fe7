import { definePlugin, type Shown, sql } from "lectern/core";
import type { CommentPermission } from "./contract.ts";
import { migrations } from "./migrations.ts";
import type { Parts } from "./parts.ts";
import { mountComments } from "./routes.ts";
import { commentsOf } from "./show.ts";
import { treesOf } from "./tree.ts";
import { forgetUser, lockComment, removeOfPages } from "./write.ts";

const PERMISSIONS = (["create", "update", "delete"] as const).flatMap((action): CommentPermission[] => [
  `comment-${action}-all`,
  `comment-${action}-own`,
]);

/** Comments on pages and replies to them (content-api 10). They stay while their page is in the recycle bin. */
export default definePlugin({
  name: "comments",
  requires: ["access", "markup", "users"],
  permissions: { write: ["comments"], read: ["pages", "users"] },
  migrations,
  events: ["comment_create", "comment_update", "comment_delete"],
  adds: PERMISSIONS,
  setup(context) {
    const { contribute, contracts, narrow, on, visible } = context;
    const parts: Parts = {
      db: context.db as unknown as Parts["db"],
      contracts,
      sees: (table, viewer) => visible.where(table, viewer),
    };

    narrow(
      "comments",
      (viewer) => sql<boolean>`exists (select from pages
        where pages.id = comments.page_id and ${visible.where("pages", viewer)})`,
    );
    contribute("hanging", { kind: "page", destroy: removeOfPages });
    contribute("shown", treesOnPages(parts));
    // Whoever takes part in a change sees the comment as it is, not as it was when the request came.
    on("comment_update", {
      filter: async ({ row, draft }, work) => ({ row: await lockComment(row.id, work), draft }),
    });
    on("comment_delete", { filter: (row, work) => lockComment(row.id, work) });
    on("user_delete", { join: ({ id }, work) => forgetUser(id, work) });

    mountComments(context, parts);
  },
});

function treesOnPages(parts: Parts): Shown {
  return {
    kind: "page",
    moment: "read",
    async add(ids, viewer) {
      const byPage = Map.groupBy(await commentsOf(parts, viewer, ids), ({ page_id }) => page_id);
      return new Map(ids.map((id) => [id, { comments: treesOf(byPage.get(id) ?? []) }]));
    },
  };
}
