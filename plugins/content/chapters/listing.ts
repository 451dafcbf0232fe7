import { type ListSpec, sql } from "lectern/core";

/** The listing of chapters (content-api 3). */
export const listing: ListSpec = {
  table: "chapters",
  fields: {
    id: "integer",
    book_id: "integer",
    name: { type: "text", key: "name_key" },
    slug: "code",
    description: "text",
    priority: "integer",
    created_at: "timestamp",
    updated_at: "timestamp",
    created_by: { type: "integer", nullable: true },
    updated_by: { type: "integer", nullable: true },
    owned_by: { type: "integer", nullable: true },
  },
  columns: sql`chapters.id, chapters.book_id, chapters.name, chapters.slug, chapters.description, chapters.priority,
    chapters.created_at, chapters.updated_at, chapters.created_by, chapters.updated_by, chapters.owned_by,
    books.slug as book_slug`,
  joins: sql`join books on books.id = chapters.book_id`,
};
