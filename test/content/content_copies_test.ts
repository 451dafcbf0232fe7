/** Copies of pages, chapters and books: what is in them, what stays with the original, who may copy what, and which events are performed. */
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
const copy = (path: string, body: object = {}, as = runtime.token) =>
  runtime.ask("POST", `/api/${path}/copy`, { as, body });
const read = async (path: string) => (await runtime.ask("GET", `/api/${path}`)).body;
async function outlineOf(id: number): Promise<string> {
  const outline = ({ name, pages }: Shown): string => (pages ? `${name}[${pages.map(outline).join(" ")}]` : name);
  return (await read(`books/${id}`)).contents.map(outline).join(" ");
}

test("a book is copied with chapters, pages, order, texts, tags, template and cover", async () => {
  const book = await make("books", {
    name: "Whole",
    description_html: "<p>All <strong>of</strong> it</p>",
    tags: [{ name: "team", value: "ops" }],
  });
  const template = await make("pages", { name: "Template", book_id: book.id });
  await runtime.store.sql`update pages set template = true where id = ${template.id}`;
  const parts = pictureForm(png(), "cover.png", { _method: "PUT", default_template_id: String(template.id) });
  expect((await runtime.ask("POST", `/api/books/${book.id}`, { parts })).status).toBe(200);
  const chapter = await make("chapters", { name: "One", book_id: book.id, description: "First\nchapter" });
  await make("pages", {
    name: "b",
    chapter_id: chapter.id,
    markdown: "# B\n\n{{@1}}",
    html: undefined,
    tags: [{ name: "t", value: "1" }],
  });
  await make("pages", { name: "a", chapter_id: chapter.id, html: "<p>{{@1}}</p>" });
  await make("pages", { name: "Last", book_id: book.id });
  const { status, body } = await copy(`books/${book.id}`, { name: "Copy of all" });
  expect(status).toBe(200);
  expect([body.name, body.slug, body.description_html, body.default_template_id]).toEqual([
    ...["Copy of all", "copy-of-all", "<p>All <strong>of</strong> it</p>"],
    template.id,
  ]);
  expect(body.tags).toEqual([{ name: "team", value: "ops", order: 0 }]);
  const original = await read(`books/${book.id}`);
  expect(body.cover.id).toBeGreaterThan(original.cover.id);
  expect(await outlineOf(body.id)).toBe("Template One[b a] Last");
  expect(await outlineOf(body.id)).toBe(await outlineOf(book.id));
  const one = (await read(`books/${body.id}`)).contents[1];
  expect((await read(`chapters/${one.id}`)).description).toBe("First\nchapter");
  const [b, a] = await Promise.all(one.pages.map(({ id }: Shown) => read(`pages/${id}`)));
  expect([b.markdown, b.tags, a.raw_html]).toEqual([
    "# B\n\n{{@1}}",
    [{ name: "t", value: "1", order: 0 }],
    expect.stringContaining("{{@1}}"),
  ]);
});

test("a page is copied into its own place, or into the book or chapter that is named", async () => {
  const book = await make("books", { name: "Places" });
  const chapter = await make("chapters", { name: "Chapter", book_id: book.id });
  const other = await make("books", { name: "Other place" });
  const page = await make("pages", { name: "Page", chapter_id: chapter.id, html: "<p>Text</p>" });
  const placeOf = ({ body }: Awaited<ReturnType<typeof copy>>) => [
    body.name,
    body.book_id,
    body.chapter_id,
    body.raw_html.includes("Text"),
  ];
  expect(placeOf(await copy(`pages/${page.id}`))).toEqual(["Page", book.id, chapter.id, true]);
  expect(placeOf(await copy(`pages/${page.id}`, { book_id: other.id, name: "New" }))).toEqual([
    "New",
    other.id,
    null,
    true,
  ]);
  const within = await make("chapters", { name: "Within", book_id: other.id });
  expect(placeOf(await copy(`pages/${page.id}`, { book_id: book.id, chapter_id: within.id, name: "" }))).toEqual([
    ...["Page", other.id, within.id],
    true,
  ]);
  const { body } = await copy(`chapters/${chapter.id}`, { book_id: other.id, name: "Moved there" });
  expect([body.name, body.book_id, body.pages.map(({ name }: Shown) => name)]).toEqual([
    ...["Moved there", other.id],
    ["Page", "Page"],
  ]);
});

test("links between copied items lead to the copies, all others stay", async () => {
  const { baseUrl } = runtime;
  const book = await make("books", { name: "Linked" });
  const chapter = await make("chapters", { name: "Part", book_id: book.id });
  const page = await make("pages", { name: "Target", chapter_id: chapter.id });
  const out = await make("pages", { name: "Linked-out", book_id: (await make("books", { name: "Linked-out" })).id });
  const at = `${baseUrl}/books/linked`;
  const links = [at, `${at}/chapter/part`, `${at}/page/target#bkmrk-x`, `${baseUrl}/link/${page.id}`];
  const kept = [`${baseUrl}/books/linked-out/page/linked-out`, `${at}/page/none`, `${baseUrl}/link/${out.id}`];
  const html = [...links, ...kept].map((url) => `<a href="${url}">x</a>`).join("");
  await make("pages", { name: "From", book_id: book.id, html: `<p id="one">${html}</p>` });
  const markdown = [...links, ...kept].map((url) => `[x](${url})`).join("\n");
  await make("pages", { name: "Marked", book_id: book.id, markdown, html: undefined });
  await runtime.ask("PUT", `/api/books/${book.id}`, { body: { description_html: `<p>${html}</p>` } });
  const { body } = await copy(`books/${book.id}`, { name: "Second" });
  const names = new Map<string, Shown>(
    body.contents.flatMap((entry: Shown) => [entry, ...(entry.pages ?? [])]).map((entry: Shown) => [entry.name, entry]),
  );
  const [from, marked, target] = ["From", "Marked", "Target"].map((name) => names.get(name)?.id);
  const to = `${baseUrl}/books/second`;
  const wanted = [to, `${to}/chapter/part`, `${to}/page/target#bkmrk-x`, `${baseUrl}/link/${target}`, ...kept];
  const hrefs = (text: string) => [...text.matchAll(/(?:href="|\]\()([^")]*)/g)].map(([, url]) => url);
  expect(hrefs((await read(`pages/${from}`)).raw_html)).toEqual(wanted);
  expect(hrefs((await read(`pages/${marked}`)).markdown)).toEqual(wanted);
  expect(hrefs((await read(`pages/${marked}`)).raw_html)).toEqual(wanted);
  expect(hrefs(body.description_html)).toEqual(wanted);
  expect((await read(`pages/${from}`)).revision_count).toBe(1);
});

test("pictures, attachments, comments and revisions stay with the original", async () => {
  const book = await make("books", { name: "Files" });
  const page = await make("pages", { name: "With files", book_id: book.id });
  const parts = pictureForm(png(), "dot.png", { type: "gallery", uploaded_to: String(page.id) });
  const { url } = (await runtime.ask("POST", "/api/image-gallery", { parts })).body;
  await runtime.ask("PUT", `/api/pages/${page.id}`, { body: { html: `<p><img src="${url}"></p>` } });
  await runtime.ask("POST", "/api/attachments", {
    body: { name: "A", uploaded_to: page.id, link: "https://a.example" },
  });
  await runtime.ask("POST", "/api/comments", { body: { page_id: page.id, html: "<p>Hm</p>" } });
  const { body } = await copy(`pages/${page.id}`);
  expect(body.raw_html).toContain(url);
  expect([body.revision_count, body.comments.active]).toEqual([1, []]);
  const of = (list: string) => runtime.ask("GET", `/api/${list}?filter[uploaded_to]=${body.id}`);
  expect([(await of("attachments")).body.total, (await of("image-gallery")).body.total]).toEqual([0, 0]);
});

/** Sets what all roles but the named ones may do with an item. */
const restrict = (kind: string, id: number, roles: readonly { role_id: number; view: boolean }[] = []) =>
  runtime.ask("PUT", `/api/content-permissions/${kind}/${id}`, {
    body: {
      role_permissions: roles.map((role) => ({ create: role.view, update: role.view, delete: role.view, ...role })),
      fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false },
    },
  });

const VIEWS = ["access-api", "book-view-all", "chapter-view-all", "page-view-all"];

test("what the copier does not see is not copied, nor what is in a hidden chapter", async () => {
  const book = await make("books", { name: "Partly" });
  const [open, hidden] = [
    await make("chapters", { name: "Open", book_id: book.id }),
    await make("chapters", { name: "Hidden", book_id: book.id }),
  ];
  const { token, role } = await runtime.person("partly", [
    ...VIEWS,
    "book-create-all",
    "chapter-create-all",
    "page-create-all",
  ]);
  await make("pages", { name: "seen", chapter_id: open.id });
  const secret = await make("pages", { name: "secret", chapter_id: open.id });
  await restrict("page", secret.id);
  const shown = await make("pages", { name: "shown", chapter_id: hidden.id });
  await restrict("chapter", hidden.id);
  await restrict("page", shown.id, [{ role_id: role, view: true }]);
  const draft = await runtime.ask("PUT", `/api/drafts/page/0`, { body: { name: "Draft" } });
  expect(draft.status).not.toBe(500);
  const { body } = await copy(`books/${book.id}`, {}, token);
  expect(await outlineOf(body.id)).toBe("Open[seen]");
  expect((await copy(`chapters/${hidden.id}`, {}, token)).status).toBe(404);
  expect((await copy(`pages/${secret.id}`, {}, token)).status).toBe(404);
  const hiddenBook = await make("books", { name: "Hidden book" });
  await restrict("book", hiddenBook.id);
  expect((await copy(`chapters/${open.id}`, { book_id: hiddenBook.id }, token)).status).toBe(404);
});

test("in the copy only what the copier may create there is copied", async () => {
  const book = await make("books", { name: "Little" });
  const chapter = await make("chapters", { name: "One", book_id: book.id });
  await make("pages", { name: "in", chapter_id: chapter.id });
  await make("pages", { name: "direct", book_id: book.id });
  const outlines: Record<string, string> = {};
  for (const [name, permissions] of Object.entries({
    none: [],
    chapters: ["chapter-create-all"],
    pages: ["page-create-all"],
    own: ["chapter-create-own", "page-create-own"],
  })) {
    const { token } = await runtime.person(name, [...VIEWS, "book-create-all", ...permissions]);
    outlines[name] = await outlineOf((await copy(`books/${book.id}`, { name }, token)).body.id);
  }
  expect(outlines).toEqual({ none: "", chapters: "One[]", pages: "direct", own: "One[in] direct" });
});

test("permissions of items are copied by who may manage them, and by nobody else", async () => {
  const book = await make("books", { name: "Managed" });
  const chapter = await make("chapters", { name: "Guarded", book_id: book.id });
  const page = await make("pages", { name: "Open", chapter_id: chapter.id });
  const creates = ["book-create-all", "chapter-create-all", "page-create-all"];
  const manager = await runtime.person("manager", [...VIEWS, ...creates, "restrictions-manage-all"]);
  const plain = await runtime.person("plain", [...VIEWS, ...creates]);
  const own = await runtime.person("own", [...VIEWS, ...creates, "restrictions-manage-own"]);
  const roles = [manager, plain, own].map(({ role }) => ({ role_id: role, view: true, update: false }));
  await restrict("chapter", chapter.id, roles);
  const permissionsOf = async (id: number) => {
    const [{ id: copied }] = (await read(`books/${id}`)).contents;
    return (await runtime.ask("GET", `/api/content-permissions/chapter/${copied}`)).body;
  };
  const { owner: _, ...wanted } = (await runtime.ask("GET", `/api/content-permissions/chapter/${chapter.id}`)).body;
  const byManager = (await copy(`books/${book.id}`, { name: "By manager" }, manager.token)).body.id;
  expect(await permissionsOf(byManager)).toMatchObject(wanted);
  expect(await outlineOf(byManager)).toBe("Guarded[Open]");
  for (const { token } of [plain, own]) {
    const { body } = await copy(`books/${book.id}`, {}, token);
    expect((await permissionsOf(body.id)).fallback_permissions.inheriting).toBe(true);
  }
  const stranger = await runtime.person("stranger", VIEWS);
  const [copied] = (await read(`books/${byManager}`)).contents;
  expect((await runtime.ask("GET", `/api/pages/${copied.pages[0].id}`, { as: stranger.token })).status).toBe(404);
  expect((await runtime.ask("GET", `/api/pages/${page.id}`, { as: stranger.token })).status).toBe(404);
});

test("the copy of a book stands on the shelves of the original that the copier may update", async () => {
  const book = await make("books", { name: "Shelved" });
  const mine = await make("shelves", { name: "Mine", books: [book.id] });
  const theirs = await make("shelves", { name: "Theirs", books: [book.id] });
  const { token, role } = await runtime.person("shelver", [
    ...[...VIEWS, "bookshelf-view-all", "book-create-all", "bookshelf-update-all"],
  ]);
  await runtime.ask("PUT", `/api/content-permissions/bookshelf/${theirs.id}`, {
    body: { role_permissions: [{ role_id: role, view: true, create: false, update: false, delete: false }] },
  });
  const { body } = await copy(`books/${book.id}`, {}, token);
  const booksOn = async ({ id }: Shown) => (await read(`shelves/${id}`)).books.map((each: Shown) => each.id);
  expect(await booksOn(mine)).toEqual([book.id, body.id]);
  expect(await booksOn(theirs)).toEqual([book.id]);
});

test("each copied item is an event of its own, for the audit log, the search and webhooks", async () => {
  const { person } = runtime;
  const { token, id } = await person("auditor", [...VIEWS, "book-create-all", "chapter-create-all", "page-create-all"]);
  const book = await make("books", { name: "Audited" });
  const chapter = await make("chapters", { name: "One", book_id: book.id });
  await make("pages", { name: "Zyzzyva page", chapter_id: chapter.id });
  await runtime.ask("POST", "/api/webhooks", {
    body: { name: "all", endpoint: "http://127.0.0.1:9/x", events: ["all"] },
  });
  const { body } = await copy(`books/${book.id}`, {}, token);
  const { data } = (await runtime.ask("GET", `/api/audit-log?filter[user_id]=${id}&sort=id`)).body;
  expect(data.map(({ type }: { type: string }) => type)).toEqual(["book_create", "chapter_create", "page_create"]);
  expect([body.created_by.id, body.owned_by.id]).toEqual([id, id]);
  expect((await runtime.ask("GET", "/api/search?query=Zyzzyva")).body.total).toBe(2);
  const sent = await runtime.store.sql`select type from webhook_events order by id`;
  expect(sent.map(({ type }) => type).slice(-3)).toEqual(["book_create", "chapter_create", "page_create"]);
});

test("bad input is refused: 404 for items and places, 422 for fields, and nothing is made", async () => {
  const book = await make("books", { name: "Refused" });
  const page = await make("pages", { name: "Page", book_id: book.id });
  const chapter = await make("chapters", { name: "Chapter", book_id: book.id });
  const count = async () => (await runtime.ask("GET", "/api/pages")).body.total;
  const before = await count();
  const statuses = await Promise.all(
    (
      [
        ["pages/0", {}],
        ["pages/x", {}],
        ["pages/99999999999", {}],
        ["books/123456", {}],
        [`pages/${page.id}`, { book_id: 123456 }],
        [`pages/${page.id}`, { chapter_id: 123456 }],
        [`chapters/${chapter.id}`, { book_id: 0 }],
        [`pages/${page.id}`, { book_id: "a" }],
        [`pages/${page.id}`, { name: "x".repeat(256) }],
        [`books/${book.id}`, { name: ["x"] }],
      ] as const
    ).map(async ([path, body]) => (await copy(path, body)).status),
  );
  expect(statuses).toEqual([404, 404, 404, 404, 404, 404, 404, 422, 422, 422]);
  expect(await count()).toBe(before);
  expect((await runtime.ask("POST", `/api/books/${book.id}/copy`, { as: null })).status).toBe(401);
});

test("a copy that fails leaves nothing", async () => {
  const book = await make("books", { name: "Whole or not" });
  await make("pages", { name: "fine", book_id: book.id });
  const page = await make("pages", { name: "long", book_id: book.id });
  await runtime.store.sql.unsafe(`alter table pages drop constraint if exists no_second_long`);
  await runtime.store.sql.unsafe(
    `alter table pages add constraint no_second_long check (name <> 'long' or id <= ${page.id})`,
  );
  const books = (await runtime.ask("GET", "/api/books")).body.total;
  expect((await copy(`books/${book.id}`)).status).toBe(500);
  expect((await runtime.ask("GET", "/api/books")).body.total).toBe(books);
  await runtime.store.sql.unsafe("alter table pages drop constraint no_second_long");
  expect((await copy(`books/${book.id}`)).status).toBe(200);
});
