/**
 * Converts HTML to Markdown in the dialect of content-api 15.6, in which elements that Markdown lacks stay HTML. Turndown
 * converts; `turndown.ts` has the rules in which the dialect differs from it. Long texts take seconds, so they are converted
 * in a child process; one that exceeds its limits is returned as HTML, which is valid Markdown.
 */
import { join } from "node:path";
import { ApiError, type Children, inTurn, type Viewer } from "lectern/core";

/** Texts of up to this many characters are converted in the server process, which takes 20 ms at most. */
export const MAX_INLINE_CHARS = 4_000;
/** The same for tags: the time depends on the depth of the elements, too. */
const MAX_INLINE_TAGS = 100;

/**
 * Converts HTML to Markdown without leading and trailing blank lines; with `isEdited`, simple tables become tables of Markdown. Rejects
 * with ApiError 503 where the queue of tasks is full.
 */
export async function toMarkdown(
  children: Children,
  html: string,
  viewer: Viewer,
  { isEdited = false }: { readonly isEdited?: boolean } = {},
): Promise<string> {
  try {
    if (!isShort(html))
      return await convertInChild(children, html, viewer, isEdited ? "toEditedMarkdown" : "toMarkdown");
    // Loaded at its first use: it is a sixteenth of what a start loads.
    const { convert, convertForEditing } = await import("./turndown.ts");
    return await inTurn(`viewer ${viewer.id}`, () => (isEdited ? convertForEditing(html) : convert(html)));
  } catch (error) {
    if (error instanceof ApiError && error.status === 503) throw error;
    // The conversion timed out, or the HTML is nested too deep for Turndown.
    return html;
  }
}

function isShort(html: string): boolean {
  return html.length <= MAX_INLINE_CHARS && html.split("<", MAX_INLINE_TAGS + 2).length <= MAX_INLINE_TAGS + 1;
}

function convertInChild(children: Children, html: string, viewer: Viewer, task: string): Promise<string> {
  const module = join(import.meta.dir, "child_tasks.ts");
  return children.run(html, { module, task, owner: `viewer ${viewer.id}` });
}
