/** Refused starts: one sentence, and nothing left behind. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { command, quickCommand } from "../support/harness/command.ts";
import { dataFolder, startProgram } from "../support/harness/program.ts";

setDefaultTimeout(60_000);
const folders = [dataFolder(), dataFolder(), dataFolder()] as const;
afterAll(() => {
  for (const folder of folders) folder.remove();
});

test("a port that is taken is named, and no store is left running", async () => {
  const taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { path } = folders[0];
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
  const { path } = folders[2];
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
  const { path } = folders[1];
  for (const [args, env, said] of [
    [["check"], { DATA_DIR: path, ADMIN_TOKEN: "bad" }, /^Cannot read the settings of "tokens": ADMIN_TOKEN: /],
    [["check"], { DATA_DIR: path, ADMIN_EMAIL: "notmail" }, /^Cannot read the settings of "users": ADMIN_EMAIL: /],
    [["check"], { DATA_DIR: "/etc/passwd" }, /^Cannot use the data folder "\/etc\/passwd": /],
    [["serve", "--port", "3"], { DATA_DIR: path }, /^Cannot run "serve" with "--port 3": /],
    [["bogus"], { DATA_DIR: path }, /^There is no command "bogus"/],
  ] as const) {
    const run = args[0] === "check" ? quickCommand : command;
    const { code, err } = await run(args, env);
    expect([code > 0, err]).toEqual([true, expect.stringMatching(said)]);
  }
});
