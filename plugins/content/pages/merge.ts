/**
 * Merges a text that was changed with what others have saved since. It answers the merged text and saves nothing: the writer
 * sees what collides first, and saves with the revision_count that the answer tells.
 */
import { ApiError, endpoint, idOf, notFound, type Viewer } from "lectern/core";
import { prepared } from "lectern/db";
import { mergeRules, type PagesContext, pageMergeSchema } from "./contract.ts";
import { mergeAbout, mergeExample } from "./docs.ts";
import { pageFinder } from "./queries.ts";

const OTHER_FORMAT = new ApiError(409, "This page has been changed to another format.");
const NO_BASE = new ApiError(409, "The revision that you started from is no longer kept.");

// A change of other fields counts up, but makes no revision.
const contentAt = prepared("pages.contentAt", (db, p: { pageId: number; number: number }) =>
  db
    .selectFrom("page_revisions")
    .select(["html", "markdown"])
    .where("page_id", "=", p.pageId)
    .where("number", "<=", p.number)
    .orderBy("number", "desc")
    .limit(1),
);

/** Mounts the route that merges a text with the page. */
export function mountMerge(context: PagesContext): void {
  const { app, contracts, db, validate } = context;
  const find = pageFinder(context);
  const pageOf = async (viewer: Viewer, param: string) => {
    const page = await find.visible(viewer, idOf(param, "Page"));
    if (!page) throw notFound("Page");
    return page;
  };
  app.post(
    "/pages/:id/merge",
    async ({ viewer, params, input }) => {
      const page = await pageOf(viewer, params.id);
      await contracts.access.need(viewer, "page-update", page);
      const { base_revision, html, markdown } = await validate(mergeRules, input, viewer);
      const [format, mine] =
        markdown === undefined ? (["html", html ?? ""] as const) : (["markdown", markdown] as const);
      const isMarkdown = page.markdown !== "";
      const number = Number(base_revision);
      const base =
        number > page.revision_count ? undefined : await contentAt.executeTakeFirst(db, { pageId: page.id, number });
      if (!base) throw NO_BASE;
      if (isMarkdown !== (format === "markdown") || (base.markdown !== "") !== isMarkdown) throw OTHER_FORMAT;
      const texts = { base: base[format], mine, theirs: page[format] };
      const parts = await contracts.markup.merge(format, texts, { viewer });
      const isSettled = parts.every((part) => "text" in part);
      const text = isSettled ? parts.map((part) => ("text" in part ? part.text : "")).join("") : null;
      return { revision_count: page.revision_count, format, text, parts: [...parts] };
    },
    {
      permit: "access-api",
      response: pageMergeSchema,
      ...endpoint("pages", "merge", { about: mergeAbout, rules: mergeRules, example: mergeExample, errors: [409] }),
    },
  );
}
