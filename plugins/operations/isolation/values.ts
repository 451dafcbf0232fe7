/**
 * Values that pass between the server and a process as arguments and results of functions: plain data alone. What is none is refused by
 * name rather than left out, since a function called without one of its arguments would do something else than it was asked.
 */
import type { Viewer } from "lectern/core";

/** Objects and lists within each other. */
const MAX_DEPTH = 30;
/** Values within one, each occurrence of a shared one counted. */
const MAX_VALUES = 100_000;
/** Members that change what an object is: its prototype, and what Kysely takes for SQL. */
const FORBIDDEN: ReadonlySet<string> = new Set(["__proto__", "toOperationNode"]);

/** A viewer within a result: where it is, as the keys that lead to it. */
export interface FoundViewer {
  readonly path: readonly string[];
  readonly viewer: Viewer;
}

/**
 * The result of a function of the server as plain data, `what` in errors: dates are texts, sets and maps lists and objects. Viewers
 * are left out and listed. Throws for functions, streams and objects of classes.
 */
export function sentResult(result: unknown, what: string): { value: unknown; viewers: FoundViewer[] } {
  const viewers: FoundViewer[] = [];
  const count = counter(what);
  const copy = (value: unknown, path: readonly string[]): unknown => {
    count(path);
    if (!isObject(value, what, path) || value instanceof Uint8Array) return value;
    if (value instanceof Date) return value.toISOString();
    if (isViewer(value)) {
      viewers.push({ path, viewer: value });
      return null;
    }
    if (Array.isArray(value) || value instanceof Set)
      return [...value].map((each, at) => copy(each, [...path, String(at)]));
    const members = value instanceof Map ? [...value] : membersOf(value, what, path);
    return Object.fromEntries(members.map(([name, each]) => [String(name), copy(each, [...path, String(name)])]));
  };
  return { value: copy(result, []), viewers };
}

/**
 * Checks that a value is plain data, in the process so that an error says what was given, and in the server since the process is not
 * trusted. Viewers are arguments of their own and not parts of others. Throws.
 */
export function checkPlain(given: unknown, what: string): void {
  const count = counter(what);
  const check = (value: unknown, path: readonly string[]): void => {
    count(path);
    if (!isObject(value, what, path) || value instanceof Uint8Array) return;
    const members = Array.isArray(value) ? [...value.entries()] : membersOf(value, what, path);
    const names = new Set(members.map(([name]) => name));
    const odd = members.find(([name]) => FORBIDDEN.has(String(name)));
    if (odd) throw refused(what, path, `a member "${odd[0]}"`);
    if (names.has("via") && names.has("permissions")) throw refused(what, path, "a viewer within another value");
    for (const [name, each] of members) check(each, [...path, String(name)]);
  };
  check(given, []);
}

/** Whether a value is one that the server's plugins act as. */
export function isViewer(value: object): value is Viewer {
  const { via, permissions } = value as Partial<Viewer>;
  return typeof via === "string" && typeof permissions === "object" && typeof permissions?.has === "function";
}

function counter(what: string): (path: readonly string[]) => void {
  let values = 0;
  return (path) => {
    values += 1;
    if (path.length > MAX_DEPTH) throw new Error(`Cannot send ${what}: more than ${MAX_DEPTH} levels`);
    if (values > MAX_VALUES) throw new Error(`Cannot send ${what}: more than ${MAX_VALUES} values`);
  };
}

function isObject(value: unknown, what: string, path: readonly string[]): value is object {
  if (typeof value === "function" || typeof value === "symbol") throw refused(what, path, `a ${typeof value}`);
  return typeof value === "object" && value !== null;
}

function membersOf(value: object, what: string, path: readonly string[]): [string, unknown][] {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw refused(what, path, `an object of the class "${value.constructor.name}"`);
  return Object.entries(value);
}

function refused(what: string, path: readonly string[], found: string): Error {
  const at = path.length > 0 ? ` at "${path.join(".")}"` : "";
  return new Error(`Cannot send ${what}: it has ${found}${at}, and isolated plugins exchange plain data`);
}
