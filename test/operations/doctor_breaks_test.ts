/**
 * Breaks that an operator makes by hand, or that a disk makes: each is planted, `doctor` names it and exits with 1, repairs what follows
 * from other rows, and a second run finds nothing.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { watchTables } from "../../db/mod.ts";
import { doctorOf } from "../support/harness/doctor.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

/** Comparing with what migrations make starts a server of its own. */
const SCHEMA_MS = 120_000;
const CONTENT = "the plan of the rack";

let runtime: TestRuntime;
let [book, chapter, page, other]: number[] = [];
/** The stored file of the attachment. */
let file: string;

const { doctor, check } = doctorOf(() => runtime);
const run = (statement: string) => runtime.store.sql.unsafe(statement);
const made = async (path: string, body: object) =>
  (await runtime.ask("POST", `/api/${path}`, { body })).body.id as number;

beforeAll(async () => {
  runtime = await bootTestRuntime({});
  book = await made("books", { name: "Runbooks" });
  other = await made("books", { name: "Other" });
  chapter = await made("chapters", { book_id: book, name: "Nights" });
  page = await made("pages", { chapter_id: chapter, name: "Failover", html: "<p>Call <b>somebody</b></p>" });
  const form = new FormData();
  form.set("name", "plan.txt");
  form.set("uploaded_to", String(page));
  form.set("file", new File([CONTENT], "plan.txt"));
  const { body } = await runtime.ask("POST", "/api/attachments", { parts: form });
  const [row] = await runtime.store.sql<
    { key: string }[]
  >`select file_key as key from attachments where id = ${body.id}`;
  file = join(runtime.dataDir, "files/attachments", row?.key ?? "");
});

afterAll(() => runtime.stop());

/** What a break is, how it shows, and how it is mended: by `--fix` unless `mend` does it. */
interface Break {
  readonly check: string;
  plant(): unknown;
  /** What the command says of it. */
  names(): string;
  mend?(): unknown;
}

async function isFound({ check: name, plant, names, mend }: Break): Promise<void> {
  expect(await doctor(name)).toMatchObject({ code: 0 });
  await plant();
  const found = await doctor(name);
  expect(found).toMatchObject({ code: 1, out: expect.stringContaining(names()) });
  const repair = await doctor(name, "--fix");
  expect(repair.code).toBe(mend ? 1 : 0);
  await mend?.();
  expect(await check(name)).toMatchObject({ status: "ok", count: 0 });
}

describe("stored files", () => {
  const restored = () => writeFileSync(file, CONTENT);

  test("other bytes of the same length", () =>
    isFound({
      check: "core/file_contents",
      plant: () => writeFileSync(file, CONTENT.toUpperCase()),
      names: () => `${file.slice(file.indexOf("attachments/"))} holds other bytes than were stored`,
      mend: restored,
    }));

  test("an empty file", () =>
    isFound({
      check: "core/file_sizes",
      plant: () => truncateSync(file),
      names: () => `is empty, stored were ${CONTENT.length}`,
      mend: restored,
    }));

  test("a file that cannot be read", () =>
    isFound({
      check: "attachments/files",
      plant() {
        rmSync(file);
        mkdirSync(file);
      },
      names: () => "is missing",
      mend() {
        rmSync(file, { recursive: true });
        restored();
      },
    }));

  test("files of no plugin", () =>
    isFound({
      check: "core/unknown_files",
      plant() {
        mkdirSync(join(runtime.dataDir, "files/strange"), { recursive: true });
        writeFileSync(join(runtime.dataDir, "files/strange/dump.sql"), "select 1");
        writeFileSync(join(runtime.dataDir, "files/core"), "12345");
      },
      names: () => "strange/dump.sql is of no plugin (8 bytes)",
      mend() {
        rmSync(join(runtime.dataDir, "files/strange"), { recursive: true });
        rmSync(join(runtime.dataDir, "files/core"));
      },
    }));

  test("a file of before checksums were kept gets one", async () => {
    await run("delete from stored_files");
    expect((await check("core/file_contents")).status).toBe("ok");
    const old = new Date(Date.now() - 2 * 86_400_000);
    utimesSync(file, old, old);
    expect(await check("core/file_checksums")).toMatchObject({ status: "warning", count: 1, fixable: true });
    expect(await check("core/file_checksums", "--fix")).toMatchObject({ status: "ok", fixed: 1 });
    writeFileSync(file, CONTENT.toUpperCase());
    expect((await doctor("core/file_contents")).code).toBe(1);
    restored();
  });

  test("a removed file is forgotten", async () => {
    const form = new FormData();
    form.set("name", "short.txt");
    form.set("uploaded_to", String(page));
    form.set("file", new File(["short"], "short.txt"));
    const { body } = await runtime.ask("POST", "/api/attachments", { parts: form });
    const count = async () => (await runtime.store.sql`select from stored_files`).length;
    const before = await count();
    await runtime.ask("DELETE", `/api/attachments/${body.id}`);
    expect(await count()).toBe(before - 1);
  });
});

describe("the schema", () => {
  const SCHEMA: Readonly<Record<string, { plant: string; names: string; mend?: string }>> = {
    "a missing column": {
      plant: "alter table self_check_results drop column advice",
      names: `column "advice" of self_check_results is missing`,
      mend: "alter table self_check_results add column advice text",
    },
    "a missing column whose values follow from others, with its indexes": {
      plant: "alter table pages drop column name_key cascade",
      names: `column "name_key" of pages is missing`,
    },
    "a missing table": {
      plant: "alter table self_check_results rename to results",
      names: `table "self_check_results" is missing`,
      mend: "alter table results rename to self_check_results",
    },
    "a missing index": {
      plant: "drop index pages_slug_once",
      names: `index "pages_slug_once" of pages is missing`,
    },
    "a missing constraint": {
      plant: "alter table acl_count drop constraint acl_count_pkey",
      names: `constraint "acl_count_pkey" of acl_count is missing`,
    },
    "a missing trigger": {
      plant: "drop trigger keep_slug_history on pages",
      names: `trigger "keep_slug_history" of pages is missing`,
    },
    "a column of another type": {
      plant: "alter table pages alter column priority type bigint",
      names: `column "priority" of pages is not as migrations make it: integer`,
      mend: "alter table pages alter column priority type integer",
    },
    "a lost default": {
      plant: "alter table books alter column created_at drop default",
      names: `default of column "created_at" of books is not as migrations make it`,
    },
    "a column that may be null": {
      plant: "alter table pages alter column name drop not null",
      names: `not null of column "name" of pages is not as migrations make it: true`,
    },
    "an index over another column": {
      plant: "drop index pages_slug_once; create index pages_slug_once on pages (name)",
      names: `index "pages_slug_once" of pages is not as migrations make it: CREATE UNIQUE INDEX`,
    },
    "a constraint of other columns": {
      plant:
        "alter table acl_count drop constraint acl_count_pkey, add constraint acl_count_pkey unique (kind, acl_id, n)",
      names: `constraint "acl_count_pkey" of acl_count is not as migrations make it: PRIMARY KEY`,
    },
    "a trigger at another moment": {
      plant: `drop trigger keep_slug_history on pages;
        create trigger keep_slug_history after delete on pages for each row execute function keep_slug_history()`,
      names: `trigger "keep_slug_history" of pages is not as migrations make it: CREATE TRIGGER`,
    },
    "a function that does something else": {
      plant:
        "create or replace function keep_slug_history() returns trigger language plpgsql as 'begin return null; end'",
      names: `function "keep_slug_history()" is not as migrations make it`,
    },
    "a trigger that is off": {
      plant: "alter table books disable trigger keep_slug_history",
      names: `trigger "keep_slug_history" of books is missing`,
    },
  };
  for (const [title, { plant, names, mend }] of Object.entries(SCHEMA))
    test(
      title,
      () =>
        isFound({
          check: "core/schema",
          plant: () => run(plant),
          names: () => names,
          ...(mend !== undefined && { mend: () => run(mend) }),
        }),
      SCHEMA_MS,
    );

  test("triggers that plugins and servers make are off or gone", async () => {
    await isFound({
      check: "core/triggers",
      plant: () => run("alter table books disable trigger user"),
      names: () => `trigger "acl_counted_delete" of books is off`,
    });
    await watchTables(runtime.store.db, [{ table: "books", columns: ["id"], only: undefined }]);
    await isFound({
      check: "core/triggers",
      plant: () => run("drop trigger lectern_changed_books_update on books"),
      names: () => "changes of books are not reported",
    });
  });

  test("an index that rows refuse is named with the reason", async () => {
    await run("drop index pages_slug_once");
    await run(`insert into pages (book_id, name, slug, html, markdown, text, priority, editor)
      select book_id, name, slug, html, markdown, text, priority, editor from pages where id = ${page}`);
    const { code, out } = await doctor("core/schema", "--fix");
    expect([code, out]).toEqual([1, expect.stringContaining("pages_slug_once")]);
    expect(out).toContain("could not create unique index");
    await run(`delete from pages where id <> ${page} and slug = 'failover'`);
    expect(await check("core/schema", "--fix")).toMatchObject({ status: "ok", fixed: 1 });
    await check("access/counts", "--fix");
  });

  test("a sequence behind its rows", async () => {
    await isFound({
      check: "core/sequences",
      plant: () => run("select setval(pg_get_serial_sequence('books', 'id'), 1)"),
      names: () => "books: the next id is 2, and the highest is",
    });
    expect((await runtime.ask("POST", "/api/books", { body: { name: "Next" } })).status).toBe(200);
  });
});

describe("rows that do not fit each other", () => {
  test("a page in a chapter of another book", async () => {
    const twin = await made("pages", { book_id: book, name: "Failover", html: "<p>twin</p>" });
    await isFound({
      check: "pages/chapters",
      plant: () => run(`update pages set book_id = ${other} where id = ${page}`),
      names: () => `page ${page}`,
    });
    expect((await runtime.ask("GET", `/api/pages/${page}`)).body).toMatchObject({ book_id: book, chapter_id: chapter });
    expect((await runtime.ask("GET", `/api/pages/${twin}`)).body.book_id).toBe(book);
  });

  test("nobody is administrator", async () => {
    await isFound({
      check: "users/administrator",
      plant: () => run("create table kept_roles as select * from role_user; delete from role_user"),
      names: () => "no user has the role Admin",
      mend: () => run("insert into role_user select * from kept_roles; drop table kept_roles"),
    });
  });

  test("a counter of items", () =>
    isFound({
      check: "access/counts",
      plant: () => run("update acl_count set n = n + 3 where kind = 'page'"),
      names: () => "page, list 0: stored",
    }));

  test("a revision count below the revisions", async () => {
    await runtime.ask("PUT", `/api/pages/${page}`, { body: { html: "<p>Call <b>nobody</b></p>" } });
    await isFound({
      check: "pages/revision_counts",
      plant: () => run(`update pages set revision_count = 0 where id = ${page}`),
      names: () => `page ${page}`,
    });
    expect((await runtime.ask("GET", `/api/pages/${page}`)).body.revision_count).toBe(2);
  });

  test("missing revisions", async () => {
    await isFound({
      check: "pages/without_revisions",
      plant: () => run(`delete from page_revisions where page_id = ${page}`),
      names: () => `page ${page}`,
    });
    const { body } = await runtime.ask("GET", `/api/pages/${page}/revisions`);
    expect(body.data).toHaveLength(1);
    const { body: revision } = await runtime.ask("GET", `/api/pages/${page}/revisions/${body.data[0].id}`);
    expect(revision).toMatchObject({ name: "Failover", number: 2, raw_html: expect.stringContaining("nobody") });
  });

  test("a missing newest revision", async () => {
    const change = (html: string) => runtime.ask("PUT", `/api/pages/${page}`, { body: { html } });
    await change("<p>Call <b>the first</b></p>");
    await change("<p>Call <b>the second</b></p>");
    await isFound({
      check: "pages/newest_revisions",
      plant: () => run(`delete from page_revisions where page_id = ${page} and html like '%the second%'`),
      names: () => `page ${page}`,
    });
    const { body } = await runtime.ask("GET", `/api/pages/${page}/revisions?sort=-id`);
    const { body: newest } = await runtime.ask("GET", `/api/pages/${page}/revisions/${body.data[0].id}`);
    expect(newest).toMatchObject({ number: 4, raw_html: expect.stringContaining("the second") });
    // What is saved again as it is has no revision of its own.
    const { body: before } = await runtime.ask("GET", `/api/pages/${page}`);
    await change(before.raw_html);
    expect((await check("pages/newest_revisions")).status).toBe("ok");
  });

  test("a stale rendering", async () => {
    const { body: before } = await runtime.ask("GET", `/api/pages/${page}`);
    await isFound({
      check: "pages/renderings",
      plant: () => run(`update pages set rendered = '<p>of before</p>' where id = ${page}`),
      names: () => `page ${page}`,
    });
    expect((await runtime.ask("GET", `/api/pages/${page}`)).body.html).toBe(before.html);
  });

  test("pages in Markdown, with includes and with broken markup are not taken for stale", async () => {
    for (const content of [
      { markdown: "# One\n\n* a <b>b\n* c</b>\n\n<div>\n\ntext" },
      { html: `<p>{{@${page}}}</p><p onclick="x()">a<script>b</script></p><p>c<p>d<table><tr>e` },
    ])
      await made("pages", { book_id: book, name: "Odd", ...content });
    expect((await check("pages/renderings")).status).toBe("ok");
  });
});

test(
  "a second run over all of it is clean",
  async () => {
    const { out } = await doctor("--json");
    const { checks } = JSON.parse(out) as { checks: { name: string; status: string; examples: string[] }[] };
    // Roles belong to the whole server, and disks and addresses to the machine.
    const notOurs = ["core/grants", "core/disk"];
    expect(checks.filter(({ name, status }) => status !== "ok" && !notOurs.includes(name))).toEqual([]);
  },
  SCHEMA_MS,
);
