/** Words that most entries have, of which rows are read rather than the index: they find what the other mode finds, for each viewer. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const PAGES = 24;
/** Entries from which on the index takes longer to find all that have a word than rows are read. */
const OTHERS = 20_000;

let runtime: TestRuntime;
let reader: string;
const books: number[] = [];
beforeAll(async () => {
  runtime = await bootTestRuntime();
  const create = async (path: string, body: object) =>
    (await runtime.ask("POST", `/api/${path}`, { body })).body.id as number;
  for (const name of ["North", "South"]) books.push(await create("books", { name }));
  const person = await runtime.person("reader", ["access-api", "book-view-all", "page-view-all"]);
  reader = person.token;
  for (let n = 0; n < PAGES; n++) {
    const id = await create("pages", {
      ...{ book_id: books[n % 2], name: `Page ${n}` },
      html: `<p>everywhere ${n % 3 === 0 ? "third" : "other"}</p>`,
    });
    const role = { role_id: person.role, view: false, create: false, update: false, delete: false };
    if (n % 4 === 0)
      await runtime.ask("PUT", `/api/content-permissions/page/${id}`, {
        body: { role_permissions: [role], fallback_permissions: { inheriting: true } },
      });
  }
  // Of items that nobody sees, as there are none.
  await rows(
    runtime.db,
    sql.raw(`insert into search_index (kind, item_id, document, words, digest, word_count)
      select 'page', 1000000 + n, '2', '''everywhere''', '''everywhere'':1D', 1 from generate_series(1, ${OTHERS}) as n`),
  );
});
afterAll(() => runtime.stop());

async function found(query: string, mode: string, as: string): Promise<number[]> {
  const path = `/api/search?count=100&query=${encodeURIComponent(query)}${mode}`;
  const { status, body } = await runtime.ask("GET", path, { as });
  expect(status).toBe(200);
  return body.data.map(({ id }: { id: number }) => id).sort((a: number, b: number) => a - b);
}

test.each([
  ["everywhere", PAGES],
  ["everywh", PAGES],
  ["everywhere {in_book}", PAGES / 2],
  ["everywhere {type:book}", 0],
  ['everywhere "third"', PAGES / 3],
])("%s finds what the viewer sees", async (asked, count) => {
  const query = asked.replace("{in_book}", `{in_book:${books[0]}}`);
  for (const [viewer, share] of [
    [runtime.token, 1],
    [reader, 0.75],
  ] as const) {
    const better = await found(query, "&mode=better", viewer);
    if (!query.includes("in_book")) {
      expect(better).toEqual(await found(query, "", viewer));
      expect(better.length).toBe(count * share);
    } else expect(better.length).toBe(viewer === reader ? count / 2 : count);
  }
});

test("pages with a rarer word besides come first", async () => {
  const { body } = await runtime.ask("GET", "/api/search?mode=better&count=100&query=everywhere%20third");
  const names = body.data.map(({ name }: { name: string }) => name).slice(0, PAGES / 3);
  expect(names.sort()).toEqual(Array.from({ length: PAGES / 3 }, (_, n) => `Page ${3 * n}`).sort());
});
