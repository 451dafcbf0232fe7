/**
 * Examples for plugin authors compile where authors have them: in folders outside Lectern, with the `tsconfig.json` of the handbook,
 * beside plugins that the command writes, files of the tutorial, and packages. The compiler takes ten times as long for Lectern as for
 * all of them, so it reads them as two programs: `shipped` has the files that import "lectern/plugins" themselves, and `alone`
 * the others, so that none of these relies on another one's imports.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newPlugin } from "../../core/cli/new_plugin.ts";
import { blocksOf } from "../support/harness/code_examples.ts";
import { TSC } from "../support/harness/command.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { writeTutorialFiles } from "../support/harness/tutorial.ts";

setDefaultTimeout(scaled(180_000));
const ROOT = join(import.meta.dir, "../..");
const FIXTURES = join(ROOT, "test/fixtures/plugins");
// A dot in the name of the folder is one of the ways in which a list of files comes out empty.
const home = realpathSync(mkdtempSync(join(tmpdir(), "lectern.authors-")));
/** A folder of Lectern, where its packages are found without a path of the configuration. */
const inside = join(ROOT, "test/fixtures", `author_${process.pid}`);
afterAll(() => {
  for (const folder of [home, inside]) rmSync(folder, { recursive: true, force: true });
});

/** The text of the handbook's tsconfig.json. */
const CONFIG = /`tsconfig\.json` of `(\{.*?\})`/.exec(readFileSync(join(ROOT, "plugins/README.md"), "utf8"))?.[1] ?? "";
const PACKAGES = readdirSync(FIXTURES).filter((name) => name.startsWith("lectern-"));

/** Writes a file below the folder of all of them. */
function write(path: string, text: string): void {
  mkdirSync(join(home, path, ".."), { recursive: true });
  writeFileSync(join(home, path), text);
}

/** Copies a package to where npm installs it for a folder. */
function install(folder: string, name: string, from: string): void {
  cpSync(from, join(home, folder, "node_modules", name), { recursive: true });
}

/** Writes a plugin into a folder as `lectern new plugin` does. */
async function writePlugin(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const io = { out: () => {}, err: () => {}, env: {}, columns: 80, tty: false };
  expect(await newPlugin(io, ["plugin", "margin_notes"], [], folder)).toBe(0);
}

/** What the compiler says of a program, by finding. Each program has a file that is wrong. */
async function compiled(program: string, ...more: readonly string[]): Promise<string[]> {
  const folder = join(home, program);
  const config = JSON.parse(CONFIG.replace("…/lectern", ROOT)) as { include: string[] };
  write(`${program}/tsconfig.json`, JSON.stringify({ ...config, include: [...config.include, ...more] }));
  const [tsc = "", ...options] = TSC;
  const command = [process.execPath, join(ROOT, "node_modules/typescript/bin", tsc), "--pretty", "false", ...options];
  const run = Bun.spawn([...command, folder], { cwd: folder, stdout: "pipe" });
  const output = (await new Response(run.stdout).text()).trim();
  if (!output.includes("wrong.ts")) throw new Error(`Cannot compile "${program}": the compiler wrote "${output}"`);
  return output.split(/\n(?! )/);
}

let shipped: readonly string[];
let alone: readonly string[];

/** What a program has to say of a folder, and of what is in none of them. */
function saidOf(program: readonly string[], folder: string): string[] {
  const others = /^(?:scaffold|readme|themes|tutorial|operator|packages)\//;
  return program.filter((said) => said.startsWith(`${folder}/`) || !others.test(said));
}

const [script = "", plugin = "", hello = ""] = blocksOf("README.md", "ts");
const merged = blocksOf("plugins/README.md", "ts").find((block) => block.includes("declare module")) ?? "";
const [view = "", code = ""] = blocksOf("themes/README.md", "ts");
const wrong = 'export const one: number = "two";\n';

beforeAll(async () => {
  await writePlugin(join(home, "shipped/scaffold"));
  await writePlugin(inside);
  // A fixture in the folder of the operator is a plugin of the same name with another table.
  write("shipped/readme/applause.ts", plugin.replaceAll("applause", "acclaim"));
  write("shipped/themes/functions.ts", code);
  cpSync(join(ROOT, "themes/example"), join(home, "shipped/themes/example"), { recursive: true });
  for (const program of ["shipped", "alone"]) write(`${program}/themes/wrong.ts`, wrong);
  for (const section of [1, 2, 3, 4, 5, 6]) writeTutorialFiles(section, join(home, "shipped/tutorial"));
  await writePlugin(join(home, "shipped/operator"));
  cpSync(join(FIXTURES, "applause"), join(home, "shipped/operator/applause"), { recursive: true });
  install("shipped/operator", "lectern-podium", join(FIXTURES, "lectern-podium"));
  write(
    "shipped/operator/wrong.ts",
    'import type { Events } from "lectern/core";\nexport const e: keyof Events = "no";',
  );
  for (const section of [2, 4, 7]) writeTutorialFiles(section, join(home, "made"));
  install("shipped/packages", "lectern-glossary", join(home, "made/glossary"));
  for (const name of PACKAGES) install("shipped/packages", name, join(FIXTURES, name));
  const imported = PACKAGES.map((name, at) => `import plugin${at} from "${name}";\n`).join("");
  write(
    "shipped/packages/all.ts",
    `${imported}import glossary from "lectern-glossary";\nexport const all = [glossary, ${PACKAGES.map((_, at) => `plugin${at}`)}];\n`,
  );
  write("alone/readme/script.ts", script);
  write("alone/readme/hello.ts", hello);
  write("alone/readme/contract.ts", merged);
  write("alone/themes/views/footer.ts", view);
  cpSync(join(ROOT, "themes/example/views"), join(home, "alone/themes/example/views"), { recursive: true });
  shipped = await compiled("shipped", inside);
  alone = await compiled("alone");
});

test("a plugin that the command writes compiles outside Lectern, with its test", () => {
  expect(saidOf(shipped, "scaffold")).toEqual([]);
  const text = readFileSync(join(home, "shipped/scaffold/margin_notes/plugin_test.ts"), "utf8");
  expect(text).toMatch(/beforeAll\([\s\S]*?\}, FIRST_BOOT_MS\)/);
});

test("a plugin that the command writes compiles in a folder of Lectern, too", () => {
  expect(existsSync(join(inside, "margin_notes/plugin_test.ts"))).toBe(true);
  expect(saidOf(shipped, "inside")).toEqual([]);
});

test("the script and the plugins of the READMEs compile outside Lectern", () => {
  expect(script).toContain("createClient(");
  for (const text of [plugin, hello]) expect(text).toContain("definePlugin({");
  expect(merged).toContain("declare module");
  expect([...saidOf(shipped, "readme"), ...saidOf(alone, "readme")]).toEqual([]);
});

test("the themes of the README and the example compile outside Lectern, and the compiler reads what it is given", () => {
  expect(saidOf(shipped, "themes")).toEqual([expect.stringMatching(/^themes\/wrong\.ts\(1,14\): error TS2322: /)]);
  expect(saidOf(alone, "themes")).toEqual([expect.stringMatching(/^themes\/wrong\.ts\(1,14\): error TS2322: /)]);
});

test("the files of the tutorial compile, by the configuration that it writes", () => {
  const written = readFileSync(join(home, "shipped/tutorial/tsconfig.json"), "utf8");
  expect(JSON.parse(written)).toEqual(JSON.parse(CONFIG.replace("…/lectern", ROOT)));
  expect(saidOf(shipped, "tutorial")).toEqual([]);
});

test("in the folder of an operator the types of a new plugin and of one beside it hold", () => {
  // What the compiler says about this file alone shows that it reads the folder, and that the rest of it is right.
  expect(saidOf(shipped, "operator")).toEqual([
    expect.stringMatching(/^operator\/wrong\.ts\(2,14\): error TS2322: .*$/),
  ]);
});

test("the types of packages hold in the folder that imports them", () => {
  expect(PACKAGES.length).toBeGreaterThan(5);
  expect(saidOf(shipped, "packages")).toEqual([]);
});
