import { join } from "node:path";
import { type Children, inTurn, type Viewer } from "lectern/core";

/** Texts of up to this many characters are converted in the server process, longer ones in a child process. */
export const MAX_INLINE_CHARS = 16_384;

/**
 * HTML for PDF engines (content-api 15.4): frames become links, `<details>` are opened, and attributes that an engine would
 * fetch something for are removed, since it runs inside the operator's network and may ignore the document's
 * Content-Security-Policy.
 */
export function printable(html: string): string {
  return html
    .replace(/<iframe\b([^>]*)><\/iframe>/g, (frame, attributes: string) => {
      const source = /\bsrc="([^"]*)"/.exec(attributes)?.[1];
      if (source === undefined) return frame;
      const address = source.replace(/^\/\//, "https://");
      return `<p><a href="${address}">${address}</a></p>`;
    })
    .replace(/<details(?=[\s>])/g, "<details open")
    .replace(/<[a-z][^>]*>/gi, withoutLoads);
}

/** The same for HTML of any length; long HTML is converted in a child process, which counts for the viewer. */
export async function printableFor(children: Children, html: string, viewer: Viewer): Promise<string> {
  const owner = `viewer ${viewer.id}`;
  if (html.length <= MAX_INLINE_CHARS) return inTurn(owner, () => printable(html));
  const module = join(import.meta.dir, "child_tasks.ts");
  return children.run(html, { module, task: "printable", owner, exceeded: 503 });
}

/** Removes what loads something from a tag. Stored HTML has `>` in attributes as an entity, so that the pattern finds tag ends. */
function withoutLoads(tag: string): string {
  return tag.replace(/\s(background|style)=(?:"[^"]*"|'[^']*')/gi, (attribute, name: string) => {
    // A CSS escape may spell any of these words.
    const loads = name.toLowerCase() === "background" || /\\|url|image|@|\bsrc\b/i.test(attribute);
    return loads ? "" : attribute;
  });
}
