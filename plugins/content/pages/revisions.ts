/** Revisions: what a write of a page adds to it, in the same statement, so that a page is written in one round trip. */
import type { InsertQueryBuilder, QueryCreator, UpdateQueryBuilder } from "kysely";
import { authorOf, type EventTransaction, sql } from "lectern/core";
import { prepared, type Tables } from "lectern/db";
import type { PageRow, PagesContext } from "./contract.ts";

/** The parameters of a revision. */
export interface RevisionParameters {
  readonly summary: string;
  readonly author: number | null;
}

/**
 * A statement that runs `write`, which writes one page and returns all of it, and inserts the new state as a revision. It
 * returns the page; nothing where `write` wrote nothing.
 */
export function withRevision(
  db: QueryCreator<Tables>,
  write: UpdateQueryBuilder<Tables, "pages", "pages", PageRow> | InsertQueryBuilder<Tables, "pages", PageRow>,
  p: RevisionParameters,
) {
  return db
    .with("written", () => write)
    .with("kept", (query) =>
      query
        .insertInto("page_revisions")
        .columns([
          "page_id",
          "number",
          "name",
          "slug",
          "book_slug",
          "html",
          "markdown",
          "text",
          "summary",
          "created_by",
        ])
        .expression(
          query
            .selectFrom("written")
            .leftJoin("books", "books.id", "written.book_id")
            .select(["written.id", "written.revision_count", "written.name", "written.slug"])
            .select((eb) => eb.fn.coalesce("books.slug", sql.lit("")).as("book_slug"))
            .select(["written.html", "written.markdown", "written.text"])
            .select([sql<string>`${p.summary}`.as("summary"), sql<number>`${p.author}::integer`.as("created_by")]),
        ),
    )
    .selectFrom("written")
    .selectAll();
}

const deleteOlder = prepared("pages.deleteOlderRevisions", (db, p: { pageId: number; limit: number }) =>
  db
    .deleteFrom("page_revisions")
    .where("page_id", "=", p.pageId)
    .where("id", "in", (eb) =>
      eb
        .selectFrom("page_revisions")
        .select("id")
        .where("page_id", "=", p.pageId)
        .orderBy("id", "desc")
        .offset(sql<number>`${p.limit}::integer`),
    ),
);

/** The parameters of the revision that a transaction makes. */
export function revisionBy(tx: EventTransaction, summary: string): RevisionParameters {
  return { summary, author: authorOf(tx.viewer) };
}

/** Deletes all but the newest revisions of a page that was just written. */
export async function deleteOlderRevisions(
  { revisionLimit }: Pick<PagesContext, "revisionLimit">,
  { id, revision_count }: PageRow,
  tx: EventTransaction,
): Promise<void> {
  if (revisionLimit > 0 && revision_count > revisionLimit)
    await deleteOlder.write(tx.db, { pageId: id, limit: revisionLimit });
}
