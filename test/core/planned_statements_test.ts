/** What tests send is recorded, and what another server would refuse of it is found (`support/suite/planned_statements.ts`). */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { definePlugin, sql } from "lectern/core";
import { rows, write } from "lectern/db";
import { type Cluster, startCluster, systemBinaries } from "../support/harness/cluster.ts";
import { STATEMENTS_VARIABLE } from "../support/harness/sent_statements.ts";
import { openTestStore } from "../support/harness/test_database.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { type PlannedStatements, planStatements, recordedStatements } from "../support/suite/planned_statements.ts";

const folder = mkdtempSync(join(tmpdir(), "lectern-statements-"));
const guest = definePlugin({ name: "guest", grants: { read: ["books"] }, setup() {} });
let runtime: TestRuntime;

beforeAll(async () => {
  runtime = await recording(folder, () => bootTestRuntime({ extra: [guest] }));
  await send(runtime);
});
afterAll(async () => {
  await runtime.stop();
  rmSync(folder, { recursive: true });
});

/** Opens something whose statements are recorded in a folder, or nowhere; the run's own folder has nothing of it. */
async function recording<T>(to: string, open: () => Promise<T>): Promise<T> {
  const before = process.env[STATEMENTS_VARIABLE];
  process.env[STATEMENTS_VARIABLE] = to;
  const opened = await open();
  if (before === undefined) delete process.env[STATEMENTS_VARIABLE];
  else process.env[STATEMENTS_VARIABLE] = before;
  return opened;
}

/** Sends statements that this database accepts and others do not, some that none does, and some that all do. */
async function send({ ask, store }: TestRuntime): Promise<void> {
  const as = (plugin: string) => store.restrictedTo(plugin, { read: [], write: [] });
  const [tags] = await store.sql<{ role: string }[]>`
    select proowner::regrole::text as role from pg_proc where proname = 'run:tags'`;
  await store.sql.unsafe(`create function only_here() returns integer language sql as 'select 1';
    alter table books add column only_here integer; create table of_a_test (id integer); grant select on users to ${tags?.role}`);
  await rows(store.db, sql`select only_here()`);
  await rows(store.db, sql`select only_here from books where id = ${1}`);
  await rows(as("tags").db, sql`select password from users where id = ${1}`);
  await rows(store.db, sql`insert into of_a_test values (${1})`);
  await expect(rows(store.db, sql`select nothing from books`)).rejects.toThrow("does not exist");
  await rows(as("guest").db, sql`select slug from books`);
  await store.db.transaction().execute(async (tx) => {
    await rows(tx, sql`lock table books in share mode`);
    await write(as("books").within(tx), sql`delete from books where id = ${7}`);
  });
  expect((await ask("GET", "/api/books?filter[name]=x")).status).toBe(200);
  const unseen = await recording("", () => openTestStore(runtime.database));
  await rows(unseen.db, sql`select 'unseen'`);
  await unseen.close();
}

test("a statement is recorded once, as it was written, with its plugin and how it ended", () => {
  const found = recordedStatements(folder).map(({ text, plugin, codes }) => [plugin, text, ...codes]);
  expect(found).toContainEqual(["tags", "select password from users where id = $1", ""]);
  expect(found).toContainEqual(["books", "delete from books where id = $1", ""]);
  expect(found).toContainEqual(["", "select nothing from books", "42703"]);
  expect(
    found.filter(([plugin, text]) => plugin === "books" && /^select .*"books"\."name"/s.test(text ?? "")),
  ).not.toEqual([]);
  expect(found.filter(([, text]) => /^select [^;]* lectern_grants\.|unseen/.test(text ?? ""))).toEqual([]);
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), "utf8").trim().split("\n"));
  expect(lines.filter((line, at) => lines.indexOf(line) !== at)).toEqual([]);
});

const isHere = systemBinaries() !== undefined;
const onServer = isHere ? describe : describe.skip;
onServer(`on another server${isHere ? "" : " (skipped: no PostgreSQL is installed here)"}`, () => {
  let cluster: Cluster;
  let planned: PlannedStatements;
  beforeAll(async () => {
    cluster = (await startCluster({ fast: true })) as Cluster;
    planned = await planStatements(folder, { url: cluster.url, template: "template1" });
  }, 60_000);
  afterAll(() => cluster.stop());

  test("what it refuses is found: a missing function, a missing column, and a right that the role has not", () => {
    expect(planned.refused.toSorted()).toEqual([
      "tags: permission denied for table users (42501)\nselect password from users where id = $1",
      'the account: column "only_here" does not exist (42703)\nselect only_here from books where id = $1',
      "the account: function only_here() does not exist (42883)\nselect only_here()",
    ]);
  });

  test("all others are counted: planned, of no shipped role, utility, refused by both, on tables of tests", () => {
    const { leftOut, refusedByBoth, asAccount, utility, version } = planned;
    expect({ leftOut, refusedByBoth, asAccount }).toEqual({
      leftOut: { of_a_test: 1 },
      refusedByBoth: 1,
      asAccount: 1,
    });
    expect(utility).toBeGreaterThan(0);
    expect(version).toMatch(/^\d+\./);
    const all = planned.planned + utility + refusedByBoth + 1 + planned.refused.length;
    expect(all).toBe(recordedStatements(folder).length);
    expect(planned.planned).toBeGreaterThan(20);
  });
});
