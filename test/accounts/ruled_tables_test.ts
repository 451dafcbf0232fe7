/** Tables whose items the contract `access` decides have the columns for that, or the boot stops with plugin and table. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { type BootError, definePlugin, sql } from "lectern/core";
import type {} from "lectern/plugins";
import { WITH_BOOKS } from "../support/harness/few_plugins.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(120_000);

declare module "lectern/db" {
  interface Tables {
    test_loans: { id: number; owned_by: number | null };
  }
}

/** A plugin whose table has these columns; with `content`, its kind is in that slot. */
const lending = (
  columns: string,
  { content = false, hasRule = true, rules = ["test_loans"] as readonly "test_loans"[] | "any" } = {},
) =>
  definePlugin({
    name: "test-lending",
    requires: ["access"],
    permissions: { write: ["test_loans"], visibilityRules: rules, slots: ["content"] },
    migrations: {
      "0001_init": async (db) => void (await sql`create table test_loans (${sql.raw(columns)})`.execute(db)),
    },
    setup({ app, contracts: { access }, contribute, visibilityRule }) {
      if (hasRule) visibilityRule("test_loans", access.visibilityRuleOf("test_loan", "test_loans"));
      if (content)
        contribute("content", {
          ...{ kind: "test_loan", table: "test_loans", segment: "test-loans", parents: [], columns: ["id"] },
          path: sql.lit("/loans"),
        });
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

test("the plugin that writes a table is named where several may add its rule", async () => {
  expect(await bootError(lending("id integer, owned_by integer", { rules: "any" }))).toStartWith(
    'The plugin "test-lending" has the items of the kind "test_loan" decided by the contract "access", and its table',
  );
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
