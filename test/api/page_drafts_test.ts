/** Drafts: kept for their author alone, gone with what they are about, and never in the way of anybody else. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { bootHouse, type TestHouse } from "../support/house.ts";

let house: TestHouse;
let book: number;
let page: number;
beforeAll(async () => {
  house = await bootHouse();
  book = (await house.ask("POST", "/api/books", { body: { name: "Book" } })).body.id;
  page = (await house.ask("POST", "/api/pages", { body: { book_id: book, name: "Page", html: "<p>one</p>" } })).body.id;
});
afterAll(() => house.stop());

const writer = ["access-api", "book-view-all", "page-view-all", "page-update-all", "page-create-all"];

test("a draft is kept for its author, told of to others without its words, and thrown away", async () => {
  const ann = await house.person("Ann", writer);
  const path = `/api/drafts/page/${page}`;
  expect((await house.ask("GET", path, { as: ann.token })).body).toEqual({ draft: null, drafts: [], others: [] });
  const body = { name: "Seite", markdown: "# Mine", base_revision: 1 };
  const kept = await house.ask("PUT", path, { as: ann.token, body });
  expect([kept.status, kept.body.draft]).toEqual([200, expect.objectContaining({ ...body, html: "" })]);
  await house.ask("PUT", path, { as: ann.token, body: { ...body, markdown: "# Mine, again" } });
  expect((await house.ask("GET", path, { as: ann.token })).body.draft.markdown).toBe("# Mine, again");
  const seen = (await house.ask("GET", path)).body;
  expect(seen).toEqual({
    draft: null,
    drafts: [],
    others: [{ user: expect.objectContaining({ name: "Ann" }), updated_at: expect.any(String) }],
  });
  expect(JSON.stringify(seen)).not.toContain("Mine");
  expect((await house.ask("DELETE", path, { as: ann.token })).status).toBe(204);
  expect((await house.ask("GET", path)).body.others).toEqual([]);
});

test("a draft of a new page lies where the page shall lie", async () => {
  await house.ask("PUT", `/api/drafts/book/${book}`, { body: { name: "New one", html: "<p>x</p>" } });
  expect((await house.ask("GET", `/api/drafts/book/${book}`)).body.draft).toMatchObject({
    name: "New one",
    base_revision: null,
  });
  expect((await house.ask("GET", `/api/drafts/shelf/${book}`)).status).toBe(404);
  expect((await house.ask("GET", "/api/drafts/book/999999")).status).toBe(404);
  expect((await house.ask("PUT", `/api/drafts/book/${book}`, { body: { name: "x".repeat(256) } })).status).toBe(422);
});

test("a change that starts from another revision is refused, and nothing of it is kept", async () => {
  const { body } = await house.ask("GET", `/api/pages/${page}`);
  const change = (base_revision: number, html: string) =>
    house.ask("PUT", `/api/pages/${page}`, { body: { html, base_revision } });
  expect((await change(body.revision_count, "<p>two</p>")).status).toBe(200);
  const late = await change(body.revision_count, "<p>three</p>");
  expect([late.status, late.body.error.message]).toEqual([409, "This page was changed since you opened it"]);
  expect((await house.ask("GET", `/api/pages/${page}`)).body.raw_html).toContain("two");
  const both = await Promise.all([4, 5].map((n) => change(body.revision_count + 1, `<p>${n}</p>`)));
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
});

test("drafts go with the page, and with their author", async () => {
  const other = (await house.ask("POST", "/api/pages", { body: { book_id: book, name: "Other", html: "<p>x</p>" } }))
    .body.id;
  const ben = await house.person("Ben", writer);
  for (const as of [ben.token, house.token])
    await house.ask("PUT", `/api/drafts/page/${other}`, { as, body: { name: "d" } });
  const count = async () =>
    (await house.store.sql`select count(*)::int as n from page_drafts where item_id = ${other} and kind = 'page'`)[0]
      ?.n;
  expect(await count()).toBe(2);
  await house.ask("DELETE", `/api/users/${ben.id}`);
  expect(await count()).toBe(1);
  await house.ask("DELETE", `/api/pages/${other}`);
  const [binned] = (
    await house.ask("GET", `/api/recycle-bin?filter[deletable_id]=${other}&filter[deletable_type]=page`)
  ).body.data;
  await house.ask("DELETE", `/api/recycle-bin/${binned.id}`);
  expect(await count()).toBe(0);
});

test("what would be saved can be looked at, made harmless", async () => {
  const preview = async (body: object) => (await house.ask("POST", "/api/drafts/preview", { body })).body;
  expect((await preview({ markdown: "# Hi\n\n<script>alert(1)</script>\n\n*x*" })).html).toMatch(
    /^<h1[^>]*>Hi<\/h1>\s*<p[^>]*><em>x<\/em><\/p>\s*$/,
  );
  expect((await preview({ html: '<p onclick="x()">a <img src=x onerror=alert(1)></p>' })).html).not.toMatch(
    /onclick|onerror/,
  );
  expect((await house.ask("POST", "/api/drafts/preview", { body: {} })).status).toBe(422);
});

test("several new pages in one place are told apart by their slots, tags and all", async () => {
  const path = `/api/drafts/chapter/${(await house.ask("POST", "/api/chapters", { body: { book_id: book, name: "C" } })).body.id}`;
  const tags = [{ name: "state", value: "new" }];
  for (const slot of ["one", "two"])
    await house.ask("PUT", path, { body: { name: `Page ${slot}`, markdown: slot, slot, tags } });
  const { body } = await house.ask("GET", `${path}?slot=one`);
  expect(body.draft).toMatchObject({
    name: "Page one",
    markdown: "one",
    slot: "one",
    tags: [{ name: "state", value: "new" }],
  });
  expect(body.drafts.map(({ slot }: { slot: string }) => slot).sort()).toEqual(["one", "two"]);
  await house.ask("DELETE", `${path}?slot=one`);
  const after = (await house.ask("GET", path)).body;
  expect([after.draft, after.drafts.length]).toEqual([null, 1]);
  expect((await house.ask("PUT", path, { body: { slot: "no/slot" } })).status).toBe(422);
});
