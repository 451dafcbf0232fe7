/**
 * What a boot asks the database: over one that has booted before few statements, however many plugins there are; migrations that are
 * new run nevertheless before the plugins that need their tables, and once where two servers start at the same time.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AnyPlugin, definePlugin, sql } from "lectern/core";
import type { Migrations } from "lectern/db";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

declare module "lectern/db" {
  interface Tables {
    test_shelf_marks: { id: number; mark: string | null };
  }
}

/** Of the shipped plugins, each with a role of its own. */
const MOST_STATEMENTS = 45;

/** With roles for the plugins that do not ship alone, the first of them would have the state of roles read. */
const env = { PLUGIN_ROLES: "all" };
let first: TestRuntime;
beforeAll(async () => {
  first = await bootTestRuntime({ env });
});
afterAll(() => first.stop());

/** The statements of a further boot over the same database, and those about schedules of its start: jobs begin to run then. */
async function statementsOf(extra: readonly AnyPlugin[] = []): Promise<{ boot: string[]; schedules: string[] }> {
  let texts: string[] = [];
  const runtime = await bootTestRuntime({
    env,
    beside: first,
    extra,
    prepare: async (store) => store.observe(({ text }) => void texts.push(text)),
  });
  const boot = texts;
  texts = [];
  await runtime.runtime.start();
  const schedules = texts.filter((text) => text.includes('"schedules"'));
  await runtime.stop();
  return { boot, schedules };
}

test("a boot over a database that has booted before sends few statements", async () => {
  await statementsOf();
  const { boot, schedules } = await statementsOf();
  expect(boot.length, boot.join("\n")).toBeLessThanOrEqual(MOST_STATEMENTS);
  expect(schedules.length, schedules.join("\n")).toBe(1);
});

test("and no further one for further plugins with migrations, tables, jobs and schedules", async () => {
  const more = Array.from({ length: 8 }, (_, n) =>
    definePlugin({
      name: `further-${n}`,
      grants: { read: ["books", "users"] },
      migrations: { async "0001_init"() {} },
      setup({ jobs }) {
        jobs.handle(`further-${n}` as never, async () => {});
        jobs.every("tidy", 3_600_000, async () => {});
      },
    }),
  );
  await statementsOf(more);
  const few = await statementsOf();
  const many = await statementsOf(more);
  expect(many.boot.length).toBe(few.boot.length);
  expect(many.schedules.length).toBe(1);
});

const marks: Migrations = {
  async "0001_init"(db) {
    await sql`create table test_shelf_marks (id integer primary key, mark text)`.execute(db);
  },
  async "0002_first"(db) {
    await sql`insert into test_shelf_marks (id, mark) values (1, 'first')`.execute(db);
  },
};

/** A plugin between shipped ones, which reads its table in its setup. */
function marking(migrations: Migrations, read: (marks: readonly (string | null)[]) => void): AnyPlugin {
  return definePlugin({
    name: "shelf-marks",
    grants: { write: ["test_shelf_marks"] },
    before: ["books"],
    migrations,
    async setup({ db }) {
      const found = await db.selectFrom("test_shelf_marks").select("mark").orderBy("id").execute();
      read(found.map(({ mark }) => mark));
    },
  });
}

test("a step that is new between plugins without any runs before its plugin is set up", async () => {
  const seen: (readonly (string | null)[])[] = [];
  const { "0001_init": init, ...later } = marks as Required<typeof marks>;
  for (const migrations of [{ "0001_init": init }, { "0001_init": init, ...later }] as Migrations[]) {
    const runtime = await bootTestRuntime({
      beside: first,
      extra: [marking(migrations, (found) => void seen.push(found))],
    });
    const migrated = runtime.runtime.booted.flatMap(({ plugin, migrated: steps }) =>
      steps.map((step) => `${plugin.name} ${step}`),
    );
    expect(migrated).toEqual([`shelf-marks ${seen.length === 1 ? "0001_init" : "0002_first"}`]);
    await runtime.stop();
  }
  expect(seen).toEqual([[], ["first"]]);
});

test("two servers that start at the same time run a new step once, and both boot", async () => {
  let runs = 0;
  const migrations: Migrations = {
    ...marks,
    async "0003_second"(db) {
      runs++;
      await sql`select pg_sleep(0.05)`.execute(db);
      await sql`insert into test_shelf_marks (id, mark) values (2, 'second')`.execute(db);
    },
  };
  const seen: (readonly (string | null)[])[] = [];
  const boot = () => bootTestRuntime({ beside: first, extra: [marking(migrations, (found) => void seen.push(found))] });
  const both = await Promise.all([boot(), boot()]);
  expect(runs).toBe(1);
  expect(seen).toEqual([
    ["first", "second"],
    ["first", "second"],
  ]);
  for (const { ask } of both) expect((await ask("GET", "/api/books")).status).toBe(200);
  for (const runtime of both) await runtime.stop();
});
