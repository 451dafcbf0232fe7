/**
 * HTML as Markdown, in the dialect of content-api 15.6: what Markdown has no word for stays HTML. Turndown does the work;
 * the rules of `turndown.ts` are where that dialect differs from it. Long texts take seconds, so a child process converts
 * them, and one that takes too long stays HTML, which is Markdown as well.
 */
import { join } from "node:path";
import { ApiError, type Children, type Viewer } from "lectern/core";
import { convert } from "./turndown.ts";

/** Characters up to which the server's own process converts: some 20 ms of work. */
const OWN_CHARS = 10_000;

/** HTML as Markdown, without blank lines at either end. Rejects with ApiError 503 where too much waits to be converted. */
export async function toMarkdown(children: Children, html: string, viewer: Viewer): Promise<string> {
  try {
    return html.length > OWN_CHARS ? await byChild(children, html, viewer) : convert(html);
  } catch (error) {
    if (error instanceof ApiError && error.status === 503) throw error;
    // It takes too long, or is nested deeper than the converter can follow.
    return html;
  }
}

function byChild(children: Children, html: string, viewer: Viewer): Promise<string> {
  const module = join(import.meta.dir, "child_tasks.ts");
  return children.run(html, { module, task: "toMarkdown", owner: `viewer ${viewer.id}` });
}
