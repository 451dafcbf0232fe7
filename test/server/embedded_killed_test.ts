/** The embedded PostgreSQL is killed during the start and later, and the server is ended by a signal to its whole group. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "lectern/db";
import { scaled } from "../support/harness/machine_speed.ts";
import { dataFolder, openConnection, type Program, startProgram } from "../support/harness/program.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(scaled(180_000));
const ROOT = join(import.meta.dir, "../..");
const KILLS = 3;
const folders: { remove(): void }[] = [];
afterAll(() => {
  for (const { remove } of folders) remove();
});

function fresh(content: "empty" | "ready"): string {
  const folder = dataFolder(content);
  folders.push(folder);
  return folder.path;
}

/** The lines of the file in which a server notes its process and state. */
function stateOf(folder: string): string[] {
  const file = join(folder, "postgres/cluster/postmaster.pid");
  return existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
}

/** The process of a server that is ready; undefined where none is. */
function serverOf(folder: string): number | undefined {
  const lines = stateOf(folder);
  return lines[7]?.trim() === "ready" ? Number(lines[0]) : undefined;
}

/** The process of a server in whatever state; undefined where none was started. */
function pidOf(folder: string): number | undefined {
  return Number(stateOf(folder)[0]) || undefined;
}

/** Kills each server that gets ready, or that `find` finds, until so many were killed. */
async function killEach(folder: string, count: number, find = () => serverOf(folder)): Promise<void> {
  let last: number | undefined;
  for (let killed = 0; killed < count; ) {
    const pid = find();
    if (pid !== undefined && pid !== last) {
      process.kill(pid, "SIGKILL");
      last = pid;
      killed += 1;
    }
    await Bun.sleep(5);
  }
}

function lines(program: Program): Record<string, unknown>[] {
  return program
    .output()
    .split("\n")
    .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
}

test("a server killed by kill -9 while the start is not finished, and three times later, is restarted", async () => {
  const folder = fresh("ready");
  const killing = killEach(folder, KILLS);
  const program = await startProgram(folder, { METRICS_TOKEN: "a-secret" });
  await killing;
  const writes = async () => (await program.ask("POST", "/api/books", { name: "Kept" })).status;
  await until(writes, (status) => status === 200);
  const count = (message: string) => lines(program).filter((line) => line.message === message).length;
  await until(() => count("The store was lost") === count("The store was found again"));
  const before = count("The store was lost");
  for (let kill = 1; kill <= KILLS; kill++) {
    process.kill(await until(() => serverOf(folder) ?? 0), "SIGKILL");
    await until(() => count("The store was lost") === before + kill);
    await fetch(`http://127.0.0.1:${program.port}/metrics`, { headers: { authorization: "Bearer a-secret" } });
    await until(writes, (status) => status === 200);
    await until(() => count("The store was found again") === before + kill);
  }
  expect(
    lines(program)
      .filter(({ message }) => message === "The store was lost")
      .at(-1),
  ).toMatchObject({
    level: "error",
    host: expect.stringContaining(folder),
    cause: expect.any(String),
  });
  expect(program.output()).not.toContain('"stack"');
  expect(
    program
      .output()
      .split("\n")
      .filter((line) => !/^(\{.*\}|)$/.test(line)),
  ).toEqual([]);
  program.signal("SIGTERM");
  expect(await program.ended).toBe(0);
  expect(serverOf(folder)).toBeUndefined();
});

test("servers killed during the first boot, for longer than one waits for a predecessor, are started again", async () => {
  const folder = fresh("empty");
  const killing = killEach(folder, 2 * KILLS, () => pidOf(folder));
  const store = await openStore({ dataDir: folder, predecessorMs: 1 });
  await killing;
  const asks = () => store.sql`select 1 as n`.then(([row]) => row?.n === 1).catch(() => false);
  expect(await until(asks)).toBe(true);
  await store.close();
  expect(serverOf(folder)).toBeUndefined();
});

/** `npx lectern serve` in a group of its own: a shell runs the launcher, as npm does. */
function startGroup(folder: string) {
  const env = {
    ...process.env,
    DATA_DIR: folder,
    DATABASE_URL: "",
    PORT: "0",
    HOST: "127.0.0.1",
    STOP_TIMEOUT_MS: "3000",
  };
  const command = `"${process.execPath}" core/cli/launch.js serve plugins/mod.ts; exit`;
  const child = spawn("/bin/sh", ["-c", command], {
    cwd: ROOT,
    env: { ...env, npm_command: "exec" },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  let text = "";
  child.stdout?.on("data", (chunk) => {
    text += String(chunk);
  });
  return { child, port: () => Number(/answers at http:\/\/[^/]+:(\d+)/.exec(text)?.[1]) };
}

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "%s to the group of the launcher leaves no PostgreSQL behind, while a request is under way",
  async (signal) => {
    const folder = fresh("ready");
    const { child, port } = startGroup(folder);
    const closed = once(child.stdout ?? child, "close");
    const line = await openConnection(await until(port));
    line.write("POST /api/books HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{");
    expect((await fetch(`http://127.0.0.1:${port()}/health`)).status).toBe(200);
    process.kill(-(child.pid ?? 0), signal);
    // The pipe is closed when the last process of the group has ended.
    await closed;
    expect(serverOf(folder)).toBeUndefined();
    line.hangUp();
  },
);

test("a second signal ends the server at once, and leaves no PostgreSQL behind", async () => {
  const folder = fresh("ready");
  const program = await startProgram(folder, { STOP_TIMEOUT_MS: "600000" });
  const line = await openConnection(program.port);
  line.write("POST /api/books HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{");
  expect((await fetch(`http://127.0.0.1:${program.port}/health`)).status).toBe(200);
  program.signal("SIGTERM");
  await until(() => program.output().includes('"stopping"'));
  program.signal("SIGTERM");
  expect(await program.ended).toBeNull();
  expect(serverOf(folder)).toBeUndefined();
});

test("a signal during the start leaves no PostgreSQL behind", async () => {
  const folder = fresh("ready");
  const { child } = startGroup(folder);
  const closed = once(child.stdout ?? child, "close");
  await until(() => serverOf(folder) !== undefined);
  process.kill(-(child.pid ?? 0), "SIGTERM");
  await closed;
  expect(serverOf(folder)).toBeUndefined();
});
