/**
 * Listings over the API: paging, sorting and filtering of books in one table of query strings, the keys of each kind of row,
 * and that viewers list and count only what they may see. Chapters and shelves share the engine, so a few rows show that it
 * gets their columns alike.
 */
import { expect } from "bun:test";
import { create, openStage, scenario } from "../support/harness/scenario.ts";

const TREES = ["Pine", "Oak", "ash"];
const stage = openStage(
  {
    reader: ["book-view-all", "bookshelf-view-all", "chapter-view-all"],
    owner: ["book-create-all", "book-view-own"],
    stranger: [],
  },
  [
    ...TREES.map((name, n) => create(name, "/api/books", { name, description: `tree ${n}` })),
    ...TREES.flatMap((name, n) => [
      create(`chapter ${name}`, "/api/chapters", { book_id: "{Pine}", name, priority: 30 - n }),
      create(`shelf ${name}`, "/api/shelves", { name }),
    ]),
  ],
);
const names =
  (...expected: string[]) =>
  (body: unknown) =>
    expect((body as { data: { name: string }[] }).data.map(({ name }) => name)).toEqual(expected);
scenario(stage, "a guest is asked for a token", { as: "guest", request: "GET /api/books", status: 401 });
scenario(stage, "an empty listing has a total", {
  request: "GET /api/pages",
  status: 200,
  holds: { data: [], total: 0 },
});
for (const [query, expected, total = 3] of [
  ["", ["Pine", "Oak", "ash"]],
  ["count=2", ["Pine", "Oak"]],
  ["count=2&offset=2", ["ash"]],
  ["offset=50", []],
  ["sort=name", ["ash", "Oak", "Pine"]],
  ["sort=-name", ["Pine", "Oak", "ash"]],
  ["sort=%2Bname", ["ash", "Oak", "Pine"]],
  ["sort=+description", ["Pine", "Oak", "ash"]],
  ["sort=-updated_at", ["ash", "Oak", "Pine"]],
  ["sort=-owned_by&count=1", ["ash"]],
  ["sort=colour", ["Pine", "Oak", "ash"]],
  ["sort=deleted_at", ["Pine", "Oak", "ash"]],
  ["count=0", ["Pine"]],
  ["count=-5", ["Pine"]],
  ["count=many&offset=some", ["Pine", "Oak", "ash"]],
  ["filter[name]=OAK", ["Oak"], 1],
  ["filter[name:ne]=oak", ["Pine", "ash"], 2],
  ["filter[name:like]=%25A%25", ["Oak", "ash"], 2],
  ["filter[name:like]=_ak", ["Oak"], 1],
  ["filter[name:like]=a", [], 0],
  ["filter[name:like]=\\", [], 0],
  ["filter[id:gt]={Pine}&filter[id:lt]={ash}", ["Oak"], 1],
  ["filter[id]=abc", [], 0],
  ["filter[id]=99999999999999999999", [], 0],
  ["filter[created_at:gt]=2001-01-01", ["Pine", "Oak", "ash"]],
  ["filter[created_at:lt]=2001-01-01", [], 0],
  ["filter[created_at]=2001-13-45", [], 0],
  ["filter[created_at:gt]=2001-01-01T23", ["Pine", "Oak", "ash"]],
  ["filter[created_at:lt]=2001-01-01T23", [], 0],
  ["filter[created_at:gt]=2001-01-01T24", [], 0],
  ["filter[created_at:gt]=2001-1-1", ["Pine", "Oak", "ash"]],
  ["filter[created_at:lt]=2001-1-1 5:7:9", [], 0],
  ["filter[created_at:gt]=2001-2-29", [], 0],
  ["filter[id:ne]=abc", ["Pine", "Oak", "ash"]],
  ["filter[created_at:ne]=never&filter[name:ne]=oak", ["Pine", "ash"], 2],
  ["filter[id:gt]=abc", [], 0],
  ["filter[owned_by:ne]=0&sort=slug", ["ash", "Oak", "Pine"]],
  ["filter[colour]=red", ["Pine", "Oak", "ash"]],
  ["filter[default_template_id]=5", ["Pine", "Oak", "ash"]],
  ["filter[name:is]=ash", ["ash"], 1],
  ["filter=Oak", ["Pine", "Oak", "ash"]],
  ["filter[name][]=Oak", ["Pine", "Oak", "ash"]],
] as readonly [string, string[], number?][]) {
  scenario(stage, `books?${query}`, {
    request: `GET /api/books?${query}`,
    status: 200,
    holds: { total },
    check: names(...expected),
  });
}
scenario(stage, "a row of books has these keys", {
  request: "GET /api/books?count=1",
  status: 200,
  check: (body) =>
    expect(Object.keys((body as { data: [object] }).data[0])).toEqual([
      "id",
      "name",
      "slug",
      "description",
      "created_at",
      "updated_at",
      "created_by",
      "updated_by",
      "owned_by",
      "cover",
    ]),
});
scenario(stage, "an owner lists what is theirs, a reader all", [
  create("fir", "/api/books", { name: "Fir" }, "owner"),
  {
    name: "an owner lists what is theirs",
    as: "owner",
    request: "GET /api/books",
    status: 200,
    holds: { total: 1 },
    check: names("Fir"),
  },
  {
    name: "a reader lists all",
    as: "reader",
    request: "GET /api/books?sort=-id",
    status: 200,
    holds: { total: 4 },
    check: names("Fir", "ash", "Oak", "Pine"),
  },
  { name: "remove", request: "DELETE /api/books/{fir}", status: 204 },
]);
scenario(stage, "a stranger lists nothing", {
  as: "stranger",
  request: "GET /api/books",
  status: 200,
  holds: { total: 0, data: [] },
});
scenario(stage, "a deleted book is neither listed nor counted", [
  create("birch", "/api/books", { name: "Birch" }),
  { name: "delete", request: "DELETE /api/books/{birch}", status: 204 },
  { name: "list", request: "GET /api/books?filter[name]=Birch", status: 200, holds: { total: 0, data: [] } },
]);
scenario(stage, "chapters sort by priority", {
  request: "GET /api/chapters?filter[book_id]={Pine}&sort=priority",
  status: 200,
  holds: { total: 3 },
  check: names("ash", "Oak", "Pine"),
});
scenario(stage, "chapters filter by priority", {
  request: "GET /api/chapters?filter[priority:lt]=30&sort=-priority&count=1",
  status: 200,
  holds: { total: 2 },
  check: names("Oak"),
});
scenario(stage, "a row of chapters has these keys", {
  as: "reader",
  request: "GET /api/chapters?count=1",
  status: 200,
  holds: { data: [{ book_slug: "pine" }] },
  check: (body) =>
    expect(Object.keys((body as { data: [object] }).data[0])).toEqual([
      "id",
      "book_id",
      "name",
      "slug",
      "description",
      "priority",
      "created_at",
      "updated_at",
      "created_by",
      "updated_by",
      "owned_by",
      "book_slug",
    ]),
});
scenario(stage, "shelves sort and filter alike", {
  as: "reader",
  request: "GET /api/shelves?filter[name:like]=%25a%25&sort=-name",
  status: 200,
  holds: { total: 2 },
  check: names("Oak", "ash"),
});
scenario(stage, "a row of shelves has these keys", {
  request: "GET /api/shelves?count=1",
  status: 200,
  check: (body) =>
    expect(Object.keys((body as { data: [object] }).data[0])).toEqual([
      "id",
      "name",
      "slug",
      "description",
      "created_at",
      "updated_at",
      "created_by",
      "updated_by",
      "owned_by",
      "cover",
    ]),
});
