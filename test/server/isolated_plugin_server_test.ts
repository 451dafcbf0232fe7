/**
 * An operator who isolates a plugin by a word in package.json: what `grants` and `plan` show, that the server serves it, ends
 * its process with itself, and stops at the start where the plugin or the choice is wrong.
 */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CLI, SHIPPED } from "../support/harness/command.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { dataFolder, startProgram } from "../support/harness/program.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(scaled(120_000));
const ROOT = join(import.meta.dir, "../..");
const home = realpathSync(mkdtempSync(join(tmpdir(), "lectern-isolating-")));
const data = dataFolder("ready");
afterAll(() => {
  data.remove();
  rmSync(home, { recursive: true, force: true });
});
cpSync(join(ROOT, "test/fixtures/plugins/acme-kudos"), join(home, "acme-kudos"), { recursive: true });

/** Writes the operator's choices. The walls themselves are tested elsewhere, so a kernel without them is admitted. */
function choose(isolated: unknown, plugins: readonly string[] = ["lectern/plugins", "./acme-kudos"]): void {
  writeFileSync(join(home, "package.json"), JSON.stringify({ private: true, lectern: { plugins, isolated } }));
}

async function cli(...args: readonly string[]) {
  const child = Bun.spawn([process.execPath, CLI, ...args], {
    cwd: home,
    env: { ...process.env, DATABASE_URL: "", DATA_DIR: data.path, LOG_LEVEL: "warn" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out, err };
}

/** Isolated processes of the server in the operator's folder. */
function isolatedProcesses(): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      const parent = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];
      const isIsolated = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("core/children/confinement/main.ts");
      return isIsolated && readlinkSync(`/proc/${parent}/cwd`) === home;
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}

function runs(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}

test("a plugin is isolated by a word of the operator, shown so, and ends with the server", async () => {
  choose({ "./acme-kudos": { unenforced: true } });
  const grants = await cli("grants");
  expect([grants.code, grants.err]).toEqual([0, ""]);
  expect(grants.out).toMatch(/^acme-kudos +read=books write=acme_kudos net=127.0.0.1 files.* isolated/m);
  // The same file under another name is isolated, too.
  const named = await cli("grants", SHIPPED, "./acme-kudos/plugin.ts");
  expect(named.out).toMatch(/^acme-kudos +read=books .* isolated/m);
  const server = await startProgram(data.path, {}, { cwd: home, args: ["serve"] });
  let pids: number[] = [];
  try {
    pids = isolatedProcesses();
    expect(pids.length).toBe(1);
    expect(server.output()).toMatch(/what it may touch: acme-kudos .* isolated/);
    const { body } = await server.ask("POST", "/api/books", { name: "Of teh operator" });
    expect(body.name).toBe("Of the operator");
    const given = await server.ask("POST", `/api/acme/kudos/${body.id}`, { points: 2 });
    expect([given.status, given.body]).toEqual([201, { book_id: body.id, user_id: 1, points: 2 }]);
  } finally {
    server.signal("SIGTERM");
    expect(await server.ended).toBe(0);
  }
  await until(() => !pids.some(runs));
});

test("a plugin that cannot run isolated stops the start with what it lacks", async () => {
  const broken = (text: string) => {
    mkdirSync(join(home, "broken"), { recursive: true });
    writeFileSync(join(home, "broken/plugin.ts"), text);
  };
  const plugin = (text: string) => `import { definePlugin } from "lectern/core"; export default definePlugin(${text});`;
  const cases: [string, unknown, RegExp][] = [
    [plugin(`{ name: "b", setup({ provide }) {} }`), undefined, /no "provide" of the context; they have settings/],
    [
      plugin(`{ name: "b", permissions: { read: ["books"] }, setup() {} }`),
      undefined,
      /"permissions" is now "grants": grants: \{ read: \["books"\] \}/,
    ],
    [plugin(`{ name: "b", provides: ["users"], setup() {} }`), undefined, /isolated plugins cannot have "provides"/],
    [
      plugin(`{ name: "b", requires: ["userz"], setup() {} }`),
      undefined,
      /The plugin "b" requires "userz", which no plugin provides/,
    ],
    [
      plugin(`{ name: "b", setup({ contribute }) { contribute("document_head", { scripts: ["/b.js"] }); } }`),
      undefined,
      /cannot contribute to the slot "document_head"/,
    ],
    [plugin(`{ name: "b b", setup() {} }`), undefined, /"name": Expected string to match/],
    ["throw new Error('at once');", undefined, /Cannot load the isolated plugin ".\/broken": at once/],
    ["for (;;);", { startMs: 300, unenforced: true }, /it did not answer "load" within 300 ms/],
    [`import "node:fs"; import { html } from "lectern/core"; export default html;`, undefined, /'html'/],
    [
      plugin(`{ name: "b", setup({ app }) { app.get("/b", () => 1, { permit: "public", beforeHandle() {} }); } }`),
      undefined,
      /cannot give "beforeHandle" to app.get\("\/b"\)/,
    ],
  ];
  for (const [text, limits, wanted] of cases) {
    broken(text);
    choose({ "./broken": limits ?? { unenforced: true } }, ["lectern/plugins", "./broken"]);
    const { code, err } = await cli("check");
    expect([text, code]).toEqual([text, 1]);
    expect(err).toMatch(wanted);
  }
  choose({ "./acme-kudos": { memoryMB: 96 } });
  expect((await cli("grants")).err).toMatch(/"isolated" of ".\/acme-kudos": "memoryMB"/);
  choose(["./acme-kudo"]);
  expect((await cli("grants")).err).toContain('did you mean "./acme-kudos"?');
});

test("an entry is not loaded where no plugin isolates it", async () => {
  mkdirSync(join(home, "stranger"));
  const marker = join(home, "stranger_ran");
  writeFileSync(
    join(home, "stranger/plugin.ts"),
    `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(marker)}, "");
     import { definePlugin } from "lectern/core"; export default definePlugin({ name: "stranger", setup() {} });`,
  );
  const shipped = JSON.stringify({ from: "lectern/plugins", without: ["isolation"] });
  for (const plugins of [["./stranger"], [JSON.parse(shipped), "./stranger"]]) {
    choose(["./stranger"], plugins);
    for (const command of [["check"], ["plugin", "list"]]) {
      const { code, err } = await cli(...command);
      expect([code, err.trim()]).toEqual([
        1,
        'Cannot isolate "./stranger": none of the listed plugins isolates; one of "lectern/plugins" does',
      ]);
    }
  }
  expect(existsSync(marker)).toBe(false);
});

test("the commands for plugins name one that is isolated", async () => {
  choose({ "./acme-kudos": { unenforced: true } });
  const { code, out } = await cli("plugin", "list");
  expect([code, out.match(/^acme-kudos .*$/m)?.[0]]).toEqual([0, expect.stringMatching(/installed$/)]);
  const removed = await cli("plugin", "remove", "acme-kudos");
  expect([removed.code, removed.err]).toEqual([0, ""]);
  expect(JSON.parse(readFileSync(join(home, "package.json"), "utf8")).lectern).toEqual({
    plugins: ["lectern/plugins"],
    isolated: {},
  });
});

test("where the kernel confines nothing the plugin does not run, unless the operator admits that", async () => {
  writeFileSync(join(home, "elsewhere.ts"), `Object.defineProperty(process, "arch", { value: "riscv64" });`);
  const main = join(home, "main.ts");
  writeFileSync(main, `console.error("it runs");`);
  const run = async (unenforced: boolean) => {
    const order = JSON.stringify({ main, readable: [home], modules: {}, unenforced });
    const trampoline = join(ROOT, "core/children/confinement/trampoline.ts");
    const child = Bun.spawn([process.execPath, "--preload", join(home, "elsewhere.ts"), trampoline, order], {
      stdout: "pipe",
      stderr: "pipe",
    });
    return { out: (await new Response(child.stdout).text()).slice(4), err: await new Response(child.stderr).text() };
  };
  const missing = JSON.stringify({ missing: "the system calls of this platform are unknown" });
  expect(await run(false)).toEqual({ out: missing, err: "" });
  expect(await run(true)).toEqual({ out: missing, err: "it runs\n" });
});
