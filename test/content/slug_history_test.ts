/** Earlier addresses of items redirect those who may see the item; for everybody else they do not exist. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { sql } from "lectern/core";
import { migrations } from "../../plugins/content/slug_history/migrations.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(60_000);

let runtime: TestRuntime;
beforeAll(async () => {
  // A test makes the table again while the runtime runs, and roles get their rights on tables at a boot.
  runtime = await bootTestRuntime({ env: { PLUGIN_ROLES: "third-party" } });
});
afterAll(() => runtime.stop());

interface Item {
  readonly id: number;
  readonly slug: string;
}

async function send(method: string, path: string, body?: object): Promise<Item> {
  const answer = await runtime.ask(method, path, { body });
  expect([method, path, answer.status]).toEqual([method, path, method === "DELETE" ? 204 : 200]);
  return answer.body;
}
const make = (segment: string, body: object) =>
  send("POST", `/api/${segment}`, segment === "pages" ? { html: "<p>x</p>", ...body } : body);
const change = (segment: string, { id }: Item, body: object) => send("PUT", `/api/${segment}/${id}`, body);
const rename = (segment: string, item: Item, name: string) => change(segment, item, { name });

/** The address a screen redirects to, or its status. */
async function leads(path: string, { as = runtime.token, method = "GET" } = {}): Promise<string> {
  const { status, headers } = await runtime.ask(method, path, { as, headers: { accept: "text/html" } });
  return status === 302 ? (headers.get("location") ?? "") : String(status);
}

const emptied = async (segment: string, item: Item) => {
  await send("DELETE", `/api/${segment}/${item.id}`);
  const { data } = (await runtime.ask("GET", "/api/recycle-bin?count=1&sort=-id")).body;
  expect((await runtime.ask("DELETE", `/api/recycle-bin/${data[0].id}`)).status).toBe(200);
};
const kept = async () => {
  const rows = await runtime.db.selectFrom("slug_history").select(["kind", "item_id", "slug"]).execute();
  return rows.map(({ kind, item_id, slug }) => `${kind} ${item_id} ${slug}`);
};

test("shelves, books, chapters and pages that were renamed twice are found at each of their addresses", async () => {
  const shelf = await make("shelves", { name: "First shelf" });
  await rename("shelves", shelf, "Second shelf");
  await rename("shelves", shelf, "Third shelf");
  const book = await make("books", { name: "First book" });
  const chapter = await make("chapters", { book_id: book.id, name: "First chapter" });
  const page = await make("pages", { chapter_id: chapter.id, name: "First page" });
  await rename("pages", page, "Second page");
  await rename("books", book, "Second book");
  await rename("chapters", chapter, "Second chapter");
  await rename("pages", page, "Third page");
  await rename("books", book, "Third book");
  await rename("chapters", chapter, "Third chapter");
  for (const was of ["first", "second"]) {
    expect(await leads(`/shelves/${was}-shelf`)).toBe("/shelves/third-shelf");
    expect(await leads(`/books/${was}-book`)).toBe("/books/third-book");
    for (const top of ["first", "second", "third"]) {
      expect(await leads(`/books/${top}-book/chapter/${was}-chapter`)).toBe("/books/third-book/chapter/third-chapter");
      expect(await leads(`/books/${top}-book/page/${was}-page`)).toBe("/books/third-book/page/third-page");
    }
    expect(await leads(`/books/${was}-book/page/third-page`)).toBe("/books/third-book/page/third-page");
  }
  expect(await leads("/books/third-book/page/third-page")).toBe("200");
  expect(await leads("/books/third-book/page/fourth-page")).toBe("404");
  expect(await leads("/shelves/third-shelf/page/first-page")).toBe("404");
});

test("the rest of the path and the query stay, and a HEAD is led on as well", async () => {
  const to = "/books/third-book/page/third-page";
  expect(await leads("/books/first-book/page/first-page/revisions?page=2&x=%26")).toBe(`${to}/revisions?page=2&x=%26`);
  expect(await leads("/books/first-book/page/first-page/export/html")).toBe(`${to}/export/html`);
  expect(await leads("/books/first-book/export/html")).toBe("/books/third-book/export/html");
  expect(await leads("/books/first-book/chapter/first-chapter", { method: "HEAD" })).toBe(
    "/books/third-book/chapter/third-chapter",
  );
  expect(await leads("/books/third-book/page/third-page/revisions/999999")).toBe("404");
  expect(await leads("/books/%E0%A4%A/page/%00")).toBe("404");
});

test("a form that is sent to an earlier address changes nothing", async () => {
  expect(await leads("/books/first-book/delete", { method: "POST" })).not.toContain("/books");
  expect(await leads("/books/third-book")).toBe("200");
});

test("what moved is found where it was, with the chapter it lies in and under every slug of the books", async () => {
  const from = await make("books", { name: "Old home" });
  const to = await make("books", { name: "New home" });
  const taken = await make("pages", { book_id: to.id, name: "Guide" });
  const page = await make("pages", { book_id: from.id, name: "Guide" });
  const moved = await change("pages", page, { book_id: to.id });
  expect(moved.slug).not.toBe(taken.slug);
  expect(await leads("/books/old-home/page/guide")).toBe(`/books/new-home/page/${moved.slug}`);
  expect(await leads("/books/new-home/page/guide")).toBe("200");

  const chapter = await make("chapters", { book_id: from.id, name: "Steps" });
  await make("pages", { chapter_id: chapter.id, name: "One" });
  const two = await make("pages", { chapter_id: chapter.id, name: "Guide" });
  await rename("books", from, "Older home");
  await change("chapters", chapter, { book_id: to.id });
  await rename("books", to, "Newest home");
  await rename("books", from, "Oldest home");
  const { slug } = (await runtime.ask("GET", `/api/pages/${two.id}`)).body;
  for (const top of ["old-home", "older-home", "oldest-home"]) {
    expect(await leads(`/books/${top}/chapter/steps`)).toBe("/books/newest-home/chapter/steps");
    expect(await leads(`/books/${top}/page/one`)).toBe("/books/newest-home/page/one");
    // Two pages had this address in the book: it redirects to the last one.
    expect(await leads(`/books/${top}/page/guide`)).toBe(`/books/newest-home/page/${slug}`);
  }
  await change("chapters", chapter, { book_id: from.id });
  expect(await leads("/books/new-home/chapter/steps")).toBe("/books/oldest-home/chapter/steps");
  expect(await leads("/books/oldest-home/page/one")).toBe("200");
});

test("the item that has an address now is shown there, before those that had it earlier", async () => {
  const book = await make("books", { name: "Names" });
  const first = await make("pages", { book_id: book.id, name: "Plan" });
  await rename("pages", first, "Plan of last year");
  expect(await leads("/books/names/page/plan")).toBe("/books/names/page/plan-of-last-year");
  const second = await make("pages", { book_id: book.id, name: "Plan" });
  expect(second.slug).toBe("plan");
  expect(await leads("/books/names/page/plan")).toBe("200");
  await rename("pages", second, "Plan of this year");
  expect(await leads("/books/names/page/plan")).toBe("/books/names/page/plan-of-this-year");
  await rename("pages", first, "Plan");
  expect(await leads("/books/names/page/plan")).toBe("200");
  await make("books", { name: "Other names" });
  await rename("books", book, "Names of old");
  await make("books", { name: "Names" });
  expect(await leads("/books/names")).toBe("200");
  expect(await leads("/books/names/page/plan")).toBe("/books/names-of-old/page/plan");
});

test("who may not see an item learns nothing of it, and gets to the one they may see", async () => {
  const reader = await runtime.person("reader", ["access-api", "book-view-all", "page-view-own", "chapter-view-all"]);
  const book = await make("books", { name: "Files" });
  const hidden = await make("pages", { book_id: book.id, name: "Merger" });
  await rename("pages", hidden, "Merger with Initech");
  const never = await leads("/books/files/page/never-was", { as: reader.token });
  expect(await leads("/books/files/page/merger", { as: reader.token })).toBe(never);
  expect(never).toBe("404");

  const shown = await make("pages", { book_id: book.id, name: "Lunch" });
  await change("pages", shown, { name: "Lunch menu" });
  await runtime.ask("PUT", `/api/content-permissions/page/${shown.id}`, { body: { owner_id: reader.id } });
  await rename("pages", hidden, "Lunch");
  await rename("pages", hidden, "Merger lunch");
  expect(await leads("/books/files/page/lunch")).toBe("/books/files/page/merger-lunch");
  expect(await leads("/books/files/page/lunch", { as: reader.token })).toBe("/books/files/page/lunch-menu");

  const secret = await make("books", { name: "Vault" });
  await runtime.ask("PUT", `/api/content-permissions/book/${secret.id}`, {
    body: { fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false } },
  });
  await change("pages", shown, { book_id: secret.id });
  expect(await leads("/books/files/page/lunch", { as: reader.token })).toBe("404");
  await rename("books", secret, "Vault of gold");
  expect(await leads("/books/vault", { as: reader.token })).toBe("404");
  expect(await leads("/books/vault")).toBe("/books/vault-of-gold");
});

test("nobody is asked to sign in first and led on after", async () => {
  const { status, headers } = await runtime.ask("GET", "/books/first-book", {
    as: null,
    headers: { accept: "text/html" },
  });
  expect([status, headers.get("location")]).toEqual([303, "/login?next=%2Fbooks%2Ffirst-book"]);
});

test("what comes back from the bin under another slug is found under its own", async () => {
  const book = await make("books", { name: "Bin" });
  const page = await make("pages", { book_id: book.id, name: "Note" });
  await rename("pages", page, "Memo");
  await send("DELETE", `/api/pages/${page.id}`);
  expect(await leads("/books/bin/page/note")).toBe("404");
  const { data } = (await runtime.ask("GET", "/api/recycle-bin?count=1&sort=-id")).body;
  const taker = await make("pages", { book_id: book.id, name: "Memo" });
  await runtime.ask("PUT", `/api/recycle-bin/${data[0].id}`);
  const { slug } = (await runtime.ask("GET", `/api/pages/${page.id}`)).body;
  expect(slug).toMatch(/^memo-\w{3}$/);
  expect(await leads("/books/bin/page/note")).toBe(`/books/bin/page/${slug}`);
  await rename("pages", taker, "Something else");
  await emptied("pages", taker);
  expect(await leads("/books/bin/page/memo")).toBe(`/books/bin/page/${slug}`);
});

test("what is gone for good leaves no history, but what left a book before is still found under its slugs", async () => {
  const before = await kept();
  const doomed = await make("books", { name: "Doomed" });
  const chapter = await make("chapters", { book_id: doomed.id, name: "Parts" });
  const inside = await make("pages", { chapter_id: chapter.id, name: "Inside" });
  const saved = await make("pages", { book_id: doomed.id, name: "Saved" });
  await rename("pages", inside, "Within");
  await rename("chapters", chapter, "Pieces");
  await rename("books", doomed, "Condemned");
  const ark = await make("books", { name: "Ark" });
  await change("pages", saved, { book_id: ark.id });
  await emptied("books", doomed);
  for (const top of ["doomed", "condemned"]) {
    expect(await leads(`/books/${top}`)).toBe("404");
    expect(await leads(`/books/${top}/page/inside`)).toBe("404");
    expect(await leads(`/books/${top}/page/saved`)).toBe("/books/ark/page/saved");
  }
  await emptied("pages", saved);
  await emptied("books", ark);
  expect((await kept()).filter((row) => !before.includes(row))).toEqual([]);
});

test("pages of an instance from before there was a history are found where their revisions say they were", async () => {
  const from = await make("books", { name: "Before" });
  const to = await make("books", { name: "After" });
  const page = await make("pages", { book_id: from.id, name: "Long ago" });
  await rename("pages", page, "Since then");
  await rename("books", from, "Before that");
  await change("pages", page, { book_id: to.id, html: "<p>y</p>" });
  await sql`drop table slug_history; drop function keep_slug_history cascade`.execute(runtime.db);
  expect(migrations["0001_init"]).toBeDefined();
  await migrations["0001_init"]?.(runtime.db);
  for (const slug of ["long-ago", "since-then"])
    expect(await leads(`/books/before/page/${slug}`)).toBe("/books/after/page/since-then");
  expect(await leads("/books/after/page/since-then")).toBe("200");
});

test("the address of a page by its number stays, and sub-paths of APP_URL stand before every address", async () => {
  const below = await bootTestRuntime({ env: { APP_URL: "http://localhost/docs" } });
  try {
    const ask = async (method: string, path: string, body?: object) =>
      below.ask(method, path, { ...(body && { body }), headers: { accept: "text/html" } });
    const book = (await ask("POST", "/docs/api/books", { name: "Low" })).body;
    const page = (await ask("POST", "/docs/api/pages", { book_id: book.id, name: "Down", html: "<p>x</p>" })).body;
    await ask("PUT", `/docs/api/books/${book.id}`, { name: "Lower" });
    expect((await ask("GET", "/docs/books/low/page/down?x=1")).headers.get("location")).toBe(
      "/docs/books/lower/page/down?x=1",
    );
    expect((await ask("GET", `/docs/link/${page.id}`)).headers.get("location")).toBe("/docs/books/lower/page/down");
  } finally {
    await below.stop();
  }
});
