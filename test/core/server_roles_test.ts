/**
 * Servers with different plugins or versions of them on one database: none takes rights of PostgreSQL roles from another that
 * runs, and what no running server needs is revoked.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { definePlugin } from "lectern/core";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

/** A plugin whose newer version reads one more table and a column of another. */
const reader = (isNewer: boolean) =>
  definePlugin({
    name: "shelf-reader",
    grants: {
      read: isNewer ? ["books", "bookshelves"] : ["books"],
      ...(isNewer && { columns: { users: ["id", "name"] } }),
    },
    setup({ app, db }) {
      app.get(
        "/shelf-reader",
        async () => ({
          shelves: (
            await db
              .selectFrom(isNewer ? "bookshelves" : "books")
              .select("id")
              .execute()
          ).length,
          users: isNewer ? (await db.selectFrom("users").select(["id", "name"]).execute()).length > 0 : true,
        }),
        { permit: "public" },
      );
    },
  });

const options = { env: { PLUGIN_ROLES: "third-party" }, constants: { core: { serverLeaseSeconds: 4 } } };
const READ = { status: 200, body: { users: true } };
let newer: TestRuntime;
beforeAll(async () => {
  newer = await bootTestRuntime({ ...options, extra: [reader(true)] });
});
afterAll(() => newer.stop());

const read = () => newer.ask("GET", "/api/shelf-reader");

test("an older version that boots beside a newer one takes no rights from it", async () => {
  expect(await read()).toMatchObject(READ);
  const older = await bootTestRuntime({ ...options, extra: [reader(false)], beside: newer });
  expect((await older.ask("GET", "/api/shelf-reader")).status).toBe(200);
  expect(await read()).toMatchObject(READ);
  await older.stop();
});

test("a server without a plugin leaves its role alone, and finds no drift that doctor would repair", async () => {
  const bare = await bootTestRuntime({ ...options, beside: newer });
  const [out, err]: string[][] = [[], []];
  const io = {
    ...{ env: {}, columns: 80, tty: false },
    out: (line: string) => void out?.push(line),
    err: (line: string) => void err?.push(line),
  };
  const { commands } = bare.runtime.booted.find(({ plugin }) => plugin.name === "doctor")?.plugin ?? {};
  await commands?.doctor?.run(["--fix", "core/grants"], io, bare.contexts.get("doctor"));
  expect(out?.join("\n")).not.toContain("shelf-reader");
  expect(await read()).toMatchObject(READ);
  await bare.stop();
});

test("rights that no running server needs any more are revoked while the older one runs on", async () => {
  const first = await bootTestRuntime({ ...options, extra: [reader(false)] });
  const second = await bootTestRuntime({ ...options, extra: [reader(true)], beside: first });
  const [role] = await first.store.sql`select rolname as name from pg_roles
    where rolname = (select obj_description(to_regnamespace('lectern_grants'), 'pg_namespace')) || ':shelf-reader'`;
  const may = async () => {
    const [found] = await first.store.sql`select has_table_privilege(${role?.name}, 'bookshelves', 'select') as may`;
    return found?.may as boolean;
  };
  expect(await may()).toBe(true);
  await second.stop();
  expect(await until(may, (found) => !found)).toBe(false);
  expect((await first.ask("GET", "/api/shelf-reader")).status).toBe(200);
  await first.stop();
});

test("a server whose row was lost writes it again, and gets rights back that were revoked meanwhile", async () => {
  await newer.store.sql`delete from running_servers`;
  const older = await bootTestRuntime({ ...options, extra: [reader(false)], beside: newer });
  expect(
    await until(
      async () => (await read()).status,
      (status) => status === 200,
    ),
  ).toBe(200);
  const rows = await newer.store.sql`select place from running_servers where seen_at > now() - interval '4 seconds'`;
  expect(rows.length).toBe(2);
  await older.stop();
  expect(
    (await newer.store.sql`select place from running_servers where seen_at > now() - interval '4 seconds'`).length,
  ).toBe(1);
});
