/**
 * Migrations leave what older versions use, so that servers are upgraded one after the other: a step adds; a later release
 * removes, by a step that says so (`removes`). Each step is run by itself, and the catalogs are compared.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "kysely";
import { type Db, type Migrations, migrate, removes, rows } from "lectern/db";
import { inBootOrder } from "../../core/runtime/boot_order.ts";
import { coreMigrations } from "../../core/runtime/migrations.ts";
import { RELEASE } from "../../core/runtime/store_version.ts";
import plugins from "../../plugins/mod.ts";
import { createTestDatabase, openTestStore } from "../support/harness/test_database.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Awaited<ReturnType<typeof openTestStore>>;
beforeAll(async () => {
  database = await createTestDatabase("empty");
  store = await openTestStore(database.name);
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

/** A column by "table.column". */
interface Column {
  readonly type: string;
  /** Whether an insert that does not name it fails. */
  readonly isNeeded: boolean;
  readonly isNullable: boolean;
}

async function shape(db: Db): Promise<Map<string, Column>> {
  const found = await rows(
    db,
    sql<{
      name: string;
      type: string;
      nullable: boolean;
      filled: boolean;
    }>`select c.relname || '.' || a.attname as name,
        format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as nullable,
        a.atthasdef or a.attidentity <> '' as filled
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relkind in ('r', 'p', 'v', 'm') and c.relnamespace = any (current_schemas(false)::regnamespace[])`,
  );
  return new Map(
    found.map(({ name, type, nullable, filled }) => [
      name,
      { type, isNullable: nullable, isNeeded: !nullable && !filled },
    ]),
  );
}

const tableOf = (column: string) => column.slice(0, column.indexOf("."));

/** What of a change breaks the statements of versions before it. */
function breaks(before: ReadonlyMap<string, Column>, after: ReadonlyMap<string, Column>): string[] {
  const tables = new Set([...before.keys()].map(tableOf));
  const lost = [...before].flatMap(([name, was]) => {
    const is = after.get(name);
    if (!is) return [`${name} is dropped or renamed`];
    if (is.type !== was.type) return [`${name} has another type`];
    if (was.isNullable && !is.isNullable) return [`${name} takes no null any more`];
    return !was.isNeeded && is.isNeeded ? [`${name} has no default any more`] : [];
  });
  const added = [...after].flatMap(([name, { isNeeded }]) =>
    isNeeded && !before.has(name) && tables.has(tableOf(name))
      ? [`${name} is added as not null without a default`]
      : [],
  );
  return [...lost, ...added];
}

/** Runs steps one after the other. Returns what breaks older versions, by plugin and step, where that is not declared. */
async function undeclared(db: Db, plugin: string, migrations: Migrations): Promise<[step: string, found: string][]> {
  const broken: [string, string][] = [];
  let before = await shape(db);
  for (const name of Object.keys(migrations).sort()) {
    const step = migrations[name] as Migrations[string];
    await migrate(db, plugin, { [name]: step });
    const after = await shape(db);
    const found = breaks(before, after);
    if (found.length > 0 && step.removes === undefined) broken.push([`${plugin} ${name}`, found.join("; ")]);
    before = after;
  }
  return broken;
}

test("no step takes from older versions what they use, unless it is declared as the second phase", async () => {
  const broken = await undeclared(store.db, "core", coreMigrations);
  for (const { name, migrations } of inBootOrder(plugins))
    broken.push(...(await undeclared(store.db, name, migrations)));
  expect(broken).toEqual([]);
}, 120_000);

test("no second phase removes what a version uses that runs beside this one", () => {
  const all = [coreMigrations, ...plugins.map(({ migrations }) => migrations)].flatMap((steps) =>
    Object.entries(steps),
  );
  const early = all.filter(
    ([, { removes: since }]) => since !== undefined && Bun.semver.order(RELEASE.runsBeside, since) < 0,
  );
  expect(early.map(([name]) => name)).toEqual([]);
});

test("the rule finds each kind of change that breaks an older version, and lets additions pass", async () => {
  const run = (text: string) => (db: Db) =>
    sql
      .raw(text)
      .execute(db)
      .then(() => {});
  const steps: Migrations = {
    "0001_init": run("create table phases (a integer, b integer not null default 1, c text, d integer, e integer)"),
    "0002_add": run(
      "alter table phases add column f integer not null default 0, add column g text; create table more (x int not null)",
    ),
    "0003_drop": run("alter table phases drop column a"),
    "0004_default": run("alter table phases alter column b drop default"),
    "0005_type": run("alter table phases alter column c type integer using 1"),
    "0006_null": run("alter table phases alter column d set not null"),
    "0007_needed": run("alter table phases add column h integer not null"),
    "0008_rename": run("alter table more rename to most"),
    "0009_declared": removes("0.1.0", run("alter table phases drop column e")),
  };
  expect(await undeclared(store.db, "phases", steps)).toEqual([
    ["phases 0003_drop", "phases.a is dropped or renamed"],
    ["phases 0004_default", "phases.b has no default any more"],
    ["phases 0005_type", "phases.c has another type"],
    ["phases 0006_null", "phases.d takes no null any more"],
    ["phases 0007_needed", "phases.h is added as not null without a default"],
    ["phases 0008_rename", "more.x is dropped or renamed"],
  ]);
});
