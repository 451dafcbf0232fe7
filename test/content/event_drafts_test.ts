/**
 * The drafts of the events of shelves, books, chapters and pages: no handler or action mutates them, and the row of an
 * update is the one under its lock, which another request may have changed since it was looked up.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AnyContext, definePlugin, type EventName, sql } from "lectern/core";
import { rows } from "lectern/db";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const KINDS = [
  { kind: "bookshelf", segment: "shelves", table: "bookshelves" },
  { kind: "book", segment: "books", table: "books" },
  { kind: "chapter", segment: "chapters", table: "chapters" },
  { kind: "page", segment: "pages", table: "pages" },
] as const;

let runtime: TestRuntime;
/** Names of rows as events carry them, by event. */
const seen: string[] = [];

/** Makes every assignment to a draft, or to what it holds, throw. */
function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}

beforeAll(async () => {
  const watcher = definePlugin({
    name: "watcher",
    requires: ["pages"],
    grants: { write: ["bookshelves", "books", "chapters", "pages"] },
    setup(context) {
      for (const { kind, table } of KINDS) watch(context as unknown as AnyContext, kind, table);
    },
  });
  runtime = await bootTestRuntime({ extra: [watcher] });
});
afterAll(() => runtime.stop());

/** Freezes each draft; renames the item between its lookup and its lock. */
function watch({ db, on }: AnyContext, kind: string, table: string): void {
  for (const verb of ["create", "delete"]) on(`${kind}_${verb}` as EventName, { beforeTransaction: freeze });
  on(`${kind}_update` as "book_update", {
    async beforeTransaction(draft) {
      freeze(draft);
      await rows(db, sql`update ${sql.table(table)} set name = 'Renamed meanwhile' where id = ${draft.row.id}`);
    },
    veto({ row }) {
      seen.push(row.name);
      return undefined;
    },
    inTransaction(_result, _tx, { draft }) {
      seen.push(draft.row.name);
    },
  });
}

for (const { kind, segment } of KINDS)
  test(`no draft of a ${kind} is mutated, and an update carries the row under its lock`, async () => {
    const make = async (place: string, body: object) =>
      (await runtime.ask("POST", `/api/${place}`, { body: { name: "First", html: "<p>x</p>", ...body } })).body;
    const book = kind === "chapter" || kind === "page" ? await make("books", {}) : undefined;
    const made = await make(segment, { book_id: book?.id });
    seen.length = 0;
    const path = `/api/${segment}/${made.id}`;
    const { status, body } = await runtime.ask("PUT", path, { body: { tags: [{ name: "a", value: "b" }] } });
    expect([status, body.name]).toEqual([200, "Renamed meanwhile"]);
    expect(seen).toEqual(["Renamed meanwhile", "Renamed meanwhile"]);
    expect((await runtime.ask("DELETE", path)).status).toBe(204);
  });

test("a chapter moves to another book without a draft being mutated", async () => {
  const make = async (place: string, body: object) => (await runtime.ask("POST", `/api/${place}`, { body })).body;
  const [from, to] = [await make("books", { name: "From" }), await make("books", { name: "To" })];
  const chapter = await make("chapters", { name: "Moving", book_id: from.id });
  const page = await make("pages", { name: "Within", chapter_id: chapter.id, html: "<p>x</p>" });
  const moved = await runtime.ask("PUT", `/api/chapters/${chapter.id}`, { body: { book_id: to.id } });
  expect([moved.body.book_id, moved.body.book_slug]).toEqual([to.id, to.slug]);
  expect((await runtime.ask("GET", `/api/pages/${page.id}`)).body.book_id).toBe(to.id);
});
