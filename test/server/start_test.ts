/** How the program refuses to start: in a sentence, with nothing of it left behind. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { dataFolder } from "../support/program.ts";

setDefaultTimeout(60_000);
const folders = [dataFolder(), dataFolder()] as const;
afterAll(() => {
  for (const folder of folders) folder.remove();
});

const CLI = join(import.meta.dir, "../../core/cli.ts");

async function run(args: readonly string[], env: Record<string, string>) {
  const child = Bun.spawn([process.execPath, CLI, ...args], {
    env: { ...process.env, DATABASE_URL: "", LOG_LEVEL: "silent", ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out, err: err.trim() };
}

test("a port that is taken is named, and no store is left running", async () => {
  const taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { path } = folders[0];
  const { port } = taken;
  const { code, err } = await run(["serve"], { DATA_DIR: path, PORT: String(port) });
  await taken.stop(true);
  expect([code, err]).toEqual([
    1,
    `Cannot listen on 127.0.0.1:${port}: something else listens there already; set PORT or HOST`,
  ]);
  expect(existsSync(join(path, "postgres", "cluster", "postmaster.pid"))).toBe(false);
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
    const { code, err } = await run(args, env);
    expect([code > 0, err]).toEqual([true, expect.stringMatching(said)]);
  }
});
