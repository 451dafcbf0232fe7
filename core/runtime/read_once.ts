/**
 * Data that a plugin which does not ship declares or contributes, read once: what is checked has to be what is used, and a getter or a
 * proxy may return another thing at each read.
 */
import { types } from "node:util";
import { isPlain } from "../std/freeze.ts";
import type { AnyPlugin } from "./plugin.ts";
import { boundTo, type Call, keysOf } from "./read_members.ts";
import { isSql, isWhole } from "./whole_values.ts";

/** Declarations that were read, by what they were read from, so that the same plugin stays the same object. */
const DECLARED = new WeakMap<AnyPlugin, AnyPlugin>();

/** A plugin with its declarations read once; always the same for the same plugin. */
export function declaredOnce(plugin: AnyPlugin): AnyPlugin {
  const known = DECLARED.get(plugin);
  if (known) return known;
  const read = readOnce(plugin);
  DECLARED.set(plugin, read);
  DECLARED.set(read, read);
  return read;
}

/**
 * A copy of lists and objects with all that is in them, in which nothing is left to be read anew. Functions stay what they are, bound
 * to their object where it is one of a class; so do SQL and objects of the platform.
 */
export function readOnce<Value>(value: Value, copies: Map<object, unknown> = new Map()): Value {
  if (typeof value !== "object" || value === null || isSql(value) || isWhole(value)) return value;
  if (types.isDate(value) || types.isNativeError(value) || types.isMap(value) || types.isSet(value)) return value;
  // What contains itself is copied likewise.
  const known = copies.get(value);
  if (known) return known as Value;
  const copy: object = Array.isArray(value) ? [] : Object.create(prototypeOf(value));
  copies.set(value, copy);
  const isOfClass = !Array.isArray(value) && !isPlain(value);
  for (const key of Array.isArray(value) ? value.keys() : keysOf(value)) {
    const found: unknown = Reflect.get(value, key);
    const own = isOfClass && typeof found === "function" ? boundTo(value, found as Call) : readOnce(found, copies);
    Object.defineProperty(copy, key, { value: own, writable: true, enumerable: true, configurable: true });
  }
  return copy as Value;
}

function prototypeOf(value: object): object | null {
  return Object.getPrototypeOf(value) === null ? null : Object.prototype;
}
