/** Revisions of pages: who sees a page reads what it was, and nobody else does. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { bootHouse, type TestHouse } from "../support/house.ts";

let house: TestHouse;
let page: number;
const idOf = async (number: number): Promise<number> =>
  (await house.ask("GET", `/api/pages/${page}/revisions?filter[number]=${number}`)).body.data[0].id;
beforeAll(async () => {
  house = await bootHouse();
  const book = (await house.ask("POST", "/api/books", { body: { name: "Book" } })).body.id;
  page = (await house.ask("POST", "/api/pages", { body: { book_id: book, name: "Page", markdown: "# One" } })).body.id;
  const change = (body: object) => house.ask("PUT", `/api/pages/${page}`, { body });
  await change({ markdown: "# Two <script>alert(1)</script>" });
  await change({ priority: 9 });
  await change({ name: "Renamed" });
});
afterAll(() => house.stop());

test("revisions are listed without their content, by number, with who made them", async () => {
  const { status, body } = await house.ask("GET", `/api/pages/${page}/revisions?sort=-number`);
  expect([status, body.total]).toEqual([200, 3]);
  expect(body.data).toMatchObject([
    { page_id: page, number: 4, name: "Renamed", created_by: { id: 1, name: "Admin" } },
    { number: 2, name: "Page", summary: "" },
    { number: 1, summary: "Initial publish", created_at: expect.stringMatching(/Z$/) },
  ]);
  expect(body.data[0]).not.toHaveProperty("html");
  const before = await house.ask("GET", `/api/pages/${page}/revisions?sort=-number&count=1&filter[number:lt]=4`);
  expect(before.body.data).toMatchObject([{ number: 2 }]);
});

test("a revision is read as it was, and shown harmless", async () => {
  const { status, body } = await house.ask("GET", `/api/pages/${page}/revisions/${await idOf(2)}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ number: 2, name: "Page", markdown: "# Two <script>alert(1)</script>" });
  expect(body.html).toContain("Two");
  expect(body.html).not.toContain("<script");
  expect(body.text).toContain("Two");
});

test("there is no such revision, or none of that page", async () => {
  const other = (await house.ask("POST", "/api/pages", { body: { book_id: 1, name: "Other", html: "<p>x</p>" } })).body;
  const taken = await idOf(1);
  for (const path of [
    `${page}/revisions/999`,
    `${page}/revisions/x`,
    `99999/revisions/${taken}`,
    `${other.id}/revisions/${taken}`,
  ])
    expect([path, (await house.ask("GET", `/api/pages/${path}`)).status]).toEqual([path, 404]);
  expect((await house.ask("GET", "/api/pages/99999/revisions")).status).toBe(404);
});

test("who may not see the page sees no revision of it", async () => {
  const { token } = await house.person("Short", ["access-api", "book-view-all"]);
  const reader = await house.person("Reader", ["access-api", "page-view-all"]);
  for (const path of [`/api/pages/${page}/revisions`, `/api/pages/${page}/revisions/${await idOf(1)}`]) {
    expect((await house.ask("GET", path, { as: token })).status).toBe(404);
    expect((await house.ask("GET", path, { as: reader.token })).status).toBe(200);
    expect((await house.ask("GET", path, { as: null })).status).toBe(401);
  }
});
