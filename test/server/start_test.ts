/** Refused starts: one sentence, and nothing left behind. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CLI, command, quickCommand } from "../support/harness/command.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { dataFolder, PROGRAM_ROOT, startProgram } from "../support/harness/program.ts";

setDefaultTimeout(scaled(60_000));
type Folder = ReturnType<typeof dataFolder>;
const folders = [dataFolder(), dataFolder(), dataFolder()];
afterAll(() => {
  for (const folder of folders) folder.remove();
});

test("a port that is taken is named, and no store is left running", async () => {
  const taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { path } = folders[0] as Folder;
  const { port } = taken;
  const { code, err } = await command(["serve"], { DATA_DIR: path, PORT: String(port) });
  await taken.stop(true);
  expect([code, err]).toEqual([
    1,
    `Cannot listen on 127.0.0.1:${port}: another process already listens there; set PORT or HOST`,
  ]);
  expect(existsSync(join(path, "postgres", "cluster", "postmaster.pid"))).toBe(false);
});

test("the initial password is printed once, by the first start that listens, and is right", async () => {
  const taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { path } = folders[2] as Folder;
  for (const _ of [1, 2]) {
    const { code, out, err } = await command(["serve"], { DATA_DIR: path, PORT: String(taken.port) });
    expect([code, out + err]).toEqual([1, expect.not.stringContaining("password")]);
  }
  // Neither does a command that makes the store without serving it.
  const made = await quickCommand(["role", "list"], { DATA_DIR: path });
  expect([made.code, made.out + made.err]).toEqual([0, expect.not.stringContaining("password")]);
  await taken.stop(true);
  const signIn = async (port: number, password: string) =>
    await fetch(`http://127.0.0.1:${port}/api/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: "admin@example.com", password }),
    }).then(({ status }) => status);
  const first = await startProgram(path);
  const password = /with the password (\S+) \(shown once\)/.exec(first.output())?.[1] ?? "";
  expect([await signIn(first.port, password), await signIn(first.port, "to be told")]).toEqual([200, 401]);
  first.signal("SIGTERM");
  await first.ended;
  const second = await startProgram(path);
  expect([second.output().includes("password"), await signIn(second.port, password)]).toEqual([false, 200]);
  second.signal("SIGTERM");
  expect(await second.ended).toBe(0);
});

test("what cannot be meant is refused by its name, before anything is made of it", async () => {
  const { path } = folders[1] as Folder;
  for (const [args, env, said] of [
    [["check"], { DATA_DIR: path, ADMIN_TOKEN: "bad" }, /^Cannot read the settings of "tokens": ADMIN_TOKEN: /],
    [["check"], { DATA_DIR: path, ADMIN_EMAIL: "notmail" }, /^Cannot read the settings of "users": ADMIN_EMAIL: /],
    [["check"], { DATA_DIR: "/etc/passwd" }, /^Cannot use the data folder "\/etc\/passwd": /],
    [["serve", "--port", "3"], { DATA_DIR: path }, /^Cannot run "serve" with "--port 3": /],
    [["bogus"], { DATA_DIR: path }, /^There is no command "bogus"/],
    [["serv"], { DATA_DIR: path }, /^There is no command "serv"; did you mean "serve"\?/],
    [["backup", "--verfy", "x"], { DATA_DIR: path }, /^"backup" has no option "--verfy"; did you mean "--verify"\?$/],
    [["user", "crate"], { DATA_DIR: path }, /^There is no command "user crate"; did you mean "user create"\?$/],
    [["token", "list", "--usr", "x"], { DATA_DIR: path }, /^"token" has no option "--usr"; did you mean "--user"\?$/],
    [["check"], { DATA_DIR: path, PORT: "http" }, /PORT: found "http", wanted a whole number from 0 to 65535$/],
    [["check"], { DATA_DIR: path, LOG_REQUESTS: "maybe" }, /LOG_REQUESTS: found "maybe", wanted true or false$/],
    [["check"], { DATA_DIR: path, PLUGIN_ROLES: "some" }, /found "some", wanted one of "third-party", "all", "off"$/],
    [["check", "--env-file", "/no/such.env"], { DATA_DIR: path }, /^Cannot read the settings in "\/no\/such.env": /],
  ] as const) {
    const run = args[0] === "serve" ? command : quickCommand;
    const { code, err } = await run(args, env);
    expect([code > 0, err]).toEqual([true, expect.stringMatching(said)]);
  }
});

/** Runs a command without DATABASE_URL, which the commands of tests set to nothing: by that another program's variable is allowed. */
async function withoutUrl(
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ code: number; said: string }> {
  const child = Bun.spawn([process.execPath, CLI, ...args], {
    cwd: PROGRAM_ROOT,
    env: { ...process.env, DATABASE_URL: undefined, PORT: "0", ...env },
    stderr: "pipe",
    stdout: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, said: err + out };
}

test("a misspelt DATABASE_URL makes no embedded store", async () => {
  const empty = dataFolder();
  folders.push(empty);
  const { code, said } = await withoutUrl(["serve"], { DATABSE_URL: "postgres://u@h/d", DATA_DIR: empty.path });
  expect([code, said]).toEqual([
    1,
    expect.stringMatching(/^Cannot start: DATABSE_URL is no setting; did you mean DATABASE_URL\?/),
  ]);
  expect(existsSync(join(empty.path, "postgres"))).toBe(false);
});

test("DATABASE_URL by the name that other programs have for it makes no store, and is a warning where one is there", async () => {
  const folder = dataFolder();
  folders.push(folder);
  const env = { DB_URL: "postgres://u@h/d", DATA_DIR: folder.path };
  for (const args of [["serve"], ["check"], ["migrate"], ["dev"], ["restore", "/no/such.zst"]])
    expect(await withoutUrl(args, env)).toEqual({
      code: 1,
      said: expect.stringMatching(
        /^Cannot make a new store in the folder ".+": DB_URL is no setting; did you mean DATABASE_URL\?/,
      ),
    });
  expect(existsSync(join(folder.path, "postgres"))).toBe(false);
  expect((await quickCommand(["migrate"], env)).code).toBe(0);
  const { code, said } = await withoutUrl(["role", "list"], env);
  expect([code, said]).toEqual([0, expect.stringContaining("DB_URL is no setting; did you mean DATABASE_URL?")]);
});

test("--version prints the version, and --env-file names the settings of a service for every command", async () => {
  const manifest = readFileSync(join(import.meta.dir, "../../package.json"), "utf8");
  const { version } = JSON.parse(manifest) as { version: string };
  expect(await command(["--version"], {})).toEqual({ code: 0, out: version, err: "" });
  const folder = dataFolder();
  folders.push(folder);
  const file = join(folder.path, "lectern.env");
  writeFileSync(file, `# The settings of a service\nDATA_DIR=/etc/passwd\nPORT="1"\n`);
  const found = await quickCommand(["check", "--env-file", file], { PORT: "2" });
  expect([found.code, found.err]).toEqual([1, expect.stringMatching(/^Cannot use the data folder "\/etc\/passwd": /)]);
  // What the environment has precedes the file.
  writeFileSync(file, "PORT=http\n");
  const ofFile = async (env: Record<string, string>) =>
    (await quickCommand([`--env-file=${file}`, "check"], { DATA_DIR: "/etc/passwd", ...env })).err;
  expect(await ofFile({ PORT: "2" })).toContain('Cannot use the data folder "/etc/passwd"');
  expect(await ofFile({})).toContain('PORT: found "http"');
});

test("a command whose reader ends says nothing of it", async () => {
  const script = `"$1" "$2" help | head -n 1; echo "code \${PIPESTATUS[0]}"`;
  const shell = Bun.spawn(["bash", "-c", script, "-", process.execPath, CLI], {
    cwd: PROGRAM_ROOT,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(shell.stdout).text(), new Response(shell.stderr).text()]);
  expect([out.startsWith("Usage: "), out.trimEnd().endsWith("code 0"), err]).toEqual([true, true, ""]);
});
