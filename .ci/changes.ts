/**
 * Change fragments: a file in `.github/changes` for each change that a user notices, added in the same commit, so that
 * branches do not conflict in one changelog. `bun .ci/changes.ts VERSION` collects them for a release: it writes them to
 * `.github/CHANGELOG.md` below a heading with the version and today's date (UTC), and deletes them.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RELEASE } from "../core/runtime/store_version.ts";

/** Kinds of changes, in the order of a release. */
export const KINDS = ["security", "added", "changed", "fixed", "removed"] as const;

/** A change. */
export interface Fragment {
  readonly kind: (typeof KINDS)[number];
  /** One or more sentences of Markdown, on one line. */
  readonly text: string;
}

/** The folder of the fragments, relative to the root of the repository. */
export const FOLDER = ".github/changes";
const CHANGELOG = ".github/CHANGELOG.md";
const ABOUT = "README.md";
const NAME = /^[a-z0-9]+(?:_[a-z0-9]+)*\.md$/;
const FORM = new RegExp(`^(${KINDS.join("|")}): (\\S.*)\\n$`);
const VERSION = /^\d+\.\d+\.\d+$/;
const HEADING = /^## (\d+\.\d+\.\d+) - (\d{4}-\d\d-\d\d)$/gm;

/** Parses a fragment. Throws an error for an invalid name or line. */
export function readFragment(name: string, content: string): Fragment {
  if (!NAME.test(name)) throw new Error(`${FOLDER}/${name}: the name is not in snake_case with the ending ".md"`);
  const [, kind, text = ""] = FORM.exec(content) ?? [];
  if (kind === undefined) throw new Error(`${FOLDER}/${name}: wanted one line "${KINDS.join("|")}: text"`);
  return { kind: kind as Fragment["kind"], text };
}

/** The file names of the fragments of a repository, sorted. */
export function fragmentNames(root: string): string[] {
  return readdirSync(join(root, FOLDER))
    .filter((name) => name !== ABOUT)
    .sort();
}

/** A version with its changes. */
export interface Version {
  readonly version: string;
  readonly date: string;
  readonly fragments: readonly Fragment[];
  /** The oldest version whose stores it migrates, which its section names. */
  readonly upgradesFrom?: string;
}

/** Adds a version with the fragments to the changelog. Throws if it has the version already, or there are no fragments. */
export function withRelease(changelog: string, { version, date, fragments, upgradesFrom }: Version): string {
  if (!VERSION.test(version)) throw new Error(`Cannot release "${version}": wanted a version such as 1.2.0`);
  if (releasesOf(changelog).some((release) => release.version === version))
    throw new Error(`Cannot release ${version}: ${CHANGELOG} has it already`);
  if (fragments.length === 0) throw new Error(`Cannot release ${version}: ${FOLDER} holds no fragment`);
  const parts = KINDS.flatMap((kind) => {
    const texts = fragments.filter((fragment) => fragment.kind === kind).map(({ text }) => `- ${text}`);
    return texts.length > 0 ? [`### ${kind[0]?.toUpperCase()}${kind.slice(1)}\n\n${texts.join("\n")}`] : [];
  });
  const upgrades = upgradesFrom === undefined ? [] : [`Upgrades from ${upgradesFrom} or later.`];
  const section = [`## ${version} - ${date}`, ...upgrades, ...parts].join("\n\n");
  const at = changelog.search(HEADING);
  return at < 0
    ? `${changelog.trimEnd()}\n\n${section}\n`
    : `${changelog.slice(0, at)}${section}\n\n${changelog.slice(at)}`;
}

/** The versions of a changelog with their dates, newest first. */
export function releasesOf(changelog: string): { version: string; date: string }[] {
  return [...changelog.matchAll(HEADING)].map(([, version = "", date = ""]) => ({ version, date }));
}

/** Collects the fragments of a repository and returns their number. Changes nothing if it throws. */
export function release(root: string, version: string, date: string, upgradesFrom?: string): number {
  const names = fragmentNames(root);
  const fragments = names.map((name) => readFragment(name, readFileSync(join(root, FOLDER, name), "utf8")));
  const path = join(root, CHANGELOG);
  writeFileSync(
    path,
    withRelease(readFileSync(path, "utf8"), { version, date, fragments, ...(upgradesFrom && { upgradesFrom }) }),
  );
  for (const name of names) rmSync(join(root, FOLDER, name));
  return names.length;
}

if (import.meta.main) {
  const [version = ""] = process.argv.slice(2);
  try {
    const today = new Date().toISOString().slice(0, 10);
    const count = release(join(import.meta.dir, ".."), version, today, RELEASE.upgradesFrom);
    process.stdout.write(`${CHANGELOG} has ${count} changes in ${version}; set the same version in package.json\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\nUsage: bun .ci/changes.ts VERSION\n`);
    process.exitCode = 1;
  }
}
