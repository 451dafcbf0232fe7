/** The files of a release, as a maintainer makes them and a user verifies them. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pack } from "../../.ci/pack.ts";
import { makeRelease } from "../../.ci/release.ts";
import { dependencies, devDependencies, scripts, version } from "../../package.json" with { type: "json" };
import { scaled } from "../support/harness/machine_speed.ts";

setDefaultTimeout(scaled(120_000));
const folder = mkdtempSync(join(tmpdir(), "lectern-release-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a release has the package, its packages in CycloneDX, and checksums that hold", async () => {
  if (!Bun.which("npm")) {
    process.stdout.write("\n== skipped: npm is not installed here\n");
    return;
  }
  const files = await makeRelease(join(folder, "first"));
  expect(files).toEqual([`lectern-${version}.cdx.json`, `lectern-${version}.tgz`, "SHA256SUMS"]);
  const check = () => Bun.spawnSync(["sha256sum", "--check", "--quiet", "SHA256SUMS"], { cwd: join(folder, "first") });
  expect(check().exitCode).toBe(0);

  const bill = JSON.parse(readFileSync(join(folder, "first", files[0] ?? ""), "utf8"));
  expect([bill.bomFormat, bill.metadata.component.name, bill.metadata.component.version]).toEqual([
    "CycloneDX",
    "lectern",
    version,
  ]);
  const components = bill.components as { name: string; version: string }[];
  const listed = components.map((each) => `${each.name}@${each.version}`);
  for (const [name, exact] of Object.entries(dependencies)) expect(listed).toContain(`${name}@${exact}`);
  const tools = components.filter(({ name }) => name.startsWith("@biomejs") && Object.hasOwn(devDependencies, name));
  expect(tools).toEqual([]);

  const again = readFileSync(await pack(join(folder, "second")));
  expect(again).toEqual(readFileSync(join(folder, "first", files[1] ?? "")));
  writeFileSync(join(folder, "first", files[1] ?? ""), "changed");
  expect(check().exitCode).not.toBe(0);
});

test("a release is refused without its version in the changelog, and over other files", async () => {
  const root = join(folder, "repository");
  mkdirSync(join(root, ".github"), { recursive: true });
  writeFileSync(join(root, "package.json"), JSON.stringify({ name: "lectern", version: "0.4.0" }));
  writeFileSync(join(root, ".github/CHANGELOG.md"), "# Changelog\n\n## 0.3.0 - 2026-12-01\n");
  await expect(makeRelease(join(folder, "third"), root)).rejects.toThrow(
    "the newest version of the changelog is 0.3.0",
  );
  await expect(makeRelease(root)).rejects.toThrow("the folder is not empty");
});

test("the package runs no script at its installation", () => {
  const run = Object.keys(scripts).filter((name) => /^(?:pre|post)?install$|^prepare$/.test(name));
  expect(run).toEqual([]);
});
