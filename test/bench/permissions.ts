/**
 * What overrides cost at a million pages: listings for every kind of viewer and sort, their totals, deep offsets, and the
 * change of a book's overrides with 5,000 pages below it, all by way of the API over a throw-away cluster. Next to it, a
 * row for each role and item, as the original keeps them, on the same data.
 *
 * `bun test/bench/permissions.ts [pages] [templates]`; medians in milliseconds. Two thousand templates make some
 * three thousand lists: more ways to restrict things than most instances have.
 */
import { SYSTEM, sql } from "lectern/core";
import { rows } from "lectern/db";
import { updateAllAccessLists } from "../../plugins/accounts/content_permissions/propagation.ts";
import { startCluster } from "../support/harness/cluster.ts";
import { planOf, statementsOf } from "../support/harness/query_plans.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { FIRST_OWNER, FIRST_ROLE, FULL, fill } from "./permissions_data.ts";

const KINDS = ["bookshelf", "book", "chapter", "page"];
const SORTS = [
  "id",
  "name",
  "slug",
  "priority",
  "-updated_at",
  "created_at",
  "book_id",
  "chapter_id",
  "-owned_by",
  "created_by",
  "draft",
  "-template",
];
const ROUNDS = 15;

const out = (line: string) => process.stdout.write(`${line}\n`);
const median = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
const shown = (ms: number) => (ms < 10 ? ms.toFixed(1) : ms.toFixed(0)).padStart(6);

/** The median over some rounds, after two to warm up. Throws where an answer is no success. */
async function timed(run: () => Promise<unknown>, rounds = ROUNDS): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds + 2; round++) {
    const started = performance.now();
    const answer = (await run()) as { status?: number } | undefined;
    if ((answer?.status ?? 200) !== 200) throw new Error(`Cannot measure: found status ${answer?.status}, wanted 200`);
    if (round >= 2) times.push(performance.now() - started);
  }
  return median(times);
}

/** Three roles each, of which one grants to see all, one to see what one owns, none to see anything. */
async function people(runtime: TestRuntime): Promise<Record<string, string>> {
  const grants: Record<string, [number, string[]]> = {
    "view all": [0, KINDS.map((kind) => `${kind}-view-all`)],
    "view own": [3, KINDS.map((kind) => `${kind}-view-own`)],
    "overrides only": [6, []],
    "nearly nothing": [FULL.roles + 100, []],
  };
  const tokens: Record<string, string> = { administrator: runtime.token };
  for (const [n, [name, [first, names]]] of Object.entries(grants).entries()) {
    const { id, token } = await runtime.person(name.replace(" ", "-"), []);
    const roles = [0, 1, 2].map((place) => FIRST_ROLE + first + place);
    if (first > FULL.roles) await lateRoles(runtime, roles);
    await runtime.ask("PUT", `/api/roles/${roles[0]}`, { body: { permissions: ["access-api", ...names] } });
    await runtime.ask("PUT", `/api/users/${id}`, { body: { roles } });
    await rows(runtime.db, sql`update pages set owned_by = ${id}::integer where owned_by = ${FIRST_OWNER + n}`);
    tokens[name] = token;
  }
  return tokens;
}

/** Roles of whom no override speaks but those of one chapter. */
async function lateRoles(runtime: TestRuntime, roles: readonly number[]): Promise<void> {
  for (const id of roles) await rows(runtime.db, sql`insert into roles (id, display_name) values (${id}, 'Late')`);
  const entries = roles.map((role_id) => ({ role_id, view: true, create: false, update: false, delete: false }));
  await runtime.ask("PUT", "/api/content-permissions/chapter/7000", { body: { role_permissions: entries } });
}

async function listings(runtime: TestRuntime, tokens: Record<string, string>): Promise<void> {
  out(
    `\nGET /api/pages?count=100 by way of the API, with its total\n${"".padEnd(16)}${SORTS.map((sort) => sort.padStart(12)).join("")}`,
  );
  for (const [name, as] of Object.entries(tokens)) {
    const cells: string[] = [];
    for (const sort of SORTS) {
      cells.push(
        shown(await timed(() => runtime.ask("GET", `/api/pages?count=100&sort=${sort}`, { as }))).padStart(12),
      );
    }
    out(name.padEnd(16) + cells.join(""));
  }
  out("\nits statements alone: rows by name, total; offset 500,000 by name, by id; filtered by name with a live total");
  for (const [name, as] of Object.entries(tokens)) {
    const { data, total } = await bothOf(runtime, as);
    const cells: number[] = [];
    for (const statement of [data, total]) {
      cells.push(
        await timed(() =>
          runtime.store.sql.unsafe(statement?.text ?? "", (statement?.parameters ?? []) as never, { prepare: true }),
        ),
      );
    }
    for (const path of [
      "?count=100&offset=500000&sort=name",
      "?count=100&offset=500000",
      "?count=100&filter[name:like]=page%200a%25",
    ])
      cells.push(await timed(() => runtime.ask("GET", `/api/pages${path}`, { as }), 5));
    const { body } = await runtime.ask("GET", "/api/pages?count=1", { as });
    out(`${name.padEnd(16)}${cells.map(shown).join("  ")}   of ${body.total}`);
  }
}

async function plans(runtime: TestRuntime, tokens: Record<string, string>): Promise<void> {
  for (const name of ["view all", "view own", "nearly nothing"]) {
    for (const [what, statement] of Object.entries(await bothOf(runtime, tokens[name] ?? ""))) {
      if (statement) out(`\n${name}: ${what}\n${(await planOf(runtime, statement)).replace(/^/gm, "  ")}`);
    }
  }
}

/** The two statements of a listing, whichever comes first. */
async function bothOf(runtime: TestRuntime, as: string) {
  const sent = await statementsOf(runtime, () => runtime.ask("GET", "/api/pages?count=100&sort=name", { as }));
  const data = sent.find(({ text }) => text.includes("as picked"));
  return { data, total: sent.find((statement) => statement !== data && statement.text.includes("acl_count")) };
}

async function overrides(runtime: TestRuntime): Promise<void> {
  let turn = 0;
  const put = () =>
    runtime.ask("PUT", "/api/content-permissions/book/1", {
      body: {
        role_permissions: [
          { role_id: FIRST_ROLE + (turn++ % 2), view: true, create: false, update: false, delete: false },
        ],
      },
    });
  out(`\nPUT /api/content-permissions/book/1, 5,000 pages below it: ${shown(await timed(put, 7))}`);
  await rows(runtime.db, sql.raw("vacuum pages"));
  await writes(runtime, "afterwards");
}

async function writes(runtime: TestRuntime, when: string): Promise<void> {
  let turn = 0;
  const page = () =>
    runtime.ask("POST", "/api/pages", { body: { book_id: 1, name: `New ${when} ${turn++}`, html: "<p>x</p>" } });
  const words = () => runtime.ask("PUT", "/api/pages/77", { body: { html: `<p>${turn++}</p>` } });
  out(
    `\n${when}: POST /api/pages into the big book ${shown(await timed(page))}, PUT its page ${shown(await timed(words))}`,
  );
}

async function materialised(runtime: TestRuntime, share: number): Promise<void> {
  const { db } = runtime;
  await rows(
    db,
    sql.raw(`create unlogged table seen as
    select pages.id as item_id, roles.id as role_id, pages.owned_by,
      (case when roles.id = any(acl.view_allow) then 3 when roles.id = any(acl.view_deny) then 2
        when acl.view_fallback >= 0 then acl.view_fallback else (roles.id = ${FIRST_ROLE})::int end)::smallint as status
    from pages join acl on acl.id = pages.acl_id cross join roles where roles.id >= ${FIRST_ROLE} and pages.id % ${share} = 0`),
  );
  await rows(db, sql.raw("create unique index on seen (item_id, role_id) include (status, owned_by)"));
  await rows(db, sql.raw("vacuum analyze seen"));
  const [size] = await rows<{ n: string; rows: number }>(
    db,
    sql`select pg_size_pretty(pg_total_relation_size('seen')) as n, count(*) as rows from seen`,
  );
  const roles = (first: number) => `(${[0, 1, 2].map((place) => FIRST_ROLE + first + place).join(", ")})`;
  const where = (
    first: number,
  ) => `deleted_at is null and id % ${share} = 0 and exists (select from seen where seen.item_id = pages.id
    and role_id in ${roles(first)} having max(status) in (1, 3))`;
  out(
    `\na row for each role and item, for one page in ${share}: ${size?.rows} rows, ${size?.n}; list 100 by name, total`,
  );
  for (const [name, first] of [
    ["view all", 0],
    ["overrides only", 6],
  ] as const) {
    const list = await timed(
      () => rows(db, sql.raw(`select id from pages where ${where(first)} order by name_key, id limit 100`)),
      5,
    );
    const total = await timed(() => rows(db, sql.raw(`select count(*) from pages where ${where(first)}`)), 2);
    out(`${name.padEnd(16)}${shown(list)}  ${shown(total)}`);
  }
  const rebuild = () =>
    db.transaction().execute(async (tx) => {
      await rows(tx, sql.raw("delete from seen where item_id in (select id from pages where book_id = 1)"));
      await rows(
        tx,
        sql.raw(`insert into seen select pages.id, roles.id, pages.owned_by, 1 from pages cross join roles
        where roles.id >= ${FIRST_ROLE} and book_id = 1`),
      );
    });
  out(`rewriting its rows for the book with 5,000 pages: ${shown(await timed(rebuild, 1))}`);
}

const cluster = await startCluster();
if (!cluster) throw new Error("Cannot measure: no PostgreSQL is installed here");
process.env.DATABASE_URL = cluster.url;
const runtime = await bootTestRuntime();
try {
  const pages = Number(process.argv[2] ?? FULL.pages);
  const templates = Number(process.argv[3] ?? FULL.templates);
  const sizes = { ...FULL, pages, templates, books: Math.max(2, Math.floor((FULL.books * pages) / FULL.pages)) };
  let started = performance.now();
  await fill(runtime.db, sizes);
  out(`${pages} pages filled in ${Math.round(performance.now() - started)} ms`);
  started = performance.now();
  const kinds = runtime.contexts.get("access")?.slot("content") ?? [];
  await runtime.runtime.bus.perform("app_boot", SYSTEM, {}, async (_, tx) => {
    await updateAllAccessLists(kinds, tx);
    return {};
  });
  const tokens = await people(runtime);
  await rows(runtime.db, sql.raw("vacuum analyze"));
  const [acl] = await rows<{ lists: number; overridden: number }>(
    runtime.db,
    sql`select count(*) as lists,
    (select count(*) from pages where acl_id <> 0) as overridden from acl`,
  );
  out(`${acl?.lists} lists made in ${Math.round(performance.now() - started)} ms; ${acl?.overridden} pages have one`);
  await writes(runtime, "before anything was overridden there");
  await rows(runtime.db, sql.raw("vacuum analyze pages"));
  await listings(runtime, tokens);
  await overrides(runtime);
  await rows(runtime.db, sql.raw("vacuum analyze pages"));
  await plans(runtime, tokens);
  await materialised(runtime, pages > 100_000 ? 10 : 1);
} finally {
  await runtime.stop();
  await cluster.stop();
}
