/**
 * Copies comments with their page and in its transaction. Local ids, replies, archived threads and references into the page
 * are kept, except that comments written here in the meantime keep their local ids and later ones get higher ones.
 */
import type { Selectable } from "kysely";
import type { Json } from "lectern/cli";
import { type EventTransaction, sql } from "lectern/core";
import type { Tables } from "lectern/db";
import { insertRow, type Row, updateRow, writeWithin } from "./changes.ts";
import { type History, historyOf, rewriteText } from "./content.ts";
import type { MigrateContext } from "./contract.ts";
import { idIn, listOf, numberOf, objectOf, textOf } from "./values.ts";

/** A comment of the source. */
export interface SourceComment {
  readonly id: number;
  /** Its number on the page at the source. */
  readonly localId: number;
  /** The `localId` of the comment it replies to. */
  readonly parentId: number | null;
  /** Its state at the source. */
  readonly desired: object;
  /** Its columns here, with addresses rewritten and HTML sanitised. */
  readonly columns: Pick<Selectable<Tables["comments"]>, "html" | "markdown" | "content_ref" | "archived"> &
    Omit<History, "owned_by">;
  /** The JSON of the passage that it is about. */
  readonly passage: string | null;
}

/** The comments of a page, given in full, in order of `localId`; ids here are reserved for new ones. */
export async function commentsIn(context: MigrateContext, page: Json, label: string): Promise<SourceComment[]> {
  if (page.comments === undefined) {
    context.report.remark(
      "No comments are copied, as the API of the source does not provide them (an older version of BookStack).",
    );
    return [];
  }
  const { active, archived } = objectOf(page.comments);
  const comments: SourceComment[] = [];
  const all = [...flatten(active), ...flatten(archived)];
  const passages = await passagesOf(context, page, all);
  for (const comment of all) {
    const id = idIn(comment);
    const localId = numberOf(comment.local_id);
    if (id === undefined || localId === undefined) continue;
    const { owned_by: _, ...history } = historyOf(context, comment);
    const parentId = numberOf(comment.parent_id) ?? null;
    const html = textOf(comment.html);
    const source = typeof comment.markdown === "string" ? comment.markdown : undefined;
    const facts = { content_ref: textOf(comment.content_ref), archived: comment.archived === true, ...history };
    const changed = rewriteText(context, `comment on ${label}`, source ?? html).text;
    const { markup } = context.contracts;
    const columns =
      source === undefined
        ? { ...facts, html: await markup.comment(changed), markdown: null }
        : { ...facts, html: await markup.commentOfMarkdown(changed), markdown: changed };
    // The hash of a comment in HTML is that of versions that knew no Markdown.
    const desired = { ...facts, html, ...(source !== undefined && { markdown: source }) };
    comments.push({ id, localId, parentId, desired, columns, passage: passages.get(comment) ?? null });
  }
  const requests = comments.map(({ id }) => ({ id, slug: "", name: "", scope: 0 }));
  await context.state.reserve("comment", requests);
  return comments.sort((one, other) => one.localId - other.localId);
}

/** The JSON of the passages that comments are about, found in the page of the source. */
async function passagesOf(
  { contracts }: MigrateContext,
  page: Json,
  comments: readonly Json[],
): Promise<Map<Json, string>> {
  const about = comments.flatMap((comment) => {
    const { quote, content_ref, outdated } = objectOf(comment.passage);
    const place = textOf(content_ref) || textOf(comment.content_ref);
    return place === "" ? [] : [{ comment, place, quote: textOf(quote), isOutdated: outdated === true }];
  });
  if (about.length === 0) return new Map();
  const found = await contracts.markup.passages(textOf(page.html), about);
  const stored = about.flatMap(({ comment, place, quote, isOutdated }, at): [Json, string][] => {
    const now = found[at] ?? (isOutdated ? { place, quote, before: "", after: "" } : undefined);
    return now ? [[comment, JSON.stringify({ ...now, outdated: !found[at] })]] : [];
  });
  return new Map(stored);
}

/** The comments of threads, with all replies. */
function flatten(trees: unknown): Json[] {
  const found: Json[] = [];
  for (const stack = listOf(trees).reverse(); stack.length > 0; ) {
    const node = stack.pop() as Json;
    found.push(objectOf(node.comment));
    stack.push(...listOf(node.children).reverse());
  }
  return found;
}

/** Copies the comments of a page within its transaction; a local id that is taken here is replaced by a higher one. */
export async function copyComments(
  context: MigrateContext,
  pageId: number,
  comments: readonly SourceComment[],
  tx: EventTransaction,
): Promise<void> {
  const page = context.state.get("page", pageId)?.own_id ?? 0;
  const assigned = new Map(await lockComments(page, tx));
  const newLocalIds = new Map<number, number>();
  for (const { id, localId, parentId, desired, columns, passage } of comments) {
    const targetId = context.state.get("comment", id)?.own_id ?? 0;
    const used = new Set(assigned.values());
    const parent = parentId === null ? null : (newLocalIds.get(parentId) ?? parentId);
    // The local id of a reply must be higher than that of the comment it replies to.
    const isFree = !used.has(localId) && localId > (parent ?? 0);
    const newLocalId = assigned.get(targetId) ?? (isFree ? localId : Math.max(0, ...used) + 1);
    const write = async ({ existing }: { existing: Row<"comment"> | undefined }) => {
      const { html, content_ref } = columns;
      const update = (_: unknown, inner: EventTransaction) => updateRow(inner, "comments", targetId, columns);
      const create = (_: unknown, inner: EventTransaction) =>
        insertRow(inner, "comments", {
          ...columns,
          id: targetId,
          page_id: page,
          local_id: newLocalId,
          parent_id: parent,
          passage: sql<Selectable<Tables["comments"]>["passage"]>`${passage}::text::jsonb`,
        });
      const draft = { page_id: page, html, ...(parent !== null && { reply_to: parent }) };
      if (existing) await tx.perform("comment_update", { row: existing, draft: { html } }, update);
      else await tx.perform("comment_create", { ...draft, content_ref: String(content_ref) }, create);
    };
    const outcome = await writeWithin(context, { kind: "comment", id, desired, write }, tx, undefined);
    if (outcome !== "removed") {
      assigned.set(targetId, newLocalId);
      newLocalIds.set(localId, newLocalId);
    }
    // Reported by each run, until it is overwritten.
    if (outcome === "edited") context.marks.leaveOpen("page", pageId);
    tx.afterCommit(() => context.report.count("comment", outcome));
  }
}

/** Locks a page against new comments, and returns the ids and local ids of its comments. */
async function lockComments(pageId: number, tx: EventTransaction): Promise<[id: number, newLocalId: number][]> {
  await tx.db.selectFrom("pages").select("id").where("id", "=", pageId).forNoKeyUpdate().execute();
  const found = await tx.db.selectFrom("comments").select(["id", "local_id"]).where("page_id", "=", pageId).execute();
  return found.map(({ id, local_id }) => [id, local_id]);
}
