/**
 * Decisions about random trees, roles, overrides and owners: the listings' condition, single reads, totals and the access
 * contract are compared with a plain evaluator that walks up the tree for each question. First whole trees written as bulk,
 * then one tree that is changed over the API step by step, where every access list has to follow.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { Access } from "lectern/contracts";
import { type AnyContext, definePlugin, SYSTEM, sql, type Viewer } from "lectern/core";
import { rows, type TableName } from "lectern/db";
import { updateAllAccessLists } from "../../plugins/accounts/content_permissions/propagation.ts";
import { readContent, type SampleContent, TABLES, writeContent } from "../support/data/sample_content.ts";
import { evaluate, isSeen, type PlainEntry, type PlainItem } from "../support/harness/permission_evaluator.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const ROLES = [901, 902, 903, 904];
const USERS = [701, 702, 703];
const KINDS = ["bookshelf", "book", "chapter", "page"] as const;
const VERBS = ["view", "create", "update", "delete"] as const;

/** Reads content as any viewer. */
const prober = definePlugin({
  name: "prober",
  requires: ["access"],
  grants: { read: ["bookshelves", "books", "chapters", "pages"], impersonate: true },
  setup() {},
});

let runtime: TestRuntime;
let context: AnyContext;
let access: Access;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [prober] });
  context = runtime.contexts.get("prober") as AnyContext;
  access = context.contracts.access;
}, 120_000);
afterAll(() => runtime.stop());

const arbitraryFlags = fc.record({
  view: fc.boolean(),
  create: fc.boolean(),
  update: fc.boolean(),
  delete: fc.boolean(),
});
const arbitraryEntries = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  {
    weight: 2,
    arbitrary: fc.uniqueArray(fc.record({ role_id: fc.constantFrom(0, ...ROLES), flags: arbitraryFlags }), {
      selector: ({ role_id }) => role_id,
      maxLength: 4,
    }),
  },
);
const arbitraryItem = fc.record({
  owned_by: fc.constantFrom(...USERS, null),
  entries: arbitraryEntries,
  draft: fc.integer({ max: 9 }).map((n) => n === 0),
  deleted: fc.integer({ max: 9 }).map((n) => n === 0),
});
const arbitraryPages = fc.array(arbitraryItem, { maxLength: 4 });
const arbitraryTree = fc.record({
  shelves: fc.array(arbitraryItem, { maxLength: 3 }),
  books: fc.array(
    fc.record({
      book: arbitraryItem,
      pages: arbitraryPages,
      chapters: fc.array(fc.record({ chapter: arbitraryItem, pages: arbitraryPages }), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 5 },
  ),
});
const NAMES = KINDS.flatMap((kind) => VERBS.flatMap((verb) => [`${kind}-${verb}-all`, `${kind}-${verb}-own`]));
const arbitraryViewer = fc.record({
  id: fc.constantFrom(...USERS),
  roles: fc.subarray(ROLES),
  permissions: fc.oneof(fc.constant([]), fc.constant(NAMES), fc.subarray(NAMES)).map((names) => new Set(names)),
  only: fc.option(fc.subarray(NAMES), { freq: 3, nil: undefined }).map((names) => names && new Set(names)),
  admin: fc.integer({ max: 7 }).map((n) => n === 0),
});

type Tree = typeof arbitraryTree extends fc.Arbitrary<infer T> ? T : never;
type DrawnViewer = typeof arbitraryViewer extends fc.Arbitrary<infer T> ? T : never;
type Drawn = typeof arbitraryItem extends fc.Arbitrary<infer T> ? T : never;

function contentOf(tree: Tree): SampleContent {
  const items: PlainItem[] = [];
  const entries: PlainEntry[] = [];
  const add = (
    kind: PlainItem["kind"],
    { owned_by, draft, deleted, entries: own }: Drawn,
    more: Partial<PlainItem> = {},
  ) => {
    const id = items.length + 1;
    items.push({ kind, id, owned_by, deleted, ...(kind === "page" && { draft, chapter_id: null }), ...more });
    for (const { role_id, flags } of own) entries.push({ kind, item_id: id, role_id, ...flags });
    return id;
  };
  for (const shelf of tree.shelves) add("bookshelf", shelf);
  for (const { book, pages, chapters } of tree.books) {
    const book_id = add("book", book);
    for (const page of pages) add("page", page, { book_id });
    for (const { chapter, pages: inside } of chapters) {
      const chapter_id = add("chapter", chapter, { book_id });
      for (const page of inside) add("page", page, { book_id, chapter_id });
    }
  }
  return { items, entries };
}

/** A viewer as the runtime knows it: with a narrower credential nobody is an administrator. */
function asViewer({ only, admin, ...drawn }: DrawnViewer): Viewer {
  return { ...drawn, ...(only ? { only, admin: false } : { admin }), name: "Somebody", slug: "somebody", via: "token" };
}

/** What is counted by access list, and what beside these, are together the rows that a viewer sees, each once. */
async function compareCounted(viewer: Viewer, kind: PlainItem["kind"], expected: readonly number[]): Promise<void> {
  const table: TableName = TABLES[kind];
  const counted = access.visibleRows(kind, table);
  const column = sql.ref<number>(`${table}.acl_id`);
  const isPersonal = kind === "page" ? sql`pages.draft` : sql`false`;
  const beside = counted.besideLists(viewer) ?? sql`false`;
  const found = await rows<{ id: number }>(
    runtime.db,
    sql`select id from ${sql.table(table)} where deleted_at is null and not ${isPersonal} and ${counted.ofLists(viewer, column)}
      union all select id from ${sql.table(table)} where ${context.visible.where(table, viewer)} and ${beside}`,
  );
  expect([kind, ...found.map(({ id }) => id).sort((a, b) => a - b)]).toEqual([kind, ...expected]);
}

/** Compares every decision about the content; answers their number. */
async function compare({ items, entries }: SampleContent, viewers: readonly Viewer[]): Promise<number> {
  let decisions = 0;
  for (const viewer of viewers) {
    for (const [kind, table] of Object.entries(TABLES) as [PlainItem["kind"], TableName][]) {
      const own = items.filter((item) => item.kind === kind);
      const expected = own.filter((item) => isSeen(viewer, item, entries)).map(({ id }) => id);
      const where = context.visible.where(table, viewer);
      const listed = await rows<{ id: number; single: boolean; hidden: boolean }>(
        runtime.db,
        sql`select id from ${sql.table(table)} where ${where} order by id`,
      );
      expect([kind, ...listed.map(({ id }) => id)]).toEqual([kind, ...expected.sort((a, b) => a - b)]);
      const ids = access.visibleRows(kind, table).ids(viewer);
      const gathered = ids && (await rows<{ id: number }>(runtime.db, sql`${ids}`)).map(({ id }) => id);
      if (gathered) expect(gathered).toEqual(expect.arrayContaining(expected));
      const [negated] = await rows<{ n: number }>(
        runtime.db,
        sql`select count(*) as n from ${sql.table(table)} where not ${where}`,
      );
      expect([kind, negated?.n]).toEqual([kind, own.length - expected.length]);
      const [counted] = await rows<{ total: number }>(
        runtime.db,
        sql`select ${access.visibleRows(kind, table).total(viewer)} as total`,
      );
      expect([kind, counted?.total]).toEqual([kind, expected.length]);
      await compareCounted(viewer, kind, expected);
      decisions += own.length;
    }
  }
  const lists = await acls();
  for (const viewer of viewers) {
    for (const item of items) {
      const row = { id: item.id, owned_by: item.owned_by, acl_id: lists.get(`${item.kind} ${item.id}`) as number };
      const actions = VERBS.map((verb) => `${item.kind}-${verb}`);
      if (item.kind === "book" || item.kind === "chapter") actions.push("page-create");
      if (item.kind === "book") actions.push("chapter-create");
      for (const action of actions) {
        decisions += 1;
        const said = await access.may(viewer, action, row);
        if (said !== evaluate(viewer, action, item, entries)) {
          expect({ action, item, viewer, said, entries }).toEqual({ action, item, viewer, said: !said, entries });
        }
      }
    }
  }
  return decisions;
}

/** Rebuilds all lists. */
async function relistEverything(): Promise<void> {
  await runtime.runtime.bus.perform("app_boot", SYSTEM, {}, async (_, tx) => {
    await updateAllAccessLists(context.slot("content"), tx);
    return {};
  });
}

async function acls(): Promise<Map<string, number>> {
  const tables = Object.entries(TABLES).map(
    ([kind, table]) => sql`select ${kind} || ' ' || id as item, acl_id from ${sql.table(table)}`,
  );
  const found = await rows<{ item: string; acl_id: number }>(runtime.db, sql`${sql.join(tables, sql` union all `)}`);
  return new Map(found.map(({ item, acl_id }) => [item, acl_id]));
}

/** Single reads by the function that routes use, for some items. */
async function compareReads({ items, entries }: SampleContent, viewer: Viewer): Promise<void> {
  for (const item of items.slice(0, 12)) {
    const found = await context.visible(TABLES[item.kind], viewer).select("id").where("id", "=", item.id).execute();
    expect([item.kind, item.id, found.length]).toEqual([item.kind, item.id, isSeen(viewer, item, entries) ? 1 : 0]);
  }
}

test("listings, single reads, totals and decisions agree with the rules over random trees", async () => {
  let decisions = 0;
  const property = fc.asyncProperty(
    arbitraryTree,
    fc.array(arbitraryViewer, { minLength: 6, maxLength: 6 }),
    async (tree, drawn) => {
      const content = contentOf(tree);
      const viewers = drawn.map(asViewer);
      await writeContent(runtime.db, content);
      await relistEverything();
      decisions += await compare(content, viewers);
      await compareReads(content, viewers[0] as Viewer);
    },
  );
  await fc.assert(property, { numRuns: 40 });
  expect(decisions).toBeGreaterThan(10_000);
}, 120_000);

/** What may happen to a tree over the API; numbers pick among what is there. */
const arbitraryStep = fc.oneof(
  fc.record({ do: fc.constant("override"), kind: fc.constantFrom(...KINDS), pick: fc.nat(), roles: arbitraryEntries }),
  fc.record({ do: fc.constant("override"), kind: fc.constantFrom(...KINDS), pick: fc.nat(), roles: arbitraryEntries }),
  fc.record({ do: fc.constant("page"), pick: fc.nat(), inChapter: fc.boolean() }),
  fc.record({ do: fc.constant("chapter"), pick: fc.nat() }),
  fc.record({ do: fc.constant("movePage"), pick: fc.nat(), to: fc.nat(), inChapter: fc.boolean() }),
  fc.record({ do: fc.constant("moveChapter"), pick: fc.nat(), to: fc.nat() }),
  fc.record({ do: fc.constant("remove"), kind: fc.constantFrom(...KINDS), pick: fc.nat() }),
);
type Step = {
  do: string;
  pick: number;
  kind?: (typeof KINDS)[number];
  roles?: { role_id: number; flags: Record<(typeof VERBS)[number], boolean> }[];
  inChapter?: boolean;
  to?: number;
};
const SEGMENTS = { bookshelf: "shelves", book: "books", chapter: "chapters", page: "pages" };

async function take(step: Step, roles: readonly number[]): Promise<number> {
  const { items } = await readContent(runtime.db);
  const pick = (kind: PlainItem["kind"], n: number) => {
    const there = items.filter((item) => item.kind === kind && !item.deleted);
    return there[n % Math.max(there.length, 1)]?.id;
  };
  const into = (n: number) =>
    step.inChapter && pick("chapter", n) ? { chapter_id: pick("chapter", n) } : { book_id: pick("book", n) };
  const ask = async (method: string, path: string, body?: unknown) =>
    path.includes("undefined") ? 404 : (await runtime.ask(method, path, { body })).status;
  const { kind = "page" } = step;
  if (step.do === "page") return ask("POST", "/api/pages", { ...into(step.pick), name: "New", html: "<p>x</p>" });
  if (step.do === "chapter") return ask("POST", "/api/chapters", { book_id: pick("book", step.pick), name: "New" });
  if (step.do === "movePage") return ask("PUT", `/api/pages/${pick("page", step.pick)}`, into(step.to ?? 0));
  if (step.do === "moveChapter")
    return ask("PUT", `/api/chapters/${pick("chapter", step.pick)}`, { book_id: pick("book", step.to ?? 0) });
  if (step.do === "remove") {
    // Books stay, so that the tree keeps its size.
    return kind === "book" ? 204 : ask("DELETE", `/api/${SEGMENTS[kind]}/${pick(kind, step.pick)}`);
  }
  const sent = (step.roles ?? []).map(({ role_id, flags }) => ({ role_id, ...flags }));
  const fallback = sent.find(({ role_id }) => role_id === 0);
  return ask("PUT", `/api/content-permissions/${kind}/${pick(kind, step.pick)}`, {
    role_permissions: sent
      .filter(({ role_id }) => role_id !== 0)
      .map((entry) => ({ ...entry, role_id: roles[entry.role_id % 901] })),
    fallback_permissions: fallback ? { inheriting: false, ...fallback } : null,
  });
}

test("lists are carried along with every change over the API", async () => {
  const property = fc.asyncProperty(
    fc.array(arbitraryStep, { minLength: 25, maxLength: 25 }),
    fc.array(arbitraryViewer, { minLength: 3, maxLength: 3 }),
    async (steps, drawn) => {
      await writeContent(runtime.db, { items: [], entries: [] });
      const roles: number[] = [];
      for (const name of ["First", "Second", "Third", "Fourth"])
        roles.push((await runtime.ask("POST", "/api/roles", { body: { display_name: name } })).body.id);
      const books: number[] = [];
      for (const name of ["One", "Two"])
        books.push((await runtime.ask("POST", "/api/books", { body: { name } })).body.id);
      await runtime.ask("POST", "/api/shelves", { body: { name: "Shelf", books } });
      const viewers = drawn.map((one) =>
        asViewer({ ...one, roles: one.roles.map((role) => roles[role % 901] as number) }),
      );
      for (const book_id of books) {
        const chapter = (await runtime.ask("POST", "/api/chapters", { body: { book_id, name: "Chapter" } })).body.id;
        for (const place of [{ book_id }, { chapter_id: chapter }])
          await runtime.ask("POST", "/api/pages", { body: { ...place, name: "Page", html: "<p>x</p>" } });
      }
      for (const [n, step] of (steps as Step[]).entries()) {
        expect([step.do, [200, 204, 404]]).toEqual([step.do, expect.arrayContaining([await take(step, roles)])]);
        if (n % 5 === 4) await compare(await readContent(runtime.db), viewers);
        const carried = await acls();
        await relistEverything();
        expect([step.do, await acls()]).toEqual([step.do, carried]);
      }
      await runtime.ask("DELETE", `/api/roles/${roles[0]}`);
      await compare(await readContent(runtime.db), viewers);
    },
  );
  await fc.assert(property, { numRuns: 12 });
}, 120_000);
