/**
 * Examples for plugin authors compile where authors have them: in a folder outside Lectern, with the `tsconfig.json` of the
 * handbook. Each example is compiled by itself, so that none relies on another one's imports.
 */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blocksOf } from "../support/harness/code_examples.ts";
import { command, TSC } from "../support/harness/command.ts";

setDefaultTimeout(180_000);
const ROOT = join(import.meta.dir, "../..");
// A dot in the name of the folder is one of the ways in which a list of files comes out empty.
const home = realpathSync(mkdtempSync(join(tmpdir(), "lectern.authors-")));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** The text of the handbook's tsconfig.json. */
const CONFIG = /`tsconfig\.json` of `(\{.*?\})`/.exec(readFileSync(join(ROOT, "plugins/README.md"), "utf8"))?.[1] ?? "";

/** Type-checks a folder of files as an author would; answers what the compiler says. */
async function compiled(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(home, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  writeFileSync(join(folder, "tsconfig.json"), CONFIG.replace("…/lectern", ROOT));
  const tsc = Bun.spawn([process.execPath, "x", ...TSC, folder], { cwd: ROOT, stdout: "pipe" });
  const output = await new Response(tsc.stdout).text();
  return output.replaceAll(`${folder}/`, "") + ((await tsc.exited) === 0 ? "" : " failed");
}

test("a plugin that the command writes compiles outside Lectern, with its test", async () => {
  mkdirSync(join(home, "scaffold"));
  expect((await command(["new", "plugin", "margin_notes"], {}, join(home, "scaffold"))).code).toBe(0);
  expect(await compiled("scaffold", {})).toBe("");
  const text = readFileSync(join(home, "scaffold/margin_notes/plugin_test.ts"), "utf8");
  expect(text).toMatch(/beforeAll\([\s\S]*?\}, FIRST_BOOT_MS\)/);
});

test("the script and the plugins of the READMEs compile outside Lectern", async () => {
  const [script = "", plugin = ""] = blocksOf("README.md", "ts");
  const merged = blocksOf("plugins/README.md", "ts").find((block) => block.includes("declare module")) ?? "";
  expect(script).toContain("createClient(");
  expect(plugin).toContain("definePlugin({");
  expect(merged).toContain("declare module");
  expect(await compiled("readme", { "script.ts": script, "applause.ts": plugin, "contract.ts": merged })).toBe("");
});

test("the themes of the README and the example compile outside Lectern, and the compiler reads what it is given", async () => {
  const [view = "", code = ""] = blocksOf("themes/README.md", "ts");
  cpSync(join(ROOT, "themes/example"), join(home, "themes/example"), { recursive: true });
  const wrong = 'export const one: number = "two";\n';
  const errors = await compiled("themes", { "views/footer.ts": view, "functions.ts": code, "wrong.ts": wrong });
  expect(errors).toMatch(/^[^\n]*wrong\.ts\(1,14\): error TS2322: [^\n]*\n failed$/);
});
