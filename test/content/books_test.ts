/**
 * Books over the API, row by row: what answers hold, who may do what (guest, reader, owner, stranger, administrator), what
 * input is refused and with which words, which events happen. Contents, templates and many writers at once are in content_tree_test.ts.
 */
import { expect } from "bun:test";
import { create, openStage, scenario } from "../support/harness/scenario.ts";

const stage = openStage(
  {
    reader: ["book-view-all"],
    owner: ["book-create-all", "book-view-own", "book-update-own", "book-delete-own"],
    leaver: ["book-create-all", "book-view-own"],
    stranger: [],
  },
  [create("book", "/api/books", { name: "Sample" })],
);
const missing = { error: { message: "Book not found", code: 404 } };
const denied = { error: { message: "You do not have permission to perform the requested action.", code: 403 } };
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
scenario(stage, "a guest is asked for a token", { as: "guest", request: "POST /api/books", body: {}, status: 401 });
scenario(stage, "a new book's answer has everything; a read names people and has contents and shelves", [
  {
    name: "create",
    request: "POST /api/books",
    body: {
      name: "Runbooks",
      description_html: "<p>How we <strong>operate</strong></p>",
      tags: [{ name: "team", value: "ops" }],
    },
    status: 200,
    holds: {
      name: "Runbooks",
      slug: "runbooks",
      description: "How we operate",
      description_html: "<p>How we <strong>operate</strong></p>",
      created_at: time,
      updated_at: time,
      created_by: 1,
      updated_by: 1,
      owned_by: 1,
      default_template_id: null,
      tags: [{ name: "team", value: "ops", order: 0 }],
      cover: null,
    },
    lacks: ["contents", "shelves", "deleted_at", "people"],
    events: ["book_create"],
    save: { book: "id", updated: "updated_at" },
  },
  {
    name: "read",
    request: "GET /api/books/{book}",
    status: 200,
    holds: {
      id: "{book}",
      created_by: { id: 1 },
      updated_by: { id: 1 },
      owned_by: { id: 1 },
      contents: [],
      shelves: [],
      cover: null,
    },
    lacks: ["deleted_at", "people"],
  },
]);
scenario(stage, "an update that changes nothing keeps updated_at, except for sent tags", [
  { ...create("book", "/api/books", { name: "Manuals" }), save: { book: "id", updated: "updated_at" } },
  {
    name: "an empty update changes nothing and still happens",
    request: "PUT /api/books/{book}",
    body: {},
    status: 200,
    holds: { updated_at: "{updated}" },
    events: ["book_update"],
  },
  {
    name: "the same values again change nothing",
    request: "PUT /api/books/{book}",
    body: { name: "Manuals", default_template_id: null },
    status: 200,
    holds: { updated_at: "{updated}", slug: "manuals" },
  },
  {
    name: "sent tags always move updated_at",
    request: "PUT /api/books/{book}",
    body: { tags: [{ name: "team", value: "ops" }] },
    status: 200,
    check: (body, { saved }) => expect((body as { updated_at: string }).updated_at > String(saved.updated)).toBe(true),
  },
]);
scenario(stage, "a new name gives a new slug", [
  create("book", "/api/books", { name: "Before" }),
  {
    request: "PUT /api/books/{book}",
    body: { name: "After_It" },
    status: 200,
    holds: { slug: "after-it" },
  },
]);
scenario(stage, "unknown fields are ignored", {
  request: "PUT /api/books/{book}",
  body: { id: 99, slug: "own", owned_by: 2, created_at: "2020-01-01" },
  status: 200,
  holds: { id: "{book}", slug: "sample", owned_by: 1 },
});
scenario(stage, "a book that is no template's cannot be given one", {
  request: "PUT /api/books/{book}",
  body: { default_template_id: 987_654 },
  status: 200,
  holds: { default_template_id: null },
});
scenario(stage, "a taken slug gets a suffix, a name without a Latin letter a random slug", [
  create("first", "/api/books", { name: "Hand books" }),
  {
    name: "a taken slug gets a suffix",
    request: "POST /api/books",
    body: { name: "Hand books" },
    status: 200,
    holds: { slug: expect.stringMatching(/^hand-books-[A-Za-z0-9]{3}$/) },
    save: { twin: "id" },
  },
  {
    name: "a name without a letter of ours gets a random slug",
    request: "PUT /api/books/{twin}",
    body: { name: "日本語" },
    status: 200,
    holds: { slug: expect.stringMatching(/^[0-9a-f]{5}$/) },
  },
]);
scenario(stage, "a reader reads", { as: "reader", request: "GET /api/books/{book}", status: 200 });
scenario(stage, "a reader cannot create books, whatever the body", {
  as: "reader",
  request: "POST /api/books",
  body: {},
  status: 403,
  holds: denied,
});
scenario(stage, "a reader cannot change books, whatever the body", {
  as: "reader",
  request: "PUT /api/books/{book}",
  body: { name: null },
  status: 403,
  holds: denied,
});
scenario(stage, "a reader cannot delete books", {
  as: "reader",
  request: "DELETE /api/books/{book}",
  status: 403,
  holds: denied,
});
scenario(stage, "for a stranger the book is missing", {
  as: "stranger",
  request: "GET /api/books/{book}",
  status: 404,
  holds: missing,
});
scenario(stage, "for a stranger it is missing when changed, too", {
  as: "stranger",
  request: "PUT /api/books/{book}",
  body: {},
  status: 404,
  holds: missing,
});
scenario(stage, "an owner creates and changes; another's update keeps the owner", [
  {
    name: "an owner creates",
    as: "owner",
    request: "POST /api/books",
    body: { name: "Mine" },
    status: 200,
    holds: { owned_by: "{owner}" },
    save: { mine: "id" },
  },
  {
    name: "an owner changes what is theirs",
    as: "owner",
    request: "PUT /api/books/{mine}",
    body: { description: "a\nb" },
    status: 200,
    holds: { description: "a\nb", description_html: "<p>a<br>\nb</p>" },
  },
  {
    name: "somebody else's update is theirs",
    request: "PUT /api/books/{mine}",
    body: {},
    status: 200,
    holds: { created_by: "{owner}", updated_by: 1, owned_by: "{owner}" },
  },
]);
scenario(stage, "an owner sees nothing else", {
  as: "owner",
  request: "GET /api/books/{book}",
  status: 404,
  holds: missing,
});
scenario(stage, "a user who is deleted is null in a book's read", [
  create("left", "/api/books", { name: "Left behind" }, "leaver"),
  {
    name: "a user who is gone is null in a read",
    request: "DELETE /api/users/{leaver}",
    status: 204,
    events: ["user_delete"],
  },
  { name: "the book stays", request: "GET /api/books/{left}", status: 200, holds: { created_by: null } },
]);
for (const [what, body, validation] of [
  ["nothing", {}, { name: ["The name field is required."] }],
  ["a blank name", { name: "   " }, { name: ["The name field is required."] }],
  ["a long name", { name: "n".repeat(256) }, { name: ["The name may not be greater than 255 characters."] }],
  [
    "a long description",
    { name: "x", description: "d".repeat(1901) },
    { description: ["The description may not be greater than 1900 characters."] },
  ],
  ["tags that are a text", { name: "x", tags: "y" }, { tags: ["The tags must be an array."] }],
  [
    "a tag that is too long",
    { name: "x", tags: [{ name: "n".repeat(256) }] },
    { "tags.0.name": ["The tags.0.name may not be greater than 255 characters."] },
  ],
  [
    "a template by name",
    { name: "x", default_template_id: "y" },
    { default_template_id: ["The default template id must be an integer."] },
  ],
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
    request: "POST /api/books",
    body,
    status: 422,
    holds: { error: { message: "The given data was invalid.", code: 422, validation } },
  });
}
scenario(stage, "an update with an empty name is refused", {
  request: "PUT /api/books/{book}",
  body: { name: "" },
  status: 422,
  holds: { error: { validation: { name: ["The name must be at least 1 characters."] } } },
});
scenario(stage, "texts no column can hold do no harm", {
  request: "POST /api/books",
  body: { name: "a\u0000b\ud800", tags: [{ name: "\u0000" }] },
  status: 200,
});
for (const id of ["0", "-1", "abc", "1.5", "99999999999999999999", "2147483648", "987654321"]) {
  scenario(stage, `there is no book ${id}`, { request: `GET /api/books/${id}`, status: 404, holds: missing });
}
scenario(stage, "a book goes into the recycle bin and gives its slug free", [
  create("binned", "/api/books", { name: "Old books" }),
  { name: "a book goes into the bin", request: "DELETE /api/books/{binned}", status: 204, events: ["book_delete"] },
  { name: "and cannot be read", request: "GET /api/books/{binned}", status: 404, holds: missing },
  { name: "or changed", request: "PUT /api/books/{binned}", body: { name: "late" }, status: 404, holds: missing },
  { name: "or deleted again", request: "DELETE /api/books/{binned}", status: 404, holds: missing },
  {
    name: "and gives its slug free",
    request: "POST /api/books",
    body: { name: "Old books" },
    status: 200,
    holds: { slug: "old-books" },
  },
]);
