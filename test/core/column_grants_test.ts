/** A plugin that is granted some columns of a table reads these and no others, by Kysely, by templates, and within transactions. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { type AnyPlugin, BootError, definePlugin, SYSTEM, sql } from "lectern/core";
import { rows } from "lectern/db";
import type {} from "lectern/plugins";
import { FEW } from "../support/harness/few_plugins.ts";
import { bootTestRuntime, type TestRuntime, type TestRuntimeOptions } from "../support/harness/test_runtime.ts";

setDefaultTimeout(120_000);

declare module "lectern/core" {
  interface Events {
    test_find: { draft: object; result: { found: unknown } };
  }
}

const outcome = (run: () => Promise<unknown>) =>
  run().then(
    (value) => value,
    (error: Error) => `${error.name}: ${error.message}`,
  );
const REFUSED = 'it may read its columns "id", "email" alone, wanted grants.columns to list the others';

let said: Record<string, unknown>;

const finder = definePlugin({
  name: "test-finder",
  requires: ["users"],
  grants: { columns: { users: ["id", "email"] }, impersonate: true, system: true },
  events: ["test_find"],
  setup({ app, db, perform, visible }) {
    const hidden = "password" as "email";
    app.get(
      "/test-finder",
      async () => {
        // @ts-expect-error the types have the granted columns alone
        const wrong = () => db.selectFrom("users").select("password");
        const within = (query: (tx: typeof db) => Promise<unknown>) =>
          outcome(() =>
            perform("test_find", SYSTEM, {}, async (_, tx) => ({ found: await query(tx.db as unknown as typeof db) })),
          );
        said = {
          typed: typeof wrong,
          all: await db.selectFrom("users").selectAll().where("email", "=", "admin@example.com").execute(),
          hidden: await outcome(() => db.selectFrom("users").select(hidden).execute()),
          template: await outcome(() => rows(db, sql`select password from users`)),
          whole: await outcome(() => rows(db, sql`select to_jsonb(users) from users`)),
          row: (
            await rows(
              db,
              sql<{ keys: string[] }>`select array(select jsonb_object_keys(to_jsonb(u))) as keys from (${db
                .selectFrom("users")
                .selectAll()
                .limit(1)}) as u`,
            )
          )[0]?.keys.sort(),
          within: await within((tx) => tx.selectFrom("users").select("email").where("id", "=", 1).execute()),
          withinHidden: await within((tx) => tx.selectFrom("users as u").select(`u.${hidden}`).execute()),
          withinTemplate: await within((tx) => rows(tx, sql`select password from users`)),
          visible: await outcome(async () => visible("users", SYSTEM).select("id").execute()),
          locked: await outcome(() => db.selectFrom("users").select("id").forUpdate().execute()),
        };
        return {};
      },
      { permit: "users-manage" },
    );
  },
});

async function told(options: TestRuntimeOptions): Promise<typeof said> {
  const runtime = await bootTestRuntime({ extra: [finder], only: FEW, ...options });
  await runtime.ask("GET", "/api/test-finder");
  await runtime.stop();
  return said;
}

async function bootError(plugin: AnyPlugin): Promise<string> {
  const booted: TestRuntime | BootError = await bootTestRuntime({ extra: [plugin], only: FEW }).catch(
    (error: BootError) => error,
  );
  if (booted instanceof BootError) return booted.message;
  await (booted as TestRuntime).stop();
  return "";
}

test("granted columns are read, and others are refused by the builder and by PostgreSQL", async () => {
  const found = await told({});
  expect(found).toMatchObject({
    all: [{ id: expect.any(Number), email: "admin@example.com" }],
    hidden: `GrantError: Plugin "test-finder" cannot read column "password" of table "users": ${REFUSED}`,
    template: `GrantError: Plugin "test-finder" cannot read table "users": ${REFUSED}`,
    whole: `GrantError: Plugin "test-finder" cannot read table "users": ${REFUSED}`,
    row: ["email", "id"],
    within: { found: [{ email: expect.any(String) }] },
    withinHidden: `GrantError: Plugin "test-finder" cannot read column "password" of table "users": ${REFUSED}`,
    withinTemplate: `GrantError: Plugin "test-finder" cannot read table "users": ${REFUSED}`,
    visible: `GrantError: Plugin "test-finder" cannot read table "users": ${REFUSED}`,
  });
  expect(Object.keys((found.all as object[])[0] ?? {}).sort()).toEqual(["email", "id"]);
  expect(found.locked).toStartWith("GrantError: ");
});

test("where roles are off, the builder still has these columns alone", async () => {
  const found = await told({ env: { PLUGIN_ROLES: "off" } });
  expect(found.row).toEqual(["email", "id"]);
  expect(found.hidden).toEndWith(REFUSED);
  expect(found.withinHidden).toEndWith(REFUSED);
});

test("an operator who denies reading denies columns", async () => {
  for (const kind of ["read", "columns"] as const) {
    const runtime = await bootTestRuntime({
      extra: [finder],
      only: FEW,
      choices: { denied: { "test-finder": [kind] } },
    });
    const { status } = await runtime.ask("GET", "/api/test-finder");
    await runtime.stop();
    expect([kind, status]).toEqual([kind, 500]);
  }
});

test("a column or table that does not exist stops the boot", async () => {
  const reading = (columns: object) => definePlugin({ name: "test-blind", grants: { columns }, setup() {} });
  expect(await bootError(reading({ users: ["id", "e_mail"] }))).toBe(
    'The plugin "test-blind" needs the column "e_mail" of "users", which does not exist: "columns" of its grants names it',
  );
  expect(await bootError(reading({ user: ["id"] }))).toBe(
    'The plugin "test-blind" needs the table "user", which no plugin creates; did you mean "users"?',
  );
  expect(await bootError(reading({ users: "id" }))).toBe(
    '"grants" of the plugin "test-blind" has another value for "columns" than an object of tables with lists of their columns',
  );
});
