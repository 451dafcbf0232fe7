/** Chapters that become books and books that become shelves: what moves, which permissions and addresses stay, and who may convert. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { pictureForm } from "../support/data/sample_gallery.ts";
import { png } from "../support/data/sample_pictures.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(60_000);

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
});
afterAll(() => runtime.stop());

interface Shown {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly pages?: readonly Shown[];
}

const make = async (segment: string, body: object): Promise<Shown> =>
  (
    await runtime.ask("POST", `/api/${segment}`, {
      body: segment === "pages" ? { html: "<p>x</p>", ...body } : body,
    })
  ).body;
const read = async (path: string, as = runtime.token) => runtime.ask("GET", `/api/${path}`, { as });
const toBook = (id: number, as = runtime.token) => runtime.ask("POST", `/api/chapters/${id}/convert-to-book`, { as });
const toShelf = (id: number, as = runtime.token) => runtime.ask("POST", `/api/books/${id}/convert-to-shelf`, { as });
const namesIn = (entries: readonly Shown[]) => entries.map(({ name }) => name);
const restrict = (kind: string, id: number, role_id?: number) =>
  runtime.ask("PUT", `/api/content-permissions/${kind}/${id}`, {
    body: {
      role_permissions: role_id ? [{ role_id, view: true, create: true, update: true, delete: true }] : [],
      fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false },
    },
  });
const permissionsOf = async (kind: string, id: number) => {
  const { role_permissions, fallback_permissions } = (await read(`content-permissions/${kind}/${id}`)).body;
  return { role_permissions, fallback_permissions };
};
const VIEWS = ["access-api", "book-view-all", "chapter-view-all", "page-view-all", "bookshelf-view-all"];

/** Where a visitor of an address is sent, and with which status. */
async function followed(path: string): Promise<string> {
  const { status, headers } = await runtime.ask("GET", path, { headers: { Authorization: `Token ${runtime.token}` } });
  return `${status} ${headers.get("location")?.replace(runtime.baseUrl, "") ?? ""}`;
}

test("a chapter becomes a book: its pages keep ids and order, texts and tags go along, the chapter is gone", async () => {
  const book = await make("books", { name: "Mother" });
  const chapter = await make("chapters", {
    ...{ name: "Child", book_id: book.id, description_html: "<p>On <strong>its own</strong></p>" },
    tags: [{ name: "a", value: "b" }],
  });
  const pages = [];
  for (const name of ["Second", "First", "Binned"]) pages.push(await make("pages", { name, chapter_id: chapter.id }));
  const [second, first, binned] = pages.map(({ id }) => id);
  await runtime.ask("PUT", `/api/pages/${first}`, { body: { priority: 0 } });
  await runtime.ask("DELETE", `/api/pages/${binned}`);
  await make("pages", { name: "Stays", book_id: book.id });
  const { status, body } = await toBook(chapter.id);
  expect([status, body.name, body.slug, body.description_html]).toEqual([
    ...[200, "Child", "child"],
    "<p>On <strong>its own</strong></p>",
  ]);
  expect(body.tags).toEqual([{ name: "a", value: "b", order: 0 }]);
  expect(body.contents.map((entry: Shown) => entry.id)).toEqual([first, second]);
  expect((await read(`pages/${second}`)).body).toMatchObject({ book_id: body.id, chapter_id: null, revision_count: 1 });
  expect((await read(`chapters/${chapter.id}`)).status).toBe(404);
  expect(namesIn((await read(`books/${book.id}`)).body.contents)).toEqual(["Stays"]);
  const { data } = (await read("recycle-bin")).body;
  const entries = data.filter((entry: { deletable_id: number }) => [binned, chapter.id].includes(entry.deletable_id));
  expect(entries.map(({ deletable_type }: { deletable_type: string }) => deletable_type)).toEqual(["page"]);
  expect((await runtime.ask("PUT", `/api/recycle-bin/${entries[0].id}`)).status).toBe(200);
  expect(namesIn((await read(`books/${body.id}`)).body.contents)).toEqual(["First", "Second", "Binned"]);
  const events = (await read("audit-log?sort=-id&count=4")).body.data.map(({ type }: { type: string }) => type);
  expect(events.toReversed().slice(0, 3)).toEqual(["book_create", "chapter_move", "book_create_from_chapter"]);
});

test("earlier addresses of pages lead to them, and links to them are rewritten", async () => {
  const book = await make("books", { name: "Addresses" });
  const chapter = await make("chapters", { name: "New home", book_id: book.id });
  const page = await make("pages", { name: "Known", chapter_id: chapter.id });
  const old = "/books/addresses/page/known";
  const from = await make("pages", {
    name: "From",
    book_id: book.id,
    html: `<p><a href="${runtime.baseUrl}${old}">x</a></p>`,
  });
  await toBook(chapter.id);
  expect(await followed(old)).toMatch(/^30[1278] \/books\/new-home\/page\/known$/);
  expect((await read(`pages/${from.id}`)).body.raw_html).toContain("/books/new-home/page/known");
  expect((await read(`pages/${page.id}`)).body.slug).toBe("known");
});

test("the addresses that a chapter has had lead to its book, for who sees that, until it is gone", async () => {
  const book = await make("books", { name: "Former place" });
  const chapter = await make("chapters", { name: "Former name", book_id: book.id });
  await runtime.ask("PUT", `/api/chapters/${chapter.id}`, { body: { name: "Later name" } });
  const { body: made } = await toBook(chapter.id);
  await runtime.ask("PUT", `/api/books/${book.id}`, { body: { name: "Renamed place" } });
  await runtime.ask("PUT", `/api/books/${made.id}`, { body: { name: "Own place" } });
  const earlier = [
    "former-place/chapter/former-name",
    "former-place/chapter/later-name",
    "renamed-place/chapter/later-name",
  ];
  for (const path of earlier) expect(await followed(`/books/${path}`)).toMatch(/^30[1278] \/books\/own-place$/);
  await restrict("book", made.id);
  const { token } = await runtime.person("elsewhere", VIEWS);
  const seen = await runtime.ask("GET", `/books/${earlier[0]}`, { as: token });
  expect([seen.status, seen.headers.get("location")]).toEqual([404, null]);
  await runtime.ask("DELETE", `/api/books/${made.id}`);
  const { data } = (await read("recycle-bin?sort=-id&count=1")).body;
  expect((await runtime.ask("DELETE", `/api/recycle-bin/${data[0].id}`)).status).toBe(200);
  expect(await followed(`/books/${earlier[0]}`)).toStartWith("404");
  expect(
    (
      await runtime.store
        .sql`select from slug_history where item_id in (${made.id}, ${chapter.id}) and slug like '%name'`
    ).length,
  ).toBe(0);
});

test("a book becomes a shelf of books, and stays as the last one with the pages that it had itself", async () => {
  const book = await make("books", { name: "Grown", description: "All", tags: [{ name: "k", value: "v" }] });
  const parts = pictureForm(png(), "cover.png", { _method: "PUT" });
  await runtime.ask("POST", `/api/books/${book.id}`, { parts });
  const two = await make("chapters", { name: "Two", book_id: book.id, priority: 9 });
  const one = await make("chapters", { name: "One", book_id: book.id, priority: 3 });
  const page = await make("pages", { name: "in two", chapter_id: two.id });
  const direct = await make("pages", { name: "direct", book_id: book.id });
  const { status, body } = await toShelf(book.id);
  expect([status, body.name, body.slug, body.description]).toEqual([200, "Grown", "grown", "All"]);
  expect(body.tags).toEqual([{ name: "k", value: "v", order: 0 }]);
  expect(body.cover).toMatchObject({ type: "cover_bookshelf", uploaded_to: body.id });
  expect(namesIn(body.books)).toEqual(["One", "Two", "Grown Pages"]);
  expect(body.books.at(-1).id).toBe(book.id);
  expect((await read(`pages/${page.id}`)).body.book_id).toBe(body.books[1].id);
  expect((await read(`pages/${direct.id}`)).body.book_id).toBe(book.id);
  expect(await followed("/books/grown/page/in-two")).toMatch(/ \/books\/two\/page\/in-two$/);
  expect(await followed("/books/grown/page/direct")).toMatch(/ \/books\/grown-pages\/page\/direct$/);
  for (const { id } of [one, two]) expect((await read(`chapters/${id}`)).status).toBe(404);
  const events = (await read("audit-log?sort=-id&count=1")).body.data;
  expect([events[0].type, events[0].detail]).toEqual(["bookshelf_create_from_book", `(${body.id}) Grown`]);
});

test("a book without pages of its own is gone with the conversion, one with deleted pages is in the recycle bin", async () => {
  const empty = await make("books", { name: "Empty" });
  await make("chapters", { name: "Only", book_id: empty.id });
  const shelf = (await toShelf(empty.id)).body;
  expect(namesIn(shelf.books)).toEqual(["Only"]);
  expect((await runtime.store.sql`select from books where id = ${empty.id}`).length).toBe(0);
  const binned = await make("books", { name: "Binned" });
  const page = await make("pages", { name: "deleted", book_id: binned.id });
  await runtime.ask("DELETE", `/api/pages/${page.id}`);
  expect((await toShelf(binned.id)).body.books).toEqual([]);
  const { data } = (await read("recycle-bin")).body;
  const entry = data.find(
    (one: { deletable_id: number; deletable_type: string }) =>
      one.deletable_type === "book" && one.deletable_id === binned.id,
  );
  expect((await runtime.ask("PUT", `/api/recycle-bin/${entry.id}`)).status).toBe(200);
  expect((await read(`books/${binned.id}`)).status).toBe(200);
});

test("permissions go along, whoever converts: those of the book to the shelf, and to books whose chapter had none", async () => {
  const { token, role } = await runtime.person("converter", [
    ...[...VIEWS, "book-update-all", "book-delete-all", "book-create-all", "bookshelf-create-all"],
  ]);
  const stranger = await runtime.person("stranger", VIEWS);
  const book = await make("books", { name: "Guarded" });
  const [plain, own] = [
    await make("chapters", { name: "Plain", book_id: book.id }),
    await make("chapters", { name: "Own", book_id: book.id }),
  ];
  const pages = [
    await make("pages", { name: "p", chapter_id: plain.id }),
    await make("pages", { name: "o", chapter_id: own.id }),
  ];
  await restrict("book", book.id, role);
  await restrict("chapter", own.id);
  const [ofBook, ofOwn] = [await permissionsOf("book", book.id), await permissionsOf("chapter", own.id)];
  const { status, body } = await toShelf(book.id, token);
  expect([status, namesIn(body.books)]).toEqual([200, ["Plain"]]);
  expect(await permissionsOf("bookshelf", body.id)).toEqual(ofBook);
  const books = (await read(`shelves/${body.id}`)).body.books;
  expect(namesIn(books)).toEqual(["Plain", "Own"]);
  expect(await permissionsOf("book", books[0].id)).toEqual(ofBook);
  expect(await permissionsOf("book", books[1].id)).toEqual(ofOwn);
  const seenBy = async (as: string) => Promise.all(pages.map(async ({ id }) => (await read(`pages/${id}`, as)).status));
  expect([await seenBy(token), await seenBy(stranger.token), await seenBy(runtime.token)]).toEqual([
    [200, 404],
    [404, 404],
    [200, 200],
  ]);
});

test("a chapter without permissions of its own takes those of its book along", async () => {
  const { role, token } = await runtime.person("insider", VIEWS);
  const outsider = await runtime.person("outsider", VIEWS);
  const book = await make("books", { name: "Closed" });
  const chapter = await make("chapters", { name: "Inner", book_id: book.id });
  const page = await make("pages", { name: "secret", chapter_id: chapter.id });
  await restrict("book", book.id, role);
  const { body } = await toBook(chapter.id);
  expect(await permissionsOf("book", body.id)).toEqual(await permissionsOf("book", book.id));
  const seen = [token, outsider.token].map(async (as) => (await read(`pages/${page.id}`, as)).status);
  expect(await Promise.all(seen)).toEqual([200, 404]);
});

test("the draft of a page that was begun in a chapter is found in the book that it becomes", async () => {
  const book = await make("books", { name: "Begun" });
  const chapter = await make("chapters", { name: "Begun there", book_id: book.id });
  const draft = { name: "Half", markdown: "precious", slot: "s1", kept_at: "none" };
  const saved = await runtime.ask("PUT", `/api/drafts/chapter/${chapter.id}`, { body: draft });
  const { id } = (await toBook(chapter.id)).body;
  const [begun] = (await read(`drafts/book/${id}`)).body.drafts;
  expect(begun).toMatchObject({ name: "Half", page_id: saved.body.draft.page_id });
  expect((await read(`drafts/book/${id}?slot=${begun.slot}`)).body.draft.markdown).toBe("precious");
  expect((await runtime.ask("DELETE", `/api/books/${id}`)).status).toBe(204);
});

test("what cannot be converted is refused, and two conversions at once are one", async () => {
  expect([(await toBook(123456)).status, (await toShelf(0)).status]).toEqual([404, 404]);
  const book = await make("books", { name: "Raced" });
  const chapter = await make("chapters", { name: "Raced", book_id: book.id });
  await make("pages", { name: "page", chapter_id: chapter.id });
  const before = (await read("books")).body.total;
  const statuses = await Promise.all([toBook(chapter.id), toBook(chapter.id), toBook(chapter.id)]);
  expect(statuses.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
  expect((await read("books")).body.total).toBe(before + 1);
});
