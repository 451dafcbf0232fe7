/** Indexing all items again: how far it is, and that it goes on where it stopped. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { AnyContext, Log } from "lectern/core";
import { searchedKinds } from "../../plugins/content/search/changes.ts";
import { ProgressLog } from "../../plugins/content/search/progress.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
const pages: number[] = [];
beforeAll(async () => {
  runtime = await bootTestRuntime();
  const book_id = (await runtime.ask("POST", "/api/books", { body: { name: "Birds" } })).body.id;
  for (const name of ["Auk", "Bittern", "Curlew"])
    pages.push((await runtime.ask("POST", "/api/pages", { body: { book_id, name, html: "<p>x</p>" } })).body.id);
});
afterAll(() => runtime.stop());

async function command(...args: string[]): Promise<string[]> {
  const lines: string[] = [];
  const io = { out: (line: string) => void lines.push(line), err: () => {}, env: {}, columns: 80, tty: false };
  const { plugin } = runtime.runtime.booted.find((one) => one.plugin.name === "search") ?? {};
  expect(await plugin?.commands.search?.run(args, io, runtime.contexts.get("search"))).toBe(0);
  return lines;
}
const found = async (query: string) =>
  (await runtime.ask("GET", `/api/search?query=${query}`)).body.data.map(({ name }: { name: string }) => name);

test("`search status` counts what is indexed, and what is indexed again, which goes on where a server stopped", async () => {
  const { sql } = runtime.store;
  await runtime.runtime.jobs.drain();
  expect(await command("status")).toEqual([
    ...["bookshelf: 0 of 0 indexed", "book: 1 of 1 indexed", "chapter: 0 of 0 indexed", "page: 3 of 3 indexed"],
  ]);
  await sql`delete from search_index where kind = 'page' and item_id = ${pages[0] ?? 0}`;
  expect(await command("status")).toContain("page: 2 of 3 indexed");
  expect((await command("reindex")).join()).toContain('Queued for "postgresql": bookshelf, book, chapter, page');
  expect(await command("status")).toContain("page: 0 of 3 indexed again");
  // A server has indexed two pages and was stopped: the next one begins after them.
  await sql`update jobs set payload = jsonb_set(payload, '{after}', to_jsonb(${pages[1] ?? 0}::integer))
    where name = 'search_index' and payload ->> 'kind' = 'page'`;
  await sql`update search_index set words = '', digest = '' where kind = 'page'`;
  expect(await command("status")).toContain("page: 2 of 3 indexed again");
  await runtime.runtime.jobs.drain();
  expect([await found("bittern"), await found("curlew")]).toEqual([[], ["Curlew"]]);
  await command("reindex");
  await runtime.runtime.jobs.drain();
  expect(await command("status")).toContain("page: 3 of 3 indexed");
  expect([await found("auk"), await found("bittern")]).toEqual([["Auk"], ["Bittern"]]);
});

test("the log says how many of how many items are indexed, now and then and at the end", async () => {
  const lines: unknown[] = [];
  const info: Log["info"] = (message, fields) => void lines.push([message, fields]);
  const { slot } = runtime.contexts.get("search") as AnyContext;
  const kind = searchedKinds(slot("content"), slot("searchable")).find((one) => one.kind.kind === "page");
  if (!kind) throw new Error("Pages are not searched");
  const progress = new ProgressLog({ info } as Log, runtime.db);
  await progress.tell(kind, { after: pages[0], all: true });
  // A moment later.
  await progress.tell(kind, { after: pages[1], all: true });
  await progress.tell(kind, { after: undefined, all: true });
  await runtime.store.sql`delete from search_index where kind = 'page' and item_id = ${pages[2] ?? 0}`;
  await progress.tell(kind, { after: pages[1], all: false });
  const line = (indexed: number) => ["Indexing items for the search", { kind: "page", indexed, of: 3 }];
  expect(lines).toEqual([line(1), line(3), line(2)]);
});
