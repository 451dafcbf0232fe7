/** Revisions of pages are read by users who see the page and may see revisions, and by nobody else. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
let page: number;
const idOf = async (number: number): Promise<number> =>
  (await runtime.ask("GET", `/api/pages/${page}/revisions?filter[number]=${number}`)).body.data[0].id;
beforeAll(async () => {
  runtime = await bootTestRuntime();
  const book = (await runtime.ask("POST", "/api/books", { body: { name: "Book" } })).body.id;
  page = (await runtime.ask("POST", "/api/pages", { body: { book_id: book, name: "Page", markdown: "# One" } })).body
    .id;
  const change = (body: object) => runtime.ask("PUT", `/api/pages/${page}`, { body });
  await change({ markdown: "# Two <script>alert(1)</script>" });
  await change({ priority: 9 });
  await change({ name: "Renamed" });
});
afterAll(() => runtime.stop());

test("revisions are listed without their content, by number, with who made them", async () => {
  const { status, body } = await runtime.ask("GET", `/api/pages/${page}/revisions?sort=-number`);
  expect([status, body.total]).toEqual([200, 3]);
  expect(body.data).toMatchObject([
    { page_id: page, number: 4, name: "Renamed", created_by: { id: 1, name: "Admin" } },
    { number: 2, name: "Page", summary: "" },
    { number: 1, summary: "Initial publish", created_at: expect.stringMatching(/Z$/) },
  ]);
  expect(body.data[0]).not.toHaveProperty("html");
  const before = await runtime.ask("GET", `/api/pages/${page}/revisions?sort=-number&count=1&filter[number:lt]=4`);
  expect(before.body.data).toMatchObject([{ number: 2 }]);
});

test("a revision is read as it was, and shown harmless", async () => {
  const { status, body } = await runtime.ask("GET", `/api/pages/${page}/revisions/${await idOf(2)}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ number: 2, name: "Page", markdown: "# Two <script>alert(1)</script>" });
  expect(body.html).toContain("Two");
  expect(body.html).not.toContain("<script");
  expect(body.text).toContain("Two");
});

test("two revisions are compared: their names, their sources, and the page as it is shown", async () => {
  const [first, second] = [await idOf(1), await idOf(2)];
  const compare = (path: string) => runtime.ask("GET", `/api/pages/${page}/revisions/${path}`);
  const { status, body } = await compare(`${first}/compare?to=${second}`);
  expect([status, body.format, body.from.number, body.to.number]).toEqual([200, "markdown", 1, 2]);
  expect(body.name).toEqual([{ value: "Page" }]);
  expect(body.source).toContainEqual({ value: "One", removed: true });
  expect(body.html).toMatch(/<del>One<\/del>.*<ins>Two/s);
  expect(body.html).not.toContain("<script");
  const newest = await compare(`${first}/compare`);
  expect(newest.body.to.number).toBe(4);
  expect(newest.body.name).toEqual([
    { value: "Page", removed: true },
    { value: "Renamed", added: true },
  ]);
  const back = await compare(`${second}/compare?to=${first}`);
  expect([back.body.from.number, back.body.to.number]).toEqual([2, 1]);
  for (const [path, expected] of [
    [`${first}/compare?to=99999`, 404],
    ["99999/compare", 404],
    [`${first}/compare?to=x`, 422],
  ] as const)
    expect([path, (await compare(path)).status]).toEqual([path, expected]);
  const reader = await runtime.person("Unseeing", ["access-api", "revision-view-all"]);
  expect((await runtime.ask("GET", `/api/pages/${page}/revisions/${first}/compare`, { as: reader.token })).status).toBe(
    404,
  );
});

test("there is no such revision, or none of that page", async () => {
  const other = (await runtime.ask("POST", "/api/pages", { body: { book_id: 1, name: "Other", html: "<p>x</p>" } }))
    .body;
  const taken = await idOf(1);
  for (const path of [
    `${page}/revisions/999`,
    `${page}/revisions/x`,
    `99999/revisions/${taken}`,
    `${other.id}/revisions/${taken}`,
  ])
    expect([path, (await runtime.ask("GET", `/api/pages/${path}`)).status]).toEqual([path, 404]);
  expect((await runtime.ask("GET", "/api/pages/99999/revisions")).status).toBe(404);
});

test("who may not see the page, or no revisions, sees no revision of it", async () => {
  const { token } = await runtime.person("Short", ["access-api", "book-view-all", "revision-view-all"]);
  const plain = await runtime.person("Plain", ["access-api", "page-view-all"]);
  const reader = await runtime.person("Reader", ["access-api", "page-view-all", "revision-view-all"]);
  for (const path of [`/api/pages/${page}/revisions`, `/api/pages/${page}/revisions/${await idOf(1)}`]) {
    expect((await runtime.ask("GET", path, { as: token })).status).toBe(404);
    expect((await runtime.ask("GET", path, { as: plain.token })).status).toBe(403);
    expect((await runtime.ask("GET", path, { as: reader.token })).status).toBe(200);
    expect((await runtime.ask("GET", path, { as: null })).status).toBe(401);
  }
});

test("roles and scoped tokens that saw revisions before there was a permission for it see them still", async () => {
  const { store } = runtime;
  const before = await runtime.ask("POST", "/api/roles", {
    body: { display_name: "Before", permissions: ["access-api", "page-view-own"] },
  });
  const body = { name: "Old", permissions: ["page-view-all", "book-view-all"] };
  const token = (await runtime.ask("POST", "/api/users/1/tokens", { body })).body;
  await store.sql`delete from role_permissions where name = 'revision-view-all'`;
  await store.sql`delete from lectern_ledger.roles where name = '0003_revisions'`;
  await store.sql`delete from lectern_ledger.tokens where name = '0003_revisions'`;
  const upgraded = await bootTestRuntime({ beside: runtime });
  for (const role of [before.body.id, 1])
    expect((await upgraded.ask("GET", `/api/roles/${role}`)).body.permissions).toContain("revision-view-all");
  const as = `${token.token_id}:${token.secret}`;
  expect((await upgraded.ask("GET", `/api/pages/${page}/revisions`, { as })).status).toBe(200);
  await upgraded.stop();
});

test("a page is restored to a revision, and the log has that change and no other", async () => {
  const first = await idOf(1);
  const editor = await runtime.person("Editor", [
    "access-api",
    "page-view-all",
    "page-update-all",
    "revision-view-all",
  ]);
  const reader = await runtime.person("Viewer", ["access-api", "page-view-all", "revision-view-all"]);
  const restore = (id: number, as: string) =>
    runtime.ask("POST", `/api/pages/${page}/revisions/${id}/restore`, { as, body: {} });
  expect((await restore(first, reader.token)).status).toBe(403);
  expect((await restore(99999, editor.token)).status).toBe(404);
  const before = (await runtime.ask("GET", `/api/pages/${page}`)).body.revision_count;
  const { status, body } = await restore(first, editor.token);
  expect([status, body]).toMatchObject([200, { id: page, name: "Page", markdown: "# One", slug: "page" }]);
  expect([body.revision_count, body.updated_by.id]).toEqual([before + 1, editor.id]);
  const kept = await runtime.ask("GET", `/api/pages/${page}/revisions?sort=-id&count=1`);
  expect(kept.body.data).toMatchObject([{ number: before + 1, summary: "Restored from #1; Initial publish" }]);
  const log = await runtime.ask("GET", `/api/audit-log?filter[user_id]=${editor.id}&sort=id`);
  expect(log.body.data).toMatchObject([
    { type: "page_restore", detail: `(${page}) Page`, loggable_type: "page", loggable_id: page },
    { type: "revision_restore", detail: `Revision #1 (ID: ${first}) for page ID ${page}`, loggable_type: null },
  ]);
});

test("a revision is deleted, but for the latest one", async () => {
  const made = await runtime.ask("POST", "/api/pages", { body: { book_id: 1, name: "Twice", html: "<p>1</p>" } });
  await runtime.ask("PUT", `/api/pages/${made.body.id}`, { body: { html: "<p>2</p>" } });
  const at = `/api/pages/${made.body.id}/revisions`;
  const [first, second] = (await runtime.ask("GET", `${at}?sort=id`)).body.data;
  const editor = await runtime.person("Tidy", ["access-api", "page-view-all", "page-update-all", "revision-view-all"]);
  expect((await runtime.ask("DELETE", `${at}/${first.id}`, { as: editor.token })).status).toBe(403);
  const latest = await runtime.ask("DELETE", `${at}/${second.id}`);
  expect([latest.status, latest.body.error.message]).toEqual([409, "Cannot delete the latest revision."]);
  expect((await runtime.ask("DELETE", `${at}/${first.id}`)).status).toBe(204);
  expect((await runtime.ask("DELETE", `${at}/${first.id}`)).status).toBe(404);
  expect((await runtime.ask("GET", at)).body.total).toBe(1);
  const log = await runtime.ask("GET", "/api/audit-log?sort=-id&count=1");
  expect(log.body.data).toMatchObject([
    { type: "revision_delete", detail: `Revision #1 (ID: ${first.id}) for page ID ${made.body.id}` },
  ]);
});

test("a change says why it was made: its summary makes a revision, even where the content stays", async () => {
  const made = await runtime.ask("POST", "/api/pages", {
    body: { book_id: 1, name: "Noted", markdown: "One", summary: "First try" },
  });
  const { id } = made.body;
  expect(made.body).not.toHaveProperty("summary");
  await runtime.ask("PUT", `/api/pages/${id}`, { body: { markdown: "Two", summary: "  Corrected  " } });
  await runtime.ask("PUT", `/api/pages/${id}`, { body: { markdown: "Two", summary: "Read again" } });
  await runtime.ask("PUT", `/api/pages/${id}`, { body: { markdown: "Two", summary: " " } });
  const { data } = (await runtime.ask("GET", `/api/pages/${id}/revisions?sort=number`)).body;
  expect(data.map(({ summary }: { summary: string }) => summary)).toEqual(["First try", "Corrected", "Read again"]);
  const long = await runtime.ask("PUT", `/api/pages/${id}`, { body: { summary: "x".repeat(256) } });
  expect([long.status, Object.keys(long.body.error.validation)]).toEqual([422, ["summary"]]);
});
