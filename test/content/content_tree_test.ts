/**
 * What books, chapters, shelves and pages do together: contents in their order, default templates, chapters that move and
 * go with their pages, and many writers at once. Drafts and templates cannot be made over the API, so these tests reach
 * into the store for them.
 */
import { expect, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { openStage, scenario } from "../support/harness/scenario.ts";

const views = ["book-view-all", "chapter-view-all", "page-view-all"];
const stage = openStage({
  reader: views,
  writer: [...views, "book-update-all"],
  shallow: ["book-view-all", "page-view-all"],
});

interface Entry {
  readonly name: string;
  readonly type?: string;
  readonly pages?: readonly Entry[];
}
const outline = (entries: readonly Entry[]): unknown[] =>
  entries.map(({ name, type, pages }) =>
    pages ? [`${type}: ${name}`, outline(pages)] : type ? `${type}: ${name}` : name,
  );
const contents =
  (...expected: unknown[]) =>
  (body: unknown) =>
    expect(outline((body as { contents: Entry[] }).contents)).toEqual(expected);

scenario(stage, "there is a book", {
  ask: "POST /api/books",
  body: { name: "Orders" },
  status: 200,
  save: { book: "id" },
});
scenario(stage, "with a chapter", {
  ask: "POST /api/chapters",
  body: { book_id: "{book}", name: "Second" },
  status: 200,
  holds: { priority: 2 },
  save: { chapter: "id" },
});
scenario(stage, "and a page after it", {
  ask: "POST /api/pages",
  body: { book_id: "{book}", name: "Third", html: "<p>3</p>" },
  status: 200,
  holds: { priority: 3 },
  save: { page: "id" },
});
scenario(stage, "a new chapter comes after the page", {
  ask: "POST /api/chapters",
  body: { book_id: "{book}", name: "Fourth" },
  status: 200,
  holds: { priority: 4 },
  save: { fourth: "id" },
});
for (const [name, priority] of [
  ["b", 9],
  ["a", 3],
] as const) {
  scenario(stage, `page ${name} lies in the chapter`, {
    ask: "POST /api/pages",
    body: { chapter_id: "{chapter}", name, html: "<p>x</p>", priority },
    status: 200,
    save: { [name]: "id" },
  });
}
scenario(stage, "a page of the same priority comes after the chapter", {
  ask: "PUT /api/pages/{page}",
  body: { priority: 2 },
  status: 200,
});
scenario(stage, "the contents are nested and in order", {
  as: "reader",
  ask: "GET /api/books/{book}",
  status: 200,
  check: contents(["chapter: Second", ["a", "b"]], "page: Third", ["chapter: Fourth", []]),
});
scenario(stage, "pages of chapters that are not seen stand at the top", {
  as: "shallow",
  ask: "GET /api/books/{book}",
  status: 200,
  check: contents("page: Third", "page: a", "page: b"),
});
test("one's own drafts come first, those of others not at all", async () => {
  const {
    runtime: { db, ask },
    saved,
    tokens,
  } = stage();
  await rows(db, sql`update pages set draft = true where id = ${saved.b}`);
  const own = await ask("GET", `/api/books/${saved.book}`);
  contents(["chapter: Second", ["b", "a"]], "page: Third", ["chapter: Fourth", []])(own.body);
  const others = await ask("GET", `/api/books/${saved.book}`, { as: tokens.reader as string });
  contents(["chapter: Second", ["a"]], "page: Third", ["chapter: Fourth", []])(others.body);
  await rows(db, sql`update pages set draft = false where id = ${saved.b}`);
});
scenario(stage, "a chapter shows its pages", {
  as: "reader",
  ask: "GET /api/chapters/{chapter}",
  status: 200,
  check: (body) => expect((body as { pages: Entry[] }).pages.map(({ name }) => name)).toEqual(["a", "b"]),
});

test("a page becomes a template", async () => {
  const {
    runtime: { db },
    saved,
  } = stage();
  await rows(db, sql`update pages set template = true where id = ${saved.page}`);
});
scenario(stage, "a template is kept", {
  ask: "PUT /api/books/{book}",
  body: { default_template_id: "{page}" },
  status: 200,
  holds: { default_template_id: "{page}" },
});
scenario(stage, "an update without it leaves it", {
  ask: "PUT /api/books/{book}",
  body: { name: "Orders" },
  status: 200,
  holds: { default_template_id: "{page}" },
});
scenario(stage, "a chapter takes it as text", {
  ask: "PUT /api/chapters/{chapter}",
  body: { default_template_id: "{page}" },
  status: 200,
  holds: { default_template_id: "{page}" },
});
test("the page is no template any more", async () => {
  const {
    runtime: { db },
    saved,
  } = stage();
  await rows(db, sql`update pages set template = false where id = ${saved.page}`);
});
scenario(stage, "the template in force may be sent again", {
  as: "writer",
  ask: "PUT /api/books/{book}",
  body: { default_template_id: "{page}" },
  status: 200,
  holds: { default_template_id: "{page}" },
});
scenario(stage, "null takes it away", {
  ask: "PUT /api/books/{book}",
  body: { default_template_id: null },
  status: 200,
  holds: { default_template_id: null },
});
scenario(stage, "and it cannot come back", {
  ask: "PUT /api/books/{book}",
  body: { default_template_id: "{page}" },
  status: 200,
  holds: { default_template_id: null },
});

scenario(stage, "there is another book", {
  ask: "POST /api/books",
  body: { name: "Target" },
  status: 200,
  save: { target: "id" },
});
scenario(stage, "a chapter takes its pages along", {
  ask: "PUT /api/chapters/{chapter}",
  body: { book_id: "{target}" },
  status: 200,
  events: ["chapter_move", "chapter_update"],
});
scenario(stage, "out of one book", {
  ask: "GET /api/books/{book}",
  status: 200,
  check: contents("page: Third", ["chapter: Fourth", []]),
});
scenario(stage, "into the other", {
  ask: "GET /api/books/{target}",
  status: 200,
  check: contents(["chapter: Second", ["a", "b"]]),
});
scenario(stage, "a deleted chapter takes its pages along", {
  ask: "DELETE /api/chapters/{chapter}",
  status: 204,
  events: ["chapter_delete"],
});
scenario(stage, "they are missing then", { ask: "GET /api/pages/{a}", status: 404 });
test("what goes into the bin together has one moment of deletion", async () => {
  const {
    runtime: { db, ask },
    saved,
  } = stage();
  await ask("DELETE", `/api/books/${saved.book}`);
  const moments = await rows<{ moments: number }>(
    db,
    sql`select count(distinct deleted_at) as moments from (
    select deleted_at from books where id = ${saved.book}
    union all select deleted_at from chapters where book_id = ${saved.book}
    union all select deleted_at from pages where book_id = ${saved.book}) as gone`,
  );
  expect(moments).toEqual([{ moments: 1 }]);
});

test("many books of one name get slugs of their own", async () => {
  const {
    runtime: { ask },
  } = stage();
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => ask("POST", "/api/books", { body: { name: "Crowd" } })),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(new Set(answers.map(({ body }) => body.slug)).size).toBe(12);
});
test("many chapters written at once get priorities and slugs of their own", async () => {
  const {
    runtime: { ask },
    saved,
  } = stage();
  const body = { book_id: saved.target, name: "Crowd" };
  const answers = await Promise.all(Array.from({ length: 12 }, () => ask("POST", "/api/chapters", { body })));
  expect(answers.map((answer) => answer.body.priority).sort((a, b) => a - b)).toEqual(answers.map((_, n) => n + 2));
  expect(new Set(answers.map((answer) => answer.body.slug)).size).toBe(12);
});
test("changes of one shelf at once leave the books of one of them", async () => {
  const {
    runtime: { ask },
  } = stage();
  const {
    body: { data },
  } = await ask("GET", "/api/books?filter[name]=Crowd");
  const ids = data.map(({ id }: { id: number }) => id);
  const { body: shelf } = await ask("POST", "/api/shelves", { body: { name: "Crowd", books: ids } });
  const orders = [ids, [...ids].reverse(), ids.slice(0, 3), ids.slice(5)];
  const answers = await Promise.all(orders.map((books) => ask("PUT", `/api/shelves/${shelf.id}`, { body: { books } })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const {
    body: { books },
  } = await ask("GET", `/api/shelves/${shelf.id}`);
  expect(orders).toContainEqual(books.map(({ id }: { id: number }) => id));
});
test("a book deleted while chapters are written leaves none behind", async () => {
  const {
    runtime: { ask, db },
    saved,
  } = stage();
  const writes = Array.from({ length: 8 }, (_, n) =>
    ask("POST", "/api/chapters", { body: { book_id: saved.target, name: `Late ${n}` } }),
  );
  const [gone, ...answers] = await Promise.all([ask("DELETE", `/api/books/${saved.target}`), ...writes]);
  expect(gone?.status).toBe(204);
  for (const { status } of answers) expect([200, 404]).toContain(status);
  expect(await rows(db, sql`select id from chapters where book_id = ${saved.target} and deleted_at is null`)).toEqual(
    [],
  );
});

test("a chapter that is moved and renamed by several at once is never missing", async () => {
  const { runtime } = stage();
  const [one, two] = await Promise.all(
    ["Here", "There"].map(async (name) => (await runtime.ask("POST", "/api/books", { body: { name } })).body.id),
  );
  const { id } = (await runtime.ask("POST", "/api/chapters", { body: { book_id: one, name: "Wanderer" } })).body;
  const statuses = new Set<number>();
  for (let round = 0; round < 8; round++) {
    const bodies = [{ book_id: two }, { book_id: one }, { name: `Wanderer ${round}` }, { book_id: two }];
    const answers = await Promise.all(bodies.map((body) => runtime.ask("PUT", `/api/chapters/${id}`, { body })));
    for (const { status } of answers) statuses.add(status);
  }
  expect([...statuses]).toEqual([200]);
});
