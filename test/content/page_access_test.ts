/** Pages over the API: moves between books and chapters and the rights they need, who may do what, and deleted pages. */
import { create, openStage, scenario } from "../support/harness/scenario.ts";

const SEEING = ["book-view-all", "chapter-view-all"];
const stage = openStage(
  {
    reader: [...SEEING, "page-view-all"],
    owner: [...SEEING, "book-create-all", "page-create-own", "page-view-own", "page-update-own", "page-delete-own"],
    writer: [...SEEING, "page-view-all", "page-create-all", "page-update-all"],
    mover: [...SEEING, "page-view-all", "page-create-own", "page-update-all", "page-delete-all"],
    stranger: [],
  },
  [
    create("book", "/api/books", { name: "Sample" }),
    create("page", "/api/pages", { book_id: "{book}", name: "Sample", html: "<p>x</p>" }),
  ],
);
const missing = { error: { message: "Page not found", code: 404 } };
const noBook = { error: { message: "Book not found", code: 404 } };
const noChapter = { error: { message: "Chapter not found", code: 404 } };
const denied = { error: { message: "You do not have permission to perform the requested action.", code: 403 } };
const BIG = 987_654_321;
/** Steps that create the books `book` and `archive`, whose names begin with a word of the test's own, and a chapter. */
const placed = (word: string) => [
  create("book", "/api/books", { name: `${word} runbooks` }),
  create("archive", "/api/books", { name: `${word} archive` }),
  create("chapter", "/api/chapters", { book_id: "{book}", name: "Database" }),
];
const page = (name: string, body: object = { book_id: "{book}" }) =>
  create(name, "/api/pages", { name, html: "<p>x</p>", ...body });
scenario(stage, "a page moves between books and chapters; its present parent is no move", [
  ...placed("Moved"),
  page("twin", { chapter_id: "{chapter}", priority: 2 }),
  {
    name: "a move and a new name make two events",
    request: "PUT /api/pages/{twin}",
    body: { book_id: "{archive}", name: "Switch" },
    status: 200,
    holds: { book_id: "{archive}", chapter_id: null, slug: "switch", priority: 2 },
    events: ["page_move", "page_update"],
  },
  {
    name: "back into the chapter",
    request: "PUT /api/pages/{twin}",
    body: { chapter_id: "{chapter}" },
    status: 200,
    holds: { book_id: "{book}", chapter_id: "{chapter}" },
    events: ["page_move", "page_update"],
  },
  {
    name: "its own book takes it out of the chapter",
    request: "PUT /api/pages/{twin}",
    body: { book_id: "{book}" },
    status: 200,
    holds: { book_id: "{book}", chapter_id: null },
    events: ["page_move", "page_update"],
  },
  {
    name: "the present parent is no move",
    request: "PUT /api/pages/{twin}",
    body: { book_id: "{book}" },
    status: 200,
    events: ["page_update"],
  },
]);
scenario(stage, "a move to nowhere or without the rights is refused and changes nothing", [
  ...placed("Unmoved"),
  page("twin"),
  {
    name: "an unknown book is missing",
    request: "PUT /api/pages/{twin}",
    body: { book_id: BIG },
    status: 404,
    holds: noBook,
  },
  {
    name: "chapter 0 is missing",
    request: "PUT /api/pages/{twin}",
    body: { chapter_id: 0 },
    status: 404,
    holds: noChapter,
  },
  {
    name: "who may not delete may not move",
    as: "writer",
    request: "PUT /api/pages/{twin}",
    body: { book_id: "{archive}" },
    status: 403,
    holds: denied,
  },
  {
    name: "who may not create there may not move there",
    as: "mover",
    request: "PUT /api/pages/{twin}",
    body: { book_id: "{archive}" },
    status: 403,
    holds: denied,
  },
  {
    name: "a refused move changed nothing",
    request: "GET /api/pages/{twin}",
    status: 200,
    holds: { book_id: "{book}" },
  },
]);
scenario(stage, "a reader reads", { as: "reader", request: "GET /api/pages/{page}", status: 200 });
scenario(stage, "a reader cannot create", {
  as: "reader",
  request: "POST /api/pages",
  body: { book_id: "{book}", name: "x", html: "<p>x</p>" },
  status: 403,
  holds: denied,
});
scenario(stage, "a bad body comes before the missing right", {
  as: "reader",
  request: "PUT /api/pages/{page}",
  body: { name: null },
  status: 422,
});
scenario(stage, "a reader cannot change", {
  as: "reader",
  request: "PUT /api/pages/{page}",
  body: {},
  status: 403,
  holds: denied,
});
scenario(stage, "a reader cannot delete", {
  as: "reader",
  request: "DELETE /api/pages/{page}",
  status: 403,
  holds: denied,
});
scenario(stage, "for a stranger the page is missing", {
  as: "stranger",
  request: "GET /api/pages/{page}",
  status: 404,
  holds: missing,
});
scenario(stage, "and the book to create in, too", {
  as: "stranger",
  request: "POST /api/pages",
  body: { book_id: "{book}", name: "x", html: "x" },
  status: 404,
  holds: noBook,
});
scenario(stage, "an owner of no book cannot create in another's", {
  as: "owner",
  request: "POST /api/pages",
  body: { book_id: "{book}", name: "x", html: "x" },
  status: 403,
  holds: denied,
});
scenario(stage, "an owner sees, changes and deletes what is theirs and nothing else", [
  { name: "a book", as: "owner", request: "POST /api/books", body: { name: "Mine" }, status: 200, save: { own: "id" } },
  {
    name: "a page in it",
    as: "owner",
    request: "POST /api/pages",
    body: { book_id: "{own}", name: "Mine", html: "<p>x</p>" },
    status: 200,
    holds: { owned_by: { id: "{owner}" }, priority: 2 },
    save: { mine: "id" },
  },
  {
    name: "an owner sees nothing else",
    as: "owner",
    request: "GET /api/pages",
    status: 200,
    holds: { total: 1, data: [{ id: "{mine}" }] },
  },
  {
    name: "an owner changes what is theirs",
    as: "owner",
    request: "PUT /api/pages/{mine}",
    body: { html: "<p>y</p>" },
    status: 200,
  },
  {
    name: "an owner deletes what is theirs",
    as: "owner",
    request: "DELETE /api/pages/{mine}",
    status: 204,
    events: ["page_delete"],
  },
  { name: "a deleted page is missing", as: "owner", request: "GET /api/pages/{mine}", status: 404, holds: missing },
  {
    name: "and cannot be deleted again",
    as: "owner",
    request: "DELETE /api/pages/{mine}",
    status: 404,
    holds: missing,
  },
]);
scenario(stage, "a deleted chapter takes its pages along, and their slugs are free", [
  ...placed("Deleted"),
  create("page", "/api/pages", { chapter_id: "{chapter}", name: "Fail Over", html: "<p>x</p>" }),
  { name: "delete", request: "DELETE /api/chapters/{chapter}", status: 204, events: ["chapter_delete"] },
  { name: "so they are missing", request: "GET /api/pages/{page}", status: 404, holds: missing },
  {
    name: "and their slugs are free",
    request: "POST /api/pages",
    body: { book_id: "{book}", name: "Fail Over", html: "<p>x</p>" },
    status: 200,
    holds: { slug: "fail-over" },
  },
  {
    name: "nothing is created in a deleted chapter",
    request: "POST /api/pages",
    body: { chapter_id: "{chapter}", name: "x", html: "x" },
    status: 404,
    holds: noChapter,
  },
]);
