import { type ContentEntry, withResponseFields } from "lectern/contracts";
import { peopleOf, type ResourceHandlers, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { ChaptersContext } from "./_context.ts";
import type { BookPlace, Chapter, createRules, updateRules } from "./contract.ts";
import { chapterUrl } from "./urls.ts";

type Handlers = ResourceHandlers<Chapter, typeof createRules, typeof updateRules, BookPlace>;

/** How chapters are found and shown (content-api 7). */
export function showing({
  contracts: { users, tags, markup },
  db,
  slot,
  visible,
}: ChaptersContext): Pick<Handlers, "find" | "listed" | "show"> {
  const people = peopleOf(users, "chapters");
  const ownTags = tags.of("chapter", sql.ref("chapters.id"));
  const saved = (chapter: Chapter) => ({
    id: chapter.id,
    book_id: chapter.book_id,
    slug: chapter.slug,
    name: chapter.name,
    description: chapter.description,
    priority: chapter.priority,
    created_at: chapter.created_at,
    updated_at: chapter.updated_at,
    created_by: chapter.created_by,
    updated_by: chapter.updated_by,
    owned_by: chapter.owned_by,
    description_html: markup.describeHtml(chapter.description_html, chapter.description),
    default_template_id: chapter.default_template_id,
    book_slug: chapter.book_slug,
    tags: chapter.tags,
  });
  return {
    async find(viewer, id) {
      const [chapter] = await rows<Chapter>(
        db,
        sql`
        select chapters.*, books.slug as book_slug, ${people} as people, ${ownTags} as tags
        from chapters join books on books.id = chapters.book_id
        where chapters.id = ${id} and ${visible.where("chapters", viewer)}`,
      );
      return chapter;
    },
    listed: (records, viewer) =>
      withResponseFields(slot("response_fields"), "chapter", "listed", records as readonly { id: number }[], viewer),
    async show(chapter, viewer, moment) {
      const base = moment === "saved" ? saved(chapter) : { ...saved(chapter), ...chapter.people, pages: [] };
      return (await withResponseFields(slot("response_fields"), "chapter", moment, [base], viewer))[0];
    },
  };
}

/** The chapters of a book as entries of its contents (content-api 5.3). */
export function entriesOf({
  baseUrl,
  db,
  visible,
}: ChaptersContext): (viewer: Viewer, bookId: number) => Promise<ContentEntry[]> {
  return async (viewer, bookId) => {
    const found = await rows<Omit<ContentEntry, "url" | "type"> & { id: number; slug: string; book_slug: string }>(
      db,
      sql`
      select chapters.id, chapters.name, chapters.slug, chapters.book_id, chapters.priority,
        chapters.created_at, chapters.updated_at,
        books.slug as book_slug
      from chapters join books on books.id = chapters.book_id
      where chapters.book_id = ${bookId} and ${visible.where("chapters", viewer)}
      order by chapters.priority, chapters.id`,
    );
    return found.map(
      ({ book_slug, ...chapter }) =>
        ({ ...chapter, url: chapterUrl(baseUrl, book_slug, chapter.slug), type: "chapter" }) as ContentEntry,
    );
  };
}
