import { expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FOLDER, fragmentNames, readFragment, release, releasesOf, withRelease } from "../../.ci/changes.ts";
import { ROOT } from "./_source.ts";

const CHANGELOG = readFileSync(join(ROOT, ".github/CHANGELOG.md"), "utf8");
const added = { kind: "added", text: "Shelves can be sorted." } as const;

test("every change fragment is one line with its kind", () => {
  for (const name of fragmentNames(ROOT)) readFragment(name, readFileSync(join(ROOT, FOLDER, name), "utf8"));
});

test("the newest version of the changelog is that of package.json, and versions and dates descend", () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const releases = releasesOf(CHANGELOG);
  expect(releases[0]?.version).toBe(version);
  const dates = releases.map(({ date }) => date);
  expect(dates).toEqual(dates.toSorted().reverse());
  const versions = releases.map((one) => one.version);
  expect(versions).toEqual(versions.toSorted((a, b) => Bun.semver.order(b, a)));
});

test("a release gathers the fragments by kind below its heading, and removes them", () => {
  const root = mkdtempSync(join(tmpdir(), "lectern-changes-"));
  try {
    mkdirSync(join(root, FOLDER), { recursive: true });
    const write = (path: string, text: string) => writeFileSync(join(root, path), text);
    write(".github/CHANGELOG.md", "# Changelog\n\nAbout.\n\n## 0.1.0 - 2026-01-02\n\nThe first.\n");
    write(`${FOLDER}/README.md`, "About fragments.\n");
    write(`${FOLDER}/b_limit.md`, "fixed: A limit counts.\n");
    write(`${FOLDER}/a_shelves.md`, "added: Shelves can be sorted.\n");
    write(`${FOLDER}/c_words.md`, "added: Words are found.\n");
    expect(release(root, "0.2.0", "2026-03-04")).toBe(3);
    expect(readFileSync(join(root, ".github/CHANGELOG.md"), "utf8")).toBe(
      "# Changelog\n\nAbout.\n\n## 0.2.0 - 2026-03-04\n\n### Added\n\n- Shelves can be sorted.\n- Words are found.\n\n" +
        "### Fixed\n\n- A limit counts.\n\n## 0.1.0 - 2026-01-02\n\nThe first.\n",
    );
    expect(fragmentNames(root)).toEqual([]);
    expect(existsSync(join(root, FOLDER, "README.md"))).toBe(true);
    expect(() => release(root, "0.3.0", "2026-03-05")).toThrow("holds no fragment");
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("the rules of fragments and releases can fail", () => {
  for (const content of ["added Shelves\n", "new: Shelves\n", "added: \n", "added: One\nTwo\n", "added: One", ""])
    expect(() => readFragment("shelves.md", content)).toThrow(".github/changes/shelves.md: wanted one line");
  for (const name of ["Shelves.md", "new-shelves.md", "shelves.txt"])
    expect(() => readFragment(name, "added: One\n")).toThrow("not in snake_case");
  expect(
    withRelease("", { version: "0.5.0", date: "2026-03-04", fragments: [added], upgradesFrom: "0.3.0" }),
  ).toContain("## 0.5.0 - 2026-03-04\n\nUpgrades from 0.3.0 or later.\n\n### Added");
  const release = { version: "0.1.0", date: "2026-03-04", fragments: [added] };
  expect(() => withRelease("## 0.1.0 - 2026-01-02\n", release)).toThrow("has it already");
  expect(() => withRelease("", { ...release, version: "next" })).toThrow("wanted a version");
});
