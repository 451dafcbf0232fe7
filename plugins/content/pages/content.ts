import type { EmbeddedPicture, PreparedContent, SentContent, StoredContent } from "lectern/contracts";
import { type EventTransaction, hasPermission, type OwnValues, type Viewer } from "lectern/core";
import type { PageParent, PageRow, PagesContext, PagesTable } from "./contract.ts";

/** The content fields of a body. */
interface ContentFields {
  readonly html?: string | undefined;
  readonly markdown?: string | undefined;
}

/** Prepared content, and the text that it was made from. */
interface Prepared {
  readonly source: string;
  readonly content: PreparedContent;
}

/** Content that was prepared before the transaction of its draft began. */
const PREPARED = new WeakMap<ContentFields, Prepared>();

const DEFAULT_EDITOR = "wysiwyg";

/** The content to store; undefined where none was sent. Markdown wins unless it is empty (content-api 8.2, 8.3). */
export function contentIn({ html, markdown }: ContentFields): SentContent | undefined {
  if (markdown !== undefined && markdown !== "") return { markdown };
  return html === undefined && markdown === undefined ? undefined : { html: html ?? "" };
}

/** Prepares the content of a draft before its transaction begins: parsing can take long and would hold connection and locks. */
export async function prepareContent(context: PagesContext, draft: ContentFields, viewer: Viewer): Promise<void> {
  const content = contentIn(draft);
  if (content)
    PREPARED.set(draft, {
      source: sourceOf(content),
      content: await context.contracts.markup.prepare(content, { viewer }),
    });
}

function sourceOf(content: SentContent): string {
  return "html" in content ? content.html : content.markdown;
}

/**
 * The content columns of a draft, with everything derived from it. Embedded pictures are stored as images of the page that
 * `pageId` returns. A draft without content is stored as an empty page.
 */
export async function storedContent(
  context: PagesContext,
  draft: ContentFields,
  pageId: () => Promise<number>,
  tx: EventTransaction,
): Promise<StoredContent> {
  const { viewer } = tx;
  const { markup } = context.contracts;
  const [keeper] = context.slot("picture_keeper");
  const saveImage = keeper && (async (picture: EmbeddedPicture) => keeper.keep(picture, await pageId(), tx));
  const content = contentIn(draft) ?? { html: "" };
  const ahead = PREPARED.get(draft);
  // Not where a handler mutated the draft since.
  const prepared = ahead?.source === sourceOf(content) ? ahead.content : await markup.prepare(content, { viewer });
  const stored = await prepared.keep(saveImage);
  const hooks = context.slot("page_content").flatMap(({ preStore }) => preStore ?? []);
  if (hooks.length === 0) return stored;
  const page = { id: await pageId() };
  let { html } = stored;
  for (const hook of hooks) html = (await hook(html, page)) ?? html;
  // Rendered HTML and search text are derived from the stored HTML, so they are made again.
  return html === stored.html ? stored : { ...(await markup.store({ html }, { viewer })), markdown: stored.markdown };
}

/** The editor of a page after a save (content-api 8.5); `present` is undefined for a new page. */
export function editorAfter(sent: ContentFields, present: string | undefined, viewer: Viewer): string {
  const current = present ?? DEFAULT_EDITOR;
  if (!hasPermission(viewer, "editor-change")) return current;
  const content = contentIn(sent);
  if (!content || ("html" in content && content.html === "")) return current;
  if ("markdown" in content) return "markdown";
  return current === "markdown" ? DEFAULT_EDITOR : current;
}

/**
 * The columns that every write of a page's content sets: the name, and all of the table's own but the place. A column that the table
 * gains is then one that each of its statements has to write.
 */
export type ContentColumns = Pick<PageRow, "name"> & Omit<OwnValues<PagesTable>, keyof PageParent | "priority">;

/** These columns, from parameters of their names. */
export function contentColumns({ name, html, markdown, text, rendered, editor }: ContentColumns): ContentColumns {
  return { name, html, markdown, text, rendered, editor };
}
