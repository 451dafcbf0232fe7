/** The lists of the home screen, favourites and home pages over the API: each of one person alone, and of what that person may see. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AnyContext, sql } from "lectern/core";
import { rows } from "lectern/db";
import { countMostViewed } from "../../plugins/content/home_page/most_viewed.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const READER = ["access-api", "bookshelf-view-all", "book-view-all", "chapter-view-all", "page-view-all"];

let runtime: TestRuntime;
let ids: Record<"shelf" | "book" | "chapter" | "page" | "hidden", number>;
const ask = (method: string, path: string, as?: string | null, body?: object) =>
  runtime.ask(method, path, { ...(as === undefined ? {} : { as }), ...(body && { body }) });

beforeAll(async () => {
  runtime = await bootTestRuntime();
  const make = async (path: string, body: object) => (await ask("POST", path, undefined, body)).body.id as number;
  const book = await make("/api/books", { name: "Runbooks" });
  const closed = await make("/api/books", { name: "Closed" });
  const chapter = await make("/api/chapters", { book_id: book, name: "Database" });
  const shelf = await make("/api/shelves", { name: "Operations", books: [book] });
  const page = await make("/api/pages", { chapter_id: chapter, name: "Failover", html: "<p>Call.</p>" });
  const hidden = await make("/api/pages", { book_id: closed, name: "Salaries", html: "<p>Secret.</p>" });
  const nobody = {
    fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false },
  };
  await ask("PUT", `/api/content-permissions/book/${closed}`, undefined, nobody);
  ids = { shelf, book, chapter, page, hidden };
});
afterAll(() => runtime.stop());

const namesIn = (body: { data: { name?: string; item?: { name: string } }[] }) =>
  body.data.map(({ name, item }) => item?.name ?? name);

test("a favourite is its user's alone, and is listed with its book and chapter, the newest first", async () => {
  const ann = await runtime.person("Ann", READER);
  const ben = await runtime.person("Ben", READER);
  for (const [kind, id] of [
    ["bookshelf", ids.shelf],
    ["book", ids.book],
    ["page", ids.page],
    ["page", ids.page],
  ] as const) {
    const { status, body } = await ask("PUT", `/api/favourites/${kind}/${id}`, ann.token);
    expect([status, body]).toEqual([200, { type: kind, id, is_favourite: true }]);
  }
  const { body } = await ask("GET", "/api/favourites", ann.token);
  expect([body.total, namesIn(body)]).toEqual([3, ["Failover", "Runbooks", "Operations"]]);
  expect(body.data[0]).toEqual({
    type: "page",
    id: ids.page,
    name: "Failover",
    slug: "failover",
    url: `${runtime.baseUrl}/books/runbooks/page/failover`,
    book: { id: ids.book, name: "Runbooks", slug: "runbooks" },
    chapter: { id: ids.chapter, name: "Database", slug: "database" },
    favourited_at: expect.stringMatching(/Z$/),
  });
  expect(namesIn((await ask("GET", "/api/favourites?count=1&offset=1", ann.token)).body)).toEqual(["Runbooks"]);
  expect((await ask("GET", `/api/favourites/page/${ids.page}`, ben.token)).body.is_favourite).toBe(false);
  expect((await ask("GET", "/api/favourites", ben.token)).body).toEqual({ data: [], total: 0 });
  expect((await ask("DELETE", `/api/favourites/page/${ids.page}`, ann.token)).status).toBe(204);
  expect((await ask("GET", `/api/favourites/page/${ids.page}`, ann.token)).body.is_favourite).toBe(false);
});

test("what a person does not see is no favourite, in the words of what there is not", async () => {
  const cy = await runtime.person("Cy", READER);
  const answers = [];
  for (const id of [ids.hidden, 999_999]) {
    const { status, body } = await ask("PUT", `/api/favourites/page/${id}`, cy.token);
    answers.push([status, body.error.message, (await ask("DELETE", `/api/favourites/page/${id}`, cy.token)).status]);
  }
  expect(answers).toEqual([
    [404, "Page not found", 204],
    [404, "Page not found", 204],
  ]);
  expect((await ask("PUT", "/api/favourites/recipe/1", cy.token)).status).toBe(404);
  // Marked before it was closed.
  await rows(runtime.db, sql`insert into favourites (user_id, kind, item_id) values (${cy.id}, 'page', ${ids.hidden})`);
  expect((await ask("GET", "/api/favourites", cy.token)).body).toEqual({ data: [], total: 0 });
});

test("favourites and choices go with their user, and with what is destroyed", async () => {
  const dee = await runtime.person("Dee", READER);
  const { id } = (await ask("POST", "/api/pages", undefined, { book_id: ids.book, name: "Brief", html: "<p>x</p>" }))
    .body;
  await ask("PUT", `/api/favourites/page/${id}`, dee.token);
  await ask("PUT", `/api/favourites/page/${ids.page}`, dee.token);
  await ask("PUT", "/api/home", dee.token, { page_id: id });
  const left = async () =>
    rows<{ n: number }>(
      runtime.db,
      sql`select (select count(*) from favourites where user_id = ${dee.id})::integer as favourites,
        (select count(*) from home_choices where user_id = ${dee.id})::integer as choices`,
    );
  expect((await ask("GET", `/api/favourites/page/${id}`, dee.token)).body.is_favourite).toBe(true);
  await ask("DELETE", `/api/pages/${id}`);
  expect(namesIn((await ask("GET", "/api/favourites", dee.token)).body)).toEqual(["Failover"]);
  expect((await ask("GET", "/api/home", dee.token)).body.shows).toBe("overview");
  const { data } = (await ask("GET", "/api/recycle-bin")).body;
  await ask("DELETE", `/api/recycle-bin/${data.find((each: { deletable_id: number }) => each.deletable_id === id).id}`);
  expect(await left()).toEqual([{ favourites: 1, choices: 0 } as never]);
  await ask("DELETE", `/api/users/${dee.id}`);
  expect(await left()).toEqual([{ favourites: 0, choices: 0 } as never]);
});

test("what was opened is listed at once, the last one first; what is opened most counts all users, of what the reader sees", async () => {
  const eve = await runtime.person("Eve", READER);
  for (const path of [`books/${ids.book}`, `pages/${ids.page}`, `pages/${ids.page}`])
    await ask("GET", `/api/${path}`, eve.token);
  const { body } = await ask("GET", "/api/recently-viewed", eve.token);
  expect(namesIn(body)).toEqual(["Failover", "Runbooks"]);
  expect(body.data[0]).toMatchObject({ views: 2, viewed_at: expect.stringMatching(/Z$/) });
  for (let each = 0; each < 9; each++) await ask("GET", `/api/pages/${ids.hidden}`);
  await ask("GET", "/api/recently-viewed");
  await countMostViewed((runtime.contexts.get("home_page") as AnyContext).db as never);
  const most = async (as?: string) => namesIn((await ask("GET", "/api/most-viewed", as)).body);
  expect((await most())[0]).toBe("Salaries");
  expect(await most(eve.token)).not.toContain("Salaries");
  expect((await most(eve.token))[0]).toBe("Failover");
});

test("drafts are listed to their author, with what they are for", async () => {
  const writer = [...READER, "page-create-all", "page-update-all"];
  const fay = await runtime.person("Fay", writer);
  await ask("PUT", `/api/drafts/page/${ids.page}`, fay.token, { name: "Failover, again", markdown: "# Mine" });
  await ask("PUT", `/api/drafts/book/${ids.book}`, fay.token, { name: "All new", markdown: "x", slot: "one" });
  const { body } = await ask("GET", "/api/drafts", fay.token);
  expect(body.data).toMatchObject([
    {
      kind: "book",
      item_id: ids.book,
      slot: "one",
      name: "All new",
      page_id: expect.any(Number),
      item: { name: "Runbooks" },
    },
    { kind: "page", item_id: ids.page, slot: "", name: "Failover, again", page_id: null, item: { name: "Failover" } },
  ]);
  expect(JSON.stringify(body)).not.toContain("# Mine");
  expect((await ask("GET", "/api/drafts")).body.total).toBe(0);
});

test("activity names author, item and book, each change of one author once, and nothing that the reader does not see", async () => {
  const guy = await runtime.person("Guy", [...READER, "page-update-all"]);
  for (const name of ["Failover", "Failover now"])
    await ask("PUT", `/api/pages/${ids.page}`, guy.token, { name, html: `<p>${name}</p>` });
  await ask("PUT", `/api/pages/${ids.hidden}`, undefined, { html: "<p>More.</p>" });
  const { body } = await ask("GET", "/api/activity", guy.token);
  const own = body.data.filter(({ user }: { user: { id: number } }) => user?.id === guy.id);
  expect(own).toMatchObject([
    { type: "page_update", user: { name: "Guy" }, item: { name: "Failover now", book: { name: "Runbooks" } } },
  ]);
  expect(namesIn(body)).not.toContain("Salaries");
  expect(JSON.stringify(body)).not.toContain("127.0.0.1");
  expect(namesIn((await ask("GET", "/api/activity")).body)).toContain("Salaries");
});

test("the home page is that of the user, else that of the instance, and never one that the reader does not see", async () => {
  const hal = await runtime.person("Hal", READER);
  const home = async (as?: string | null) => (await ask("GET", "/api/home", as)).body;
  expect(await home(hal.token)).toEqual({ shows: "overview", item: null, own: null, instance: null });
  expect((await ask("PUT", "/api/home/instance", hal.token, { shows: "books" })).status).toBe(403);
  const closed = { page_id: ids.hidden };
  expect((await ask("PUT", "/api/home/instance", undefined, closed)).body).toMatchObject({
    item: { name: "Salaries" },
  });
  const seen = await home(hal.token);
  expect(seen).toEqual({ shows: "overview", item: null, own: null, instance: { shows: "page", item_id: null } });
  const missing = [];
  for (const page_id of [ids.hidden, 999_999])
    missing.push((await ask("PUT", "/api/home", hal.token, { page_id })).body.error);
  expect(missing[0]).toEqual(missing[1]);
  expect(missing[0].validation.page_id).toHaveLength(1);
  await ask("PUT", "/api/home", hal.token, { bookshelf_id: ids.shelf });
  expect(await home(hal.token)).toMatchObject({ shows: "bookshelf", item: { name: "Operations", type: "bookshelf" } });
  await ask("PUT", "/api/home/instance", undefined, { shows: "bookshelves" });
  await ask("PUT", "/api/home", hal.token, {});
  expect(await home(hal.token)).toMatchObject({ shows: "bookshelves", own: null });
  await ask("PUT", "/api/home/instance", undefined, { shows: "" });
  expect((await ask("PUT", "/api/home", hal.token, { shows: "kitchen" })).status).toBe(422);
});

test("a narrower token reads what it may see, and changes nothing of its user's own", async () => {
  const made = (await ask("POST", "/api/users/1/tokens", undefined, { name: "narrow", permissions: ["book-view-all"] }))
    .body;
  const narrow = `${made.token_id}:${made.secret}`;
  await ask("PUT", `/api/favourites/page/${ids.page}`);
  await ask("PUT", `/api/favourites/book/${ids.book}`);
  expect(namesIn((await ask("GET", "/api/favourites", narrow)).body)).toEqual(["Runbooks"]);
  expect((await ask("PUT", `/api/favourites/book/${ids.book}`, narrow)).status).toBe(403);
  expect((await ask("PUT", "/api/home", narrow, { shows: "books" })).status).toBe(403);
  expect((await ask("GET", "/api/drafts", narrow)).status).toBe(403);
});
