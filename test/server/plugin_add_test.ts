/** `plugin add` in an operator's folder: what is shown and asked before package.json changes, and a package that is isolated is never imported. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quickCommand } from "../support/harness/command.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { dataFolder } from "../support/harness/program.ts";

setDefaultTimeout(scaled(180_000));
const home = realpathSync(mkdtempSync(join(tmpdir(), "lectern-add-")));
const data = dataFolder("ready");
const FILE = join(home, "package.json");
const TRACE = join(home, "imported");
const BEFORE = '{ "private": true }\n';
afterAll(() => {
  data.remove();
  rmSync(home, { recursive: true, force: true });
});

const source = (name: string, first = "") => `${first}
import { definePlugin } from "lectern/core";
export default definePlugin({
  name: "${name}",
  grants: { read: ["books"] },
  setup: ({ app }) => void app.get("/${name}", () => ({ hello: "world" }), { permit: "public" }),
});
`;

beforeAll(() => {
  const folder = join(home, "node_modules/acme-hello");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(home, "hello.ts"), source("hello"));
  const facts = { name: "acme-hello", version: "1.0.0", type: "module", exports: "./plugin.ts" };
  writeFileSync(join(folder, "package.json"), JSON.stringify(facts));
  const traced = `import { writeFileSync } from "node:fs"; try { writeFileSync(${JSON.stringify(TRACE)}, ""); } catch {}`;
  writeFileSync(join(folder, "plugin.ts"), source("acme_hello", traced));
});

const cli = (...args: string[]) =>
  quickCommand(args, { DATABASE_URL: "", DATA_DIR: data.path, LOG_LEVEL: "warn" }, home);
const lectern = () => JSON.parse(readFileSync(FILE, "utf8")).lectern;

test("a plugin is shown, and added where that is wanted", async () => {
  writeFileSync(FILE, BEFORE);
  const asked = await cli("plugin", "add", "./hello.ts");
  expect(asked.code).toBe(1);
  expect(asked.out).toContain("reads the tables: books");
  expect(asked.out).toContain("answers everybody at the paths: /api/hello");
  expect(readFileSync(FILE, "utf8")).toBe(BEFORE);
  expect((await cli("plugin", "add", "./hello.ts", "--yes")).code).toBe(0);
  expect(lectern().plugins).toEqual(["lectern/plugins", "./hello.ts"]);
  expect(lectern().grants.plugins.hello).toMatchObject({ read: ["books"], publicRoutes: ["/api/hello"] });
  expect((await cli("grants", "hello")).out).toContain("accepted in package.json");
});

test("what cannot be added changes nothing", async () => {
  const before = readFileSync(FILE, "utf8");
  for (const [entry, reason] of [
    ["./hello.ts", "is in the plugins of package.json already"],
    ["./nothing.ts", "nothing.ts"],
    ["acme-nothing", "acme-nothing"],
  ] as const) {
    const refused = await cli("plugin", "add", entry, "--yes");
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(reason)]);
  }
  expect((await cli("plugin", "add")).code).toBe(2);
  expect(readFileSync(FILE, "utf8")).toBe(before);
});

test("a package is added in a process of its own, in which its code alone runs", async () => {
  const added = await cli("plugin", "add", "acme-hello", "--isolate", "--yes");
  expect([added.code, added.err]).toEqual([0, expect.any(String)]);
  expect(lectern().isolated).toEqual(["acme-hello"]);
  expect(lectern().grants.plugins.acme_hello).toMatchObject({ publicRoutes: ["/api/acme_hello"] });
  expect(existsSync(TRACE)).toBe(false);
  expect((await cli("plugin", "list")).out).toContain("acme_hello");
});
