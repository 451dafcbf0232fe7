/** Pages are marked as templates by who may, and offered to the writers who see them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
let book: { id: number; slug: string };
beforeAll(async () => {
  runtime = await bootTestRuntime();
  book = (await runtime.ask("POST", "/api/books", { body: { name: "Book" } })).body;
});
afterAll(() => runtime.stop());

const made = async (name: string, body: object) =>
  (await runtime.ask("POST", "/api/pages", { body: { book_id: book.id, name, ...body } })).body;
const mark = (id: number, template: unknown, as?: string) =>
  runtime.ask("PUT", `/api/pages/${id}/template`, { body: { template }, ...(as === undefined ? {} : { as }) });

test("a mark is set and taken away without a revision, and found by the listing", async () => {
  const { id } = await made("Report", { html: "<p>x</p>" });
  const { status, body } = await mark(id, true);
  expect([status, body.template, body.revision_count]).toEqual([200, true, 1]);
  const { body: listed } = await runtime.ask("GET", "/api/pages?filter[template]=true");
  expect(listed.data.map((page: { id: number }) => page.id)).toEqual([id]);
  expect((await runtime.ask("GET", `/api/pages/${id}`)).body.template).toBe(true);
  expect((await mark(id, false)).body.template).toBe(false);
  expect((await runtime.ask("GET", "/api/pages?filter[template]=true")).body.total).toBe(0);
  expect((await runtime.ask("PUT", `/api/pages/${id}`, { body: { template: true } })).body.template).toBe(false);
});

test("it takes the permission to manage templates, and that to change the page", async () => {
  const { id } = await made("Guarded", { html: "<p>x</p>" });
  const may = ["access-api", "page-view-all"];
  const writer = await runtime.person("Writer", [...may, "page-update-all"]);
  const manager = await runtime.person("Manager", [...may, "templates-manage"]);
  const stranger = await runtime.person("Stranger", ["access-api", "page-update-all", "templates-manage"]);
  expect((await mark(id, true, writer.token)).status).toBe(403);
  expect((await mark(id, true, manager.token)).status).toBe(403);
  expect((await mark(id, true, stranger.token)).status).toBe(404);
  expect((await mark(id, "perhaps")).status).toBe(422);
});
