/**
 * Shelves over the API: what answers hold, the books of a shelf and their order, books that the writer does not see, who may do
 * what, and what input is refused.
 */
import { expect } from "bun:test";
import { create, openStage, scenario } from "../support/harness/scenario.ts";

const stage = openStage(
  {
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
  },
  [
    create("tides", "/api/books", { name: "Sample tides" }),
    create("winds", "/api/books", { name: "Sample winds" }),
    create("waves", "/api/books", { name: "Sample waves" }),
    create("shelf", "/api/shelves", { name: "Sample", books: ["{winds}"] }),
  ],
);
const missing = { error: { message: "Shelf not found", code: 404 } };
const denied = { error: { message: "You do not have permission to perform the requested action.", code: 403 } };
const books =
  (...names: string[]) =>
  (body: unknown, { saved }: { saved: Record<string, unknown> }) =>
    expect((body as { books: { id: number }[] }).books.map(({ id }) => id)).toEqual(
      names.map((name) => saved[name] as number),
    );
scenario(stage, "a guest is asked for a token", { as: "guest", request: "DELETE /api/shelves/1", status: 401 });
scenario(
  stage,
  "a new shelf's answer has everything, its read the books in the given order, a book's read its shelves",
  [
    ...["tides", "winds"].map((name) => create(name, "/api/books", { name, description: "Blowing" })),
    {
      name: "create",
      request: "POST /api/shelves",
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
    },
    {
      name: "its books stand in the given order",
      request: "GET /api/shelves/{shelf}",
      status: 200,
      holds: {
        owned_by: { id: 1 },
        books: [
          { id: "{winds}", name: "winds", slug: "winds", description: "Blowing", owned_by: 1 },
          { id: "{tides}" },
        ],
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
    },
    {
      name: "a book names its shelves",
      request: "GET /api/books/{winds}",
      status: 200,
      check: (body, { saved }) =>
        expect((body as { shelves: unknown }).shelves).toEqual([{ id: saved.shelf, name: "Weather", slug: "weather" }]),
    },
  ],
);
scenario(stage, "books that are not sent stay", [
  {
    ...create("shelf", "/api/shelves", { name: "Kept", books: ["{winds}", "{tides}"] }),
    save: { shelf: "id", updated: "updated_at" },
  },
  {
    name: "books that are not sent stay",
    request: "PUT /api/shelves/{shelf}",
    body: { name: "Kept" },
    status: 200,
    holds: { updated_at: "{updated}" },
    events: ["bookshelf_update"],
  },
  { name: "as they were", request: "GET /api/shelves/{shelf}", status: 200, check: books("winds", "tides") },
]);
scenario(stage, "sent books replace them, as texts and from forms too", [
  {
    ...create("shelf", "/api/shelves", { name: "Replaced", books: ["{winds}", "{tides}"] }),
    save: { shelf: "id", updated: "updated_at" },
  },
  {
    name: "sent books replace them, as texts too",
    request: "PUT /api/shelves/{shelf}",
    body: { books: ["{tides}", "{waves}", "{winds}"] },
    status: 200,
    lacks: ["books"],
  },
  { name: "in their order", request: "GET /api/shelves/{shelf}", status: 200, check: books("tides", "waves", "winds") },
  {
    name: "forms send books in brackets",
    request: "POST /api/shelves/{shelf}",
    form: { _method: "PUT", "books[0]": "{waves}", "books[1]": "{tides}" },
    status: 200,
  },
  { name: "and they are read", request: "GET /api/shelves/{shelf}", status: 200, check: books("waves", "tides") },
  {
    name: "an object in place of a list is ordered by its numeric keys",
    request: "PUT /api/shelves/{shelf}",
    body: { books: { 7: "{waves}", "01": "{winds}" } },
    status: 200,
  },
  { name: "as they say", request: "GET /api/shelves/{shelf}", status: 200, check: books("winds", "waves") },
  {
    name: "and has no order by others",
    request: "PUT /api/shelves/{shelf}",
    body: { books: { last: "{waves}", first: "{tides}", "": "{winds}" } },
    status: 200,
  },
  {
    name: "but that of ids",
    request: "GET /api/shelves/{shelf}",
    status: 200,
    check: books("tides", "winds", "waves"),
  },
]);
scenario(stage, "who does not see some of the books replaces only those they see", [
  { ...create("shelf", "/api/shelves", { name: "Partly seen", books: ["{waves}", "{tides}"] }) },
  {
    name: "a book that the owner sees",
    as: "owner",
    request: "POST /api/books",
    body: { name: "Mine" },
    status: 200,
    save: { mine: "id" },
  },
  {
    name: "replaced by the owner",
    as: "owner",
    request: "PUT /api/shelves/{shelf}",
    body: { books: ["{mine}", "{winds}"] },
    status: 200,
  },
  {
    name: "the unseen ones stay behind",
    request: "GET /api/shelves/{shelf}",
    status: 200,
    check: books("mine", "waves", "tides"),
  },
  {
    name: "a read shows what is visible",
    as: "owner",
    request: "GET /api/shelves/{shelf}",
    status: 200,
    check: books("mine"),
  },
]);
scenario(stage, "a deleted book is gone from the shelf", [
  create("gone", "/api/books", { name: "Gone" }),
  create("shelf", "/api/shelves", { name: "Thinned", books: ["{gone}", "{tides}"] }),
  { name: "a deleted book is gone from the shelf", request: "DELETE /api/books/{gone}", status: 204 },
  { name: "in its read", request: "GET /api/shelves/{shelf}", status: 200, check: books("tides") },
]);
scenario(stage, "an empty list empties the shelf", [
  {
    ...create("shelf", "/api/shelves", { name: "Emptied", books: ["{winds}", "{tides}"] }),
    save: { shelf: "id", updated: "updated_at" },
  },
  {
    request: "PUT /api/shelves/{shelf}",
    body: { books: [] },
    status: 200,
  },
  { request: "GET /api/shelves/{shelf}", status: 200, check: books() },
]);
scenario(stage, "a reader reads", { as: "reader", request: "GET /api/shelves/{shelf}", status: 200 });
scenario(stage, "a reader cannot create, whatever the body", {
  as: "reader",
  request: "POST /api/shelves",
  body: {},
  status: 403,
  holds: denied,
});
scenario(stage, "a reader cannot change, whatever the body", {
  as: "reader",
  request: "PUT /api/shelves/{shelf}",
  body: { name: null },
  status: 403,
  holds: denied,
});
scenario(stage, "a reader cannot delete", {
  as: "reader",
  request: "DELETE /api/shelves/{shelf}",
  status: 403,
  holds: denied,
});
scenario(stage, "an owner cannot delete another's", {
  as: "owner",
  request: "DELETE /api/shelves/{shelf}",
  status: 403,
  holds: denied,
});
scenario(stage, "for a stranger the shelf is missing", {
  as: "stranger",
  request: "GET /api/shelves/{shelf}",
  status: 404,
  holds: missing,
});
scenario(stage, "an owner's own shelf is theirs to delete", [
  create("mine", "/api/books", { name: "Owned" }, "owner"),
  {
    name: "create",
    as: "owner",
    request: "POST /api/shelves",
    body: { name: "Own", books: ["{mine}"] },
    status: 200,
    holds: { owned_by: "{owner}" },
    save: { own: "id" },
  },
  { name: "delete", as: "owner", request: "DELETE /api/shelves/{own}", status: 204, events: ["bookshelf_delete"] },
]);
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
    request: "POST /api/shelves",
    body,
    status: 422,
    holds: { error: { validation } },
  });
}
scenario(stage, "there is no shelf abc", { request: "GET /api/shelves/abc", status: 404, holds: missing });
scenario(stage, "a shelf goes into the recycle bin, its books stay", [
  create("kept", "/api/books", { name: "Survivor" }),
  create("shelf", "/api/shelves", { name: "Binned", books: ["{kept}"] }),
  {
    name: "a shelf goes into the bin",
    request: "DELETE /api/shelves/{shelf}",
    status: 204,
    events: ["bookshelf_delete"],
  },
  { name: "and cannot be read", request: "GET /api/shelves/{shelf}", status: 404, holds: missing },
  {
    name: "its books stay",
    request: "GET /api/books/{kept}",
    status: 200,
    check: (body) => expect((body as { shelves: unknown }).shelves).toEqual([]),
  },
]);
