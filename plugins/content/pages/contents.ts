import type { ContentEntry, ResponseFields } from "lectern/contracts";
import { sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { PageRow } from "./contract.ts";
import type { Parts } from "./parts.ts";
import { LISTED } from "./show.ts";
import { pageUrl } from "./urls.ts";

type Found = Pick<
  PageRow,
  "id" | "name" | "slug" | "book_id" | "chapter_id" | "draft" | "template" | "priority" | "created_at" | "updated_at"
> & { readonly book_slug: string };

/** The pages of a book that the viewer sees, drafts first, then by priority and id (content-api 5.3). */
export async function pagesOfBook(parts: Parts, viewer: Viewer, bookId: number): Promise<ContentEntry[]> {
  const found = await rows<Found>(
    parts.db,
    sql`select pages.id, pages.name, pages.slug, pages.book_id, pages.chapter_id, pages.draft,
      pages.template, pages.priority, pages.created_at, pages.updated_at, books.slug as book_slug
    from pages join books on books.id = pages.book_id
    where pages.book_id = ${bookId}::integer and ${parts.sees("pages", viewer)}
    order by pages.draft desc, pages.priority, pages.id`,
  );
  return found.map(({ book_slug, ...page }) => ({
    ...page,
    url: pageUrl(parts.baseUrl, book_slug, page),
    type: "page",
  }));
}

/** The pages of chapters that are read, in their order (content-api 7). */
export function pagesOfChapters(parts: Parts): ResponseFields {
  return {
    kind: "chapter",
    moment: "read",
    async add(ids, viewer) {
      const found = await rows<{ chapter_id: number }>(
        parts.db,
        sql`select ${LISTED} from pages join books on books.id = pages.book_id
        where pages.chapter_id = any(${[...ids]}::integer[]) and ${parts.sees("pages", viewer)}
        order by pages.draft desc, pages.priority, pages.id`,
      );
      return new Map(ids.map((id) => [id, { pages: found.filter((page) => page.chapter_id === id) }]));
    },
  };
}
