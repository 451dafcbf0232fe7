/** Tables whose items the contract `access` decides have the columns for that, or the boot stops with plugin and table. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { type BootError, definePlugin, sql } from "lectern/core";
import { rows } from "lectern/db";
import type {} from "lectern/plugins";
import { FEW, WITH_BOOKS } from "../support/harness/few_plugins.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(120_000);

declare module "lectern/db" {
  interface Tables {
    test_loans: { id: number; owned_by: number | null; acl_id: number; deleted_at: string | null };
  }
}

/** A plugin whose table has these columns, and rows by `before`; with `content`, its kind is in that slot. */
const lending = (columns: string, { before = "", content = false, hasRule = true } = {}) =>
  definePlugin({
    name: "test-lending",
    requires: ["access"],
    grants: { write: ["test_loans"] },
    migrations: {
      "0001_init": async (db) =>
        void (await sql`create table test_loans (${sql.raw(columns)})${sql.raw(before)}`.execute(db)),
    },
    setup({ app, contracts: { access }, contribute, db, visibilityRule, visible }) {
      if (hasRule) visibilityRule("test_loans", access.visibilityRuleOf("test_loan", "test_loans"));
      if (content)
        contribute("content", {
          ...{ kind: "test_loan", table: "test_loans", segment: "test-loans", parents: [], columns: ["id"] },
          path: sql.lit("/loans"),
        });
      app.get(
        "/test-loans",
        async ({ viewer }) => {
          const seen = await visible("test_loans", viewer).select("id").orderBy("id").execute();
          const { total } = access.visibleRows("test_loan", "test_loans");
          return { ids: seen.map(({ id }) => id), totals: await rows(db, sql`select ${total(viewer)} as n`) };
        },
        { permit: "access-api" },
      );
      app.get(
        "/test-loans/lists",
        () =>
          rows(db, sql`select update_allow from acl`).then(
            () => ({ lists: "read" }),
            ({ message }: Error) => ({ lists: message }),
          ),
        { permit: "access-api" },
      );
      app.get(
        "/test-loans/:owner",
        async ({ params, viewer }) => {
          await access.need(viewer, "test_loan-update", { id: 1, owned_by: Number(params.owner) });
          return { is: "allowed" };
        },
        { permit: "access-api" },
      );
    },
  });

async function bootError(plugin: ReturnType<typeof lending>): Promise<string> {
  const booted: TestRuntime | BootError = await bootTestRuntime({ extra: [plugin], only: WITH_BOOKS }).catch(
    (error: BootError) => error,
  );
  if ("message" in booted) return booted.message;
  await booted.stop();
  return "booted";
}

test("a table without acl_id that is no content stops the boot, and with it boots", async () => {
  expect(await bootError(lending("id integer, owned_by integer"))).toBe(
    'The plugin "test-lending" has the items of the kind "test_loan" decided by the contract "access", and its table "test_loans" has no column "acl_id": contribute the kind to the slot "content", which adds it, or add "acl_id integer not null default 0" in a migration',
  );
  expect(await bootError(lending("id integer, owned_by integer, acl_id integer not null default 0"))).toBe("booted");
});

test("content without a column of items stops the boot", async () => {
  for (const [column, columns] of [
    ["owned_by", "id integer, deleted_at timestamptz"],
    ["deleted_at", "id integer, owned_by integer"],
  ] as const)
    expect(await bootError(lending(columns, { content: true }))).toBe(
      `The plugin "test-lending" has the items of the kind "test_loan" decided by the contract "access", and its table "test_loans" has no column "${column}": add it in a migration`,
    );
});

test("an item of a kind that is no content is decided by roles, without acl_id", async () => {
  const runtime = await bootTestRuntime({
    extra: [lending("id integer, owned_by integer", { hasRule: false })],
    only: WITH_BOOKS,
  });
  const { token } = await runtime.person("Ida", ["access-api"]);
  const { status } = await runtime.ask("GET", "/api/test-loans/1", { as: token });
  await runtime.stop();
  expect(status).toBe(403);
});

test("an item of content is not decided without its acl_id, since overrides on it are unknown", async () => {
  const columns = "id integer, owned_by integer, deleted_at timestamptz";
  const runtime = await bootTestRuntime({ extra: [lending(columns, { content: true, hasRule: false })] });
  const { token } = await runtime.person("Ida", ["access-api"]);
  const { status } = await runtime.ask("GET", "/api/test-loans/1", { as: token });
  await runtime.stop();
  expect(status).toBe(500);
});

test("content over a database without other content gets access lists, and as many items are counted as are seen", async () => {
  const columns = "id integer, owned_by integer, deleted_at timestamptz";
  const before = "; insert into test_loans (id) values (1), (2), (3)";
  const runtime = await bootTestRuntime({
    extra: [lending(columns, { content: true, before })],
    only: [...FEW, "access"],
    prepare: async () => {},
  });
  const ida = await runtime.person("Ida", ["access-api"]);
  const shown = async (as?: string) => (await runtime.ask("GET", "/api/test-loans", as ? { as } : {})).body;
  expect(await shown()).toEqual({ ids: [1, 2, 3], totals: [{ n: 3 }] });
  expect(await shown(ida.token)).toEqual({ ids: [], totals: [{ n: 0 }] });
  await rows(
    runtime.db,
    sql`insert into acl select 7, null, now(), 0, array[${ida.role}::integer], '{}', 0, '{}', '{}',
    0, '{}', '{}', 0, '{}', '{}'`,
  );
  await rows(runtime.db, sql`update test_loans set acl_id = 7 where id = 2`);
  await rows(runtime.db, sql`insert into test_loans (id, acl_id) values (4, 7), (5, 0)`);
  expect(await shown()).toEqual({ ids: [1, 2, 3, 4, 5], totals: [{ n: 5 }] });
  expect(await shown(ida.token)).toEqual({ ids: [2, 4], totals: [{ n: 2 }] });
  // What decides who sees the items can be read, and nothing else of the lists.
  expect((await runtime.ask("GET", "/api/test-loans/lists")).body.lists).toContain('"acl"');
  await runtime.stop();
});

test("the plugin that declares the power over the rule of a table is named, not another one that writes it", async () => {
  const writer = definePlugin({ name: "test-archive", grants: { write: ["test_loans"] }, setup() {} });
  const booted = await bootTestRuntime({
    extra: [writer, lending("id integer, owned_by integer")],
    only: WITH_BOOKS,
  }).catch((error: BootError) => error.message);
  expect(booted).toStartWith('The plugin "test-lending" has the items of the kind "test_loan" decided');
});
