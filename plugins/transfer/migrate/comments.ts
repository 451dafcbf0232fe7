/**
 * Comments of pages, read with their page and written in its transaction. Numbers, replies, archived threads and the place
 * in the page that a comment is about stay as they are; only who has commented here meanwhile moves later ones on.
 */
import type { Json } from "lectern/cli";
import { type EventTransaction, sql } from "lectern/core";
import { rows } from "lectern/db";
import { historyOf, rewritten } from "./content.ts";
import { type Columns, insertRow, keepWithin, updateRow } from "./keep.ts";
import type { Run } from "./run_parts.ts";
import { idIn, listOf, numberOf, objectOf, textOf } from "./values.ts";

/** A comment of the source. */
export interface SourceComment {
  readonly id: number;
  /** Counts the comments of its page there. */
  readonly localId: number;
  /** The `localId` of what it replies to. */
  readonly parentId: number | null;
  /** As it is there. */
  readonly wanted: Columns;
  /** Its columns here. */
  readonly columns: Columns & { readonly html: string };
}

/** The comments of a page as its read shows them, in the order they were made; places are kept for new ones. */
export async function commentsIn(run: Run, page: Json, what: string): Promise<SourceComment[]> {
  if (page.comments === undefined) {
    run.report.remark(
      "The source shows no comments over its API, as older versions of BookStack do not: none are copied.",
    );
    return [];
  }
  const { active, archived } = objectOf(page.comments);
  const comments: SourceComment[] = [];
  for (const comment of [...flat(active), ...flat(archived)]) {
    const id = idIn(comment);
    const localId = numberOf(comment.local_id);
    if (id === undefined || localId === undefined) continue;
    const { owned_by: _, ...history } = historyOf(run, comment);
    const parentId = numberOf(comment.parent_id) ?? null;
    const html = textOf(comment.html);
    const facts = { content_ref: textOf(comment.content_ref), archived: comment.archived === true, ...history };
    const changed = rewritten(run, `comment on ${what}`, html).text;
    const columns = { ...facts, html: await run.contracts.markup.comment(changed) };
    comments.push({ id, localId, parentId, wanted: { ...facts, html }, columns });
  }
  const wishes = comments.map(({ id }) => ({ id, slug: "", name: "", scope: 0 }));
  await run.state.reserve("comment", wishes);
  return comments.sort((one, other) => one.localId - other.localId);
}

/** The comments of trees, with all replies. */
function flat(trees: unknown): Json[] {
  const found: Json[] = [];
  for (const waiting = listOf(trees).reverse(); waiting.length > 0; ) {
    const node = waiting.pop() as Json;
    found.push(objectOf(node.comment));
    waiting.push(...listOf(node.children).reverse());
  }
  return found;
}

/** Copies the comments of a page within its transaction; numbers stay as they are unless somebody commented here. */
export async function copyComments(
  run: Run,
  pageId: number,
  comments: readonly SourceComment[],
  tx: EventTransaction,
): Promise<void> {
  const page = run.state.get("page", pageId)?.own_id ?? 0;
  const numbers = new Map(await present(page, tx));
  const localOf = new Map<number, number>();
  for (const { id, localId, parentId, wanted, columns } of comments) {
    const ownId = run.state.get("comment", id)?.own_id ?? 0;
    const used = new Set(numbers.values());
    const parent = parentId === null ? null : (localOf.get(parentId) ?? parentId);
    // A reply must count higher than what it replies to.
    const isFree = !used.has(localId) && localId > (parent ?? 0);
    const local = numbers.get(ownId) ?? (isFree ? localId : Math.max(0, ...used) + 1);
    const write = async ({ own }: { own: { readonly id: number } | undefined }) => {
      const { html, content_ref } = columns;
      const update = (_: unknown, inner: EventTransaction) => updateRow(inner, "comments", ownId, columns);
      const create = (_: unknown, inner: EventTransaction) =>
        insertRow(inner, "comments", { ...columns, id: ownId, page_id: page, local_id: local, parent_id: parent });
      const draft = { page_id: page, html, ...(parent !== null && { reply_to: parent }) };
      if (own) await tx.perform("comment_update", { row: own as never, draft: { html } }, update as never);
      else await tx.perform("comment_create", { ...draft, content_ref: String(content_ref) }, create as never);
    };
    const outcome = await keepWithin(run, { kind: "comment", id, wanted, write }, tx, undefined);
    if (outcome !== "removed") {
      numbers.set(ownId, local);
      localOf.set(localId, local);
    }
    tx.afterCommit(() => run.report.count("comment", outcome));
  }
}

/** The numbers of comments that are on a page here, by their ids; the page is locked, so that none is added meanwhile. */
async function present(pageId: number, tx: EventTransaction): Promise<[id: number, local: number][]> {
  await rows(tx.db, sql`select from pages where id = ${pageId}::integer for no key update`);
  const found = await rows<{ id: number; local_id: number }>(
    tx.db,
    sql`select id, local_id from comments where page_id = ${pageId}::integer`,
  );
  return found.map(({ id, local_id }) => [id, local_id]);
}
