import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "lectern/db";
import { command, quickCommand } from "../support/harness/command.ts";
import { rowsOf } from "../support/harness/instance_contents.ts";
import { dataFolder, startProgram } from "../support/harness/program.ts";
import { until } from "../support/harness/until.ts";

const LONG = 180_000;
const root = dataFolder("ready");
afterAll(root.remove);

function folder(name: string): string {
  const path = join(root.path, name);
  mkdirSync(path);
  return path;
}

test(
  "a server backs itself up at its interval, keeps the newest, and shows the last backup",
  async () => {
    const dataDir = folder("scheduled");
    const more = { BACKUP_INTERVAL_HOURS: "0.0006", BACKUP_KEEP: "1", METRICS_TOKEN: "metrics" };
    const program = await startProgram(dataDir, more);
    const metrics = async () => {
      const headers = { authorization: "Bearer metrics" };
      return (await fetch(`http://127.0.0.1:${program.port}/metrics`, { headers })).text();
    };
    const found = await until(
      metrics,
      (text) => /^lectern_backup_last_success_timestamp_seconds [1-9]/m.test(text),
      60_000,
    );
    expect(found).toMatch(/^lectern_backup_last_failed 0$/m);
    const names = () => readdirSync(join(dataDir, "backups")).filter((name) => !name.includes(".partial-"));
    const [first] = names();
    await until(names, (now) => now.length > 0 && !now.includes(first ?? ""), 60_000);
    program.signal("SIGTERM");
    expect(await program.ended).toBe(0);
    const kept = names();
    expect(kept.length).toBeLessThanOrEqual(2);
    const env = { DATA_DIR: dataDir };
    expect((await quickCommand(["backup", "--verify", join(dataDir, "backups", kept.at(-1) ?? "")], env)).code).toBe(0);
  },
  LONG,
);

test(
  "a scheduled backup that fails is in the log and in the metrics, the server goes on, and its next start tries again",
  async () => {
    const dataDir = folder("failing");
    writeFileSync(join(root.path, "no-folder"), "");
    const more = {
      // The first one is tried at once.
      BACKUP_INTERVAL_HOURS: "24",
      BACKUP_DIR: join(root.path, "no-folder"),
      METRICS_TOKEN: "metrics",
    };
    const program = await startProgram(dataDir, more);
    const metrics = async () => {
      const headers = { authorization: "Bearer metrics" };
      return (await fetch(`http://127.0.0.1:${program.port}/metrics`, { headers })).text();
    };
    await until(metrics, (text) => /^lectern_backup_last_failed 1$/m.test(text), 60_000);
    expect(program.output()).toContain("A scheduled backup failed");
    expect((await program.ask("GET", "/api/books")).status).toBe(200);
    program.signal("SIGTERM");
    expect(await program.ended).toBe(0);
    // A stop that ends the try of a start leaves it to the next one.
    const ended = await startProgram(dataDir, { ...more, BACKUP_DIR: join(root.path, "too-early") });
    ended.signal("SIGTERM");
    expect(await ended.ended).toBe(0);
    const mended = join(root.path, "mended");
    const again = await startProgram(dataDir, { ...more, BACKUP_DIR: mended });
    const made = () => (existsSync(mended) ? readdirSync(mended) : []).filter((name) => name.endsWith(".tar.zst"));
    await until(made, (names) => names.length === 1, 60_000);
    again.signal("SIGTERM");
    expect(await again.ended).toBe(0);
  },
  LONG,
);

/** A plugin with so many migration steps, of which the second alters a table of the first. */
function pluginWith(steps: 1 | 2): string {
  const file = join(root.path, `ledger_${steps}.ts`);
  const second = `async "0002_more"(db) { await sql\`alter table ledger_notes add column more text default 'new'\`.execute(db); },`;
  writeFileSync(
    file,
    `import { definePlugin, sql } from "lectern/core";
export default definePlugin({
  name: "ledger_notes",
  migrations: {
    async "0001_init"(db) { await sql\`create table ledger_notes (id integer primary key); insert into ledger_notes values (7)\`.execute(db); },
    ${steps === 2 ? second : ""}
  },
  setup() {},
});
`,
  );
  return file;
}

test(
  "the store is backed up before migrations of present tables, once, and that backup brings them back",
  async () => {
    const dataDir = folder("migrated");
    const env = { DATA_DIR: dataDir };
    const backups = join(dataDir, "backups");
    expect((await quickCommand(["migrate", "plugins/mod.ts"], env)).code).toBe(0);
    // A new plugin creates tables and alters none.
    expect((await quickCommand(["migrate", "plugins/mod.ts", pluginWith(1)], env)).code).toBe(0);
    expect(existsSync(backups)).toBe(false);
    const before = await rowsOf({ dataDir });
    for (let times = 0; times < 2; times++)
      expect((await command(["migrate", "plugins/mod.ts", pluginWith(2)], env)).code).toBe(0);
    const [made, ...more] = readdirSync(backups);
    expect(made).toStartWith("lectern-before-");
    expect(more).toEqual([]);
    expect((await rowsOf({ dataDir }))["public.ledger_notes"]).toEqual(['{"id": 7, "more": "new"}']);
    mkdirSync(join(dataDir, "files", "images"), { recursive: true });
    writeFileSync(join(dataDir, "files", "images", "kept"), "x");
    const restored = await quickCommand(["restore", join(backups, made ?? ""), "--replace"], env);
    expect(restored).toMatchObject({ code: 0, err: "" });
    expect(await rowsOf({ dataDir })).toEqual(before);
    expect(existsSync(join(dataDir, "files", "images", "kept"))).toBe(true);
  },
  LONG,
);

test(
  "a start whose backup before migrations fails runs none, and says how to go on",
  async () => {
    const dataDir = folder("unbacked");
    writeFileSync(join(root.path, "a-file"), "");
    const env = { DATA_DIR: dataDir, BACKUP_DIR: join(root.path, "a-file") };
    expect((await quickCommand(["migrate", "plugins/mod.ts", pluginWith(1)], env)).code).toBe(0);
    const failed = await command(["migrate", "plugins/mod.ts", pluginWith(2)], env);
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining("BACKUP_BEFORE_MIGRATIONS=never")]);
    const store = await openStore({ dataDir, poolSize: 2 });
    expect(await store.sql`select * from ledger_notes`).toEqual([{ id: 7 }] as never);
    await store.close();
    const never = { ...env, BACKUP_BEFORE_MIGRATIONS: "never" };
    expect((await quickCommand(["migrate", "plugins/mod.ts", pluginWith(2)], never)).code).toBe(0);
  },
  LONG,
);

test(
  "a backup of newer migrations is refused and names the first one",
  async () => {
    const env = { DATA_DIR: folder("newer") };
    const file = join(root.path, "newer.tar.zst");
    expect((await quickCommand(["migrate", "plugins/mod.ts", pluginWith(2)], env)).code).toBe(0);
    expect((await quickCommand(["backup", file, "plugins/mod.ts", pluginWith(2)], env)).code).toBe(0);
    const older = await quickCommand(["restore", file, "plugins/mod.ts", pluginWith(1)], { DATA_DIR: folder("older") });
    expect([older.code, older.err]).toEqual([
      1,
      expect.stringContaining('it lacks the migration "ledger_notes 0002_more"'),
    ]);
  },
  LONG,
);
