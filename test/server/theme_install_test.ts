/** `theme install`: modules of themes from ZIP files, as operators get them. */
import { afterAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import {
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
import { dirname, join } from "node:path";
import { zipSync } from "fflate";
import { readArchive } from "../../plugins/themes/module_archive.ts";
import { command } from "../support/harness/command.ts";
import { scaled } from "../support/harness/machine_speed.ts";

setDefaultTimeout(scaled(60_000));
const home = realpathSync(mkdtempSync(join(tmpdir(), "lectern-install-")));
const modules = join(home, "themes/acme/modules");
afterAll(() => rmSync(home, { recursive: true, force: true }));
beforeEach(() => rmSync(join(home, "themes"), { recursive: true, force: true }));

const manifest = (name: string, version = "v1.0.0") => JSON.stringify({ name, version, description: "Shows a line" });
const LIMITS = { maxBytes: 1_000_000, maxFiles: 100 };

/** The bytes of an archive with files by path. */
function zipped(files: Readonly<Record<string, string>>): Uint8Array {
  return zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])));
}

function writeZip(files: Readonly<Record<string, string>>): string {
  const path = join(home, "module.zip");
  writeFileSync(path, zipped(files));
  return path;
}

const install = (...args: string[]) => command(["theme", "install", ...args], { DATA_DIR: join(home, "data") }, home);
const read = (path: string) => readFileSync(join(modules, path), "utf8");

test("a module is installed from a file, replaced when that is said, and otherwise left alone", async () => {
  const zip = writeZip({ "line-main/module.json": manifest("My Line"), "line-main/head/a.html": "<meta name=a>" });
  const asked = await install(zip, "--theme", "acme");
  expect(asked).toMatchObject({ code: 1, err: "Nothing is installed: confirm it, or add --yes" });
  expect(existsSync(modules)).toBe(false);
  const first = await install(zip, "--theme", "acme", "--yes");
  expect([first.code, first.err]).toEqual([0, ""]);
  expect(first.out).toContain("My Line v1.0.0: Shows a line");
  expect([read("my-line/module.json"), read("my-line/head/a.html")]).toEqual([manifest("My Line"), "<meta name=a>"]);
  const newer = writeZip({ "bookstack-module.json": manifest("My Line", "v2.0.0"), "functions.php": "<?php" });
  const again = await install(newer, "--theme", "acme", "--yes");
  expect([again.code, again.err]).toEqual([
    1,
    'Cannot install the module "my-line": "themes/acme/modules/my-line" exists already; add --replace',
  ]);
  const replaced = await install(newer, "--theme", "acme", "--yes", "--replace");
  expect(replaced.out).toContain("functions.php is PHP, which Lectern does not run");
  expect(readdirSync(join(modules, "my-line")).sort()).toEqual(["bookstack-module.json", "functions.php"]);
  expect(readdirSync(join(home, "themes/acme"))).toEqual(["modules"]);
});

test("a module that an interrupted installation had taken away is put back", async () => {
  const old = join(home, "themes/acme/.module_old/my-line/module.json");
  mkdirSync(dirname(old), { recursive: true });
  mkdirSync(modules);
  writeFileSync(old, manifest("My Line"));
  const { code, err } = await install(writeZip({ "module.json": manifest("My Line") }), "--theme", "acme", "--yes");
  expect([code, err]).toEqual([1, expect.stringContaining("exists already; add --replace")]);
  expect(read("my-line/module.json")).toBe(manifest("My Line"));
});

test("a module is downloaded from its address; redirects to other servers and too many bytes are refused", async () => {
  const bytes = zipped({ "module.json": manifest("Far") });
  const server = Bun.serve({
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/moved") return Response.redirect("/far.zip", 302);
      if (pathname === "/away") return Response.redirect("https://else.example/far.zip", 302);
      if (pathname === "/large.zip") return new Response(new Uint8Array(52_428_801));
      return pathname === "/far.zip" ? new Response(bytes) : new Response("", { status: 404 });
    },
  });
  const at = (path: string) => `http://127.0.0.1:${server.port}${path}`;
  try {
    expect((await install(at("/moved"), "--theme", "acme", "--yes")).code).toBe(0);
    expect(read("far/module.json")).toBe(manifest("Far"));
    expect((await install(at("/away"), "--theme", "acme", "--yes")).err).toContain(
      'redirects to "https://else.example"',
    );
    expect((await install(at("/none"), "--theme", "acme", "--yes")).err).toContain("it answered 404");
    expect((await install(at("/large.zip"), "--theme", "acme")).err).toContain("it has more than 52428800 bytes");
  } finally {
    await server.stop(true);
  }
});

test("without a theme nothing is installed, and the error says how to name one", async () => {
  const { code, err } = await install(writeZip({ "module.json": manifest("Line") }), "--yes");
  expect([code, err]).toEqual([1, "Cannot install a module: no theme is active; set APP_THEME, or add --theme NAME"]);
});

test.each([
  ["leads out of its folder", { "../evil.ts": "x" }, 'the name "../evil.ts" of an entry is not allowed'],
  ["is absolute", { "/etc/evil": "x" }, 'the name "/etc/evil" of an entry is not allowed'],
  ["has a backslash", { "a\\..\\evil": "x" }, "of an entry is not allowed"],
  ["is that of a drive", { "C:/evil": "x" }, 'the name "C:/evil" of an entry is not allowed'],
])("an archive with a name that %s is refused", (_title, files, text) => {
  const bytes = zipped({ "module.json": manifest("Line"), ...files });
  expect(() => readArchive(bytes, "a.zip", LIMITS)).toThrow(text);
});

test("archives that are too large, hold too many files, no manifest, or are none are refused", () => {
  const refused = (files: Readonly<Record<string, string>>) => () => readArchive(zipped(files), "a.zip", LIMITS);
  expect(refused({ "module.json": manifest("Line"), a: "x".repeat(1_000_001) })).toThrow(
    "it holds more than 1000000 bytes",
  );
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`f${at}`, ""]));
  expect(refused(many)).toThrow("it has more than 100 files");
  expect(refused({ "a/module.json": manifest("A"), "b/module.json": manifest("B") })).toThrow("it has no module.json");
  expect(refused({ "module.json": "{}" })).toThrow('wanted a text "name" in its manifest');
  expect(() => readArchive(Buffer.from("no archive"), "a.zip", LIMITS)).toThrow("it is no readable ZIP file");
});
