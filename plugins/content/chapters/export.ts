import type { ExportEntry, ExportKind } from "lectern/contracts";
import { type RawBuilder, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { ChaptersContext } from "./_context.ts";
import type { Chapter } from "./contract.ts";
import { chapterUrl } from "./urls.ts";

/** Chapters as exports know them (content-api 15). */
export function chaptersInExports({ baseUrl, contracts: { markup, tags }, db, visible }: ChaptersContext): ExportKind {
  const entries = async (viewer: Viewer, where: RawBuilder<unknown>): Promise<ExportEntry[]> => {
    const found = await rows<Chapter>(
      db,
      sql`select chapters.*, books.slug as book_slug, ${tags.of("chapter", sql.ref("chapters.id"))} as tags
      from chapters join books on books.id = chapters.book_id
      where ${where} and ${visible.where("chapters", viewer)} order by chapters.priority, chapters.id`,
    );
    return found.map(({ id, name, slug, priority, book_id, book_slug, ...chapter }) => ({
      kind: "chapter",
      id,
      name,
      slug,
      priority,
      url: chapterUrl(baseUrl, book_slug, slug),
      tags: chapter.tags,
      description: chapter.description,
      description_html: markup.describeHtml(chapter.description_html, chapter.description),
      parents: [{ kind: "book", id: book_id }],
    }));
  };
  return {
    kind: "chapter",
    find: async (viewer, id) => (await entries(viewer, sql`chapters.id = ${id}::integer`))[0],
    within: async (viewer, { kind, id }) =>
      kind === "book" ? entries(viewer, sql`chapters.book_id = ${id}::integer`) : [],
  };
}
