/** A server that is killed amid a big copy: the copy is made once, by the same server or by another one over the same store. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Cluster, createDatabase, startCluster, systemBinaries } from "../support/harness/cluster.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { dataFolder, type Program, startProgram } from "../support/harness/program.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(scaled(180_000));

const onServer: (title: string, run: () => Promise<void>) => void = systemBinaries() ? test : () => {};
const PAGES = 20;
const CHAPTERS = 16;
/** The book, its chapters and their pages. */
const ITEMS = 1 + CHAPTERS * (1 + PAGES);
const constants = { pagesAtOnce: PAGES, staleMs: 2_000 };

let cluster: Cluster | undefined;
beforeAll(async () => {
  if (systemBinaries()) cluster = await startCluster({ fast: true });
});
afterAll(async () => {
  await cluster?.stop();
});

/** Makes a book of many pages, by copies of a chapter that is small enough to be copied at once. */
async function bigBook({ ask }: Program): Promise<number> {
  const book = (await ask("POST", "/api/books", { name: "Big" })).body.id as number;
  const chapter = (await ask("POST", "/api/chapters", { name: "Chapter", book_id: book })).body.id;
  for (let at = 0; at < PAGES; at++)
    await ask("POST", "/api/pages", { name: `Page ${at}`, chapter_id: chapter, html: `<p>${at}</p>` });
  for (let at = 1; at < CHAPTERS; at++)
    expect((await ask("POST", `/api/chapters/${chapter}/copy`, { name: `Chapter ${at}` })).status).toBe(200);
  return book;
}

/** Starts the copy of a big book and waits until some of it is made. */
async function startedAt(program: Program): Promise<string> {
  const book = await bigBook(program);
  const { status, body } = await program.ask("POST", `/api/books/${book}/copy`, { name: "Copy" });
  expect([status, body.total]).toEqual([202, ITEMS]);
  const path = `/api/copies/${body.id}`;
  const seen = await until(
    async () => (await program.ask("GET", path)).body,
    ({ status, done }) => status !== "waiting" && Number(done) > 0,
    60_000,
  );
  expect(seen.status).toBe("running");
  expect(Number(seen.done)).toBeLessThan(ITEMS);
  return path;
}

async function expectOneCopy(program: Program, path: string): Promise<void> {
  const ended = await until(
    async () => (await program.ask("GET", path)).body,
    ({ status }) => status === "done" || status === "failed",
    120_000,
  );
  expect([ended.status, ended.done, ended.error]).toEqual(["done", ITEMS, null]);
  const named = (await program.ask("GET", "/api/books?filter[name]=Copy")).body;
  expect(named.total).toBe(1);
  const pages = (await program.ask("GET", `/api/pages?filter[book_id]=${ended.copy_id}&count=1`)).body;
  expect(pages.total).toBe(PAGES * CHAPTERS);
  expect((await program.ask("GET", "/api/pages?count=1")).body.total).toBe(2 * PAGES * CHAPTERS);
}

test("killed amid a big copy and started again, it has made the copy once", async () => {
  const folder = dataFolder("ready");
  const program = await startProgram(folder.path, {}, { constants });
  const path = await startedAt(program);
  program.signal("SIGKILL");
  await program.ended;
  const again = await startProgram(folder.path, {}, { constants });
  expect((await again.ask("GET", "/api/books?filter[name]=Copy")).body.total).toBe(0);
  await expectOneCopy(again, path);
  again.signal("SIGTERM");
  expect(await again.ended).toBe(0);
  folder.remove();
});

onServer("killed amid a big copy, another server makes it once", async () => {
  const folder = dataFolder();
  const DATABASE_URL = await createDatabase((cluster as Cluster).url);
  const program = await startProgram(folder.path, { DATABASE_URL }, { constants });
  const path = await startedAt(program);
  const second = await startProgram(folder.path, { DATABASE_URL }, { constants });
  program.signal("SIGKILL");
  await program.ended;
  await expectOneCopy(second, path);
  second.signal("SIGTERM");
  expect(await second.ended).toBe(0);
  folder.remove();
});
