/** What holds an item is named and linked above its screen, as far as the reader sees it; and a book is made on a shelf. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(60_000);

const VIEWS = ["page-view-all", "book-view-all", "chapter-view-all"];

let runtime: TestRuntime;
const cookies: Record<string, string> = {};
const ids: Record<string, number> = {};

const make = async (path: string, body: object) => (await runtime.ask("POST", `/api/${path}`, { body })).body.id;

async function signIn(name: string, email: string, password: string): Promise<void> {
  const { headers } = await runtime.ask("POST", "/api/session", { as: null, body: { email, password } });
  cookies[name] = headers.get("set-cookie")?.split(";")[0] ?? "";
}

/** A user with these permissions, signed in by the name. */
async function user(name: string, permissions: readonly string[]): Promise<void> {
  const role = await make("roles", { display_name: name, permissions });
  const [email, password] = [`${name}@example.com`, "correct horse battery"];
  await make("users", { name, email, password, roles: [role] });
  await signIn(name, email, password);
}

beforeAll(async () => {
  runtime = await bootTestRuntime();
  await runtime.runtime.start();
  await signIn("admin", "admin@example.com", "correct horse battery");
  ids.book = await make("books", { name: "Runbooks" });
  ids.chapter = await make("chapters", { name: "Disks", book_id: ids.book });
  ids.page = await make("pages", { name: "Failover", chapter_id: ids.chapter, html: "<p>x</p>" });
  ids.hidden = await make("pages", { name: "Secret plan", chapter_id: ids.chapter, html: "<p>x</p>" });
  await make("pages", { name: "Open plan", chapter_id: ids.chapter, html: "<p>x</p>" });
  ids.shelf = await make("shelves", { name: "Operations", books: [ids.book] });
  await user("reader", [...VIEWS, "bookshelf-view-all"]);
  await user("unshelved", VIEWS);
  const fallback = { inheriting: false, view: false, create: false, update: false, delete: false };
  await runtime.ask("PUT", `/api/content-permissions/page/${ids.hidden}`, { body: { fallback_permissions: fallback } });
}, 60_000);
afterAll(() => runtime.stop());

async function screen(path: string, as: string): Promise<string> {
  const headers = { accept: "text/html", cookie: cookies[as] ?? "" };
  const { status, body } = await runtime.ask("GET", path, { as: null, headers });
  expect([path, as, status]).toEqual([path, as, 200]);
  return body;
}

/** The texts above a screen, each with where it leads. */
async function crumbs(path: string, as: string): Promise<string[]> {
  const [, list = ""] = /<nav class="crumbs"[^>]*>(.*?)<\/nav>/s.exec(await screen(path, as)) ?? [];
  return [...list.matchAll(/<li>(?:<a href="([^"]*)">)?([^<]*)/g)].map(([, href, text]) =>
    [text, href].join(" ").trim(),
  );
}

test("books, chapters and pages lead to the shelf, the book and the chapter that hold them", async () => {
  const shelf = ["Shelves /shelves", "Operations /shelves/operations"];
  expect(await crumbs("/books/runbooks", "reader")).toEqual([...shelf, "Runbooks"]);
  expect(await crumbs("/books/runbooks/chapter/disks", "reader")).toEqual([
    ...shelf,
    "Runbooks /books/runbooks",
    "Disks",
  ]);
  expect(await crumbs("/books/runbooks/page/failover", "reader")).toEqual([
    ...[...shelf, "Runbooks /books/runbooks"],
    ...["Disks /books/runbooks/chapter/disks", "Failover"],
  ]);
});

test("a shelf that the reader does not see is not named, and one that the book leaves is named no longer", async () => {
  for (const path of ["/books/runbooks", "/books/runbooks/chapter/disks", "/books/runbooks/page/failover"])
    expect([path, (await screen(path, "unshelved")).includes("Operations")]).toEqual([path, false]);
  expect(await crumbs("/books/runbooks", "unshelved")).toEqual(["Books /books", "Runbooks"]);
  const second = await make("shelves", { name: "Nights", books: [ids.book] });
  expect(await screen("/books/runbooks", "reader")).toMatch(/class="quiet on-shelves".*Nights/s);
  await runtime.ask("DELETE", `/api/shelves/${second}`);
  expect(await screen("/books/runbooks", "reader")).not.toContain("Nights");
});

test("entries that a reader does not see are neither in the tree nor counted, nor have they menus", async () => {
  for (const as of ["reader", "unshelved"]) {
    const texts = [
      await screen("/books/runbooks", as),
      await screen("/books/runbooks/page/failover", as),
      await screen(`/books/runbooks/tree?chapter=${ids.chapter}`, as),
      await screen("/books/runbooks/tree", as),
    ];
    expect(texts.filter((text) => text.includes("Secret"))).toEqual([]);
    expect(texts[3]).toContain("Pages: 2");
    const headers = { accept: "text/html", cookie: cookies[as] ?? "" };
    const menu = (id: number | undefined) =>
      runtime.ask("GET", `/books/runbooks/tree/entry?entry=page:${id}`, { as: null, headers });
    expect((await menu(ids.hidden)).status).toBe(404);
    expect((await menu(ids.page)).body).not.toContain("/edit");
  }
  expect(await screen("/books/runbooks/tree", "admin")).toContain("Pages: 3");
});

test("a book is made on a shelf, behind those that are there", async () => {
  expect(await screen("/shelves/operations", "admin")).toContain("/shelves/operations/create-book");
  expect(await screen("/shelves/operations", "reader")).not.toContain("create-book");
  expect(await screen("/shelves/operations/create-book", "admin")).toContain('name="name"');
  const headers = { accept: "text/html", cookie: cookies.admin ?? "", "sec-fetch-site": "same-origin" };
  const sent = await runtime.ask("POST", "/shelves/operations/create-book", {
    as: null,
    form: { name: "New one" },
    headers,
  });
  expect([sent.status, sent.headers.get("location")]).toEqual([303, "/books/new-one"]);
  const { books } = (await runtime.ask("GET", `/api/shelves/${ids.shelf}`)).body;
  expect(books.map(({ name }: { name: string }) => name)).toEqual(["Runbooks", "New one"]);
  const asReader = { ...headers, cookie: cookies.reader ?? "" };
  const refused = await runtime.ask("POST", "/shelves/operations/create-book", {
    as: null,
    form: { name: "No" },
    headers: asReader,
  });
  expect(refused.status).toBe(403);
});
