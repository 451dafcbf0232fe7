/**
 * What books, chapters, shelves and pages do together: contents in their order, default templates, chapters that move and
 * go with their pages, and many writers at once. Drafts and templates cannot be made over the API, so these tests reach
 * into the store for them.
 */
import { expect, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { create, openStage, type Stage, type Step, scenario } from "../support/harness/scenario.ts";

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
/** Steps that create a book, a chapter with the pages `a` and `b` between a page and another chapter, and a second book. */
function ordered(word: string): Step[] {
  return [
    create("book", "/api/books", { name: `${word} orders` }),
    { ...create("chapter", "/api/chapters", { book_id: "{book}", name: "Second" }), holds: { priority: 2 } },
    { ...create("page", "/api/pages", { book_id: "{book}", name: "Third", html: "<p>3</p>" }), holds: { priority: 3 } },
    { ...create("fourth", "/api/chapters", { book_id: "{book}", name: "Fourth" }), holds: { priority: 4 } },
    create("b", "/api/pages", { chapter_id: "{chapter}", name: "b", html: "<p>x</p>", priority: 9 }),
    create("a", "/api/pages", { chapter_id: "{chapter}", name: "a", html: "<p>x</p>", priority: 3 }),
    create("target", "/api/books", { name: `${word} target` }),
  ];
}
/** Sets a column of a page that no request can set. */
const setPage =
  (column: "draft" | "template", value: boolean, name: string) =>
  async (_: unknown, { runtime, saved }: Stage) => {
    await rows(runtime.db, sql`update pages set ${sql.ref(column)} = ${value} where id = ${saved[name]}`);
  };

scenario(
  stage,
  "the contents of a book are nested and in order; pages of chapters that are not seen stand at the top",
  [
    ...ordered("Nested"),
    {
      name: "a page of the same priority comes after the chapter",
      request: "PUT /api/pages/{page}",
      body: { priority: 2 },
      status: 200,
    },
    {
      name: "nested",
      as: "reader",
      request: "GET /api/books/{book}",
      status: 200,
      check: contents(["chapter: Second", ["a", "b"]], "page: Third", ["chapter: Fourth", []]),
    },
    {
      name: "as seen without chapters",
      as: "shallow",
      request: "GET /api/books/{book}",
      status: 200,
      check: contents("page: Third", "page: a", "page: b"),
    },
    {
      name: "a chapter shows its pages",
      as: "reader",
      request: "GET /api/chapters/{chapter}",
      status: 200,
      check: (body) => expect((body as { pages: Entry[] }).pages.map(({ name }) => name)).toEqual(["a", "b"]),
    },
  ],
);
scenario(stage, "one's own drafts come first, those of others not at all", [
  ...ordered("Drafted"),
  {
    name: "page b becomes a draft",
    request: "PUT /api/pages/{page}",
    body: { priority: 2 },
    status: 200,
    check: setPage("draft", true, "b"),
  },
  {
    name: "its writer",
    request: "GET /api/books/{book}",
    status: 200,
    check: contents(["chapter: Second", ["b", "a"]], "page: Third", ["chapter: Fourth", []]),
  },
  {
    name: "another reader",
    as: "reader",
    request: "GET /api/books/{book}",
    status: 200,
    check: contents(["chapter: Second", ["a"]], "page: Third", ["chapter: Fourth", []]),
  },
]);
scenario(stage, "a default template is kept while its page is one, and cannot be given again afterwards", [
  ...ordered("Templates"),
  {
    name: "the page becomes a template",
    request: "GET /api/pages/{page}",
    status: 200,
    check: setPage("template", true, "page"),
  },
  {
    name: "a template is kept",
    request: "PUT /api/books/{book}",
    body: { default_template_id: "{page}" },
    status: 200,
    holds: { default_template_id: "{page}" },
  },
  {
    name: "an update without it leaves it",
    request: "PUT /api/books/{book}",
    body: { name: "Templates orders" },
    status: 200,
    holds: { default_template_id: "{page}" },
  },
  {
    name: "a chapter takes it as text",
    request: "PUT /api/chapters/{chapter}",
    body: { default_template_id: "{page}" },
    status: 200,
    holds: { default_template_id: "{page}" },
  },
  {
    name: "the page is no template any more",
    request: "GET /api/pages/{page}",
    status: 200,
    check: setPage("template", false, "page"),
  },
  {
    name: "the template in force may be sent again",
    as: "writer",
    request: "PUT /api/books/{book}",
    body: { default_template_id: "{page}" },
    status: 200,
    holds: { default_template_id: "{page}" },
  },
  {
    name: "null takes it away",
    request: "PUT /api/books/{book}",
    body: { default_template_id: null },
    status: 200,
    holds: { default_template_id: null },
  },
  {
    name: "and it cannot come back",
    request: "PUT /api/books/{book}",
    body: { default_template_id: "{page}" },
    status: 200,
    holds: { default_template_id: null },
  },
]);
scenario(stage, "a chapter takes its pages along, into another book and into the recycle bin", [
  ...ordered("Taken"),
  {
    name: "move",
    request: "PUT /api/chapters/{chapter}",
    body: { book_id: "{target}" },
    status: 200,
    events: ["chapter_move", "chapter_update"],
  },
  {
    name: "out of one book",
    request: "GET /api/books/{book}",
    status: 200,
    check: contents("page: Third", ["chapter: Fourth", []]),
  },
  {
    name: "into the other",
    request: "GET /api/books/{target}",
    status: 200,
    check: contents(["chapter: Second", ["a", "b"]]),
  },
  { name: "delete", request: "DELETE /api/chapters/{chapter}", status: 204, events: ["chapter_delete"] },
  { name: "they are missing then", request: "GET /api/pages/{a}", status: 404 },
]);
test("what goes into the bin together has one moment of deletion", async () => {
  const {
    runtime: { db, ask },
  } = stage();
  const book = (await ask("POST", "/api/books", { body: { name: "Together" } })).body.id;
  const chapter = (await ask("POST", "/api/chapters", { body: { book_id: book, name: "Chapter" } })).body.id;
  for (const parent of [{ book_id: book }, { chapter_id: chapter }])
    await ask("POST", "/api/pages", { body: { ...parent, name: "Page", html: "<p>x</p>" } });
  await ask("DELETE", `/api/books/${book}`);
  const moments = await rows<{ moments: number }>(
    db,
    sql`select count(distinct deleted_at) as moments from (
    select deleted_at from books where id = ${book}
    union all select deleted_at from chapters where book_id = ${book}
    union all select deleted_at from pages where book_id = ${book}) as gone`,
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
  } = stage();
  const book = (await ask("POST", "/api/books", { body: { name: "Crowded" } })).body.id;
  const body = { book_id: book, name: "Crowd" };
  const answers = await Promise.all(Array.from({ length: 12 }, () => ask("POST", "/api/chapters", { body })));
  expect(answers.map((answer) => answer.body.priority).sort((a, b) => a - b)).toEqual(answers.map((_, n) => n + 2));
  expect(new Set(answers.map((answer) => answer.body.slug)).size).toBe(12);
});
test("changes of one shelf at once leave the books of one of them", async () => {
  const {
    runtime: { ask },
  } = stage();
  const ids: number[] = [];
  for (let n = 0; n < 12; n++) ids.push((await ask("POST", "/api/books", { body: { name: `Shelved ${n}` } })).body.id);
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
  } = stage();
  const book = (await ask("POST", "/api/books", { body: { name: "Going" } })).body.id;
  const writes = Array.from({ length: 8 }, (_, n) =>
    ask("POST", "/api/chapters", { body: { book_id: book, name: `Late ${n}` } }),
  );
  const [gone, ...answers] = await Promise.all([ask("DELETE", `/api/books/${book}`), ...writes]);
  expect(gone?.status).toBe(204);
  for (const { status } of answers) expect([200, 404]).toContain(status);
  expect(await rows(db, sql`select id from chapters where book_id = ${book} and deleted_at is null`)).toEqual([]);
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
