import { type BookEntry, jsonTime, outlineLines, type ParentColumns } from "lectern/contracts";
import { type RawBuilder, sql, type Viewer } from "lectern/core";
import type { ChaptersContext } from "./contract.ts";

/** SQL for the chapters of a book as entries of its contents (content-api 5.3). */
export function selectChapters(
  { baseUrl, visible }: Pick<ChaptersContext, "baseUrl" | "visible">,
  book: ParentColumns,
  viewer: Viewer,
): RawBuilder<BookEntry[]> {
  return sql`coalesce((select json_agg(json_build_object('id', chapters.id, 'name', chapters.name, 'slug', chapters.slug,
      'book_id', chapters.book_id, 'priority', chapters.priority, 'created_at', ${jsonTime("chapters.created_at")},
      'updated_at', ${jsonTime("chapters.updated_at")}, 'url', ${baseUrl}::text || '/books/' || ${book.slug} || '/chapter/' || chapters.slug,
      'type', 'chapter') order by chapters.priority, chapters.id)
    from chapters where chapters.book_id = ${book.id} and ${visible.where("chapters", viewer)}), '[]')`;
}

/** SQL for the same chapters as lines of its outline. */
export function selectOutline(
  { visible }: Pick<ChaptersContext, "visible">,
  book: ParentColumns,
  viewer: Viewer,
): RawBuilder<string> {
  return outlineLines(
    "chapter",
    sql`select chapters.id, null::integer as chapter_id, chapters.priority, false as draft, chapters.name, chapters.slug from chapters
      where chapters.book_id = ${book.id} and ${visible.where("chapters", viewer)} order by chapters.priority, chapters.id`,
  );
}
