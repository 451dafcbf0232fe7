/**
 * Access lists: they follow items that are created, moved, deleted and restored, lose the entries of deleted roles, and are
 * removed when unused; how many items have each; and what listings do with them, read from the plans of their statements.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { correctItemCounts, differingCounts } from "../../plugins/accounts/access/item_counts.ts";
import { sweep } from "../../plugins/accounts/content_permissions/sweep.ts";
import { ALL, NOTHING, overrideTools } from "../support/data/sample_overrides.ts";
import { planOf, statementsOf } from "../support/harness/query_plans.ts";
import { openTestStore } from "../support/harness/test_database.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
}, 120_000);
afterAll(() => runtime.stop());
const { aclOf, made, permit, tree } = overrideTools(() => runtime);

test("new and moved items take the overrides of where they are, deleted ones too", async () => {
  const open = await tree("Open");
  const gated = await tree("Gated");
  await permit("book", gated.book, { fallback_permissions: { inheriting: false, ...NOTHING } });
  const list = await aclOf("books", gated.book);
  expect(list).toBeGreaterThan(0);
  expect([await aclOf("chapters", gated.chapter), await aclOf("pages", gated.page)]).toEqual([list, list]);
  const fresh = await made("pages", { name: "Fresh", book_id: gated.book, html: "<p>x</p>" });
  expect(await aclOf("pages", fresh)).toBe(list);
  await runtime.ask("PUT", `/api/pages/${fresh}`, { body: { chapter_id: open.chapter } });
  expect(await aclOf("pages", fresh)).toBe(0);
  await runtime.ask("DELETE", `/api/pages/${fresh}`);
  await runtime.ask("PUT", `/api/chapters/${open.chapter}`, { body: { book_id: gated.book } });
  expect([await aclOf("chapters", open.chapter), await aclOf("pages", open.page), await aclOf("pages", fresh)]).toEqual(
    [list, list, list],
  );
  await permit("book", gated.book, { fallback_permissions: null });
  expect([await aclOf("pages", fresh), await aclOf("pages", gated.page)]).toEqual([0, 0]);
});

test("what comes back from the bin has the list of where it is", async () => {
  const { book, chapter, page } = await tree("Bin");
  await runtime.ask("DELETE", `/api/chapters/${chapter}`);
  await permit("book", book, { fallback_permissions: { inheriting: false, ...NOTHING, view: true } });
  await rows(runtime.db, sql`update chapters set deleted_at = null where id = ${chapter}`);
  await rows(runtime.db, sql`update pages set deleted_at = null where id = ${page}`);
  const list = await aclOf("books", book);
  expect([await aclOf("chapters", chapter), await aclOf("pages", page)]).toEqual([list, list]);
});

test("items added to a book while its overrides change get the new access list", async () => {
  const { book, chapter } = await tree("Busy");
  for (let round = 0; round < 4; round++) {
    const fallback = round % 2 === 0 ? { inheriting: false, ...ALL, delete: false } : null;
    const place = (n: number) => (n % 2 === 0 ? { book_id: book } : { chapter_id: chapter });
    const [changed, ...answers] = await Promise.all([
      permit("book", book, { fallback_permissions: fallback }),
      ...Array.from({ length: 8 }, (_, n) =>
        runtime.ask("POST", "/api/pages", { body: { ...place(n), name: `${round} ${n}`, html: "<p>x</p>" } }),
      ),
      permit("chapter", chapter, { role_permissions: round < 2 ? [{ role_id: 2, ...ALL }] : [] }),
    ]);
    expect([changed.status, ...answers.map(({ status }) => status)]).toEqual(Array(10).fill(200));
    const [lists] = await rows<{ direct: number[]; inside: number[] }>(
      runtime.db,
      sql`select array_agg(distinct acl_id) filter (where chapter_id is null) as direct,
        array_agg(distinct acl_id) filter (where chapter_id is not null) as inside from pages where book_id = ${book}`,
    );
    expect(lists).toEqual({
      direct: [(await aclOf("books", book)) as number],
      inside: [(await aclOf("chapters", chapter)) as number],
    });
  }
});

test("a deleted role takes its entries along, from lists too", async () => {
  const { page } = await tree("Roles");
  const gone = await made("roles", { display_name: "Going" });
  await permit("page", page, {
    role_permissions: [
      { role_id: gone, ...NOTHING },
      { role_id: 3, ...ALL },
    ],
  });
  const list = await aclOf("pages", page);
  await runtime.ask("DELETE", `/api/roles/${gone}`);
  const shown = (await runtime.ask("GET", `/api/content-permissions/page/${page}`)).body;
  expect(shown.role_permissions.map(({ role_id }: { role_id: number }) => role_id)).toEqual([3]);
  const [left] = await rows<object>(runtime.db, sql`select digest, view_allow, view_deny from acl where id = ${list}`);
  expect(left).toEqual({ digest: null, view_allow: [3], view_deny: [] });
});

test("lists and entries that nothing needs are swept away, and no others", async () => {
  const { page } = await tree("Swept");
  const other = await tree("Kept");
  await permit("page", page, { role_permissions: [{ role_id: 2, ...ALL, update: false }] });
  const used = await aclOf("pages", page);
  await permit("page", other.page, { role_permissions: [{ role_id: 2, ...ALL, create: false, update: false }] });
  const unused = await aclOf("pages", other.page);
  await rows(runtime.db, sql`delete from pages where id = ${other.page}`);
  const [kinds, there] = [
    runtime.contexts.get("access")?.slot("content") ?? [],
    async () =>
      (await rows<{ id: number }>(runtime.db, sql`select id from acl where id in (${used}, ${unused})`)).map(
        ({ id }) => id,
      ),
  ];
  await sweep(runtime.db, kinds);
  expect(await there()).toEqual([used as number, unused as number]);
  await rows(runtime.db, sql`update acl set touched_at = now() - interval '2 hours'`);
  await sweep(runtime.db, kinds);
  expect(await there()).toEqual([used as number]);
  expect(
    await rows(runtime.db, sql`select 1 from entity_permissions where kind = 'page' and item_id = ${other.page}`),
  ).toEqual([]);
  expect(
    await rows(runtime.db, sql`select 1 from entity_permissions where kind = 'page' and item_id = ${page}`),
  ).toHaveLength(1);
});

test("counts are right however items are written, and are taken anew where nobody kept them", async () => {
  const counted = () =>
    rows(
      runtime.db,
      sql`select kind, acl_id, sum(n)::bigint as n, sum(held)::bigint as held from acl_count
    group by kind, acl_id having sum(held) <> 0 order by kind, acl_id`,
    );
  const live = () =>
    rows(
      runtime.db,
      sql`select 'page' as kind, acl_id, count(*) filter (where deleted_at is null and not draft) as n,
      count(*) as held from pages group by acl_id
    union all select 'book', acl_id, count(*) filter (where deleted_at is null), count(*) from books group by acl_id
    union all select 'chapter', acl_id, count(*) filter (where deleted_at is null), count(*) from chapters group by acl_id
    union all select 'bookshelf', acl_id, count(*) filter (where deleted_at is null), count(*) from bookshelves group by acl_id
    order by kind, acl_id`,
    );
  expect(await counted()).toEqual(await live());
  await rows(
    runtime.db,
    sql`update pages set draft = not draft, deleted_at = case when id % 3 = 0 then now() end where id % 2 = 0`,
  );
  await rows(runtime.db, sql`delete from pages where id % 5 = 0`);
  expect(await counted()).toEqual(await live());
  const second = await runtime.ask("GET", "/api/pages?count=1");
  const [seen] = await rows<{ n: number }>(
    runtime.db,
    sql`select count(*) as n from pages where deleted_at is null and (not draft or owned_by = 1)`,
  );
  expect(second.body.total).toBe(seen?.n as number);
});

test("an item that is added while counters are corrected is counted once", async () => {
  const kind = runtime.contexts
    .get("access")
    ?.slot("content")
    .find((each) => each.kind === "bookshelf");
  if (!kind) throw new Error("Cannot find the shelves among the content");
  // A shard that no connection has: the correction waits for whoever holds its row, those who add items do not.
  await rows(runtime.db, sql`delete from acl_count where kind = 'bookshelf'`);
  await rows(runtime.db, sql`insert into acl_count values ('bookshelf', 0, 99, 5, 5)`);
  const waiting = async () =>
    (
      await rows<object>(
        runtime.db,
        sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).length;
  let isAdded = false;
  const begun = await runtime.db.transaction().execute(async (tx) => {
    await rows(tx, sql`select from acl_count where kind = 'bookshelf' for update`);
    const correcting = correctItemCounts(kind, runtime.db);
    await until(waiting, (n) => n === 1);
    const adding = made("shelves", { name: "Meanwhile" }).finally(() => {
      isAdded = true;
    });
    await until(async () => isAdded || (await waiting()) === 2);
    return [correcting, adding];
  });
  await Promise.all(begun);
  expect(await differingCounts(kind, runtime.db)).toEqual([]);
  const [shelves] = await rows<{ n: number }>(runtime.db, sql`select count(*) as n from bookshelves`);
  expect((await runtime.ask("GET", "/api/shelves")).body.total).toBe(shelves?.n as number);
});

test("a server that starts does not wait for a transaction that writes content", async () => {
  const { page } = await tree("Busy");
  const tables = ["books", "chapters", "bookshelves", "pages"];
  const second = await runtime.db.transaction().execute(async (tx) => {
    for (const table of tables) await sql`lock table ${sql.table(table)} in row exclusive mode`.execute(tx);
    return await bootTestRuntime({ beside: runtime });
  });
  expect((await second.ask("GET", `/api/pages/${page}`)).status).toBe(200);
  await second.stop();
});

test("a listing scans the index of its order and probes access lists, and its total counts no pages", async () => {
  const { book } = await tree("Planned");
  await rows(
    runtime.db,
    sql`insert into pages (book_id, name, slug, html, markdown, text, priority, editor, owned_by)
    select ${book}, 'Page ' || n, 'planned-' || n, '', '', '', n % 9, 'wysiwyg', 1 from generate_series(1, 20000) n`,
  );
  await permit("book", book, { role_permissions: [{ role_id: 3, ...ALL }] });
  await vacuum();
  const people = [
    await runtime.person("all", ["access-api", "page-view-all"]),
    await runtime.person("own", ["access-api", "page-view-own"]),
    await runtime.person("none", ["access-api"]),
  ];
  for (const { id, token } of people) {
    await runtime.ask("PUT", `/api/users/${id}`, { body: { roles: [3, ...(await rolesOf(id))] } });
    for (const sort of [
      "id",
      "name",
      "-slug",
      "priority",
      "-updated_at",
      "created_at",
      "chapter_id",
      "-owned_by",
      "draft",
    ]) {
      const sent = await statementsOf(runtime, () =>
        runtime.ask("GET", `/api/pages?count=50&sort=${sort}`, { as: token }),
      );
      // Rows and total are one statement where the total is known without the rows.
      const asked = sent.filter(({ text }) => text.includes("pages"));
      expect(asked.length).toBeOneOf([1, 2]);
      const plans = await Promise.all(asked.map((statement) => planOf(runtime, statement)));
      expect([sort, plans.join("\n")]).toEqual([sort, expect.stringMatching(/Index (?:Only )?Scan .*\bon pages/)]);
      for (const plan of plans) {
        expect([sort, plan]).toEqual([sort, expect.not.stringMatching(/Seq Scan on pages|Sort \(actual rows=\d{4}/)]);
        expect([sort, plan]).toEqual([sort, expect.not.stringMatching(/ on pages.*rows=\d{4}/)]);
      }
    }
  }
});

test("a listing for a viewer who may see little does not read the rest", async () => {
  const { page, book } = await tree("Little");
  const lines = sql`select ${book}::integer, 'Page ' || n, 'little-' || n, '', '', '', 0, 'wysiwyg' from generate_series(1, 20000) n`;
  await rows(runtime.db, sql`insert into pages (book_id, name, slug, html, markdown, text, priority, editor) ${lines}`);
  await vacuum();
  const ann = await runtime.person("ann", ["access-api", "page-view-own"]);
  await permit("page", page, { role_permissions: [{ role_id: ann.role, ...ALL }] });
  for (const query of ["?sort=name", "?filter[name:like]=%25little%25"]) {
    const sent = await statementsOf(runtime, async () => {
      const { body } = await runtime.ask("GET", `/api/pages${query}`, { as: ann.token });
      expect([body.total, body.data.map(({ id }: { id: number }) => id)]).toEqual([1, [page]]);
    });
    for (const statement of sent.filter(({ text }) => text.includes("pages")))
      expect(await planOf(runtime, statement)).not.toMatch(/on pages.*rows=\d{3}|Removed by Filter: \d{3}/);
  }
  expect((await runtime.ask("GET", "/api/pages?offset=1", { as: ann.token })).body).toEqual({ data: [], total: 1 });
});

/**
 * Vacuums the pages. It marks rows as visible to all, which index-only scans need, once their commits are in the log: the shared
 * servers do not wait for that at a commit, so a checkpoint does.
 */
async function vacuum(): Promise<void> {
  const admin = await openTestStore(runtime.database, 2, true);
  for (const text of ["checkpoint", "vacuum analyze pages"]) await rows(admin.db, sql.raw(text));
  await admin.close();
}

async function rolesOf(user: number): Promise<number[]> {
  return (await runtime.ask("GET", `/api/users/${user}`)).body.roles.map(({ id }: { id: number }) => id);
}
