import type { ContentEntry, ResponseFields } from "lectern/contracts";
import { type EventTransaction, notFound, peopleOf, type RawBuilder, sql, type Viewer } from "lectern/core";
import { flattened, prepared, rows } from "lectern/db";
import { chapterPagesFields, type FoundPage, type PageRow, type PagesContext } from "./contract.ts";
import { pageUrl } from "./urls.ts";

/** The columns of rows of listings and of the pages of a chapter; needs a join with the page's book (content-api 8.1). */
export const LISTED: RawBuilder<unknown> = sql`pages.id, pages.book_id, pages.chapter_id, pages.name, pages.slug,
  pages.priority, pages.draft, pages.revision_count, pages.template, pages.created_at, pages.updated_at,
  pages.created_by, pages.updated_by, pages.owned_by, pages.editor, books.slug as book_slug`;

/** All columns but `text` and `name_key`. */
const COLUMNS = sql`pages.id, pages.book_id, pages.chapter_id, pages.name, pages.slug, pages.html, pages.markdown,
  pages.rendered, pages.priority, pages.draft, pages.template, pages.revision_count, pages.editor, pages.created_by,
  pages.updated_by, pages.owned_by, pages.acl_id, pages.created_at, pages.updated_at, pages.deleted_at`;

/** An entry of a book's contents, as it is read. */
type FoundEntry = Pick<
  PageRow,
  "id" | "name" | "slug" | "book_id" | "chapter_id" | "draft" | "template" | "priority" | "created_at" | "updated_at"
> & { readonly book_slug: string };

/** Reads a page with everything that its answer needs, in one statement. */
export function pageFinder({ db, contracts: { users, tags }, visible }: PagesContext) {
  const columns = flattened(
    sql`${COLUMNS}, ${peopleOf(users, "pages")} as people, ${tags.of("page", sql.ref("pages.id"))} as tags`,
  );
  const find = async (id: number, where: RawBuilder<boolean>): Promise<FoundPage | undefined> => {
    const [page] = await rows<FoundPage>(
      db,
      sql`select ${columns} from pages where pages.id = ${id}::integer and ${where}`,
    );
    return page;
  };
  return {
    /** The page; undefined where the viewer does not see it. */
    visible: (viewer: Viewer, id: number): Promise<FoundPage | undefined> => find(id, visible.where("pages", viewer)),
    /** A page that was just written. Throws 404 where it was removed since. */
    async written(id: number): Promise<FoundPage> {
      const page = await find(id, sql<boolean>`true`);
      if (!page) throw notFound("Page");
      return page;
    },
  };
}

const lockPresent = prepared("pages.lock", (db, p: { id: number }) =>
  db.selectFrom("pages").selectAll().where("id", "=", p.id).where("deleted_at", "is", null).forUpdate(),
);

/** The present row of a page, locked until the transaction ends. Throws 404 where it was deleted since. */
export async function lockPage(id: number, tx: EventTransaction): Promise<PageRow> {
  const page = await lockPresent.executeTakeFirst(tx.db, { id });
  if (!page) throw notFound("Page");
  return page;
}

/** The pages of a book that the viewer sees, drafts first, then by priority and id (content-api 5.3). */
export async function pagesOfBook(context: PagesContext, viewer: Viewer, bookId: number): Promise<ContentEntry[]> {
  const found = await rows<FoundEntry>(
    context.db,
    sql`select pages.id, pages.name, pages.slug, pages.book_id, pages.chapter_id, pages.draft,
      pages.template, pages.priority, pages.created_at, pages.updated_at, books.slug as book_slug
    from pages join books on books.id = pages.book_id
    where pages.book_id = ${bookId}::integer and ${context.visible.where("pages", viewer)}
    order by pages.draft desc, pages.priority, pages.id`,
  );
  return found.map(({ book_slug, ...page }) => ({
    ...page,
    url: pageUrl(context.baseUrl, book_slug, page),
    type: "page",
  }));
}

/** The key `pages` of single reads of chapters (content-api 7). */
export function pagesOfChapters({ db, visible }: PagesContext): ResponseFields {
  return {
    kind: "chapter",
    moment: "read",
    schema: chapterPagesFields,
    async add(ids, viewer) {
      const found = await rows<{ chapter_id: number }>(
        db,
        sql`select ${LISTED} from pages join books on books.id = pages.book_id
        where pages.chapter_id = any(${[...ids]}::integer[]) and ${visible.where("pages", viewer)}
        order by pages.draft desc, pages.priority, pages.id`,
      );
      return new Map(ids.map((id) => [id, { pages: found.filter((page) => page.chapter_id === id) }]));
    },
  };
}
