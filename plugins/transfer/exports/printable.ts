import { join } from "node:path";
import type { Children, Viewer } from "lectern/core";

/** Characters up to which the server's own process does the work. */
const OWN_CHARS = 16_384;

/**
 * HTML for engines that print (content-api 15.4): addresses in place of frames, everything unfolded, and nothing that an
 * engine would fetch, since it runs inside the operator's network and not all of them obey a document's policy.
 */
export function printable(html: string): string {
  return html
    .replace(/<iframe\b[^>]*?\bsrc="([^"]*)"[^>]*><\/iframe>/g, (_, source: string) => {
      const address = source.replace(/^\/\//, "https://");
      return `<p><a href="${address}">${address}</a></p>`;
    })
    .replace(/<details(?=[\s>])/g, "<details open")
    .replace(/<[a-z][^>]*>/gi, unloading);
}

/** The same for HTML of any length, on a viewer's behalf. */
export async function printableFor(children: Children, html: string, viewer: Viewer): Promise<string> {
  if (html.length <= OWN_CHARS) return printable(html);
  const module = join(import.meta.dir, "child_tasks.ts");
  return children.run(html, { module, task: "printable", owner: `viewer ${viewer.id}`, exceeded: 503 });
}

/** The runtime writes `>` in attributes as an entity, so a tag ends where it seems to. */
function unloading(tag: string): string {
  return tag.replace(/\s(background|style)=(?:"[^"]*"|'[^']*')/gi, (attribute, name: string) => {
    // An escape may spell any of the words.
    const loads = name.toLowerCase() === "background" || /\\|url|image|@|\bsrc\b/i.test(attribute);
    return loads ? "" : attribute;
  });
}
