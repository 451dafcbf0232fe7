/**
 * Which error is told where a request has several (content-api 1.5): the order of judging the body, looking the item up
 * and asking for permission differs by resource, and clients rely on it.
 */
import { openStage, type Scenario, scenario } from "../support/harness/scenario.ts";

const SEES = ["bookshelf-view-all", "book-view-all", "chapter-view-all", "page-view-all"];
const stage = openStage({
  nobody: [],
  reader: SEES,
  editor: [...SEES, "page-update-all", "chapter-update-all", "book-update-all", "bookshelf-update-all"],
});

const invalid = { error: { message: "The given data was invalid.", code: 422 } };
const denied = { error: { message: "You do not have permission to perform the requested action.", code: 403 } };
const missing = (noun: string) => ({ error: { message: `${noun} not found`, code: 404 } });
const nothing = { error: { message: "No authorization token found on the request", code: 401 } };

/** Rows of one subject, each a test named by what it asks. */
function each(subject: string, rows: readonly Scenario[]): void {
  for (const row of rows)
    scenario(stage, `${subject}: ${row.as ?? "admin"} asks ${row.ask} ${JSON.stringify(row.body ?? {})}`, row);
}

each("what is asked about", [
  { ask: "POST /api/books", body: { name: "One" }, status: 200, save: { book: "id" } },
  { ask: "POST /api/books", body: { name: "Two" }, status: 200, save: { other: "id" } },
  { ask: "POST /api/chapters", body: { name: "Chapter", book_id: "{book}" }, status: 200, save: { chapter: "id" } },
  { ask: "POST /api/pages", body: { name: "Page", book_id: "{book}", html: "x" }, status: 200, save: { page: "id" } },
  { ask: "POST /api/shelves", body: { name: "Shelf" }, status: 200, save: { shelf: "id" } },
]);

const PAGE = { name: "New", html: "<p>x</p>" };
each("pages: the body, then the parent, then the permission", [
  { as: "guest", ask: "POST /api/pages", body: {}, status: 401, holds: nothing },
  { as: "nobody", ask: "POST /api/pages", body: {}, status: 422, holds: invalid },
  { as: "reader", ask: "POST /api/pages", body: { ...PAGE, book_id: 9999 }, status: 404, holds: missing("Book") },
  { as: "nobody", ask: "POST /api/pages", body: { ...PAGE, book_id: "{book}" }, status: 404, holds: missing("Book") },
  { as: "reader", ask: "POST /api/pages", body: { ...PAGE, book_id: "{book}" }, status: 403, holds: denied },
  { as: "nobody", ask: "PUT /api/pages/9999", body: { name: "" }, status: 422, holds: invalid },
  { as: "reader", ask: "PUT /api/pages/9999", body: { name: "x" }, status: 404, holds: missing("Page") },
  { as: "nobody", ask: "PUT /api/pages/{page}", body: { name: "x" }, status: 404, holds: missing("Page") },
  { as: "reader", ask: "PUT /api/pages/{page}", body: { book_id: 9999 }, status: 403, holds: denied },
  { as: "editor", ask: "PUT /api/pages/{page}", body: { book_id: 9999 }, status: 404, holds: missing("Book") },
  { as: "editor", ask: "PUT /api/pages/{page}", body: { book_id: "{other}" }, status: 403, holds: denied },
]);

each("chapters: the body, then the item, then the permission", [
  { as: "nobody", ask: "POST /api/chapters", body: { book_id: 9999 }, status: 422, holds: invalid },
  { as: "reader", ask: "POST /api/chapters", body: { name: "x", book_id: 9999 }, status: 404, holds: missing("Book") },
  { as: "reader", ask: "POST /api/chapters", body: { name: "x", book_id: "{book}" }, status: 403, holds: denied },
  { as: "nobody", ask: "PUT /api/chapters/9999", body: { name: "" }, status: 422, holds: invalid },
  { as: "nobody", ask: "PUT /api/chapters/{chapter}", body: { name: "x" }, status: 404, holds: missing("Chapter") },
  { as: "reader", ask: "PUT /api/chapters/{chapter}", body: { book_id: 9999 }, status: 403, holds: denied },
  { as: "editor", ask: "PUT /api/chapters/{chapter}", body: { book_id: "{other}" }, status: 403, holds: denied },
]);

each("books and shelves: the permission or the item first, the body last", [
  { as: "reader", ask: "POST /api/books", body: {}, status: 403, holds: denied },
  { ask: "POST /api/books", body: {}, status: 422, holds: invalid },
  { as: "reader", ask: "PUT /api/books/9999", body: { name: "" }, status: 404, holds: missing("Book") },
  { as: "nobody", ask: "PUT /api/books/{book}", body: { name: "" }, status: 404, holds: missing("Book") },
  { as: "reader", ask: "PUT /api/books/{book}", body: { name: "" }, status: 403, holds: denied },
  { as: "editor", ask: "PUT /api/books/{book}", body: { name: "" }, status: 422, holds: invalid },
  { as: "reader", ask: "POST /api/shelves", body: {}, status: 403, holds: denied },
  { as: "reader", ask: "PUT /api/shelves/9999", body: { name: "" }, status: 404, holds: missing("Shelf") },
  { as: "reader", ask: "PUT /api/shelves/{shelf}", body: { name: "" }, status: 403, holds: denied },
  { as: "editor", ask: "PUT /api/shelves/{shelf}", body: { name: "" }, status: 422, holds: invalid },
]);

each("deleting: the item, then the permission", [
  ...["page", "chapter", "book", "shelf"].flatMap((name) => {
    const path = `/api/${name === "shelf" ? "shelve" : name}s`;
    const noun = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    return [
      { as: "reader", ask: `DELETE ${path}/9999`, status: 404, holds: missing(noun) },
      { as: "nobody", ask: `DELETE ${path}/{${name}}`, status: 404, holds: missing(noun) },
      { as: "editor", ask: `DELETE ${path}/{${name}}`, status: 403, holds: denied },
      { as: "guest", ask: `DELETE ${path}/{${name}}`, status: 401, holds: nothing },
    ];
  }),
]);

each("users and roles: the permission before all else", [
  { as: "editor", ask: "POST /api/users", body: {}, status: 403, holds: denied },
  { as: "editor", ask: "PUT /api/users/9999", body: { email: "x" }, status: 403, holds: denied },
  { as: "editor", ask: "DELETE /api/users/9999", status: 403, holds: denied },
  { as: "editor", ask: "POST /api/roles", body: {}, status: 403, holds: denied },
  { as: "editor", ask: "GET /api/roles/9999", status: 403, holds: denied },
  { as: "editor", ask: "DELETE /api/roles/1", status: 403, holds: denied },
]);
