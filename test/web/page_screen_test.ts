/**
 * The screen of a page without a browser: how many statements it takes, and who is shown what of pages and books that are
 * hidden, deleted, drafts of others, or moved. Reads by slug answer what the API answers.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { findItem, listItems, outlineEntries } from "lectern/contracts";
import { type AnyContext, type AnyPlugin, definePlugin, raw } from "lectern/core";
import { planOf, statementsOf } from "../support/harness/query_plans.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(180_000);

/** An entry of contents and of an outline. */
interface Named {
  readonly type?: string;
  readonly id: number;
  readonly name: string;
  readonly pages?: readonly Named[];
}

/** Adds a field to books and pages, as a plugin or theme may, and shows the item of a screen as JSON. */
const shown: AnyPlugin = definePlugin({
  name: "shown",
  grants: { impersonate: true },
  requires: ["users"],
  setup({ contribute }) {
    for (const kind of ["book", "page"])
      contribute("response_fields", {
        kind,
        moment: "read",
        add: async (ids) => new Map(ids.map((id) => [id, { mark: `${kind} ${id}` }])),
      });
    contribute("screen_part", {
      at: "reading/page/after",
      order: 50,
      draw: (data) => raw(`<script type="data">${JSON.stringify(data)}</script>`),
    });
  },
});

let runtime: TestRuntime;
let cookies: { admin: string; reader: string };
let ids: { book: number; page: number; draft: number };

beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [shown] });
  const made = async (path: string, body: object) => (await runtime.ask("POST", `/api/${path}`, { body })).body.id;
  const book = await made("books", { name: "Runbooks", tags: [{ name: "team", value: "ops" }] });
  const chapter = await made("chapters", { name: "Disks", book_id: book });
  const page = await made("pages", { name: "Failover", chapter_id: chapter, markdown: "# Call\n\n# the\n\n# DBA" });
  for (const name of ["Before", "After"]) await made("pages", { name, book_id: book, markdown: name });
  await made("shelves", { name: "Operations", books: [book] });
  await made("comments", { page_id: page, html: "<p>Who is on call?</p>" });
  await made("attachments", { name: "Manual", uploaded_to: page, link: "https://example.com/manual" });
  const draft = await runtime.ask("PUT", `/api/drafts/book/${book}`, {
    body: { slot: crypto.randomUUID(), name: "Unfinished", markdown: "x" },
  });
  ids = { book, page, draft: draft.body.draft?.page_id };
  const { id } = await runtime.person("reader", ["book-view-all", "chapter-view-all", "page-view-all"]);
  await runtime.ask("PUT", `/api/users/${id}`, { body: { email: "reader@example.com", password: "long enough" } });
  cookies = {
    admin: await signedIn("admin@example.com", "correct horse battery"),
    reader: await signedIn("reader@example.com", "long enough"),
  };
});
afterAll(() => runtime.stop());

async function signedIn(email: string, password: string): Promise<string> {
  const { headers } = await runtime.ask("POST", "/api/session", { as: null, body: { email, password } });
  return headers.get("set-cookie")?.split(";")[0] ?? "";
}

const visit = (path: string, cookie = cookies.admin) =>
  runtime.ask("GET", path, { as: null, headers: { accept: "text/html", cookie } });

const PAGE = "/books/runbooks/page/failover";

async function dataOf(path: string, cookie = cookies.admin) {
  const { body } = await visit(path, cookie);
  return JSON.parse(/<script type="data">(.*?)<\/script>/s.exec(body)?.[1] ?? "{}");
}

/** The statements of a visit, without those that a schedule sends meanwhile. */
async function statementCount(path: string): Promise<number> {
  const counts = [];
  for (let run = 0; run < 4; run++) counts.push((await statementsOf(runtime, () => visit(path))).length);
  return Math.min(...counts);
}

test("the screen of a page takes at most three statements", async () => {
  expect(await statementCount(PAGE)).toBeLessThanOrEqual(3);
});

test("a page and its book are found by the unique indexes of their slugs", async () => {
  const sent = await statementsOf(runtime, () => visit(PAGE, cookies.reader));
  // Few rows would be scanned.
  await runtime.store.sql`insert into books (name, slug) select n::text, 'b' || n from generate_series(1, 2000) as n`;
  await runtime.store.sql`insert into pages (book_id, name, slug, html, markdown, text, priority, editor)
    select 1 + n % 50, n::text, 'p' || n, '', '', '', 0, 'markdown' from generate_series(1, 5000) as n`;
  await runtime.store.sql`analyze books, pages`;
  const bySlug = sent.filter(({ text }) => /"(?:books|pages)"\."slug" = /.test(text));
  const plans = await Promise.all(bySlug.map((statement) => planOf(runtime, statement)));
  await runtime.store.sql`delete from pages where editor = 'markdown' and html = '' and text = ''`;
  await runtime.store.sql`delete from books where slug ~ '^b[0-9]+$'`;
  expect(plans).toHaveLength(2);
  expect(plans.filter((plan) => /books_slug\b/.test(plan))).toHaveLength(2);
  expect(plans.filter((plan) => /pages_slug_once\b/.test(plan))).toHaveLength(1);
});

test("the views get what the API answers, fields of other plugins included", async () => {
  const { book, page, attachments, previous, next } = await dataOf(PAGE);
  const { contents, ...fields } = (await runtime.ask("GET", `/api/books/${ids.book}`)).body;
  expect({ ...book, outline: "" }).toEqual({ ...fields, outline: "" });
  const named = ({ type = "page", id, name, pages }: Named): object => ({ type, id, name, pages: pages?.map(named) });
  expect(outlineEntries(book).map(named)).toEqual(contents.map(named));
  expect(page).toEqual((await runtime.ask("GET", `/api/pages/${ids.page}`)).body);
  expect(attachments).toEqual((await runtime.ask("GET", `/api/attachments?filter[uploaded_to]=${ids.page}`)).body.data);
  expect([book.mark, page.mark]).toEqual([`book ${ids.book}`, `page ${ids.page}`]);
  expect(book.shelves.map(({ name }: { name: string }) => name)).toEqual(["Operations"]);
  expect(page.comments.active).toHaveLength(1);
  expect([previous, next?.name]).toEqual([undefined, "Before"]);
});

test("slugs are found in any case, in their own book alone", async () => {
  const other = (await runtime.ask("POST", "/api/books", { body: { name: "Other" } })).body.id;
  await runtime.ask("POST", "/api/pages", { body: { name: "Elsewhere", book_id: other, markdown: "x" } });
  expect((await dataOf("/books/RUNBOOKS/page/FailOver")).page.id).toBe(ids.page);
  expect((await visit("/books/runbooks/page/elsewhere")).status).toBe(404);
  expect((await visit("/books/other/page/failover")).status).toBe(404);
  for (const slug of ["%00", "failover%00", "%F0%9F%92%A9", "'"])
    expect((await visit(`/books/runbooks/page/${slug}`)).status).toBe(404);
});

const NOTHING = { view: false, create: false, update: false, delete: false };

/** The status of a screen, or where it redirects to. */
async function leads(path: string, cookie: string): Promise<string> {
  const { status, headers } = await visit(path, cookie);
  return headers.get("location") ?? String(status);
}

test("a page or book that is hidden, deleted or renamed is not shown at its address", async () => {
  const { admin, reader } = cookies;
  const book = (await runtime.ask("POST", "/api/books", { body: { name: "Secrets" } })).body.id;
  const body = { name: "Plan", book_id: book, markdown: "x" };
  const page = (await runtime.ask("POST", "/api/pages", { body })).body.id;
  const both = async (path: string) => [await leads(path, admin), await leads(path, reader)];
  const hide = (kind: string, id: number, isHidden: boolean) =>
    runtime.ask("PUT", `/api/content-permissions/${kind}/${id}`, {
      body: { fallback_permissions: isHidden ? { inheriting: false, ...NOTHING } : { inheriting: true } },
    });
  const at = "/books/secrets/page/plan";
  expect(await both(at)).toEqual(["200", "200"]);
  await hide("page", page, true);
  expect(await both(at)).toEqual(["200", "404"]);
  await hide("page", page, false);
  await hide("book", book, true);
  expect(await both(at)).toEqual(["200", "404"]);
  // The page is visible, its book is not: the book's 404.
  await runtime.ask("PUT", `/api/content-permissions/page/${page}`, {
    body: { fallback_permissions: { inheriting: false, ...NOTHING, view: true } },
  });
  expect(await both(at)).toEqual(["200", "404"]);
  expect((await visit(at, reader)).body).toContain("Book not found");
  await hide("book", book, false);
  await runtime.ask("PUT", `/api/pages/${page}`, { body: { name: "Second plan" } });
  await runtime.ask("PUT", `/api/books/${book}`, { body: { name: "Old secrets" } });
  expect(await both(at)).toEqual(Array(2).fill("/books/old-secrets/page/second-plan"));
  await runtime.ask("DELETE", `/api/pages/${page}`);
  expect(await both("/books/old-secrets/page/second-plan")).toEqual(["404", "404"]);
  expect(await both(at)).toEqual(["404", "404"]);
});

test("a draft page is shown to its owner alone", async () => {
  const { slug } = (await runtime.ask("GET", `/api/pages/${ids.draft}`)).body;
  expect(await leads(`/books/runbooks/page/${slug}`, cookies.admin)).toBe("200");
  expect(await leads(`/books/runbooks/page/${slug}`, cookies.reader)).toBe("404");
});

test("without a session the screen leads to the sign-in", async () => {
  expect(await leads(PAGE, "")).toBe("/login?next=%2Fbooks%2Frunbooks%2Fpage%2Ffailover");
});

test("the other screens of items take few statements too", async () => {
  expect(await statementCount("/books/runbooks")).toBeLessThanOrEqual(3);
  expect(await statementCount("/books/runbooks/chapter/disks")).toBeLessThanOrEqual(5);
  expect(await statementCount("/shelves/operations")).toBeLessThanOrEqual(4);
});

test("readers find nothing for numbers that are no ids", async () => {
  const { contracts, slot } = runtime.contexts.get("shown") as AnyContext;
  const admin = await contracts.users.viewer(1);
  if (!admin) throw new Error("There is no administrator");
  const readers = slot("item_reader");
  for (const id of [0, -1, 1.5, Number.NaN, 99_999_999_999]) {
    expect(await findItem(readers, "book", admin, { id })).toBeUndefined();
    expect(await findItem(readers, "page", admin, { slug: "failover", within: id })).toBeUndefined();
    expect(await findItem(readers, "chapter", admin, { slug: "disks", within: id })).toBeUndefined();
    expect(await listItems(readers, "attachment", admin, { within: id })).toEqual([]);
    const books = await listItems(readers, "book", admin, { ids: [id, ids.book] });
    expect(books.map((book) => book.id)).toEqual([ids.book]);
  }
});
