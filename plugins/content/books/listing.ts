import { type ListSpec, sql } from "lectern/core";

/** The listing of books (content-api 3). */
export const listing: ListSpec = {
  table: "books",
  fields: {
    id: "integer",
    name: { type: "text", key: "name_key" },
    slug: "code",
    description: "text",
    created_at: "timestamp",
    updated_at: "timestamp",
    created_by: { type: "integer", nullable: true },
    updated_by: { type: "integer", nullable: true },
    owned_by: { type: "integer", nullable: true },
  },
  columns: sql`books.id, books.name, books.slug, books.description, books.created_at, books.updated_at,
    books.created_by, books.updated_by, books.owned_by`,
};
