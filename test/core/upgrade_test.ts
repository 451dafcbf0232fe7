/** What a start migrates and logs where plugins and their tables do not fit. */
import { expect, test } from "bun:test";
import { definePlugin, sql, t } from "lectern/core";
import { rows } from "lectern/db";
import { configSchema } from "../../core/config.ts";
import { DISK } from "../../core/files/contributed_store.ts";
import { folderStore } from "../../core/files/file_store.ts";
import { createLog } from "../../core/log.ts";
import { boot } from "../../core/runtime/boot.ts";
import { readSettings } from "../../core/runtime/settings.ts";
import plugins from "../../plugins/mod.ts";
import { bootTestRuntime } from "../support/harness/test_runtime.ts";

const steps = (...names: string[]) =>
  definePlugin({
    name: "aging",
    migrations: Object.fromEntries(
      names.map((name) => [name, async (db) => void (await sql`select ${name}::text`.execute(db))]),
    ),
    setup() {},
  });

test("an older plugin over newer tables is logged at the start, and starts", async () => {
  const runtime = await bootTestRuntime({ extra: [steps("0001_init", "0002_more", "0003_most")] });
  const lines: string[] = [];
  const env = { APP_URL: "http://localhost", DATA_DIR: runtime.dataDir, LOG_LEVEL: "warn" };
  const older = await boot({
    config: readSettings("lectern", configSchema, env),
    store: { ...runtime.store, close: async () => {} },
    files: { name: DISK, files: folderStore(`${runtime.dataDir}/files`) },
    log: createLog("warn", (line) => void lines.push(line)),
    plugins: [...plugins, steps("0001_init")],
    env,
  });
  await older.stop();
  expect(lines.map((line) => JSON.parse(line)).filter(({ plugin }) => plugin === "aging")).toMatchObject([
    { level: "warn", message: expect.stringContaining("older than its tables"), steps: ["0002_more", "0003_most"] },
  ]);
  await runtime.stop();
});

test("settings that cannot be read stop the start before a table is made", async () => {
  const runtime = await bootTestRuntime();
  const picky = definePlugin({
    name: "picky",
    settings: t.Object({ size: t.Integer({ default: 1 }) }),
    migrations: {
      "0001_init": async (db) => void (await sql`create table picky_things (id integer)`.execute(db)),
    },
    setup() {},
  });
  const early = definePlugin({
    name: "early",
    migrations: { "0001_init": async (db) => void (await sql`create table early_things (id integer)`.execute(db)) },
    setup() {},
  });
  const choices = { settings: { picky: { size: "lots" } } };
  await expect(bootTestRuntime({ beside: runtime, extra: [early, picky], choices })).rejects.toThrow("size:");
  const made = await rows<{ name: string | null }>(
    runtime.db,
    sql`select coalesce(to_regclass('picky_things'), to_regclass('early_things'))::text as name`,
  );
  expect(made).toEqual([{ name: null }]);
  await runtime.stop();
});
