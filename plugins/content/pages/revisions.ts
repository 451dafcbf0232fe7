import { authorOf, type EventTransaction, type RawBuilder, sql } from "lectern/core";
import { rows, write } from "lectern/db";
import type { PageRow, PagesContext } from "./contract.ts";

/**
 * Runs a statement that writes one page and returns it (`… returning *`), and inserts the new state as a revision in the
 * same round trip. Returns undefined where the statement wrote nothing.
 */
export async function writeWithRevision(
  { revisionLimit }: Pick<PagesContext, "revisionLimit">,
  statement: RawBuilder<PageRow>,
  summary: string,
  tx: EventTransaction,
): Promise<PageRow | undefined> {
  const [page] = await rows<PageRow>(
    tx.db,
    sql`with written as (${statement}), kept as (
      insert into page_revisions (page_id, number, name, slug, book_slug, html, markdown, text, summary, created_by)
      select written.id, written.revision_count, written.name, written.slug, coalesce(books.slug, ''), written.html,
        written.markdown, written.text, ${summary}, ${authorOf(tx.viewer)}::integer
      from written left join books on books.id = written.book_id)
    select * from written`,
  );
  if (page && revisionLimit > 0 && page.revision_count > revisionLimit) await prune(page.id, revisionLimit, tx);
  return page;
}

/** Deletes all but the newest revisions of a page. */
async function prune(pageId: number, limit: number, tx: EventTransaction): Promise<void> {
  await write(
    tx.db,
    sql`delete from page_revisions where page_id = ${pageId}::integer and id in (
    select id from page_revisions where page_id = ${pageId}::integer order by id desc offset ${limit}::integer)`,
  );
}
