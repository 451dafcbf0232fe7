/**
 * The tutorial of plugins/handbook: its files are written and its commands run as they are there, in its order. A block of code
 * belongs to the last file named before it. That the files compile is tested in `examples_test.ts`. The tests depend on each other's order over one folder.
 */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scaled } from "../support/harness/machine_speed.ts";
import { dataFolder, PROGRAM_ROOT, type Program, startProgram } from "../support/harness/program.ts";
import { tutorialBlocks, writeTutorialFiles } from "../support/harness/tutorial.ts";

setDefaultTimeout(scaled(180_000));
const home = realpathSync(mkdtempSync(join(tmpdir(), "lectern-tutorial-")));
const data = dataFolder("ready");
afterAll(() => {
  data.remove();
  rmSync(home, { recursive: true, force: true });
});

/** The command block of a section that contains a text. */
function commandsOf(section: number, part: string): string {
  const found = tutorialBlocks(section).find(({ language, text }) => language === "sh" && text.includes(part));
  if (!found) throw new Error(`Section ${section} of the tutorial has no command with "${part}"`);
  return found.text.trim();
}

async function shell(command: string, more: Record<string, string> = {}) {
  const env = {
    ...process.env,
    LECTERN: PROGRAM_ROOT,
    DATABASE_URL: "",
    DATA_DIR: data.path,
    LOG_LEVEL: "warn",
    ...more,
  };
  const child = Bun.spawn(["sh", "-c", command], { cwd: home, env, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out: out.trim(), err: err.trim() };
}

/** Runs a `serve` command of the tutorial while work is done with the server. */
async function serving(command: string, work: (server: Program) => Promise<void>): Promise<void> {
  const [, variables = "", args = ""] = /^(.*?)bun \$LECTERN\/core\/cli\.ts (.+)$/.exec(command) ?? [];
  const env = Object.fromEntries([...variables.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]));
  const server = await startProgram(
    data.path,
    { ADMIN_PASSWORD, ...env },
    { cwd: home, args: args.replaceAll("$LECTERN", PROGRAM_ROOT).split(" ") },
  );
  try {
    await work(server);
  } finally {
    server.signal("SIGTERM");
    expect(await server.ended).toBe(0);
  }
}

const ADMIN_PASSWORD = "correct horse battery";
const TOKEN_MADE = /^\w{32}:\w{32}$/;
let token = "";

/** The answers of the curl commands of a block, in order. */
async function curls(section: number, part: string, { port }: Program) {
  const answers = [];
  for (const command of commandsOf(section, part).split(/^(?=curl)/m)) {
    if (!command.startsWith("curl")) continue;
    const { url, method, body } = requestOf(command.replaceAll("localhost:8080", `127.0.0.1:${port}`));
    const headers = { authorization: `Token ${token}`, "content-type": "application/json" };
    const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
    const text = await response.text();
    answers.push(text === "" ? response.status : JSON.parse(text));
  }
  return answers;
}

/** A curl command as a request, since a machine may lack curl. */
function requestOf(command: string) {
  const body = /-d '([^']*)'/.exec(command)?.[1];
  const url = `http://${/127\.0\.0\.1:\d+[^\s']*/.exec(command)?.[0].replaceAll("\\", "")}`;
  return { url, body, method: /-X (\w+)/.exec(command)?.[1] ?? (body === undefined ? "GET" : "POST") };
}

/** The text of a screen as the administrator sees it. */
async function screen({ port }: Program, path: string): Promise<string> {
  const base = `http://127.0.0.1:${port}`;
  const form = new URLSearchParams({ email: "admin@example.com", password: ADMIN_PASSWORD });
  const headers = { origin: base };
  const signedIn = await fetch(`${base}/login`, { method: "POST", body: form, headers, redirect: "manual" });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((each) => each.split(";")[0])
    .join("; ");
  return (await fetch(base + path, { headers: { cookie } })).text();
}

test("the table and the five routes answer as section 2 says", async () => {
  for (const section of [1, 2]) writeTutorialFiles(section, home);
  await serving(commandsOf(2, "serve"), async (server) => {
    token = (await shell(commandsOf(2, "token create"))).out.split("\n").at(-1) ?? "";
    expect(token).toMatch(TOKEN_MADE);
    const [created, read, changed, listed] = await curls(2, "curl", server);
    expect(created).toMatchObject({ id: 1, name: "Failover", slug: "failover" });
    expect(read).toEqual(created);
    expect(changed).toMatchObject({ definition: "A standby takes over" });
    expect(listed).toMatchObject({ data: [{ id: 1 }], total: 1 });
  });
});

test("search, recycle bin and audit log work on terms, and another plugin refuses one", async () => {
  writeTutorialFiles(3, home);
  await serving(commandsOf(3, "strict.ts"), async (server) => {
    const [found, deleted, bin, restored, log] = await curls(3, "recycle-bin", server);
    expect(found.data).toMatchObject([{ type: "term", id: 1 }]);
    expect(deleted).toBe(204);
    expect(bin.data).toMatchObject([{ id: 1, deletable_type: "term" }]);
    expect(restored).toEqual({ restore_count: 1 });
    expect(log.data.map(({ type }: { type: string }) => type)).toEqual([
      "recycle_bin_restore",
      "term_delete",
      "term_update",
    ]);
    const [refused] = await curls(2, "curl", server);
    expect(refused).toEqual({ error: { code: 403, message: "Define the term in a sentence" } });
  });
});

test("the screen shows the terms, and a theme changes its text", async () => {
  for (const section of [4, 5]) writeTutorialFiles(section, home);
  await serving(commandsOf(2, "serve"), async (server) => {
    const shown = await screen(server, "/glossary");
    expect(shown).toContain('<dt id="failover">Failover</dt><dd>A standby takes over</dd>');
    expect(shown).toContain("<title>Glossary");
    expect(await screen(server, "/settings/webhooks/create")).toContain("term_create");
  });
  await serving(commandsOf(5, "APP_THEME"), async (server) => {
    expect(await screen(server, "/glossary")).toContain("<title>Our words");
  });
});

test("the test of section 6 passes", async () => {
  writeTutorialFiles(6, home);
  const ran = await shell(commandsOf(6, "bun test"));
  expect([ran.code, ran.err]).toEqual([0, expect.stringContaining("3 pass")]);
});

test("the package is made and installed, and has the terms of the folder", async () => {
  writeTutorialFiles(7, home);
  // A machine with Bun alone has no npm; Bun's own commands do the same.
  const npm = Bun.which("npm") !== null;
  const packed = npm ? commandsOf(7, "npm pack") : "cd glossary && bun pm pack --destination ..";
  expect((await shell(packed)).code).toBe(0);
  const install = npm ? commandsOf(7, "npm install") : "bun add ./lectern-glossary-1.0.0.tgz";
  expect(await shell(install)).toMatchObject({ code: 0 });
  const manifest = join(home, "package.json");
  writeFileSync(manifest, readFileSync(manifest, "utf8").replace('"./glossary"', '"lectern-glossary"'));
  rmSync(join(home, "glossary"), { recursive: true });
  await serving(commandsOf(2, "serve"), async (server) => {
    expect((await curls(2, "curl", server))[1]).toMatchObject({ id: 1, definition: "A standby takes over" });
  });
});
