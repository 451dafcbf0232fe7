/**
 * Comments as answers show them (content-api 10): after a save, in a single read with direct replies, and as the trees of a
 * page. HTML is sanitised each time it is shown, as that of pages is.
 */
import type { UserRef } from "lectern/contracts";
import { type Viewer, yieldToEventLoop } from "lectern/core";
import { type CommentRow, type CommentsContext, type FoundComment, PAGE_TYPE, type StoredPassage } from "./contract.ts";
import { type PageComment, pageCommentsQuery } from "./queries.ts";
import { type CommentTree, treesOf } from "./tree.ts";

/** Sanitised HTML by row, so that each row is sanitised once. */
const SANITIZED = new WeakMap<object, string>();

/** Sanitises the HTML of a row and remembers the result. Long HTML is processed in a child process. */
async function sanitize(context: CommentsContext, row: CommentRow, viewer: Viewer): Promise<void> {
  if (!SANITIZED.has(row)) SANITIZED.set(row, await context.contracts.markup.filtered(row.html, { viewer }));
}

/** Remembers the sanitised HTML of a row for its answer and for the handlers of its event. */
export function rememberSanitized(row: CommentRow, html: string): void {
  SANITIZED.set(row, html);
}

/** The sanitised HTML of a row: the remembered one, else made now. */
export function sanitizedHtml({ contracts: { markup } }: CommentsContext, row: CommentRow): string {
  return SANITIZED.get(row) ?? markup.safe(row.html);
}

/** A comment as the answer to a save shows it (content-api 10.1). */
export function savedComment(context: CommentsContext, row: CommentRow) {
  return {
    id: row.id,
    commentable_id: row.page_id,
    commentable_type: PAGE_TYPE,
    parent_id: row.parent_id,
    local_id: row.local_id,
    content_ref: row.content_ref,
    created_by: row.created_by,
    updated_by: row.updated_by,
    created_at: row.created_at,
    updated_at: row.updated_at,
    html: sanitizedHtml(context, row),
    archived: row.archived,
    ...(row.markdown !== null && { markdown: row.markdown }),
    ...(row.passage && { passage: shownPassage(row.passage) }),
  };
}

function shownPassage({ quote, place, outdated }: StoredPassage) {
  return { quote, content_ref: place, outdated };
}

type SavedComment = ReturnType<typeof savedComment>;

/** Presents many comments. Yields to the event loop in between. */
async function presentAll<Row extends CommentRow>(
  context: CommentsContext,
  found: readonly Row[],
  viewer: Viewer,
): Promise<Map<Row, SavedComment>> {
  const presented = new Map<Row, SavedComment>();
  const yieldNow = yieldToEventLoop();
  for (const row of found) {
    await sanitize(context, row, viewer);
    presented.set(row, savedComment(context, row));
    await yieldNow();
  }
  return presented;
}

/** A comment in full, with its direct replies (content-api 10.4). */
export async function presentComment(
  context: CommentsContext,
  { people, replies = [], ...row }: FoundComment,
  viewer: Viewer,
) {
  const presented = await presentAll(context, replies, viewer);
  await sanitize(context, row, viewer);
  const { created_by = null, updated_by = null } = people ?? {};
  return { ...savedComment(context, row), created_by, updated_by, replies: [...presented.values()] };
}

/** A comment within the tree of a page (content-api 10.5). */
type TreeComment = SavedComment | { readonly created_by: UserRef | null };

/** The comments of a page: active threads and archived ones. */
type PageComments = {
  readonly comments: { active: CommentTree<TreeComment>[]; archived: CommentTree<TreeComment>[] };
};

/** Makes the function that adds their comments to the answers of pages, by id of the page. */
export function pageCommentsPresenter(
  context: CommentsContext,
): (pageIds: readonly number[], viewer: Viewer) => Promise<Map<number, PageComments>> {
  const findPageComments = pageCommentsQuery(context);
  return async (pageIds, viewer) => {
    const found = await findPageComments(pageIds, viewer);
    const presented = await presentAll(context, found, viewer);
    const byPage = Map.groupBy(found, ({ page_id }) => page_id);
    return new Map(pageIds.map((id) => [id, asTrees(byPage.get(id) ?? [], presented)]));
  };
}

/** The comments of one page, oldest first, as its answer shows them. */
export async function presentPageComments(
  context: CommentsContext,
  found: readonly PageComment[],
  viewer: Viewer,
): Promise<PageComments> {
  return asTrees(found, await presentAll(context, found, viewer));
}

function asTrees(found: readonly PageComment[], presented: ReadonlyMap<PageComment, SavedComment>): PageComments {
  const comments = treesOf(found, (row) => ({
    // presentAll() has an entry for each row it was given.
    ...(presented.get(row) as SavedComment),
    created_by: row.author,
  }));
  return { comments };
}
