/** `serve --workers`: several processes behave as one server, and survive the end of one of them. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { command } from "../support/harness/command.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { dataFolder, openConnection, type Program, startProgram } from "../support/harness/program.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(scaled(120_000));
const LIMIT = 40;
const folder = dataFolder("ready");
const programs: Program[] = [];
afterAll(async () => {
  for (const program of programs) program.signal("SIGTERM");
  await Promise.all(programs.map(({ ended }) => ended));
  folder.remove();
});

async function start(workers: number, env: Record<string, string> = {}): Promise<Program> {
  const program = await startProgram(folder.path, env, {
    args: ["serve", "--workers", String(workers), "plugins/mod.ts"],
  });
  programs.push(program);
  return program;
}

/** The processes of the workers, without the embedded PostgreSQL. */
function workersOf({ pid }: Program): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  return children.filter((child) => child !== "" && commandLine(child).includes("--worker-folder")).map(Number);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    // It has ended.
    return "";
  }
}

/** Sends a request over a connection of its own, which the kernel gives to any worker. Resolves to the status. */
async function ask(program: Program, path: string, authorization = program.authorization): Promise<number> {
  const line = await openConnection(program.port);
  line.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\nconnection: close\r\n\r\n`);
  const answer = await line.read();
  line.hangUp();
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
}

const statuses = (program: Program, count: number, path: string) =>
  Promise.all(Array.from({ length: count }, () => ask(program, path)));

test("workers share the address, the limits and the figures; one that is killed is started again; a stop ends all", async () => {
  const program = await start(2, {
    ...{ LOG_REQUESTS: "true", METRICS_ADDRESSES: "127.0.0.1", API_REQUESTS_PER_MIN: String(LIMIT) },
  });
  expect(workersOf(program)).toHaveLength(2);
  expect(program.output().match(/answers at/g)).toHaveLength(1);

  // Windows of a minute: a few more than the limit, over connections to both.
  const answers = await statuses(program, LIMIT + 10, "/api/books");
  expect([
    answers.filter((status) => status === 200).length,
    answers.filter((status) => status === 429).length,
  ]).toEqual([LIMIT, 10]);
  await until(() => [1, 2].every((worker) => program.output().includes(`"worker":${worker},"method":"GET"`)));

  const metrics = await (await fetch(`http://127.0.0.1:${program.port}/metrics`)).text();
  const counted = /lectern_http_requests_total\{[^}]*route="\/api\/books"[^}]*status="200"[^}]*\} (\d+)/.exec(metrics);
  expect(Number(counted?.[1])).toBe(LIMIT);

  const [victim = 0] = workersOf(program);
  process.kill(victim, "SIGKILL");
  await until(() => program.output().includes("A worker ended and is started again"));
  // The other one answers meanwhile.
  expect(await ask(program, "/health")).toBe(200);
  await until(() => workersOf(program).length === 2 && !workersOf(program).includes(victim));

  const pids = workersOf(program);
  program.signal("SIGTERM");
  expect(await program.ended).toBe(0);
  expect(pids.map((pid) => commandLine(String(pid)))).toEqual(["", ""]);
});

test("workers whose parent is killed stop", async () => {
  const program = await start(2);
  const pids = workersOf(program);
  program.signal("SIGKILL");
  await until(() => pids.every((pid) => commandLine(String(pid)) === ""));
});

test("a number of workers that cannot be is refused, and so is a port that is taken", async () => {
  const env = { DATA_DIR: folder.path, PORT: "0" };
  const odd = await command(["serve", "--workers", "none"], env);
  expect([odd.code, odd.err]).toEqual([1, "Cannot serve with --workers none: wanted a number from 1 to 64"]);
  const taken = Bun.serve({ port: 0, hostname: "127.0.0.1", reusePort: true, fetch: () => new Response() });
  const refused = await command(["serve", "--workers", "2"], { ...env, HOST: "127.0.0.1", PORT: String(taken.port) });
  expect([refused.code, refused.err]).toEqual([
    1,
    `Cannot listen on 127.0.0.1:${taken.port}: another process already listens there; set PORT or HOST`,
  ]);
  await taken.stop(true);
});
