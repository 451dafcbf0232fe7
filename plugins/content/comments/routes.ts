import { mountResource, type PluginContext } from "lectern/core";
import { changeComment, deleteComment, insertComment } from "./changes.ts";
import { type CommentsContext, commentAnswers, createRules, type FoundComment, updateRules } from "./contract.ts";
import { about, examples } from "./docs.ts";
import { presentComment, savedComment } from "./presenter.ts";
import { findComment, listing } from "./queries.ts";

/** Mounts the five routes of comments, with the order of checks of content-api 1.5. */
export function mountCommentRoutes(
  plugin: Pick<PluginContext, "app" | "list" | "validate" | "perform">,
  context: CommentsContext,
): void {
  mountResource<FoundComment, typeof createRules, typeof updateRules, undefined, typeof commentAnswers>(
    plugin,
    {
      name: "comment",
      noun: "Comment",
      path: "/comments",
      create: createRules,
      update: updateRules,
      bodyFirst: false,
      permits: { create: "comment-create-all" },
      list: listing,
      answers: commentAnswers,
      errors: { create: [404] },
      about,
      examples,
    },
    {
      find: (viewer, id) => findComment(context, viewer, id),
      may: (viewer, verb, { id, created_by }) =>
        context.contracts.access.may(viewer, `comment-${verb}`, { id, owned_by: created_by }),
      // The page is looked up after the body has been validated, by the action that locks it (content-api 1.5).
      place: async () => undefined,
      insert: (draft, tx) => insertComment(context, draft, tx),
      change: (row, draft, tx) => changeComment(context, row, draft, tx),
      remove: ({ id }, tx) => deleteComment(id, tx),
      show: async (row, viewer, moment) =>
        moment === "saved" ? savedComment(context, row) : presentComment(context, row, viewer),
    },
  );
}
