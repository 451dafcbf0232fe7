import { type ListSpec, sql } from "lectern/core";

/** The listing of shelves (content-api 3). */
export const listing: ListSpec = {
  table: "bookshelves",
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
  columns: sql`bookshelves.id, bookshelves.name, bookshelves.slug, bookshelves.description, bookshelves.created_at,
    bookshelves.updated_at, bookshelves.created_by, bookshelves.updated_by, bookshelves.owned_by`,
};
