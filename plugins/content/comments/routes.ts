import { endpoint, mountResource, type PluginContext } from "lectern/core";
import { changeComment, deleteComment, htmlOf, insertComment, withHtml } from "./changes.ts";
import {
  type CommentCreate,
  type CommentsContext,
  commentAnswers,
  createRules,
  type FoundComment,
  previewAnswer,
  previewRules,
  sentCreateRules,
  updateRules,
} from "./contract.ts";
import { about, examples, preview } from "./docs.ts";
import { presentComment, savedComment } from "./presenter.ts";
import { findComment, listing } from "./queries.ts";

/** Mounts the five routes of comments, with the order of checks of content-api 1.5, and the preview of Markdown. */
export function mountCommentRoutes(
  plugin: Pick<PluginContext, "app" | "list" | "validate" | "perform">,
  context: CommentsContext,
): void {
  // HTML is made of Markdown before the rules are checked, so that a comment without either is refused in the words of the original.
  const validate: typeof plugin.validate = async (spec, input, viewer) => {
    const checked = Object.is(spec, sentCreateRules) ? createRules : spec;
    // These rules have the fields of the documented ones.
    return plugin.validate(checked as typeof spec, await withHtml(context, input, viewer), viewer);
  };
  plugin.app.post(
    "/comments/preview",
    async ({ viewer, input }) => {
      const { markdown } = await plugin.validate(previewRules, input, viewer);
      const html = await htmlOf(context, markdown, viewer);
      return { html: await context.contracts.markup.filtered(html, { viewer }) };
    },
    {
      permit: "access-api",
      ...endpoint("comments", "preview", { ...preview, rules: previewRules }),
      response: previewAnswer,
    },
  );
  mountResource<FoundComment, typeof sentCreateRules, typeof updateRules, undefined, typeof commentAnswers>(
    { ...plugin, validate },
    {
      name: "comment",
      noun: "Comment",
      path: "/comments",
      create: sentCreateRules,
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
      // Its HTML is there: `validate` requires it.
      insert: (draft, tx) => insertComment(context, draft as CommentCreate, tx),
      change: (row, draft, tx) => changeComment(context, row, draft, tx),
      remove: ({ id }, tx) => deleteComment(id, tx),
      show: async (row, viewer, moment) =>
        moment === "saved" ? savedComment(context, row) : presentComment(context, row, viewer),
    },
  );
}
