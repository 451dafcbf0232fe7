/** What operators read and do: facts, plugins, lost files, dead jobs, unused images. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { png } from "../support/data/sample_pictures.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
});
afterAll(() => runtime.stop());

const get = async (path: string) => (await runtime.ask("GET", path)).body;

test("facts and plugins are listed, values of settings are not", async () => {
  const facts = await get("/api/system/facts");
  expect(facts).toMatchObject({ bun_version: Bun.version, jobs: { dead: 0 }, store: { bytes: expect.any(Number) } });
  expect(facts.lectern_version).toMatch(/^\d+\.\d+\.\d+/);
  const { data, total } = await get("/api/system/plugins");
  expect(total).toBe(runtime.runtime.booted.length);
  const users = data.find(({ name }: { name: string }) => name === "users");
  expect(users.grants.write).toContain("users");
  expect(users).toMatchObject({
    requires: ["instance_settings", "mail", "throttle"],
    denied: [],
    boot_ms: expect.any(Number),
  });
  expect(users.events).toContain("user_create");
  expect(JSON.stringify(data)).not.toContain("correct horse");
});

test("jobs that were given up are listed without their payload, tried again, and forgotten", async () => {
  const put = async (name: string) => {
    const [row] = await runtime.store.sql`insert into jobs (name, payload, dead, attempts, last_error)
      values (${name}, '{"secret": "value"}', true, 5, 'It broke') returning id`;
    return row?.id as number;
  };
  const [one, two] = [await put("nobody_does_one"), await put("nobody_does_two")];
  const listed = await runtime.ask("GET", "/api/system/jobs");
  expect(listed.body.data.map(({ id }: { id: number }) => id)).toEqual([one, two]);
  expect(JSON.stringify(listed.body)).not.toContain("secret");
  const retry = await runtime.ask("POST", "/api/system/jobs/retry", { body: { ids: [one, 999_999] } });
  expect(retry.body).toEqual({ retry_count: 1 });
  expect((await get("/api/system/jobs")).total).toBe(1);
  expect((await runtime.ask("DELETE", "/api/system/jobs", { body: { ids: [one] } })).body).toEqual({ delete_count: 0 });
  expect((await runtime.ask("DELETE", "/api/system/jobs")).body).toEqual({ delete_count: 1 });
  expect((await runtime.ask("POST", "/api/system/jobs/retry", { body: { ids: ["x"] } })).status).toBe(422);
  await runtime.store.sql`delete from jobs where id = ${one}`;
});

test("pictures that no page shows are counted, then removed; those in use stay", async () => {
  const book = (await runtime.ask("POST", "/api/books", { body: { name: "Book" } })).body.id;
  const page = (await runtime.ask("POST", "/api/pages", { body: { book_id: book, name: "Page", html: "<p>x</p>" } }))
    .body;
  const add = async () => {
    const parts = new FormData();
    parts.set("type", "gallery");
    parts.set("uploaded_to", String(page.id));
    parts.set("image", new File([png()], "dot.png", { type: "image/png" }));
    return (await runtime.ask("POST", "/api/image-gallery", { parts })).body;
  };
  const [shown, lost] = [await add(), await add()];
  await runtime.ask("PUT", `/api/pages/${page.id}`, { body: { html: `<p><img src="${shown.url}"></p>` } });
  expect((await get("/api/image-gallery/unused")).total).toBe(0);
  const older = "interval '2 days'";
  await runtime.store.sql.unsafe(`update images set created_at = now() - ${older}, updated_at = now() - ${older}`);
  const unused = await get("/api/image-gallery/unused");
  expect([unused.total, unused.data[0].id]).toEqual([1, lost.id]);
  expect((await runtime.ask("DELETE", "/api/image-gallery/unused")).body).toEqual({ delete_count: 1 });
  expect((await get("/api/audit-log?sort=-id&count=1")).data).toMatchObject([
    { type: "maintenance_action_run", detail: "cleanup-images", loggable_type: null },
  ]);
  expect((await runtime.ask("GET", `/api/image-gallery/${lost.id}`)).status).toBe(404);
  expect((await runtime.ask("GET", `/api/image-gallery/${shown.id}`)).status).toBe(200);
  expect(await get("/api/system/files")).toMatchObject({ total: 0, bytes: 0, kept: expect.any(Number) });
});

test("the bin is emptied as a whole, and the log knows types and roles that may be named", async () => {
  const book = (await runtime.ask("POST", "/api/books", { body: { name: "Gone" } })).body.id;
  const page = (await runtime.ask("POST", "/api/pages", { body: { book_id: book, name: "Page", html: "<p>x</p>" } }))
    .body;
  await runtime.ask("DELETE", `/api/pages/${page.id}`);
  await runtime.ask("DELETE", `/api/books/${book}`);
  expect((await runtime.ask("DELETE", "/api/maintenance/recycle-bin")).body).toEqual({ delete_count: 2 });
  expect((await get("/api/recycle-bin")).total).toBe(0);
  const [latest] = (await get("/api/audit-log?sort=-id&count=1")).data;
  expect([latest.type, latest.detail, latest.user.id]).toEqual(["recycle_bin_empty", "", 1]);
  const types = (await get("/api/audit-log/types")).data;
  expect(types).toContain("book_delete");
  expect(types).toEqual([...new Set(types)].sort());
  const roles = (await get("/api/content-permissions/roles")).data;
  expect(roles.map(({ display_name }: { display_name: string }) => display_name)).toEqual([
    "Editor",
    "Public",
    "Viewer",
  ]);
});
