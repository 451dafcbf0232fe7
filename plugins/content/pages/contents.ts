import { type BookEntry, jsonTime, outlineLines, type ParentColumns } from "lectern/contracts";
import { type RawBuilder, sql, type Viewer } from "lectern/core";
import type { PagesContext } from "./contract.ts";

/** SQL for the pages of a book as entries of its contents (content-api 5.3); a draft page is addressed by its id. */
export function selectPages(
  { baseUrl, visible }: Pick<PagesContext, "baseUrl" | "visible">,
  book: ParentColumns,
  viewer: Viewer,
): RawBuilder<BookEntry[]> {
  return sql`coalesce((select json_agg(json_build_object('id', pages.id, 'name', pages.name, 'slug', pages.slug,
      'book_id', pages.book_id, 'chapter_id', pages.chapter_id, 'draft', pages.draft, 'template', pages.template,
      'priority', pages.priority, 'created_at', ${jsonTime("pages.created_at")}, 'updated_at', ${jsonTime("pages.updated_at")},
      'url', ${baseUrl}::text || '/books/' || ${book.slug}
        || case when pages.draft then '/draft/' || pages.id else '/page/' || pages.slug end,
      'type', 'page') order by pages.draft desc, pages.priority, pages.id)
    from pages where pages.book_id = ${book.id} and ${visible.where("pages", viewer)}), '[]')`;
}

/** SQL for the same pages as lines of its outline. */
export function selectOutline(
  { visible }: Pick<PagesContext, "visible">,
  book: ParentColumns,
  viewer: Viewer,
): RawBuilder<string> {
  return outlineLines(
    "page",
    sql`select pages.id, pages.chapter_id, pages.priority, pages.draft, pages.name, pages.slug from pages
      where pages.book_id = ${book.id} and ${visible.where("pages", viewer)} order by pages.draft desc, pages.priority, pages.id`,
  );
}
