import type { EmbeddedPicture, PreparedContent, SentContent, StoredContent } from "lectern/contracts";
import { type EventTransaction, hasPermission, type Viewer } from "lectern/core";
import type { Parts } from "./parts.ts";

/** What a body says about content. */
interface Sent {
  readonly html?: string | undefined;
  readonly markdown?: string | undefined;
}

interface Prepared {
  readonly source: string;
  readonly content: PreparedContent;
}

/** What was made of the content of drafts before their transactions began. */
const PREPARED = new WeakMap<Sent, Prepared>();

const DEFAULT_EDITOR = "wysiwyg";

/** The content to store, undefined where none was sent: Markdown wins unless it is empty (content-api 8.2, 8.3). */
export function contentIn({ html, markdown }: Sent): SentContent | undefined {
  if (markdown !== undefined && markdown !== "") return { markdown };
  return html === undefined && markdown === undefined ? undefined : { html: html ?? "" };
}

/** Does what takes long before a transaction begins, so that nobody waits for a connection or a lock meanwhile. */
export async function prepareContent(parts: Parts, draft: Sent, viewer: Viewer): Promise<void> {
  const content = contentIn(draft);
  if (content)
    PREPARED.set(draft, {
      source: sourceOf(content),
      content: await parts.contracts.markup.prepare(content, { viewer }),
    });
}

function sourceOf(content: SentContent): string {
  return "html" in content ? content.html : content.markdown;
}

/**
 * The columns of the content of a draft, and what is derived from it, embedded pictures kept for the page that `pageId`
 * names; no content is an empty one.
 */
export async function storedContent(
  parts: Parts,
  draft: Sent,
  pageId: () => Promise<number>,
  tx: EventTransaction,
): Promise<StoredContent> {
  const { viewer } = tx;
  const { markup } = parts.contracts;
  const keeper = parts.pictureKeeper();
  const saveImage = keeper && (async (picture: EmbeddedPicture) => keeper.keep(picture, await pageId(), tx));
  const content = contentIn(draft) ?? { html: "" };
  const known = PREPARED.get(draft);
  // A handler in between may have changed the draft.
  const prepared = known?.source === sourceOf(content) ? known.content : await markup.prepare(content, { viewer });
  const stored = await prepared.keep(saveImage);
  const hooks = parts.hooks().flatMap(({ preStore }) => preStore ?? []);
  if (hooks.length === 0) return stored;
  const page = { id: await pageId() };
  let { html } = stored;
  for (const hook of hooks) html = (await hook(html, page)) ?? html;
  // What is shown and found must follow from what is stored.
  return html === stored.html ? stored : { ...(await markup.store({ html }, { viewer })), markdown: stored.markdown };
}

/** The editor of a page after a save; `present` is undefined for a new page (content-api 8.5). */
export function editorAfter(sent: Sent, present: string | undefined, viewer: Viewer): string {
  const current = present ?? DEFAULT_EDITOR;
  if (!hasPermission(viewer, "editor-change")) return current;
  const content = contentIn(sent);
  if (!content || ("html" in content && content.html === "")) return current;
  if ("markdown" in content) return "markdown";
  return current === "markdown" ? DEFAULT_EDITOR : current;
}
