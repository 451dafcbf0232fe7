import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { exports as packageExports } from "../../package.json" with { type: "json" };
import { compilerOptions, files } from "../../tsconfig.json" with { type: "json" };
import { INSTALL_ROOT } from "../install_root.ts";
import { fileOfList, isList } from "./resolve.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "lectern-resolve-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

test("code outside of Lectern can import each package export, with the same classes", async () => {
  const names = Object.keys(packageExports).map((name) => `lectern${name.slice(1)}`);
  write(
    "far.ts",
    `import { ApiError } from "lectern/core";
    const own = await import(${JSON.stringify(join(INSTALL_ROOT, "core/mod.ts"))});
    const all = await Promise.all(${JSON.stringify(names)}.map((name) => import(name)));
    process.stdout.write(JSON.stringify([ApiError === own.ApiError, all.every((each) => Object.keys(each).length > 0)]));`,
  );
  const child = Bun.spawn([process.execPath, "--preload", join(INSTALL_ROOT, "core/cli/preload.ts"), "./far.ts"], {
    cwd: folder,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect([out, err]).toEqual(["[true,true]", ""]);
});

test("fileOfList() resolves paths, folders, packages of the folder or of Lectern, and package exports", () => {
  const plain = write("plain.ts", "");
  const nested = write("nested/plugin.ts", "");
  const bare = write("node_modules/bare/plugin.ts", "");
  const entered = write("node_modules/@some/entered/main.ts", "");
  write("node_modules/@some/entered/package.json", '{ "name": "@some/entered", "exports": "./main.ts" }');
  const found = (list: string) => fileOfList(list, folder);
  expect(["./plain.ts", "plain.ts", plain].map(found)).toEqual([plain, plain, plain]);
  expect(["./nested", nested].map(found)).toEqual([nested, nested]);
  expect(["bare", "bare/plugin.ts", "@some/entered"].map(found)).toEqual([bare, bare, entered]);
  expect(fileOfList("bare", join(folder, "nested"))).toBe(bare);
  expect(found("lectern/plugins")).toBe(join(INSTALL_ROOT, "plugins/mod.ts"));
  expect(found("kysely")).toStartWith(join(INSTALL_ROOT, "node_modules/kysely/"));
  expect(["./absent.ts", "./node_modules/absent", "absent", "bare/absent.ts", "@some/absent"].map(found)).toEqual(
    Array(5).fill(undefined),
  );
});

test("arguments that are files of code or package exports of Lectern are plugin lists, words and options are not", () => {
  const args = ["./applause.ts", "plugins/mod.ts", "lectern/plugins", "list", "lectern/absent", "--token.ts"];
  expect(args.filter(isList)).toEqual(["./applause.ts", "plugins/mod.ts", "lectern/plugins"]);
});

test("tsconfig.json has the same package exports", () => {
  const typed = Object.entries(compilerOptions.paths).map(([name, [file]]) => [name.replace("lectern", "."), file]);
  expect(Object.fromEntries(typed)).toEqual(packageExports);
  // Read first: otherwise module augmentations within core would replace earlier ones.
  expect(`./${files[0]}`).toBe(packageExports["./core"]);
});
