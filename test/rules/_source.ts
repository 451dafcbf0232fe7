/**
 * The runtime as text, for the rules: every file that is not ignored, with code distinguished from comments and strings.
 * TypeScript 7 has no programming interface, so a scanner of literals does: it blanks comments, strings, templates and
 * regular expressions and keeps every line and column where it was. It does not parse; what it cannot know (is this slash
 * a division?) it guesses from the token before, which is right for formatted code.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A comment with its marks, and the line it begins on, counted from 1. */
export interface Comment {
  readonly line: number;
  readonly text: string;
}

/** A regular expression as written, and the line it stands on, counted from 1. */
export interface Pattern {
  readonly line: number;
  readonly text: string;
}

/** A file; `code` is `text` with the inside of comments and literals blanked, character for character. */
export interface Source {
  /** From the top of Lectern, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly code: string;
  readonly comments: readonly Comment[];
  readonly patterns: readonly Pattern[];
}

/** The top folder of Lectern. */
export const ROOT = join(import.meta.dir, "../..");

const LITERAL =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
const TEMPLATE = /[`}](?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;
/** What comes before a slash that begins a regular expression. */
const BEFORE_PATTERN = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|await|yield|throw))\s*$/;

/** Reads a file's text into code and comments. */
export function readSource(path: string, text: string): Source {
  const comments: Comment[] = [];
  const patterns: Pattern[] = [];
  /** Open braces since each template expression that is still open. */
  const braces: number[] = [];
  let code = text.startsWith("#!") ? " ".repeat(text.search(/\n|$/)) : "";
  while (code.length < text.length) {
    const found = literalAt(text, code, braces);
    if (found === undefined) {
      code += text[code.length];
    } else if (/^\/[/*]/.test(found)) {
      comments.push({ line: lineAt(text, code.length), text: found });
      code += blank(found);
    } else {
      if (found.length > 1 && found.startsWith("/")) patterns.push({ line: lineAt(text, code.length), text: found });
      code += found.length < 2 ? found : found[0] + blank(found.slice(1, -1)) + found.at(-1);
    }
  }
  return { path, text, code, comments, patterns };
}

function literalAt(text: string, code: string, braces: number[]): string | undefined {
  const at = code.length;
  const char = text[at] ?? "";
  const depth = braces.at(-1);
  if (char === "`" || (char === "}" && depth === 0)) {
    TEMPLATE.lastIndex = at;
    const found = TEMPLATE.exec(text)?.[0];
    if (char === "}") braces.pop();
    if (found?.endsWith("${")) braces.push(0);
    return found;
  }
  if (depth !== undefined && (char === "{" || char === "}"))
    braces[braces.length - 1] = depth + (char === "{" ? 1 : -1);
  if (char !== "/" && char !== '"' && char !== "'") return undefined;
  const comment = text[at + 1] === "/" || text[at + 1] === "*";
  if (char === "/" && !comment && !BEFORE_PATTERN.test(code.slice(-40))) return undefined;
  LITERAL.lastIndex = at;
  return LITERAL.exec(text)?.[0];
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

/** The line of a place in a text, counted from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** Places of a pattern (with flag g) in a text, as the rules report them: `path:line: message`. */
export function findAll(path: string, text: string, pattern: RegExp, message: string): string[] {
  return [...text.matchAll(pattern)].map(({ index }) => `${path}:${lineAt(text, index)}: ${message}`);
}

/** A path or package that a file imports. */
export interface Import {
  readonly specifier: string;
  /** Counted from 1. */
  readonly line: number;
  /** Whether types alone are imported, which nothing loads at run time. */
  readonly isType: boolean;
}

/** What a file names in its imports and re-exports, types and `import()` of a fixed text included. */
export function importsOf({ code, text }: Source): Import[] {
  return [...code.matchAll(/\bfrom\s*(?=["'])|(?<![.\w])import\s*\(?\s*(?=["'])/g)].map((match) => {
    const start = match.index + match[0].length;
    const end = code.indexOf(text[start] ?? "", start + 1);
    const isType = match[0].startsWith("from") && TYPE_IMPORT.test(code.slice(0, match.index));
    return { specifier: text.slice(start + 1, end), line: lineAt(text, start), isType };
  });
}

/** The head of an import of types alone, up to its `from`: `import type …`, or each name with `type` before it. */
const TYPE_IMPORT =
  /(?:^|[\n;])[ \t]*(?:import|export)\s+(?:type\s+(?:[\w$]+|\*\s+as\s+[\w$]+|\{[^{}]*\})|\{\s*type\s+[^{},]+(?:,\s*type\s+[^{},]+)*,?\s*\})\s*$/;

/** Whether a path is a test, its support, or lies below test/. Private files that only tests import count in `testSide`. */
export function isTest(path: string): boolean {
  return path.startsWith("test/") || /[._]test\.ts$/.test(path);
}

/** Paths of every file but those that .gitignore names (plain names, `/name` at the top, `*.ext`). */
export function listFiles(root = ROOT): string[] {
  const ignored = readFileSync(join(root, ".gitignore"), "utf8").split("\n").filter(Boolean);
  const skip = (folder: string, name: string) =>
    name === ".git" ||
    ignored.some((line) => {
      const plain = line.replace(/\/$/, "");
      if (plain.startsWith("/")) return folder === "" && name === plain.slice(1);
      return plain.startsWith("*") ? name.endsWith(plain.slice(1)) : name === plain;
    });
  const walk = (folder: string): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => !skip(folder, entry.name))
      .flatMap((entry) => (entry.isDirectory() ? walk(`${folder}${entry.name}/`) : [`${folder}${entry.name}`]));
  return walk("").sort();
}

let runtime: readonly Source[] | undefined;

/** Every TypeScript file of Lectern, read once. */
export function readSources(): readonly Source[] {
  runtime ??= listFiles()
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readSource(path, readFileSync(join(ROOT, path), "utf8")));
  return runtime;
}
