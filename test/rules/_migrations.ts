/**
 * The steps of migrations as they stand in the sources, each with a hash of its text: comments, white space and trailing
 * commas left out, so that a formatter changes nothing. What a file of migrations declares beside its steps, such as a list
 * that a step fills a table with, counts as well. `bun test/rules/_migrations.ts` adds what is new to the list of landed
 * steps, and changes nothing that is there.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, readSources, type Source } from "./_source.ts";

/** Hashes by file and name. */
export type Landed = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The list of what has landed. */
export const LIST: string = join(ROOT, "test/fixtures/migrations.json");

const STEP = /^ +(?:async )?"(\d{4}_[a-z0-9_]+)"/;
const DECLARATION = /^(?:export )?(?:async )?(?:function|const) (\w+)/;

/** The steps of a file, and of a file of migrations what they are made with. */
export function stepsIn(source: Source): Record<string, string> {
  const found: Record<string, string> = {};
  const isOwnFile = source.path.endsWith("/migrations.ts");
  const lines = withoutComments(source).split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const step = STEP.exec(line)?.[1];
    const declared = isOwnFile && !/: Migrations\b/.test(line) ? DECLARATION.exec(line)?.[1] : undefined;
    const name = step ?? declared;
    if (name !== undefined) found[name] = hashOf(blockFrom(lines, at));
  }
  return found;
}

/** All steps of the runtime. */
export function steps(): Landed {
  const holding = readSources().filter(
    ({ path, code }) => /^(?:core|plugins)\//.test(path) && /(?:: Migrations =|\bmigrations:) \{/.test(code),
  );
  const found = holding
    .filter(({ path }) => !path.endsWith("_test.ts"))
    .map((source) => [source.path, stepsIn(source)] as const);
  return Object.fromEntries(found.filter(([, names]) => Object.keys(names).length > 0));
}

/** What has landed. */
export function landed(): Landed {
  return JSON.parse(readFileSync(LIST, "utf8")) as Landed;
}

/** A line, the more indented ones below it, and the line that closes them. */
function blockFrom(lines: readonly string[], at: number): string {
  const indent = (line: string) => (line.trim() === "" ? Number.POSITIVE_INFINITY : line.search(/\S/));
  const own = indent(lines[at] ?? "");
  let end = at + 1;
  while (end < lines.length && indent(lines[end] ?? "") > own) end++;
  return lines.slice(at, end + 1).join("\n");
}

function withoutComments({ text, comments }: Source): string {
  return comments.reduce((left, comment) => left.replace(comment.text, ""), text);
}

function hashOf(text: string): string {
  const plain = text
    .replace(/\s+/g, "")
    .replace(/,(?=[)\]}])/g, "")
    .replace(/[,;]$/, "");
  return createHash("sha256").update(plain).digest("hex").slice(0, 16);
}

/** What differs from what has landed: steps changed or gone, and steps that are not in the list yet. */
export function differences(was: Landed, is: Landed): string[] {
  const lost = Object.entries(was).flatMap(([path, names]) =>
    Object.entries(names).flatMap(([name, hash]) => {
      const now = is[path]?.[name];
      if (now === hash) return [];
      return [`${path}: "${name}" has landed and ${now === undefined ? "is gone" : "was changed"}; add a step instead`];
    }),
  );
  const fresh = Object.entries(is).flatMap(([path, names]) =>
    Object.keys(names)
      .filter((name) => was[path]?.[name] === undefined)
      .map((name) => `${path}: "${name}" is not in the list; add it by \`bun test/rules/_migrations.ts\``),
  );
  return [...lost, ...fresh];
}

if (import.meta.main) {
  const [is, was] = [steps(), landed()];
  const paths = [...new Set([...Object.keys(is), ...Object.keys(was)])].sort();
  const all = Object.fromEntries(paths.map((path) => [path, { ...is[path], ...was[path] }]));
  writeFileSync(LIST, `${JSON.stringify(all, undefined, 2)}\n`);
}
