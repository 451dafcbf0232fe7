/**
 * Third-party plugins as an operator has them: written by the command, started beside what ships, upgraded, denied grants, and
 * removed with their data kept. That the types of what the command writes hold is tested in `examples_test.ts`.
 */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CLI, SHIPPED as list, quickCommand } from "../support/harness/command.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { dataFolder, PROGRAM_ROOT } from "../support/harness/program.ts";

setDefaultTimeout(scaled(120_000));
/** Where the runtime's packages and types reach it, as an operator's own folder beside package.json. */
const HOME = join(PROGRAM_ROOT, `stranger_${process.pid}`);
const folder = dataFolder("ready");
afterAll(() => {
  folder.remove();
  rmSync(HOME, { recursive: true, force: true });
});

async function run(args: readonly string[], cwd = PROGRAM_ROOT) {
  const child = Bun.spawn([process.execPath, ...args], {
    cwd,
    env: { ...process.env, DATABASE_URL: "", DATA_DIR: folder.path, LOG_LEVEL: "warn" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out, err };
}
const cli = (...args: string[]) => run([CLI, ...args], HOME);
/** The same where no file of a plugin has changed before. */
const quick = (...args: string[]) => quickCommand(args, { DATA_DIR: folder.path, LOG_LEVEL: "warn" }, HOME);

test("the command writes a plugin whose own test passes", async () => {
  mkdirSync(HOME, { recursive: true });
  expect((await quick("new", "plugin", "Bad-Name")).code).toBe(2);
  const written = await cli("new", "plugin", "margin_notes");
  expect([written.code, written.out]).toEqual([0, expect.stringContaining("margin_notes/plugin_test.ts")]);
  expect((await quick("new", "plugin", "margin_notes")).code).toBe(1);
  const tested = await run([
    "test",
    "--timeout",
    "60000",
    `./${HOME.slice(PROGRAM_ROOT.length + 1)}/margin_notes/plugin_test.ts`,
  ]);
  expect([tested.code, tested.err]).toEqual([0, expect.stringContaining("1 pass")]);
});

test("it boots, is upgraded by another step, keeps its data when it is taken out, and finds it again", async () => {
  const plugin = join(HOME, "margin_notes/plugin.ts");
  const first = await quick("migrate", list, plugin);
  expect([first.code, first.out]).toEqual([0, expect.stringContaining("margin_notes 0001_init")]);
  const text = readFileSync(plugin, "utf8");
  const step = `    async "0002_stars"(db) {\n      await sql\`alter table margin_notes add column stars integer not null default 0\`.execute(db);\n    },\n  },\n  events`;
  writeFileSync(plugin, text.replace("  },\n  events", step));
  expect((await cli("plan", list, plugin)).out).toContain("pending: 0002_stars");
  expect((await quick("check", list)).code).toBe(0);
  const again = await cli("migrate", list, plugin);
  expect([again.code, again.out.trim()]).toEqual([0, "margin_notes 0002_stars"]);
  expect((await cli("check", list, plugin)).code).toBe(0);
});

test("what it may touch is shown, and what the operator denies is refused", async () => {
  const plugin = join(HOME, "margin_notes/plugin.ts");
  expect((await cli("grants", list, plugin)).out).toMatch(/margin_notes +read=books write=margin_notes/);
  // Choices are those of the folder that the program is started in.
  writeFileSync(
    join(folder.path, "package.json"),
    JSON.stringify({ lectern: { denied: { margin_notes: ["write"] } } }),
  );
  const denied = await run([CLI, "grants", list, plugin], folder.path);
  expect(denied.out).toContain("write=margin_notes (denied)");
});

test("a contract that nobody provides is named, and so is a list that cannot be read", async () => {
  const wants = join(HOME, "wants.ts");
  writeFileSync(
    wants,
    `import { definePlugin } from "lectern/core";\nexport default definePlugin({ name: "wants", requires: ["weather"], setup() {} });\n`,
  );
  const missing = await quick("check", list, wants);
  expect([missing.code, missing.err.trim()]).toEqual([
    1,
    'The plugin "wants" requires "weather", which no plugin provides',
  ]);
  const absent = await quick("check", list, "./absent.ts");
  expect([absent.code, absent.err]).toEqual([1, expect.stringContaining('Cannot load the plugins of "./absent.ts"')]);
  expect(existsSync(join(HOME, "absent.ts"))).toBe(false);
});
