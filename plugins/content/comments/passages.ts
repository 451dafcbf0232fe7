/**
 * The passages of pages that comments are about. A create names one by `content_ref`, by the text of the passage (`quote`), or by both; what is
 * found is kept with what stands around it. When the content of a page changes, its passages are found again in the transaction of the
 * change, and those that are gone are marked. So a passage follows its text from each change to the next, reads and screens cost
 * nothing more, and the API says what screens show. `content_ref` itself stays as it was sent, as in the original.
 *
 * What a page includes of other pages is not looked at: a passage that is not in the page itself is none of a page without includes, and of one
 * with includes is neither found nor gone.
 */
import type { EventTransaction } from "lectern/core";
import { invalidFields, sql } from "lectern/core";
import { prepared } from "lectern/db";
import type { CommentsContext, StoredPassage } from "./contract.ts";

const content = prepared("comments.pageContent", (db, p: { id: number }) =>
  db.selectFrom("pages").select(["html", "rendered"]).where("id", "=", p.id),
);

const ofPage = prepared("comments.passages", (db, p: { pageId: number }) =>
  db.selectFrom("comments").select(["id", "passage"]).where("page_id", "=", p.pageId).where("passage", "is not", null),
);

const write = prepared("comments.writePassage", (db, p: { id: number; passage: string }) =>
  db
    .updateTable("comments")
    .set({ passage: sql<StoredPassage>`${p.passage}::text::jsonb` })
    .where("id", "=", p.id),
);

/** A page as its passages are found in it: `rendered` is null for one with includes. */
interface Content {
  readonly html: string;
  readonly rendered: string | null;
}

/**
 * The passage that a new comment names; null where it names none, or one that cannot be known. Throws ApiError 422 for a quote alone that is not in the
 * page.
 */
export async function passageOf(
  { contracts: { markup } }: CommentsContext,
  pageId: number,
  { contentRef, quote }: { readonly contentRef: string; readonly quote: string },
  { db, viewer }: EventTransaction,
): Promise<StoredPassage | null> {
  if (contentRef === "" && quote.trim() === "") return null;
  const page = await content.executeTakeFirst(db, { id: pageId });
  const [found] = page ? await markup.passages(textOf(page), [{ place: contentRef, quote }], { viewer }) : [];
  if (found) return { ...found, outdated: false };
  if (quote.trim() === "") return null;
  if (contentRef === "") throw invalidFields({ quote: "The quote is not in the page." });
  // The page has changed while the comment was written, or includes the passage.
  const said = quote.trim().replace(/\s+/g, " ");
  return { place: contentRef, quote: said, before: "", after: "", outdated: page?.rendered !== null };
}

/** Finds the passages of a page again, whose content has changed. */
export async function refindPassages(
  { contracts: { markup } }: CommentsContext,
  { id, ...page }: Content & { readonly id: number },
  { db, viewer }: EventTransaction,
): Promise<void> {
  const kept = await ofPage.execute(db, { pageId: id });
  if (kept.length === 0) return;
  const known = kept.flatMap(({ id: comment, passage }) => (passage ? [{ comment, passage }] : []));
  const found = await markup.passages(
    textOf(page),
    known.map(({ passage }) => passage),
    { viewer },
  );
  for (const [at, { comment, passage }] of known.entries()) {
    const now = found[at];
    const next = now ? { ...now, outdated: false } : { ...passage, outdated: page.rendered !== null };
    if (!Bun.deepEquals(next, passage)) await write.execute(db, { id: comment, passage: JSON.stringify(next) });
  }
}

function textOf({ html, rendered }: Content): string {
  return rendered ?? html;
}
