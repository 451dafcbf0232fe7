/** What gets the whole store is called of plugins that ship alone. */
import { expect, test } from "bun:test";
import { definePlugin } from "lectern/core";
import { migrate, openStore, withThrowawayStore } from "lectern/db";
import { beforeMigrations } from "../../core/cli/before_migrations.ts";
import plugins from "../../plugins/mod.ts";
import { bootTestRuntime } from "../support/harness/test_runtime.ts";

const called: string[] = [];
const stranger = definePlugin({
  name: "stranger",
  checks() {
    called.push("checks");
    return [];
  },
  async beforeMigrations() {
    called.push("beforeMigrations");
  },
  migrations: { async "0001_init"() {}, async "0002_more"() {} },
  setup() {},
});

test.each([
  [false, []],
  [true, ["checks"]],
])("checks of the runtime's parts are asked of a plugin that ships (%p)", async (areShipped, wanted) => {
  called.length = 0;
  const runtime = await bootTestRuntime({ extra: [stranger], areShipped });
  await runtime.stop();
  expect(called).toEqual([...wanted]);
});

test("nothing of a plugin that does not ship runs before migrations, though its steps are pending", async () => {
  called.length = 0;
  await withThrowawayStore(async ({ dataDir }) => {
    const store = await openStore({ dataDir, poolSize: 2 });
    try {
      await migrate(store.db, "stranger", { "0001_init": async () => {} });
      const silent = { out() {}, err() {}, env: { DATA_DIR: dataDir, LOG_LEVEL: "silent" }, columns: 80, tty: false };
      await beforeMigrations(store, [...plugins, stranger], silent);
      expect(called).toEqual([]);
    } finally {
      await store.close();
    }
  });
}, 60_000);
