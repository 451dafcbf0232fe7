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
  const { markup } = parts.contracts;
  const keeper = parts.pictureKeeper();
  const saveImage = keeper && (async (picture: EmbeddedPicture) => keeper.keep(picture, await pageId(), work));
  const stored = await markup.store(content, saveImage ? { saveImage } : {});
  const hooks = parts.hooks().flatMap(({ preStore }) => preStore ?? []);
  if (hooks.length === 0) return stored;
  const page = { id: await pageId() };
  let { html } = stored;
  for (const hook of hooks) html = (await hook(html, page)) ?? html;
  // What is shown and found must follow from what is stored.
  return html === stored.html ? stored : { ...(await markup.store({ html })), markdown: stored.markdown };
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
