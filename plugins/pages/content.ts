import { type Contracts, type EmbeddedPicture, holds, type StoredContent, type Viewer, type Work } from "lectern/core";
import type { Parts } from "./parts.ts";

/** What a body says about content. */
interface Sent {
  readonly html?: string | undefined;
  readonly markdown?: string | undefined;
}

type Content = Parameters<Contracts["markup"]["store"]>[0];

const DEFAULT_EDITOR = "wysiwyg";

/** The content to store, undefined where none was sent: Markdown wins unless it is empty (content-api 8.2, 8.3). */
export function contentIn({ html, markdown }: Sent): Content | undefined {
  if (markdown !== undefined && markdown !== "") return { markdown };
  return html === undefined && markdown === undefined ? undefined : { html: html ?? "" };
}

/** The columns of the content, and what is derived from it, embedded pictures kept for the page that `pageId` names. */
export async function storedContent(
  parts: Parts,
  content: Content,
  pageId: () => Promise<number>,
  work: Work,
): Promise<StoredContent> {
  const keeper = parts.pictureKeeper();
  if (!keeper) return parts.contracts.markup.store(content);
  const saveImage = async (picture: EmbeddedPicture) => keeper.keep(picture, await pageId(), work);
  return parts.contracts.markup.store(content, { saveImage });
}

/** The editor of a page after a save; `present` is undefined for a new page (content-api 8.5). */
export function editorAfter(sent: Sent, present: string | undefined, viewer: Viewer): string {
  const current = present ?? DEFAULT_EDITOR;
  if (!holds(viewer, "editor-change")) return current;
  const content = contentIn(sent);
  if (!content || ("html" in content && content.html === "")) return current;
  if ("markdown" in content) return "markdown";
  return current === "markdown" ? DEFAULT_EDITOR : current;
}
