import type { Comparison, Markup } from "lectern/contracts";
import type { Static, Viewer } from "lectern/core";
import type { revisionComparisonSchema, revisionListItemSchema } from "./contract.ts";

/** A revision with what is compared of it; `html` is shown to the reader, `raw_html` stored. */
export interface ComparedRevision {
  readonly revision: Static<typeof revisionListItemSchema>;
  readonly html: string;
  readonly raw_html: string;
  readonly markdown: string;
}

/** Blocks start on a line of their own in compared sources: stored HTML often is one line, which cannot be compared by line. */
const BEFORE_BLOCK =
  /(?<=>)(?=<(?:address|blockquote|caption|details|div|dl|dt|dd|figure|h[1-6]|hr|li|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul)[\s>])/g;

/** The answer about two revisions: their names, sources and contents as shown; null for what is too long to compare. */
export async function compareRevisions(
  markup: Markup,
  before: ComparedRevision,
  after: ComparedRevision,
  viewer: Viewer,
): Promise<Static<typeof revisionComparisonSchema>> {
  const format = before.markdown !== "" && after.markdown !== "" ? "markdown" : "html";
  const sourceOf = (of: ComparedRevision) =>
    format === "markdown" ? of.markdown : of.raw_html.replaceAll(BEFORE_BLOCK, "\n");
  const options = { viewer };
  const [name, source, html] = await Promise.all([
    markup.compare(before.revision.name, after.revision.name, options),
    markup.compare(sourceOf(before), sourceOf(after), options),
    markup.compareHtml(before.html, after.html, options),
  ]);
  return {
    ...{ from: before.revision, to: after.revision, format },
    ...{ name: partsOf(name) ?? [], source: partsOf(source), html: html ?? null },
  };
}

function partsOf(comparison: Comparison) {
  return comparison === "long" ? null : comparison.map((part) => ({ ...part }));
}
