/**
 * Regular expressions of the product, and what recheck finds about them. `bun test/rules/_patterns.ts` checks all of them, which takes a
 * minute, and writes those that it has proven to take linear time to `test/fixtures/linear_patterns.json`; the rule then
 * checks those alone that are not there.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { checkSync as CheckSync } from "recheck";
import { isTest, lineAt, ROOT, readSources, type Source } from "./_source.ts";

// The main entry starts programs; this one is JavaScript alone, and has no types of its own.
const { checkSync } = createRequire(import.meta.url)("recheck/lib/browser.js") as { checkSync: typeof CheckSync };

/** Milliseconds after which an expression counts as not proven. */
const TIMEOUT_MS = 20_000;
const FIXTURE = join(ROOT, "test/fixtures/linear_patterns.json");

const PRODUCT = /^(?:core|db|plugins|themes)\//;
/** Folders whose expressions meet no text of a user in the server's process. */
const AWAY: Readonly<Record<string, string>> = {
  "core/cli/": "commands: arguments and files of the operator, in a process of their own",
  "plugins/transfer/loader/": "the command `load`: files of the operator, in a process of its own",
  "plugins/transfer/migrate/": "the command `migrate-from`: what the operator imports, in a process of its own",
};

/** An expression as it is written, such as `/a+/g`; one that is built has its text in place of that. */
export interface FoundPattern {
  readonly place: string;
  readonly pattern: string;
}

/** Expressions of a file that repeat something without a bound; others take constant time at each place. */
export function patternsIn(source: Source): FoundPattern[] {
  const { path, patterns } = source;
  if (isTest(path) || !PRODUCT.test(path) || Object.keys(AWAY).some((folder) => path.startsWith(folder))) return [];
  return [
    ...patterns.map(({ line, text }) => ({ place: `${path}:${line}`, pattern: text })),
    ...builtIn(source),
  ].filter(({ pattern }) => /[*+]|\{\d+,\}/.test(pattern) || pattern.startsWith("new RegExp"));
}

/** All of the product, each once. */
export function allPatterns(): FoundPattern[] {
  const found = readSources().flatMap(patternsIn);
  return found.filter(({ pattern }, at) => found.findIndex((other) => other.pattern === pattern) === at);
}

/** What `new RegExp` builds of constant texts of the file; what it builds of others is its source, to be proven. */
function builtIn({ path, text, code }: Source): FoundPattern[] {
  return [...code.matchAll(/\bnew RegExp\(/g)].map(({ index }) => {
    const call = text.slice(index, endOfCall(code, index + "new RegExp".length));
    return { place: `${path}:${lineAt(text, index)}`, pattern: constantPattern(call, text) ?? oneLine(call) };
  });
}

function endOfCall(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    if (code[at] === "(") depth += 1;
    else if (code[at] === ")" && --depth === 0) return at + 1;
  }
  return code.length;
}

const oneLine = (text: string) => text.replace(/\s+/g, " ");

/** `/source/flags` of a call whose text is a template of constants in the same file; undefined for any other. */
function constantPattern(call: string, text: string): string | undefined {
  const [, raw, sign, inner = "", flags = ""] =
    /^new RegExp\(\s*(String\.raw)?(["'`])([\s\S]*?)\2\s*,?\s*(?:"(\w*)")?,?\s*\)$/.exec(call) ?? [];
  const value = sign === undefined ? undefined : constantText(inner, raw !== undefined, text);
  return value === undefined ? undefined : `/${value}/${flags}`;
}

/** The value of a literal whose placeholders are names of constant texts; undefined for other placeholders. */
function constantText(inner: string, isRaw: boolean, text: string): string | undefined {
  let isConstant = true;
  const filled = inner.split(/(\$\{[^{}]*\})/).map((part) => {
    const name = /^\$\{(\w+)\}$/.exec(part)?.[1];
    if (!part.startsWith("${")) return isRaw ? part : part.replace(/\\u([0-9a-f]{4})|\\([\s\S])/g, unescaped);
    const [, raw, , value] =
      new RegExp(`\\bconst ${name}\\s*=\\s*(String\\.raw)?(["'\`])([\\s\\S]*?)\\2;`).exec(text) ?? [];
    const found = name === undefined || value === undefined ? undefined : constantText(value, raw !== undefined, text);
    if (found === undefined) isConstant = false;
    return found ?? "";
  });
  return isConstant ? filled.join("") : undefined;
}

function unescaped(_all: string, code: string | undefined, sign: string | undefined): string {
  return code === undefined ? (sign ?? "") : String.fromCharCode(Number.parseInt(code, 16));
}

/** Why an expression is not known to take linear time; undefined if recheck proves that it does. */
export function doubtOf(pattern: string): string | undefined {
  if (!pattern.startsWith("/")) return "is built of texts that are not constant";
  const end = pattern.lastIndexOf("/");
  const checked = checkSync(pattern.slice(1, end), pattern.slice(end + 1), {
    checker: "automaton",
    timeout: TIMEOUT_MS,
  });
  if (checked.status === "safe") return undefined;
  if (checked.status === "unknown") return `is not understood by recheck (${checked.error.kind})`;
  return `takes ${checked.complexity.type} time, as for ${checked.attack.pattern}`;
}

/** The expressions that recheck has proven. */
export function provenPatterns(): ReadonlySet<string> {
  return new Set(JSON.parse(readFileSync(FIXTURE, "utf8")) as string[]);
}

if (import.meta.main) {
  const proven = allPatterns().filter(({ place, pattern }) => {
    const doubt = doubtOf(pattern);
    if (doubt !== undefined) process.stdout.write(`${place}: ${pattern} ${doubt}\n`);
    return doubt === undefined;
  });
  const sorted = proven.map(({ pattern }) => pattern).sort();
  writeFileSync(FIXTURE, `${JSON.stringify(sorted, undefined, 2)}\n`);
}
