/**
 * The README's commands, taken from the README itself and run: start the server, make a token beside it, the three
 * requests of the first five minutes, load a folder of Markdown, serve the example plugins. A command that is changed
 * there is the command that is run here.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../support/harness/until.ts";

const ROOT = join(import.meta.dir, "../..");
const START_MS = 120_000;
const readme = readFileSync(join(ROOT, "README.md"), "utf8");
const blocks = [...readme.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language, text]) => ({
  language,
  text: text ?? "",
}));
const folder = mkdtempSync(join(tmpdir(), "lectern-readme-"));
const port = 20_000 + (process.pid % 20_000);
const base = `http://localhost:${port}`;
const env = {
  ...process.env,
  PORT: String(port),
  DATA_DIR: join(folder, "data"),
  DATABASE_URL: "",
  API_REQUESTS_PER_MIN: "100000",
  npm_config_loglevel: "error",
  TOKEN: "",
};
let server: ChildProcess | undefined;

/** The block that holds a text, with the address of this run. */
function block(part: string): string {
  const found = blocks.find(({ text }) => text.includes(part));
  if (!found) throw new Error(`The README has no block with "${part}"`);
  const text = found.text.replaceAll("localhost:8080", `localhost:${port}`);
  // A machine with Bun alone has no npx.
  return Bun.which("npx") ? text : text.replaceAll("npx --no lectern", "bun core/cli.ts");
}

function shell(command: string): { code: number; out: string; err: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["sh", "-c", command], { cwd: ROOT, env });
  return { code: exitCode, out: stdout.toString(), err: stderr.toString() };
}

/** A curl command of the README as a request, for machines without curl. */
async function ask(command: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const [, path] = /localhost:\d+(\S+)/.exec(command) ?? [];
  const data = /-d '([\s\S]*?)'/.exec(command)?.[1];
  const headers = { authorization: `Token ${env.TOKEN}`, "content-type": "application/json" };
  const response = await fetch(base + path, { headers, ...(data === undefined ? {} : { method: "POST", body: data }) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function start(command: string): Promise<void> {
  // A process group of its own: npx, shells and Bun are between the command and the server.
  server = spawn("sh", ["-c", command], { cwd: ROOT, env, stdio: "ignore", detached: true });
  await until(answers, Boolean, START_MS);
}

const answers = () =>
  fetch(`${base}/api`, { redirect: "manual" }).then(
    () => true,
    () => false,
  );

async function stop(): Promise<void> {
  if (server?.pid === undefined) return;
  const ended = once(server, "exit");
  process.kill(-server.pid, "SIGTERM");
  await ended;
  await until(async () => !(await answers()));
  server = undefined;
}

beforeAll(() => {
  chmodSync(folder, 0o755);
});
afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

test(
  "the command under Run starts a server that answers",
  async () => {
    const run = /## Run\n\n```sh\n(.+)\n```/.exec(readme)?.[1] ?? "";
    expect(run).toBe("npx --yes bun@1.4.5 run start");
    // A machine with Bun alone has no npx; the README names its command, too.
    await start(Bun.which("npx") ? run : run.replace(/^npx --yes bun@[\d.]+/, "bun"));
    expect((await fetch(`${base}/api/books`)).status).toBe(401);
  },
  START_MS,
);

test("a token is made beside the running server, and the first page is written and read", async () => {
  const made = shell(block("token create").trim());
  expect([made.code, made.err]).toEqual([0, ""]);
  env.TOKEN = made.out.trim().split("\n").at(-1) ?? "";
  expect(env.TOKEN).toMatch(/^\w{32}:\w{32}$/);
  const commands = block("export TOKEN")
    .split(/^(?=curl)/m)
    .slice(1);
  expect(commands.length).toBe(3);
  const answers = [];
  for (const command of commands) {
    answers.push(Bun.which("curl") ? JSON.parse(shell(command).out) : (await ask(command)).body);
  }
  expect(answers[0].slug).toBe("runbooks");
  expect(answers[2]).toMatchObject({
    name: "Failover",
    book_id: answers[0].id,
    markdown: "# Call the DBA\n\nAt any hour.",
  });
});

test("a folder of Markdown is loaded", async () => {
  const handbook = join(folder, "handbook");
  mkdirSync(join(handbook, "guides"), { recursive: true });
  writeFileSync(join(handbook, "guides", "start.md"), "# Start here\n\nThen [go on](next.md).");
  writeFileSync(join(handbook, "guides", "next.md"), "# Next\n\nDone.");
  const loaded = shell(block("lectern load").replace("./handbook", handbook).trim());
  expect([loaded.code, loaded.out.includes("pages     2 created")]).toEqual([0, true]);
});

test("a book is exported, and its archive imported again", () => {
  if (!Bun.which("curl")) {
    process.stdout.write("\n== skipped: curl is not installed here\n");
    return;
  }
  const into = mkdtempSync(join(folder, "exports-"));
  const { code, out } = shell(`cd ${into} && ${block("api/imports")}`);
  expect([code, out.includes('"slug":"runbooks-')]).toEqual([0, true]);
});

test(
  "a backup is made beside the running server, verified, and restored elsewhere",
  () => {
    const archive = join(folder, "lectern.tar.zst");
    const [backup = "", verify = "", restore = ""] = block("lectern backup")
      .replaceAll("lectern.tar.zst", archive)
      .trim()
      .split("\n");
    for (const line of [backup, verify, `DATA_DIR=${join(folder, "restored")} ${restore}`]) {
      const { code, err } = shell(line);
      expect([line, code, err]).toEqual([line, 0, ""]);
    }
  },
  START_MS,
);

test(
  "the server stops in order and keeps its data",
  async () => {
    await stop();
    await start("exec bun core/cli.ts serve plugins/mod.ts");
    const response = await fetch(`${base}/api/pages`, { headers: { authorization: `Token ${env.TOKEN}` } });
    // The page of the import, which needs curl, is the fourth.
    expect(((await response.json()) as { total: number }).total).toBe(Bun.which("curl") ? 4 : 3);
    await stop();
  },
  START_MS,
);

test(
  "the example plugin compiles by itself and applauds a book",
  async () => {
    // Where no check looks that runs beside the tests.
    const file = `.cache/applause_${process.pid}.ts`;
    mkdirSync(join(ROOT, ".cache"), { recursive: true });
    writeFileSync(join(ROOT, file), block('name: "applause"'));
    try {
      await start(`exec ${block("./applause.ts").trim().replace("./applause.ts", `./${file}`)}`);
      const response = await fetch(`${base}/api/books/1/applause`, {
        method: "POST",
        headers: { authorization: `Token ${env.TOKEN}` },
      });
      expect([response.status, await response.json()]).toEqual([200, { given: true }]);
    } finally {
      await stop();
      rmSync(join(ROOT, file), { force: true });
    }
  },
  START_MS,
);

test(
  "a plugin of a few lines answers over the bare core, from a folder of its own and by one command",
  async () => {
    const own = mkdtempSync(join(folder, "bare-"));
    writeFileSync(join(own, "hello.ts"), block('name: "hello"'));
    const serve = /`npx --no lectern (serve \.\/hello\.ts)`/.exec(readme)?.[1] ?? "";
    await start(`cd ${own} && DATA_DIR=${own}/data exec bun ${join(ROOT, "core/cli.ts")} ${serve}`);
    try {
      const ask = async (path: string) => {
        const response = await fetch(base + path);
        return [response.status, await response.json()];
      };
      expect(await ask("/api/hello")).toEqual([200, { hello: "world" }]);
      // None of the shipped plugins is there.
      for (const path of ["/", "/login", "/api/books", "/health"]) expect((await ask(path))[0]).toBe(404);
    } finally {
      await stop();
    }
  },
  START_MS,
);
