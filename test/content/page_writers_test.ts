/** Many writers of pages at once: nothing is lost, and nothing is left behind. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
});
afterAll(() => runtime.stop());

test("fifty writers at once in one book all succeed, each with a slug of its own", async () => {
  const book = (await runtime.ask("POST", "/api/books", { body: { name: "Busy" } })).body.id;
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, place) =>
      runtime.ask("POST", "/api/pages", {
        body: { book_id: book, name: `Page ${place % 10}`, html: `<p>${place}</p>` },
      }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
  const list = await runtime.ask("GET", `/api/pages?filter[book_id]=${book}&count=500`);
  expect(list.body.total).toBe(50);
  expect(new Set(list.body.data.map(({ slug }: { slug: string }) => slug)).size).toBe(50);
});
test("two writers who change, move and rename at once lose nothing", async () => {
  const [one, two] = await Promise.all(
    ["One", "Two"].map(async (name) => (await runtime.ask("POST", "/api/books", { body: { name } })).body),
  );
  const page = (
    await runtime.ask("POST", "/api/pages", { body: { book_id: one.id, name: "Shared", html: "<p>x</p>" } })
  ).body.id;
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, turn) =>
      turn % 3 === 0
        ? runtime.ask("PUT", `/api/books/${turn % 2 === 0 ? one.id : two.id}`, { body: { name: `Book ${turn}` } })
        : runtime.ask("PUT", `/api/pages/${page}`, {
            body: { book_id: turn % 2 === 0 ? one.id : two.id, html: `<p>${turn}</p>` },
          }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
  expect((await runtime.ask("GET", `/api/pages/${page}`)).body.revision_count).toBe(9);
});
test("a page is never left behind in a book that goes while it is written", async () => {
  const book = (await runtime.ask("POST", "/api/books", { body: { name: "Going" } })).body.id;
  const writes = Array.from({ length: 20 }, (_, place) =>
    runtime.ask("POST", "/api/pages", { body: { book_id: book, name: `Page ${place}`, html: "<p>x</p>" } }),
  );
  const [removed, ...written] = await Promise.all([runtime.ask("DELETE", `/api/books/${book}`), ...writes]);
  expect(removed.status).toBe(204);
  expect(written.every(({ status }) => status === 200 || status === 404)).toBe(true);
  expect((await runtime.ask("GET", `/api/pages?filter[book_id]=${book}`)).body.total).toBe(0);
});
