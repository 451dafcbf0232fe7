/** The command `doctor`: each thing that it checks is broken on purpose, found, and repaired where that is offered. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { definePlugin } from "lectern/core";
import { doctorOf } from "../support/harness/doctor.ts";
import { browserOf, PASSWORD } from "../support/harness/sign_ins.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

let runtime: TestRuntime;
let page: number;
let book: number;

beforeAll(async () => {
  runtime = await bootTestRuntime({
    env: { APP_PROXIES: "*", DATABASE_POLL: "6", PATH_OF_NOTHING: "1" },
    constants: { core: { minDiskPercent: 100 } },
    extra: [
      definePlugin({ name: "guest_reader", grants: { read: ["books"] }, setup() {} }),
      definePlugin({
        name: "broken_checks",
        setup({ contribute }) {
          contribute("self_check", {
            name: "broken_checks/throws",
            title: "A check that fails is an error",
            check: () => Promise.reject(new Error("the disk is on fire")),
          });
        },
      }),
    ],
  });
  book = (await runtime.ask("POST", "/api/books", { body: { name: "Runbooks" } })).body.id;
  page = (await runtime.ask("POST", "/api/pages", { body: { book_id: book, name: "Failover", html: "<p>Call</p>" } }))
    .body.id;
});

afterAll(() => runtime.stop());

const { doctor, check } = doctorOf(() => runtime);

/** Rows that refer to nothing: the check that finds them, and the statement that leaves one. */
const DANGLING: Readonly<Record<string, () => string>> = {
  "tags/items": () => `insert into tags (kind, item_id, position, name) values ('page', 987654, 0, 'lost')`,
  "content_permissions/entries": () =>
    `insert into entity_permissions (kind, item_id, role_id, view, "create", update, delete)
      values ('book', ${book}, 987654, true, false, false, false)`,
  "links/items": () =>
    `insert into content_links (from_kind, from_id, to_kind, to_id, path) values ('page', ${page}, 'book', 987654, '/books/x')`,
  "slug_history/items": () => `insert into slug_history (kind, item_id, slug) values ('chapter', 987654, 'lost')`,
  "comments/pages": () =>
    `insert into comments (page_id, local_id, html, content_ref) values (987654, 1, '<p>lost</p>', '')`,
  "pages/revisions": () =>
    `insert into page_revisions (page_id, number, name, slug, book_slug, html, markdown, text, summary)
      values (987654, 1, 'x', 'x', 'x', '', '', '', '')`,
  "shelves/books": () => `insert into bookshelf_books (shelf_id, book_id, position) values (987654, ${book}, 0)`,
  "recycle_bin/entries": () => `insert into deletions (deletable_type, deletable_id) values ('page', 987654)`,
  "search/entries": () => `insert into search_index (kind, item_id, document) values ('page', 987654, '')`,
  "search/views": () => `insert into item_views (user_id, kind, item_id) values (987654, 'page', ${page})`,
};

describe("rows that refer to nothing are found and deleted", () => {
  for (const [name, statement] of Object.entries(DANGLING))
    test(name, async () => {
      expect((await check(name)).status).toBe("ok");
      await runtime.store.sql.unsafe(statement());
      const found = await check(name);
      expect([found.status, found.count, found.fixable]).toEqual(["warning", 1, true]);
      expect(found.examples[0]).toContain("987654");
      expect(await check(name, "--fix")).toMatchObject({ status: "ok", count: 0, fixed: 1 });
      expect((await check(name)).status).toBe("ok");
    });

  test("rows of a kind whose plugin is not loaded are left alone", async () => {
    await runtime.store.sql`insert into tags (kind, item_id, position, name) values ('gadget', 1, 0, 'kept')`;
    expect(await check("tags/items", "--fix")).toMatchObject({ status: "ok" });
    expect(await runtime.store.sql`delete from tags where kind = 'gadget' returning name`).toHaveLength(1);
  });

  test("authors who are gone are cleared, and their items stay", async () => {
    await runtime.store.sql`update pages set created_by = 987654, owned_by = 987654 where id = ${page}`;
    expect(await check("users/authors")).toMatchObject({ status: "warning", count: 2, fixable: true });
    expect(await check("users/authors", "--fix")).toMatchObject({ status: "ok", fixed: 2 });
    expect((await runtime.ask("GET", `/api/pages/${page}`)).body).toMatchObject({ id: page, created_by: null });
    for (const name of ["comments/authors", "attachments/authors", "images/authors"])
      expect((await check(name)).status).toBe("ok");
  });

  test("all are counted and a few are shown", async () => {
    await runtime.store.sql`insert into tags (kind, item_id, position, name)
      select 'page', 900000 + n, part, 'lost' from generate_series(1, 40) n, generate_series(0, 1) part`;
    const found = await check("tags/items");
    expect([found.count, found.examples.length]).toEqual([80, 5]);
    expect(await check("tags/items", "--fix")).toMatchObject({ fixed: 80, status: "ok" });
  });

  test("an item without its parent is shown and not deleted", async () => {
    await runtime.store.sql`update pages set book_id = 987654 where id = ${page}`;
    expect(await check("core/parents", "--fix")).toMatchObject({ status: "warning", count: 1, fixable: false });
    await runtime.store.sql`update pages set book_id = ${book} where id = ${page}`;
    expect((await check("core/parents")).status).toBe("ok");
  });
});

describe("files", () => {
  test("a row whose file is missing is an error that nothing repairs", async () => {
    const form = new FormData();
    form.set("name", "plan.txt");
    form.set("uploaded_to", String(page));
    form.set("file", new File(["plan"], "plan.txt"));
    const { body } = await runtime.ask("POST", "/api/attachments", { parts: form });
    expect(await check("attachments/files")).toMatchObject({ status: "ok" });
    const [row] = await runtime.store.sql<
      { file_key: string }[]
    >`select file_key from attachments where id = ${body.id}`;
    rmSync(join(runtime.dataDir, "files/attachments", row?.file_key ?? ""));
    const { code, out } = await doctor("attachments", "--fix");
    expect(code).toBe(1);
    expect(out).toContain(`attachments ${body.id}: file "${row?.file_key}" is missing`);
    await runtime.store.sql`update attachments set uploaded_to = 987654`;
    expect(await check("attachments/pages")).toMatchObject({ status: "warning", count: 1 });
    await runtime.store.sql`delete from attachments`;
    expect((await doctor("attachments")).code).toBe(0);
  });

  test("a file without a row is found once it is a day old, and deleted", async () => {
    const path = join(runtime.dataDir, "files/attachments/lost/file.txt");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "lost");
    expect((await check("core/orphaned_files")).status).toBe("ok");
    const old = new Date(Date.now() - 2 * 86_400_000);
    utimesSync(path, old, old);
    const found = await check("core/orphaned_files");
    expect([found.status, found.examples]).toEqual(["warning", ["attachments/lost/file.txt (4 bytes)"]]);
    expect(await check("core/orphaned_files", "--fix")).toMatchObject({ status: "ok", fixed: 1 });
    expect(existsSync(path)).toBe(false);
  });

  test("a file store that is that of another instance is an error", async () => {
    const marker = join(runtime.dataDir, "files/lectern-instance.json");
    writeFileSync(marker, JSON.stringify({ instance: "another" }));
    const found = await check("core/file_store");
    rmSync(marker);
    expect([found.status, found.count]).toEqual(["error", 1]);
    expect((await check("core/file_store")).status).toBe("ok");
  });

  test("a disk with little room is shown", async () => {
    expect((await check("core/disk")).examples.join()).toContain("% free");
  });
});

describe("search index and counters", () => {
  test("an item that is missing in the index is indexed again", async () => {
    await runtime.store.sql`delete from search_index where kind = 'page' and item_id = ${page}`;
    expect((await runtime.ask("GET", "/api/search?query=Failover")).body.total).toBe(0);
    expect(await check("search/missing")).toMatchObject({ status: "error", count: 1, examples: [`page ${page}`] });
    expect(await check("search/missing", "--fix")).toMatchObject({ status: "ok", fixed: 1 });
    expect((await runtime.ask("GET", "/api/search?query=Failover")).body.total).toBe(1);
  });

  test("a wrong counter of items by access list is counted again", async () => {
    await runtime.store.sql`update acl_count set n = n + 3 where kind = 'book' and shard =
      (select min(shard) from acl_count where kind = 'book')`;
    expect(await check("access/counts")).toMatchObject({
      status: "error",
      examples: ["book, list 0: stored 4 of 1, counted 1 of 1"],
    });
    expect(await check("access/counts", "--fix")).toMatchObject({ status: "ok", fixed: 1 });
    expect((await runtime.ask("GET", "/api/books")).body.total).toBe(1);
  });

  test("wrong counters of every kind of content are counted again", async () => {
    await runtime.store.sql`insert into acl_count (kind, acl_id, shard, n, held)
      select kind, 0, 0, 5, 5 from unnest(array['book', 'bookshelf', 'chapter', 'page']) kind
      on conflict (kind, acl_id, shard) do update set n = acl_count.n + 5`;
    expect(await check("access/counts")).toMatchObject({ status: "error", count: 4 });
    expect(await check("access/counts", "--fix")).toMatchObject({ status: "ok", fixed: 4 });
  });

  test("an item whose access list is gone is shown", async () => {
    await runtime.store.sql`update books set acl_id = 987654 where id = ${book}`;
    expect(await check("access/lists")).toMatchObject({ status: "warning", count: 1, fixable: false });
    await runtime.store.sql`update books set acl_id = 0 where id = ${book}`;
  });

  test("a wrong counter of hosts is counted again", async () => {
    await runtime.store.sql`insert into host_totals
      (status, os_name, os_version, shard, hosts, needing, at_risk, outdated, security, rebooting)
      values ('active', 'Debian', '12', 0, 7, 0, 0, 0, 0, 0)`;
    expect(await check("hosts/counters")).toMatchObject({ status: "error", count: 1 });
    expect(await check("hosts/counters", "--fix")).toMatchObject({ status: "ok", fixed: 1 });
  });
});

describe("database", () => {
  test("steps and ledgers that the code does not know are shown", async () => {
    await runtime.store.sql`insert into lectern_ledger.tags (name) values ('9999_later')`;
    expect(await check("core/older_code")).toMatchObject({ status: "warning", examples: ["tags 9999_later"] });
    await runtime.store.sql`delete from lectern_ledger.tags where name = '9999_later'`;
    await runtime.store.sql`delete from lectern_ledger.tags where name = '0004_numbers'`;
    expect(await check("core/migrations")).toMatchObject({ status: "error", examples: ["tags 0004_numbers"] });
    await runtime.store.sql`insert into lectern_ledger.tags (name) values ('0004_numbers')`;
    expect((await check("core/migrations")).status).toBe("ok");
  });

  test("a right that was taken or given by hand is corrected, and a role that is left over is dropped", async () => {
    const [found] = await runtime.store.sql<{ role: string }[]>`
      select rolname as role from pg_roles where rolname like ${`%:guest_reader`}
        and starts_with(rolname, (select obj_description('lectern_grants'::regnamespace)))`;
    const { role = "" } = found ?? {};
    // Roles belong to the whole server: those of plugins of other tests, in copies of the same template, look left over here.
    const own = (examples: readonly string[] = []) =>
      examples.filter((example) => !example.startsWith("left over") || example.endsWith(":gone_plugin"));
    expect(own((await check("core/grants", "--fix")).examples)).toEqual([]);
    await runtime.store.sql.unsafe(`grant select on users to "${role}"; revoke select on books from "${role}"`);
    const leftover = role.replace("guest_reader", "gone_plugin");
    await runtime.store.sql.unsafe(`create role "${leftover}" nologin`);
    const drift = await check("core/grants");
    expect([drift.status, own(drift.examples).length]).toEqual(["warning", 3]);
    expect(drift.examples.join()).toContain(`revoke SELECT on table "public"."users"`);
    expect(drift.examples).toContain(`left over: role ${leftover}`);
    const mended = await check("core/grants", "--fix");
    expect(own(mended.examples)).toEqual([]);
    expect(mended.fixed).toBeGreaterThanOrEqual(3);
    expect(await runtime.store.sql`select from pg_roles where rolname = ${leftover}`).toHaveLength(0);
  });

  test("a clock that differs from that of the database is shown", async () => {
    expect((await check("core/clock")).status).toBe("ok");
    const now = Date.now;
    const shifted = spyOn(Date, "now").mockImplementation(() => now.call(Date) - 60_000);
    const found = await check("core/clock");
    shifted.mockRestore();
    expect([found.status, found.examples.join()]).toEqual([
      "warning",
      expect.stringMatching(/^the database is (?:59|60)\.\d seconds ahead/),
    ]);
  });
});

test("failed, overdue and unhandled jobs and schedules of nobody are shown", async () => {
  await runtime.store.sql`delete from jobs`;
  await runtime.store.sql`insert into jobs (name, payload, run_at, dead) values
    ('search_index', '{}', now(), true), ('search_index', '{}', now() - interval '1 hour', false),
    ('of_nobody', '{}', now(), false)`;
  await runtime.store.sql`insert into schedules (name, next_at) values ('gone:sweep', now())`;
  expect(await check("core/dead_jobs")).toMatchObject({ status: "warning", examples: ["search_index (1)"] });
  expect(await check("core/overdue_jobs")).toMatchObject({ status: "warning", examples: ["search_index (1)"] });
  expect(await check("core/unhandled_jobs")).toMatchObject({ status: "warning", examples: ["of_nobody (1)"] });
  expect(await check("core/schedules", "--fix")).toMatchObject({ status: "ok", fixed: 1 });
  await runtime.store.sql`delete from jobs where name in ('search_index', 'of_nobody')`;
});

test("addresses that do not fit and misspelt variables are shown", async () => {
  expect((await check("core/addresses")).examples[0]).toContain("APP_PROXIES is *");
  expect((await check("core/variables")).examples).toEqual([
    "DATABASE_POLL is no setting; did you mean DATABASE_POOL?",
  ]);
});

test("a check that throws is an error, and the others still run", async () => {
  const { code, out } = await doctor();
  expect(code).toBe(1);
  expect(out).toContain("the check failed: the disk is on fire");
  expect(out).toContain("ok       core/migrations");
  expect(out.split("\n").at(-1)).toMatch(/^\d+ checks: \d+ ok, \d+ warnings, \d+ errors$/);
});

test("without --fix nothing changes", async () => {
  await runtime.store.sql`insert into tags (kind, item_id, position, name) values ('page', 987654, 0, 'lost')`;
  await doctor();
  expect(await runtime.store.sql`delete from tags where item_id = 987654 returning name`).toHaveLength(1);
});

test("an unknown check and an unknown option are refused", async () => {
  expect(await doctor("tag/items")).toMatchObject({
    code: 2,
    err: 'There is no check "tag/items"; did you mean "tags/items"?',
  });
  expect(await doctor("serch")).toMatchObject({ code: 2, err: 'There is no check "serch"; did you mean "search"?' });
  expect(await doctor("--fxi")).toMatchObject({ code: 2, err: "Usage: doctor [--fix] [--json] [CHECK …]" });
});

test("scheduled checks are on the screen of the system and in the metrics", async () => {
  const other = await bootTestRuntime({
    // Plugins of other tests have roles of their own beside those of the template, which a check would find left over.
    prepare: async () => {},
    env: { METRICS_TOKEN: "a-secret", ADMIN_PASSWORD: PASSWORD },
    constants: { core: { minDiskPercent: 0 } },
  });
  const browser = browserOf(other);
  await browser.signIn("admin@example.com");
  const screen = async () => String((await browser.go("/settings/system")).body);
  const metrics = async () =>
    String((await other.ask("GET", "/metrics", { as: null, headers: { authorization: "Bearer a-secret" } })).body);
  expect(await metrics()).not.toMatch(/^lectern_self_check_findings\{/m);
  expect(await screen()).toContain("<dt>Self-checks</dt><dd>None has run yet</dd>");
  const { sql } = other.store;
  await sql`insert into schedules (name, next_at) values ('doctor:check', now())`;
  await sql`insert into tags (kind, item_id, position, name) values ('page', 987654, 0, 'lost')`;
  await other.runtime.start();
  await until(async () => (await sql`select from self_check_results`).length > 0);
  const text = await metrics();
  expect(text).toContain('lectern_self_check_findings{check="tags/items",status="warning"} 1');
  expect(text).toContain('lectern_self_check_findings{check="core/migrations",status="ok"} 0');
  expect(text).toMatch(/^lectern_self_check_timestamp_seconds \d{10}/m);
  expect(await screen()).toMatch(/1 of \d+ found something: tags\/items/);
  // Scheduled checks repair nothing.
  expect(await sql`select from tags where item_id = 987654`).toHaveLength(1);
  await other.stop();
}, 120_000);
