/**
 * Merges a text that was changed with what others have saved since. It answers the merged text and saves nothing: the writer
 * sees what collides first, and saves with the revision_count that the answer tells.
 */
import type { MergedPart } from "lectern/contracts";
import { ApiError, endpoint, hasPermission, idOf, invalidFields, notFound, type Viewer } from "lectern/core";
import { prepared } from "lectern/db";
import { mergeRules, type PagesContext, pageMergeSchema } from "./contract.ts";
import { mergeAbout, mergeExample } from "./docs.ts";
import { mergeNames, mergeTags } from "./merge_fields.ts";
import { pageFinder } from "./queries.ts";

const NO_BASE = new ApiError(409, "The revision that you started from is no longer kept.");

// A change of other fields counts up, but makes no revision.
const contentAt = prepared("pages.contentAt", (db, p: { pageId: number; number: number }) =>
  db
    .selectFrom("page_revisions")
    .select(["name", "html", "markdown", "until_number"])
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
      const { base_revision, html, markdown, name, tags, base_tags } = await validate(mergeRules, input, viewer);
      // An empty text is one: the writer may have removed all of it.
      if (html === undefined && markdown === undefined)
        throw invalidFields({ html: "The html field is required when markdown is not present." });
      const number = Number(base_revision);
      const base =
        number > page.revision_count ? undefined : await contentAt.executeTakeFirst(db, { pageId: page.id, number });
      if (!base || number > (base.until_number ?? number)) throw NO_BASE;
      const format = markdown !== undefined && isMarkdown(base) && isMarkdown(page) ? "markdown" : "html";
      const mine =
        markdown === undefined || format === "markdown"
          ? (markdown ?? html ?? "")
          : await contracts.markup.preview({ markdown }, { viewer });
      const texts = { base: base[format], mine, theirs: page[format] };
      const parts = await contracts.markup.merge(format, texts, { viewer });
      const isSettled = parts.every((part) => "text" in part);
      const text = isSettled ? parts.map((part) => ("text" in part ? part.text : "")).join("") : null;
      const read = contracts.tags.read;
      const sides = { base: base_tags && read(base_tags), mine: read(tags ?? []), theirs: page.tags };
      // What only the revision has is for those alone who see revisions.
      const shown = hasPermission(viewer, "revision-view-all") ? (part: MergedPart) => part : withoutBase;
      return {
        ...{ revision_count: page.revision_count, format, text, parts: parts.map(shown) },
        ...(name === undefined ? {} : { name: shown(mergeNames({ base: base.name, mine: name, theirs: page.name })) }),
        ...(tags === undefined ? {} : { tags: mergeTags(sides) }),
      };
    },
    {
      permit: "access-api",
      response: pageMergeSchema,
      ...endpoint("pages", "merge", { about: mergeAbout, rules: mergeRules, example: mergeExample, errors: [409] }),
    },
  );
}

function withoutBase(part: MergedPart): MergedPart {
  return "text" in part ? part : { ...part, base: "" };
}

/** Whether a text is Markdown, or none, which is either format. */
function isMarkdown({ html, markdown }: { readonly html: string; readonly markdown: string }): boolean {
  return markdown !== "" || html === "";
}
