/**
 * The listings of names and values of tags are read from counts by access list. For every viewer they have to say what counting the
 * tags of visible items one by one says, as the former statement did: after whatever is written, also by several at once.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { type AnyContext, definePlugin, expressionBuilder, sql, type Viewer } from "lectern/core";
import { type Db, rows, type TableName, type Tables } from "lectern/db";
import { COUNTS, correctTagCounts, differingTagCounts, taggedKinds } from "../../plugins/content/tags/counts.ts";
import { mergeAllTagChanges } from "../../plugins/content/tags/merge.ts";
import { migrations } from "../../plugins/content/tags/migrations.ts";
import { namesListing, valuesListing } from "../../plugins/content/tags/queries.ts";
import { type SampleContent, TABLES, writeContent } from "../support/data/sample_content.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const ROLES = [901, 902, 903];
const USERS = [701, 702];
const KINDS = ["bookshelf", "book", "chapter", "page"] as const;
/** Items of each kind. */
const ITEMS = 4;
const NAMES = ["team", "Team", "state", "ver"];
const VALUES = ["", "ops", "Ops", "öps", "web", "1"];
const LISTS = 6;
const RUNS = Number(process.env.TAG_RUNS ?? 12);
/** Another transaction was in the way; this one is undone. */
const RETRIED = ["40P01", "40001", "23505"];

type Kind = (typeof KINDS)[number];

const prober = definePlugin({
  name: "prober",
  requires: ["access"],
  grants: { read: ["bookshelves", "books", "chapters", "pages", "tags"], impersonate: true },
  setup() {},
});

let runtime: TestRuntime;
let context: AnyContext;
let kinds: ReturnType<typeof taggedKinds>;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [prober] });
  context = runtime.contexts.get("prober") as AnyContext;
  kinds = taggedKinds(context.slot("content"));
}, 120_000);
afterAll(() => runtime.stop());

const item = fc.record({ kind: fc.constantFrom(...KINDS), at: fc.integer({ min: 0, max: ITEMS - 1 }) });
const list = fc.integer({ min: 0, max: LISTS });
const step = fc.oneof(
  fc.record({
    do: fc.constant("tag" as const),
    ...{ item, position: fc.integer({ min: 0, max: 1 }) },
    ...{ name: fc.constantFrom(...NAMES), value: fc.constantFrom(...VALUES) },
  }),
  fc.record({ do: fc.constant("untag" as const), item }),
  fc.record({ do: fc.constant("list" as const), item, list }),
  fc.record({ do: fc.constant("own" as const), item, owner: fc.constantFrom(...USERS, null) }),
  fc.record({ do: fc.constant("delete" as const), item, isDeleted: fc.boolean() }),
  fc.record({ do: fc.constant("draft" as const), at: fc.integer({ min: 0, max: ITEMS - 1 }), isDraft: fc.boolean() }),
  fc.record({ do: fc.constant("list all" as const), kind: fc.constantFrom(...KINDS), list }),
  fc.record({ do: fc.constant("purge" as const), item, keepsTags: fc.boolean() }),
  fc.record({ do: fc.constant("rename" as const), from: fc.constantFrom(...VALUES), to: fc.constantFrom(...VALUES) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const RIGHTS = KINDS.flatMap((kind) => [`${kind}-view-all`, `${kind}-view-own`]);
const rights = fc.oneof(fc.constant(RIGHTS), fc.subarray(RIGHTS)).map((names) => new Set(names));
const viewer = fc
  .record({
    id: fc.constantFrom(...USERS),
    roles: fc.subarray(ROLES),
    permissions: rights,
    admin: fc.integer({ max: 5 }).map((n) => n === 0),
    only: fc.option(rights, { freq: 4, nil: undefined }),
  })
  .map((drawn) => ({ ...drawn, name: "Somebody", slug: "somebody", via: "token" }) as Viewer);
const ruling = fc.record({
  fallback: fc.constantFrom(-1, 0, 1),
  allow: fc.subarray(ROLES),
  deny: fc.subarray(ROLES),
});

const idOf = (kind: Kind, at: number) => 1 + KINDS.indexOf(kind) * ITEMS + at;

/** The store with items and lists, and without tags. */
async function emptied(rulings: readonly { fallback: number; allow: number[]; deny: number[] }[]): Promise<void> {
  const { db } = runtime;
  await rows(db, sql`delete from tags`);
  const items = KINDS.flatMap((kind) =>
    Array.from({ length: ITEMS }, (_, at) => ({
      ...{ kind, id: idOf(kind, at), owned_by: USERS[at % USERS.length] ?? null, deleted: false },
      ...(kind === "chapter" || kind === "page" ? { book_id: idOf("book", 0) } : {}),
      ...(kind === "page" ? { chapter_id: null, draft: false } : {}),
    })),
  ) as SampleContent["items"];
  await writeContent(db, { items, entries: [] });
  await rows(db, sql`delete from acl where id between 1 and ${LISTS}`);
  for (const [n, { fallback, allow, deny }] of rulings.entries())
    await rows(
      db,
      sql`insert into acl (id, view_fallback, view_allow, view_deny, create_fallback, create_allow, create_deny,
          update_fallback, update_allow, update_deny, delete_fallback, delete_allow, delete_deny)
        values (${n + 1}::integer, ${fallback}::smallint, ${allow}::integer[], ${deny.filter((role) => !allow.includes(role))}::integer[],
          -1, '{}', '{}', -1, '{}', '{}', -1, '{}', '{}')`,
    );
}

async function take(db: Db, each: Step): Promise<void> {
  const run = (query: ReturnType<typeof sql>) => rows(db, query);
  if (each.do === "rename")
    return void (await run(sql`update tags set value = ${each.to}::text where value = ${each.from}::text`));
  if (each.do === "list all")
    return void (await run(sql`update ${sql.table(TABLES[each.kind])} set acl_id = ${each.list}::integer`));
  if (each.do === "draft")
    return void (await run(
      sql`update pages set draft = ${each.isDraft}::boolean where id = ${idOf("page", each.at)}::integer`,
    ));
  const { kind, at } = each.item;
  const table = sql.table(TABLES[kind]);
  const id = idOf(kind, at);
  if (each.do === "tag")
    await run(sql`insert into tags (kind, item_id, position, name, value)
      values (${kind}::text, ${id}::integer, ${each.position}::integer, ${each.name}::text, ${each.value}::text)
      on conflict (kind, item_id, position) do update set name = excluded.name, value = excluded.value`);
  else if (each.do === "untag")
    await run(sql`delete from tags where kind = ${kind}::text and item_id = ${id}::integer`);
  else if (each.do === "list")
    await run(sql`update ${table} set acl_id = ${each.list}::integer where id = ${id}::integer`);
  else if (each.do === "own")
    await run(sql`update ${table} set owned_by = ${each.owner}::integer where id = ${id}::integer`);
  else if (each.do === "delete")
    await run(
      sql`update ${table} set deleted_at = case when ${each.isDeleted}::boolean then now() end where id = ${id}::integer`,
    );
  else {
    if (!each.keepsTags) await run(sql`delete from tags where kind = ${kind}::text and item_id = ${id}::integer`);
    await run(sql`delete from ${table} where id = ${id}::integer`);
  }
}

/** Several transactions at once, of which some are undone. */
async function takeAtOnce(transactions: readonly { readonly steps: readonly Step[]; readonly isUndone: boolean }[]) {
  const undone = new Error("undone");
  const run = ({ steps, isUndone }: (typeof transactions)[number]) =>
    runtime.db.transaction().execute(async (tx) => {
      // Items are changed in any order here, so that many wait for each other.
      for (const each of steps) await take(tx, each);
      if (isUndone) throw undone;
    });
  await Promise.all(
    transactions.map((each) =>
      run(each).catch((error: unknown) => {
        if (error !== undone && !RETRIED.includes((error as { code?: string }).code ?? "")) throw error;
      }),
    ),
  );
}

const COUNT_COLUMNS = sql.join(
  Object.entries(COUNTS).map(
    ([kind, name]) => sql`(count(*) filter (where used.kind = ${sql.lit(kind)}))::integer as ${sql.ref(name)}`,
  ),
);

/** The tags of items that the viewer sees, one by one. */
function visibleTags(as: Viewer) {
  const branches = kinds.map(
    ({ kind, table }) => sql`select tags.name, tags.name_key, tags.value, tags.value_key, tags.kind from tags
      join ${sql.table(table)} on ${sql.ref(`${table}.id`)} = tags.item_id and tags.kind = ${sql.lit(kind)}
      where ${context.visible.where(table as TableName, as)}`,
  );
  return sql.join(branches, sql` union all `);
}

/** Compares both listings of each viewer with the statements that count the tags themselves. */
async function compare(viewers: readonly Viewer[]): Promise<void> {
  const parts = { ...context, contracts: context.contracts } as Parameters<typeof namesListing>[0];
  const read = (source: ReturnType<typeof sql>) =>
    rows(runtime.db, sql`select * from (${source}) as listed order by id`);
  for (const as of viewers) {
    const names = await read(
      sql`select row_number() over (order by used.name_key) as id, min(used.name collate "C") as name,
        (count(distinct used.value_key))::integer as values, (count(*))::integer as usages, ${COUNT_COLUMNS}
        from (${visibleTags(as)}) as used group by used.name_key`,
    );
    expect(await read(namesListing(parts, as).source as ReturnType<typeof sql>)).toEqual(names);
    for (const name of ["team", "STATE"]) {
      const values = await read(
        sql`select row_number() over (order by used.value_key) as id, min(used.name collate "C") as name, min(used.value collate "C") as value,
          (count(*))::integer as usages, ${COUNT_COLUMNS}
          from (${visibleTags(as)}) as used where used.name_key = text_key(${name}::text) group by used.value_key`,
      );
      expect(await read(valuesListing(parts, as, name).source as ReturnType<typeof sql>)).toEqual(values);
    }
  }
}

test("names and values are counted as if tag by tag, for every viewer, whoever writes at once", async () => {
  const transaction = fc.record({
    steps: fc.array(step, { minLength: 1, maxLength: 5 }),
    isUndone: fc.integer({ max: 5 }).map((n) => n === 0),
  });
  const property = fc.asyncProperty(
    fc.array(ruling, { minLength: LISTS, maxLength: LISTS }),
    fc.array(fc.array(transaction, { minLength: 1, maxLength: 4 }), { minLength: 4, maxLength: 10 }),
    fc.array(viewer, { minLength: 5, maxLength: 5 }),
    async (rulings, rounds, viewers) => {
      await emptied(rulings);
      for (const kind of KINDS)
        for (let at = 0; at < ITEMS; at++)
          await take(runtime.db, { do: "tag", item: { kind, at }, position: 0, name: "team", value: "ops" });
      const half = Math.floor(rounds.length / 2);
      for (const round of rounds.slice(0, half)) await takeAtOnce(round);
      await mergeAllTagChanges(runtime.db);
      for (const round of rounds.slice(half)) await Promise.all([takeAtOnce(round), mergeAllTagChanges(runtime.db)]);
      expect(await differingTagCounts(kinds, runtime.db)).toEqual([]);
      await compare(viewers);
      await mergeAllTagChanges(runtime.db);
      expect(await differingTagCounts(kinds, runtime.db)).toEqual([]);
      await compare(viewers);
    },
  );
  await fc.assert(property, { numRuns: RUNS });
}, 240_000);

test("a tag that is set while its item is restored elsewhere is counted once the two are committed", async () => {
  await emptied([]);
  const item = { kind: "page", at: 0 } as const;
  await take(runtime.db, { do: "delete", item, isDeleted: true });
  const [restored, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const restoring = runtime.db.transaction().execute(async (tx) => {
    await take(tx, { do: "delete", item, isDeleted: false });
    restored.resolve();
    await end.promise;
  });
  await restored.promise;
  const tagging = take(runtime.db, { do: "tag", item, position: 0, name: "team", value: "ops" });
  end.resolve();
  await Promise.all([restoring, tagging]);
  expect(await differingTagCounts(kinds, runtime.db)).toEqual([]);
  expect((await runtime.ask("GET", "/api/tags/names")).body.data).toMatchObject([{ name: "team", page_count: 1 }]);
});

test("counts that are wrong are reported, and counted again", async () => {
  await emptied([]);
  await take(runtime.db, { do: "tag", item: { kind: "book", at: 0 }, position: 0, name: "team", value: "ops" });
  await mergeAllTagChanges(runtime.db);
  await rows(
    runtime.db,
    sql`insert into tag_change (kind, acl_id, name, value, n) values ('book', 3, 'team', 'ops', 5)`,
  );
  await rows(runtime.db, sql`update tag_name_count set own_values = 7`);
  const key = { kind: "book", name: "team" };
  expect(await differingTagCounts(kinds, runtime.db)).toEqual([
    { ...key, acl_id: 0, value: null, stored: "1 of 7", counted: "1 of 1" },
    { ...key, acl_id: 3, value: "ops", stored: "5", counted: "0" },
  ]);
  await take(runtime.db, { do: "tag", item: { kind: "page", at: 0 }, position: 0, name: "team", value: "ops" });
  await correctTagCounts(kinds, runtime.db);
  expect(await differingTagCounts(kinds, runtime.db)).toEqual([]);
  expect((await runtime.ask("GET", "/api/tags/names")).body.data).toMatchObject([
    { name: "team", values: 1, usages: 2 },
  ]);
});

test("when changes are merged as many rows are kept as there are different tags, and none of those that are gone", async () => {
  const held = async () => {
    await mergeAllTagChanges(runtime.db);
    const tables = ["tag_count", "tag_name_count", "tag_change"] as const;
    return Promise.all(
      tables.map(async (table) => (await rows(runtime.db, sql`select from ${sql.table(table)}`)).length),
    );
  };
  await emptied([]);
  for (let turn = 0; turn < 20; turn++)
    for (const kind of KINDS)
      await take(runtime.db, {
        ...{ do: "tag", item: { kind, at: turn % ITEMS }, position: 0 },
        ...{ name: "team", value: turn === 19 ? "web" : "ops" },
      });
  expect(await held()).toEqual([2 * KINDS.length, KINDS.length, 0]);
  await rows(runtime.db, sql`delete from tags`);
  expect(await held()).toEqual([0, 0, 0]);
});

test("counts of a store from before spellings were one are put right when it is migrated", async () => {
  await emptied([]);
  const items = [0, 1].map((at) => ({ kind: "book", at }) as const);
  for (const [at, name] of ["Team", "team"].entries())
    await take(runtime.db, { do: "tag", item: items[at] ?? { kind: "book", at }, position: 0, name, value: "ops" });
  await mergeAllTagChanges(runtime.db);
  for (const undone of [
    sql`alter table tag_count drop column value_key`,
    sql`alter table tag_change drop column name_key, drop column value_key`,
    sql`alter table tag_name_count drop column name_key`,
    sql`create index tag_count_by_name on tag_count (left(name_key, 200), left(value, 200), kind, acl_id)`,
    sql`update tag_count set is_shared = false`,
    sql`update tag_name_count set own_values = 1`,
  ])
    await rows(runtime.db, undone);
  await migrations["0006_folded_counts"]?.(runtime.db);
  expect(await differingTagCounts(kinds, runtime.db)).toEqual([]);
  expect((await runtime.ask("GET", "/api/tags/names")).body.data).toMatchObject([
    { name: "Team", values: 1, usages: 2 },
  ]);
});

test("tags of items that another plugin hides are not counted", async () => {
  const hiding = definePlugin({
    name: "hiding",
    grants: { read: ["books"] },
    setup({ visibilityRule }) {
      visibilityRule("books", () => expressionBuilder<Tables, "books">()("books.name", "<>", "Secret"));
    },
  });
  const hidden = await bootTestRuntime({ extra: [hiding] });
  for (const name of ["Secret", "Open"])
    await hidden.ask("POST", "/api/books", { body: { name, tags: [{ name: "place", value: name }] } });
  expect((await hidden.ask("GET", "/api/tags/names")).body.data).toMatchObject([
    { name: "place", values: 1, usages: 1 },
  ]);
  const { data } = (await hidden.ask("GET", "/api/tags/values-for-name?name=place")).body;
  expect(data).toMatchObject([{ value: "Open" }]);
  await hidden.stop();
});
