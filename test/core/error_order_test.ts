/**
 * Which error is answered where a request has several (content-api 1.5): the order of validating the body, looking the item up
 * and checking the permission differs by resource, and clients rely on it.
 */
import { create, openStage, type Step, scenario } from "../support/harness/scenario.ts";

const SEES = ["bookshelf-view-all", "book-view-all", "chapter-view-all", "page-view-all"];
const stage = openStage(
  {
    nobody: [],
    reader: SEES,
    editor: [...SEES, "page-update-all", "chapter-update-all", "book-update-all", "bookshelf-update-all"],
  },
  [
    create("book", "/api/books", { name: "One" }),
    create("other", "/api/books", { name: "Two" }),
    create("chapter", "/api/chapters", { name: "Chapter", book_id: "{book}" }),
    create("page", "/api/pages", { name: "Page", book_id: "{book}", html: "x" }),
    create("shelf", "/api/shelves", { name: "Shelf" }),
  ],
);

const invalid = { error: { message: "The given data was invalid.", code: 422 } };
const denied = { error: { message: "You do not have permission to perform the requested action.", code: 403 } };
const missing = (noun: string) => ({ error: { message: `${noun} not found`, code: 404 } });
const nothing = { error: { message: "No authorization token found on the request", code: 401 } };

/** Rows of one subject, each a test named by its request. */
function each(subject: string, rows: readonly Step[]): void {
  for (const row of rows)
    scenario(stage, `${subject}: ${row.as ?? "admin"} sends ${row.request} ${JSON.stringify(row.body ?? {})}`, row);
}

const PAGE = { name: "New", html: "<p>x</p>" };
each("pages: the body, then the parent, then the permission", [
  { as: "guest", request: "POST /api/pages", body: {}, status: 401, holds: nothing },
  { as: "nobody", request: "POST /api/pages", body: {}, status: 422, holds: invalid },
  { as: "reader", request: "POST /api/pages", body: { ...PAGE, book_id: 9999 }, status: 404, holds: missing("Book") },
  {
    as: "nobody",
    request: "POST /api/pages",
    body: { ...PAGE, book_id: "{book}" },
    status: 404,
    holds: missing("Book"),
  },
  { as: "reader", request: "POST /api/pages", body: { ...PAGE, book_id: "{book}" }, status: 403, holds: denied },
  { as: "nobody", request: "PUT /api/pages/9999", body: { name: "" }, status: 422, holds: invalid },
  { as: "reader", request: "PUT /api/pages/9999", body: { name: "x" }, status: 404, holds: missing("Page") },
  { as: "nobody", request: "PUT /api/pages/{page}", body: { name: "x" }, status: 404, holds: missing("Page") },
  { as: "reader", request: "PUT /api/pages/{page}", body: { book_id: 9999 }, status: 403, holds: denied },
  { as: "editor", request: "PUT /api/pages/{page}", body: { book_id: 9999 }, status: 404, holds: missing("Book") },
  { as: "editor", request: "PUT /api/pages/{page}", body: { book_id: "{other}" }, status: 403, holds: denied },
]);

each("chapters: the body, then the item, then the permission", [
  { as: "nobody", request: "POST /api/chapters", body: { book_id: 9999 }, status: 422, holds: invalid },
  {
    as: "reader",
    request: "POST /api/chapters",
    body: { name: "x", book_id: 9999 },
    status: 404,
    holds: missing("Book"),
  },
  { as: "reader", request: "POST /api/chapters", body: { name: "x", book_id: "{book}" }, status: 403, holds: denied },
  { as: "nobody", request: "PUT /api/chapters/9999", body: { name: "" }, status: 422, holds: invalid },
  { as: "nobody", request: "PUT /api/chapters/{chapter}", body: { name: "x" }, status: 404, holds: missing("Chapter") },
  { as: "reader", request: "PUT /api/chapters/{chapter}", body: { book_id: 9999 }, status: 403, holds: denied },
  { as: "editor", request: "PUT /api/chapters/{chapter}", body: { book_id: "{other}" }, status: 403, holds: denied },
]);

each("books and shelves: the permission or the item first, the body last", [
  { as: "reader", request: "POST /api/books", body: {}, status: 403, holds: denied },
  { request: "POST /api/books", body: {}, status: 422, holds: invalid },
  { as: "reader", request: "PUT /api/books/9999", body: { name: "" }, status: 404, holds: missing("Book") },
  { as: "nobody", request: "PUT /api/books/{book}", body: { name: "" }, status: 404, holds: missing("Book") },
  { as: "reader", request: "PUT /api/books/{book}", body: { name: "" }, status: 403, holds: denied },
  { as: "editor", request: "PUT /api/books/{book}", body: { name: "" }, status: 422, holds: invalid },
  { as: "reader", request: "POST /api/shelves", body: {}, status: 403, holds: denied },
  { as: "reader", request: "PUT /api/shelves/9999", body: { name: "" }, status: 404, holds: missing("Shelf") },
  { as: "reader", request: "PUT /api/shelves/{shelf}", body: { name: "" }, status: 403, holds: denied },
  { as: "editor", request: "PUT /api/shelves/{shelf}", body: { name: "" }, status: 422, holds: invalid },
]);

each("deleting: the item, then the permission", [
  ...["page", "chapter", "book", "shelf"].flatMap((name) => {
    const path = `/api/${name === "shelf" ? "shelve" : name}s`;
    const noun = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    return [
      { as: "reader", request: `DELETE ${path}/9999`, status: 404, holds: missing(noun) },
      { as: "nobody", request: `DELETE ${path}/{${name}}`, status: 404, holds: missing(noun) },
      { as: "editor", request: `DELETE ${path}/{${name}}`, status: 403, holds: denied },
      { as: "guest", request: `DELETE ${path}/{${name}}`, status: 401, holds: nothing },
    ];
  }),
]);

each("users and roles: the permission before all else", [
  { as: "editor", request: "POST /api/users", body: {}, status: 403, holds: denied },
  { as: "editor", request: "PUT /api/users/9999", body: { email: "x" }, status: 403, holds: denied },
  { as: "editor", request: "DELETE /api/users/9999", status: 403, holds: denied },
  { as: "editor", request: "POST /api/roles", body: {}, status: 403, holds: denied },
  { as: "editor", request: "GET /api/roles/9999", status: 403, holds: denied },
  { as: "editor", request: "DELETE /api/roles/1", status: 403, holds: denied },
]);
