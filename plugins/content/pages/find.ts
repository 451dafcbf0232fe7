import { type EventTransaction, notFound, peopleOf, type RawBuilder, sql, type Viewer } from "lectern/core";
import { prepared, rows } from "lectern/db";
import type { FoundPage, PageRow } from "./contract.ts";
import type { Parts } from "./parts.ts";

const ITSELF = sql`pages.id, pages.book_id, pages.chapter_id, pages.name, pages.slug, pages.html, pages.markdown,
  pages.rendered, pages.priority, pages.draft, pages.template, pages.revision_count, pages.editor, pages.created_by,
  pages.updated_by, pages.owned_by, pages.acl_id, pages.created_at, pages.updated_at, pages.deleted_at`;

/** Reads a page, with all its answer needs, in one statement. */
export function pageFinder({ db, contracts: { users, tags }, sees }: Parts) {
  const columns = prepared(
    sql`${ITSELF}, ${peopleOf(users, "pages")} as people, ${tags.of("page", sql.ref("pages.id"))} as tags`,
  );
  const find = async (id: number, where: RawBuilder<boolean>): Promise<FoundPage | undefined> => {
    const [page] = await rows<FoundPage>(
      db,
      sql`select ${columns} from pages where pages.id = ${id}::integer and ${where}`,
    );
    return page;
  };
  return {
    /** The page if the viewer sees it. */
    seen: (viewer: Viewer, id: number): Promise<FoundPage | undefined> => find(id, sees("pages", viewer)),
    /** A page that was just written. Throws 404 where it was removed at once. */
    async written(id: number): Promise<FoundPage> {
      const page = await find(id, sql<boolean>`true`);
      if (!page) throw notFound("Page");
      return page;
    },
  };
}

/** The page as it is now, kept so until the transaction ends. Throws 404 where it was deleted meanwhile. */
export async function lockPage(id: number, tx: EventTransaction): Promise<PageRow> {
  const [page] = await rows<PageRow>(
    tx.db,
    sql`select * from pages where id = ${id}::integer and deleted_at is null for update`,
  );
  if (!page) throw notFound("Page");
  return page;
}
