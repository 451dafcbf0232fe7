/**
 * Shelves over the API, row by row: what answers hold, which books stand on a shelf and in which order, what happens to
 * books that the one who writes does not see, who may do what, and what input is refused.
 */
import { expect } from "bun:test";
import { openStage, scenario } from "../support/harness/scenario.ts";

const stage = openStage({
  reader: ["bookshelf-view-all", "book-view-all"],
  owner: [
    "bookshelf-create-all",
    "bookshelf-view-own",
    "bookshelf-update-all",
    "bookshelf-view-all",
    "bookshelf-delete-own",
    "book-create-all",
    "book-view-own",
  ],
  stranger: [],
});
const missing = { error: { message: "Shelf not found", code: 404 } };
const denied = { error: { message: "You do not have permission to perform the requested action.", code: 403 } };
const books =
  (...names: string[]) =>
  (body: unknown, { saved }: { saved: Record<string, unknown> }) =>
    expect((body as { books: { id: number }[] }).books.map(({ id }) => id)).toEqual(
      names.map((name) => saved[name] as number),
    );

scenario(stage, "a guest is asked for a token", { as: "guest", ask: "DELETE /api/shelves/1", status: 401 });
for (const name of ["tides", "winds", "waves"]) {
  scenario(stage, `there is the book ${name}`, {
    ask: "POST /api/books",
    body: { name, description: "Blowing" },
    status: 200,
    save: { [name]: "id" },
  });
}
scenario(stage, "a shelf is created with everything its answer has", {
  ask: "POST /api/shelves",
  body: {
    name: "Weather",
    description: "Sky",
    tags: [{ name: "kind", value: "nature" }],
    books: ["{winds}", "{tides}", "{winds}", 987_654, "x", null],
  },
  status: 200,
  holds: {
    name: "Weather",
    slug: "weather",
    description: "Sky",
    description_html: "<p>Sky</p>",
    created_by: 1,
    updated_by: 1,
    owned_by: 1,
    cover: null,
    tags: [{ name: "kind", value: "nature", order: 0 }],
  },
  lacks: ["books", "default_template_id", "deleted_at", "people"],
  events: ["bookshelf_create"],
  save: { shelf: "id", updated: "updated_at" },
});
scenario(stage, "its books stand in the given order", {
  ask: "GET /api/shelves/{shelf}",
  status: 200,
  holds: {
    owned_by: { id: 1 },
    books: [{ id: "{winds}", name: "winds", slug: "winds", description: "Blowing", owned_by: 1 }, { id: "{tides}" }],
  },
  check: (body) =>
    expect(Object.keys((body as { books: [object] }).books[0]).sort()).toEqual([
      "created_at",
      "created_by",
      "description",
      "id",
      "name",
      "owned_by",
      "slug",
      "updated_at",
      "updated_by",
    ]),
});
scenario(stage, "a book names its shelves", {
  ask: "GET /api/books/{winds}",
  status: 200,
  check: (body, { saved }) =>
    expect((body as { shelves: unknown }).shelves).toEqual([{ id: saved.shelf, name: "Weather", slug: "weather" }]),
});
scenario(stage, "books that are not sent stay", {
  ask: "PUT /api/shelves/{shelf}",
  body: { name: "Weather" },
  status: 200,
  holds: { updated_at: "{updated}" },
  events: ["bookshelf_update"],
});
scenario(stage, "as they were", { ask: "GET /api/shelves/{shelf}", status: 200, check: books("winds", "tides") });
scenario(stage, "sent books replace them, as texts too", {
  ask: "PUT /api/shelves/{shelf}",
  body: { books: ["{tides}", "{waves}", "{winds}"] },
  status: 200,
  lacks: ["books"],
});
scenario(stage, "in their order", {
  ask: "GET /api/shelves/{shelf}",
  status: 200,
  check: books("tides", "waves", "winds"),
});
scenario(stage, "forms send books in brackets", {
  ask: "POST /api/shelves/{shelf}",
  form: { _method: "PUT", "books[0]": "{waves}", "books[1]": "{tides}" },
  status: 200,
});
scenario(stage, "and they are read", { ask: "GET /api/shelves/{shelf}", status: 200, check: books("waves", "tides") });

scenario(stage, "an owner has a book nobody else gave a shelf", {
  as: "owner",
  ask: "POST /api/books",
  body: { name: "Mine" },
  status: 200,
  save: { mine: "id" },
});
scenario(stage, "who does not see the books replaces only what they see", {
  as: "owner",
  ask: "PUT /api/shelves/{shelf}",
  body: { books: ["{mine}", "{winds}"] },
  status: 200,
});
scenario(stage, "the unseen ones stay behind", {
  ask: "GET /api/shelves/{shelf}",
  status: 200,
  check: books("mine", "waves", "tides"),
});
scenario(stage, "a read shows what is visible", {
  as: "owner",
  ask: "GET /api/shelves/{shelf}",
  status: 200,
  check: books("mine"),
});
scenario(stage, "a deleted book is gone from the shelf", { ask: "DELETE /api/books/{waves}", status: 204 });
scenario(stage, "in its read", { ask: "GET /api/shelves/{shelf}", status: 200, check: books("mine", "tides") });
scenario(stage, "an empty list empties the shelf", {
  ask: "PUT /api/shelves/{shelf}",
  body: { books: [] },
  status: 200,
});
scenario(stage, "of all one sees", { ask: "GET /api/shelves/{shelf}", status: 200, check: books() });

scenario(stage, "a reader reads", { as: "reader", ask: "GET /api/shelves/{shelf}", status: 200 });
scenario(stage, "a reader cannot create, whatever the body", {
  as: "reader",
  ask: "POST /api/shelves",
  body: {},
  status: 403,
  holds: denied,
});
scenario(stage, "a reader cannot change, whatever the body", {
  as: "reader",
  ask: "PUT /api/shelves/{shelf}",
  body: { name: null },
  status: 403,
  holds: denied,
});
scenario(stage, "a reader cannot delete", {
  as: "reader",
  ask: "DELETE /api/shelves/{shelf}",
  status: 403,
  holds: denied,
});
scenario(stage, "an owner cannot delete another's", {
  as: "owner",
  ask: "DELETE /api/shelves/{shelf}",
  status: 403,
  holds: denied,
});
scenario(stage, "for a stranger the shelf is missing", {
  as: "stranger",
  ask: "GET /api/shelves/{shelf}",
  status: 404,
  holds: missing,
});
scenario(stage, "a stranger's book does not name it", {
  as: "owner",
  ask: "POST /api/shelves",
  body: { name: "Own", books: ["{mine}"] },
  status: 200,
  holds: { owned_by: "{owner}" },
  save: { own: "id" },
});
scenario(stage, "an owner deletes what is theirs", {
  as: "owner",
  ask: "DELETE /api/shelves/{own}",
  status: 204,
  events: ["bookshelf_delete"],
});

for (const [what, body, validation] of [
  ["nothing", {}, { name: ["The name field is required."] }],
  ["books that are a text", { name: "x", books: "all" }, { books: ["The books must be an array."] }],
  ["null books", { name: "x", books: null }, { books: ["The books must be an array."] }],
  [
    "an image that is no file",
    { name: "x", image: "y" },
    {
      image: [
        "The image must have a valid & supported image extension.",
        "The image must be a file of type: jpeg, png, gif, webp, avif.",
      ],
    },
  ],
] as const) {
  scenario(stage, `a create with ${what} is refused`, {
    ask: "POST /api/shelves",
    body,
    status: 422,
    holds: { error: { validation } },
  });
}
scenario(stage, "there is no shelf abc", { ask: "GET /api/shelves/abc", status: 404, holds: missing });
scenario(stage, "a shelf goes into the bin", {
  ask: "DELETE /api/shelves/{shelf}",
  status: 204,
  events: ["bookshelf_delete"],
});
scenario(stage, "and cannot be read", { ask: "GET /api/shelves/{shelf}", status: 404, holds: missing });
scenario(stage, "its books stay", {
  ask: "GET /api/books/{tides}",
  status: 200,
  check: (body) => expect((body as { shelves: unknown }).shelves).toEqual([]),
});
