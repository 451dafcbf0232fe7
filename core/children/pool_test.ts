import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "../../db/embedded/pid.ts";
import { until } from "../../test/support/harness/until.ts";
import { ApiError } from "../errors.ts";
import { createLog } from "../log.ts";
import { ChildPool, type RunOptions } from "./pool.ts";

const folder = mkdtempSync(join(tmpdir(), "lectern-children-"));
const module = join(folder, "tasks.ts");
writeFileSync(
  module,
  `import { ApiError } from "${join(import.meta.dir, "../errors.ts")}";
export const tasks = {
  echo: (value) => value,
  pid: () => process.pid,
  variables: () => Object.keys(process.env),
  nap: async (value) => { await Bun.sleep(30); return value; },
  spin: () => { for (;;); },
  grow: () => { const held = []; for (;;) held.push(new Uint8Array(1e6).fill(1)); },
  die: () => process.exit(3),
  print: () => { console.log("not a message"); return 1; },
  refuse: () => { throw new ApiError(422, "Not that", { validation: { html: ["No."] } }); },
  fail: () => { throw new Error("broken"); },
  twice: async (value, call) => [await call("double", value), await call("double", 5)],
};`,
);
const pools: ChildPool[] = [];

function poolOf(options: Partial<ConstructorParameters<typeof ChildPool>[0]> = {}): ChildPool {
  const pool = new ChildPool({
    children: 2,
    timeoutMs: 60_000,
    maxBytes: 1e9,
    maxWaitingBytes: 1e6,
    log: createLog("silent"),
    ...options,
  });
  pools.push(pool);
  return pool;
}

const asked = (task: string, more: Partial<RunOptions> = {}): RunOptions => ({ owner: "a", module, task, ...more });
const refusal = (done: Promise<unknown>): Promise<unknown> =>
  done.then(
    (value) => ({ value }),
    (error: unknown) => (error instanceof ApiError ? { status: error.status, text: error.message } : String(error)),
  );

afterAll(async () => {
  await Promise.all(pools.map(async (pool) => pool.stop()));
  rmSync(folder, { recursive: true });
});

test("processes are started on demand and reused", async () => {
  const pool = poolOf();
  expect(pool.pids).toEqual([]);
  const pid = await pool.run<number>(null, asked("pid"));
  expect(pool.pids).toEqual([pid]);
  expect(await pool.run<number>(null, asked("pid"))).toBe(pid);
});

test.each<[string, unknown]>([
  ["plain data", { a: [1, null, { b: "c" }], "": true }],
  ["a long text", "x".repeat(3_000_000)],
  ["a long text of pairs of surrogates", `a${"😀".repeat(200_000)}`],
  ["a text that begins with a byte order mark", `\ufeff${"ż".repeat(5_000)}`],
  ["bytes", new Uint8Array(500_000).fill(7)],
  ["long texts among others", [{ a: "y".repeat(2_000), b: ["z".repeat(2_000), "", new Uint8Array()] }, "y"]],
  ["names that mean something to objects", JSON.parse(`{"__proto__": {"x": "${"p".repeat(2_000)}"}}`)],
])("%s arrive as they were sent, there and back", async (_name, value) => {
  expect(await poolOf().run(value, asked("echo"))).toEqual(value);
});

test("a process has nothing of the server's environment", async () => {
  const names = await poolOf().run<string[]>(null, asked("variables"));
  expect(names.filter((name) => !["PATH", "HOME", "LANG"].includes(name))).toEqual([]);
});

test("a task may call the server, and an error of the server is thrown", async () => {
  const pool = poolOf();
  const double = (value: unknown) => [value, value];
  expect(await pool.run("x", asked("twice", { calls: { double } }))).toEqual([
    ["x", "x"],
    [5, 5],
  ]);
  const failing = {
    double: () => {
      throw new ApiError(404, "Gone");
    },
  };
  expect(await refusal(pool.run("x", asked("twice", { calls: failing })))).toEqual({ status: 404, text: "Gone" });
});

test("an error of a task is thrown, and the process is reused", async () => {
  const pool = poolOf();
  const pid = await pool.run<number>(null, asked("pid"));
  expect(await refusal(pool.run(null, asked("refuse")))).toEqual({ status: 422, text: "Not that" });
  expect(await refusal(pool.run(null, asked("fail")))).toStartWith(
    "Error: A task of a child process failed: Error: broken",
  );
  expect(await refusal(pool.run(null, asked("missing")))).toContain('Cannot run the task "missing"');
  expect(await pool.run<number>(null, asked("print"))).toBe(1);
  expect(await pool.run<number>(null, asked("pid"))).toBe(pid);
});

test("time and memory are limited; the next task gets another process", async () => {
  const pool = poolOf({ maxBytes: 300e6 });
  expect(await refusal(pool.run(null, asked("spin", { timeoutMs: 500 })))).toEqual({
    status: 422,
    text: "This takes more than the 0.5 seconds it may take; send less at once.",
  });
  expect(await refusal(pool.run(null, asked("grow")))).toEqual({
    status: 422,
    text: "This takes more than the 286 MB of memory it may take; send less at once.",
  });
  expect(await refusal(pool.run(null, asked("spin", { timeoutMs: 500, exceeded: 503 })))).toMatchObject({
    status: 503,
  });
  expect(await pool.run("well", asked("echo"))).toBe("well");
});

test("a process that ends or is killed during a task is a 503, and the next task gets another", async () => {
  const pool = poolOf();
  const text = "The work on this was interrupted; try again in a moment.";
  expect(await refusal(pool.run(null, asked("die")))).toEqual({ status: 503, text });
  const spinning = refusal(pool.run(null, asked("spin")));
  await until(() => pool.pids.length > 0);
  process.kill(pool.pids[0] as number, "SIGKILL");
  expect(await spinning).toEqual({ status: 503, text });
  const idle = await pool.run<number>(null, asked("pid"));
  process.kill(idle, "SIGKILL");
  // Which process is used depends on whether the server knows of the end by then.
  expect([{ value: "well" }, { status: 503, text }]).toContainEqual(
    (await refusal(pool.run("well", asked("echo")))) as never,
  );
  expect(await pool.run("well", asked("echo"))).toBe("well");
});

test("one owner leaves a process to others and fills half of the queue at most, by bytes and not by tasks", async () => {
  const pool = poolOf({ children: 2, maxWaitingBytes: 4_000 });
  const own = [1, 2, 3].map(() => refusal(pool.run("x".repeat(400), asked("spin"))));
  expect(await refusal(pool.run("x".repeat(400), asked("echo")))).toEqual({
    status: 503,
    text: "Too much work is waiting to be done; try again in a moment.",
  });
  expect(await pool.run("mine", asked("echo", { owner: "b" }))).toBe("mine");
  await pool.stop();
  expect(await Promise.all(own)).toEqual(Array(3).fill(expect.objectContaining({ status: 503 })));
  expect(pool.pids).toEqual([]);
});

test("a task that waits longer than it may run is a 503", async () => {
  const pool = poolOf({ children: 1, timeoutMs: 500 });
  const first = refusal(pool.run(null, asked("spin", { timeoutMs: 5_000 })));
  expect(await refusal(pool.run(null, asked("echo", { owner: "b" })))).toMatchObject({ status: 503 });
  await pool.stop();
  expect(await first).toMatchObject({ status: 503 });
});

test("processes end with the server, even during a task", async () => {
  const script = join(folder, "server.ts");
  writeFileSync(
    script,
    `import { ChildPool } from "${join(import.meta.dir, "pool.ts")}";
import { createLog } from "${join(import.meta.dir, "../log.ts")}";
const pool = new ChildPool({ children: 2, timeoutMs: 600000, maxBytes: 1e9, maxWaitingBytes: 1e6, log: createLog("silent") });
const run = (task) => pool.run(null, { owner: "a" + Math.random(), module: "${module}", task });
await run("pid");
void run("spin").catch(() => {});
setTimeout(() => { process.stdout.write(JSON.stringify(pool.pids)); process.stdout.end?.(); }, 300);`,
  );
  const server = Bun.spawn([process.execPath, "run", script], { cwd: folder, stdout: "pipe", stderr: "inherit" });
  const first = await server.stdout.getReader().read();
  const pids = JSON.parse(Buffer.from(first.value ?? []).toString()) as number[];
  expect(pids.length).toBeGreaterThan(0);
  server.kill("SIGKILL");
  await server.exited;
  await until(() => !pids.some(isAlive));
});

test("owners take turns, however many tasks each has, also with one process", async () => {
  const pool = poolOf({ children: 1 });
  const ended: string[] = [];
  const run = async (owner: string) => {
    await pool.run(null, asked("nap", { owner }));
    ended.push(owner);
  };
  const all = [..."aaaaaa", ..."bbbbbb", "c"].map(run);
  await Promise.all(all);
  expect(ended.indexOf("c")).toBeLessThan(4);
  expect(ended.slice(0, 6).filter((owner) => owner === "b").length).toBeGreaterThan(1);
});

test("a full queue drops a task of the owner with most of them", async () => {
  const pool = poolOf({ children: 1, maxWaitingBytes: 40 });
  const busy = refusal(pool.run(null, asked("spin")));
  const taken = ["a", "a", "b", "b"].map((owner) => refusal(pool.run("late", asked("echo", { owner }))));
  const third = refusal(pool.run("third", asked("echo", { owner: "c" })));
  expect(await taken[3]).toMatchObject({ status: 503 });
  // One task more than another owner is not enough.
  expect(await refusal(pool.run("fourth", asked("echo", { owner: "a" })))).toMatchObject({ status: 503 });
  process.kill(pool.pids[0] as number, "SIGKILL");
  expect(await busy).toMatchObject({ status: 503 });
  expect(await third).toEqual({ value: "third" });
  const kept = await Promise.all(taken.slice(0, 3));
  expect(kept).toEqual([1, 2, 3].map(() => ({ value: "late" })));
});

test("the time of a task is charged to its caller, all of it where a limit ended it, and a caller may be refused", async () => {
  const charged: number[] = [];
  let isRefused = false;
  const begin = () => {
    if (isRefused) throw new ApiError(429, "Too much");
  };
  const pool = poolOf({ meter: { begin, charge: (ms) => void charged.push(ms) } });
  await refusal(pool.run(null, asked("spin", { timeoutMs: 300 })));
  await pool.run(null, asked("nap"));
  await refusal(pool.run(null, asked("refuse")));
  expect(charged.map((ms) => ms > 0)).toEqual([true, true, true]);
  expect(charged[0]).toBeGreaterThan(250);
  isRefused = true;
  expect(await refusal(pool.run(null, asked("echo")))).toEqual({ status: 429, text: "Too much" });
  expect(charged).toHaveLength(3);
});

test("a process that cannot be started is a 503, and the pool goes on", async () => {
  const pool = poolOf({ children: 1 });
  const { execPath } = process;
  process.execPath = join(folder, "none");
  try {
    expect(await refusal(pool.run("x", asked("echo")))).toMatchObject({ status: 503 });
  } finally {
    process.execPath = execPath;
  }
  expect(await pool.run("well", asked("echo"))).toBe("well");
});
