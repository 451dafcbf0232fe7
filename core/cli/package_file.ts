/**
 * Changes values in package.json and leaves the rest of the text as it is: indentation, line ends, lists on one line. The file
 * is replaced by a rename, so that a crash leaves the old or the new one.
 */
import { chmodSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { BootError } from "../errors.ts";

/** Where a value is in a JSON text. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Sets `lectern.<key>` in a package.json. Throws BootError if there is no such file, or it is no JSON object. */
export function writeLecternKey(file: string, key: string, value: unknown): void {
  changePackage(file, (text) => withValue(text, ["lectern", key], value));
}

/**
 * Replaces a package.json by what `change` makes of its text and of the object in it; its mode stays. Throws BootError if there is
 * no such file, or it is no JSON object.
 */
export function changePackage(
  file: string,
  change: (text: string, content: Readonly<Record<string, unknown>>) => string,
): void {
  let text: string;
  let content: unknown;
  try {
    text = readFileSync(file, "utf8");
    content = JSON.parse(text);
    if (typeof content !== "object" || content === null || Array.isArray(content)) throw new Error("it is no object");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new BootError(`Cannot change "${file}": ${reason}`, { cause });
  }
  const next = change(text, content as Readonly<Record<string, unknown>>);
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, next, { flag: "wx" });
    chmodSync(temporary, statSync(file).mode);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** A JSON text of an object with another value at a path of keys; objects on the way are added. */
export function withValue(text: string, path: readonly string[], value: unknown): string {
  const style = { indent: /^\s*\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? "  ", line: text.includes("\r\n") ? "\r\n" : "\n" };
  let object: Span = { from: text.indexOf("{"), to: text.lastIndexOf("}") + 1 };
  for (const [depth, key] of path.entries()) {
    const member = memberOf(text, object, key);
    const rest = path.slice(depth + 1);
    const isLast = rest.length === 0;
    if (!member || (!isLast && text[member.from] !== "{")) {
      const nested = rest.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
      const shown = jsonAt(nested, depth + 1, style);
      return member
        ? replaced(text, member, shown)
        : withMember(text, object, `${JSON.stringify(key)}: ${shown}`, depth, style);
    }
    if (isLast) return replaced(text, member, jsonAt(value, depth + 1, style));
    object = member;
  }
  return text;
}

interface Style {
  readonly indent: string;
  readonly line: string;
}

function jsonAt(value: unknown, depth: number, { indent, line }: Style): string {
  return JSON.stringify(value, null, indent).replaceAll("\n", line + indent.repeat(depth));
}

function replaced(text: string, { from, to }: Span, by: string): string {
  return text.slice(0, from) + by + text.slice(to);
}

/** Adds a member at the end of an object. */
function withMember(text: string, { from, to }: Span, member: string, depth: number, { indent, line }: Style): string {
  const inner = text.slice(from + 1, to - 1).trimEnd();
  const comma = inner.trim() === "" ? "" : ",";
  const added = `${inner}${comma}${line}${indent.repeat(depth + 1)}${member}${line}${indent.repeat(depth)}`;
  return replaced(text, { from: from + 1, to: to - 1 }, added);
}

/** The value of a key of an object in valid JSON; the last one of that name, as JSON.parse reads it. */
function memberOf(text: string, object: Span, key: string): Span | undefined {
  let found: Span | undefined;
  let at = object.from + 1;
  for (;;) {
    at = afterSpace(text, at);
    if (text[at] === ",") at = afterSpace(text, at + 1);
    if (at >= object.to - 1) return found;
    const end = afterValue(text, at);
    const name: unknown = JSON.parse(text.slice(at, end));
    const from = afterSpace(text, afterSpace(text, end) + 1);
    const to = afterValue(text, from);
    if (name === key) found = { from, to };
    at = to;
  }
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (/\s/.test(text[at] ?? "")) at++;
  return at;
}

/** The end of the value that begins at a position. */
function afterValue(text: string, from: number): number {
  const first = text[from];
  if (first === '"') return afterString(text, from);
  if (first !== "{" && first !== "[") {
    const end = text.slice(from).search(/[\s,}\]]/);
    return end < 0 ? text.length : from + end;
  }
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = afterString(text, at) - 1;
    else if (character === "{" || character === "[") depth++;
    else if ((character === "}" || character === "]") && --depth === 0) return at + 1;
  }
  return text.length;
}

function afterString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}
