/**
 * Changes that are told: a row and a job in the transaction of the change, however many watch. Who is told is found by the job (`tell.ts`), so
 * no save waits for it, and a crash loses nothing.
 */
import { authorOf, type EventTransaction, type PluginContext } from "lectern/core";
import { prepared } from "lectern/db";
import type { ToldType } from "./contract.ts";
import { mentionsIn } from "./mentions.ts";

interface NewChange {
  readonly type: ToldType;
  readonly pageId: number;
  readonly commentId: number | null;
  readonly from: number | null;
  readonly to: number | null;
  readonly mentions: readonly string[];
}

const insert = prepared("watching.insertChange", (db, p: NewChange & { readonly author: number | null }) =>
  db
    .insertInto("watched_changes")
    .values({
      type: p.type,
      page_id: p.pageId,
      comment_id: p.commentId,
      author_id: p.author,
      from_revision: p.from,
      to_revision: p.to,
      mentions: p.mentions as string[],
    })
    .returning("id"),
);

/** Records new pages, changes of the name or text of a page, new comments, and changed ones that may mention somebody. What is true of a draft is its author's alone. */
export function recordChanges({ on }: Pick<PluginContext, "on">): void {
  on("page_create", {
    async inTransaction({ id, draft, revision_count: to, text }, tx) {
      if (draft) return;
      await record(
        { type: "page_create", pageId: id, commentId: null, from: null, to, mentions: mentionsIn(text) },
        tx,
      );
    },
  });
  on("page_update", {
    async inTransaction(page, tx, { draft: { row } }) {
      const isSame = page.name === row.name && page.html === row.html && page.markdown === row.markdown;
      if (page.draft || isSame) return;
      const before = new Set(mentionsIn(row.text));
      const mentions = mentionsIn(page.text).filter((slug) => !before.has(slug));
      const [from, to] = [row.revision_count, page.revision_count];
      await record({ type: "page_update", pageId: page.id, commentId: null, from, to, mentions }, tx);
    },
  });
  on("comment_create", {
    // Whom it mentions is read by the job: its text has to be made of its HTML.
    async inTransaction({ id, page_id: pageId }, tx) {
      await record({ type: "comment_create", pageId, commentId: id, from: null, to: null, mentions: [] }, tx);
    },
  });
  on("comment_update", {
    async inTransaction({ id, page_id: pageId, html }, tx, { draft: { row } }) {
      if (html === row.html || !html.includes("@")) return;
      await record({ type: "comment_update", pageId, commentId: id, from: null, to: null, mentions: [] }, tx);
    },
  });
}

async function record(change: NewChange, tx: EventTransaction): Promise<void> {
  const { id } = await insert.executeTakeFirstOrThrow(tx.db, { ...change, author: authorOf(tx.viewer) });
  // Changes of a page are told one after the other, so that those of one author join.
  const place = `page ${change.pageId}`;
  await tx.enqueue("watching_tell", { change_id: id }, { group: place, order: place });
}
