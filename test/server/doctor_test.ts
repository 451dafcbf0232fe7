/** The command `doctor` as an operator runs it: beside a running server, and over a database that waits for migrations. */
import { afterAll, expect, test } from "bun:test";
import { openStore } from "lectern/db";
import { command, quickCommand } from "../support/harness/command.ts";
import { dataFolder, startProgram } from "../support/harness/program.ts";

const TIMEOUT_MS = 300_000;
const { path: folder, remove } = dataFolder();
const env = { DATA_DIR: folder, LOG_LEVEL: "warn" };

afterAll(() => remove());

test(
  "it checks beside a running server, and finds nothing in a new instance",
  async () => {
    expect(await command(["doctor"], env)).toMatchObject({ code: 0, out: "" });
    const server = await startProgram(folder);
    const { code, out } = await quickCommand(["doctor", "--json"], env);
    const { status, checks } = JSON.parse(out) as { status: string; checks: { name: string; status: string }[] };
    // The disk of the machine that runs the test is not its subject.
    expect(checks.filter((check) => check.status !== "ok" && check.name !== "core/disk")).toEqual([]);
    expect([code, checks.length > 25, typeof status]).toEqual([0, true, "string"]);
    server.signal("SIGTERM");
    await server.ended;
  },
  TIMEOUT_MS,
);

test(
  "what the store lacks of its migrations fails check, and doctor makes it again",
  async () => {
    const store = await openStore({ dataDir: folder });
    await store.sql`drop index pages_slug_once`;
    await store.close();
    const failed = await quickCommand(["check"], env);
    expect([failed.code, failed.err]).toEqual([
      1,
      expect.stringContaining(`In the store: index "pages_slug_once" of pages is missing`),
    ]);
    expect((await quickCommand(["doctor", "core/schema"], env)).code).toBe(1);
    expect((await quickCommand(["doctor", "--fix", "core/schema"], env)).code).toBe(0);
    expect(await quickCommand(["check"], env)).toMatchObject({ code: 0, err: "" });
  },
  TIMEOUT_MS,
);

test(
  "it runs no migration: pending ones are named, and the exit code is 1",
  async () => {
    const open = () => openStore({ dataDir: folder });
    const store = await open();
    const [step] = await store.sql<
      { name: string }[]
    >`select name from lectern_ledger.links order by name desc limit 1`;
    await store.sql`delete from lectern_ledger.links where name = ${step?.name ?? ""}`;
    await store.close();
    const { code, err } = await quickCommand(["doctor", "--fix"], env);
    expect([code, err]).toEqual([1, expect.stringContaining(`links ${step?.name}`)]);
    const again = await open();
    expect(await again.sql`select from lectern_ledger.links where name = ${step?.name ?? ""}`).toHaveLength(0);
    await again.close();
  },
  TIMEOUT_MS,
);
