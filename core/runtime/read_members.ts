/**
 * Reading what plugins that do not ship contribute and provide: once, into plain objects, since what a getter returns later could be
 * another thing than what was checked.
 */
import { types } from "node:util";
import { ExpressionRefused } from "../../db/mod.ts";
import { isPlain } from "../std/freeze.ts";
import { isSimple, isWhole } from "./whole_values.ts";

/** A function of a plugin. */
export type Call = (this: unknown, ...args: unknown[]) => unknown;

/** Names of the members that every function has, and of constructors. */
const OF_ALL: ReadonlySet<string | symbol> = new Set([
  "constructor",
  "length",
  "name",
  "prototype",
  "arguments",
  "caller",
]);

/**
 * A service or contribution with the members of its class, each read once. A getter of a text or a number, which may differ each time,
 * stays one. Functions are bound to what was given. Throws ExpressionRefused for such a getter that returns an object later.
 */
export function readMembers<Given>(given: Given, plugin: string): Given {
  if (typeof given !== "object" || given === null || Array.isArray(given) || isWhole(given)) return given;
  const members: PropertyDescriptorMap = {};
  for (const key of keysOf(given)) members[key as string] = member(given, key, plugin);
  // It has the members of what was given.
  return Object.create(Object.prototype, members) as Given;
}

function member(given: object, key: string | symbol, plugin: string): PropertyDescriptor {
  const read = (): unknown => Reflect.get(given, key);
  const value = read();
  if (typeof value === "function") return { value: boundTo(given, value as Call), enumerable: true };
  const isRead = !types.isProxy(given) && descriptorOf(given, key)?.get !== undefined;
  if (!isRead || !isSimple(value)) return { value, enumerable: true };
  const simple = () => {
    const found = read();
    if (isSimple(found)) return found;
    throw new ExpressionRefused(plugin, `an object of the member "${String(key)}" that was a value before`, []);
  };
  return { get: simple, enumerable: true };
}

/** A function that is called as a member of an object. */
export function boundTo(object: object, run: Call): Call {
  return withMembersOf(
    run,
    (...args) => run.apply(object, args),
    (value) => value,
  );
}

/** Gives a function that stands for another one the members of that, each replaced by `map` of it. */
export function withMembersOf(run: Call, own: Call, map: (value: unknown) => unknown): Call {
  for (const key of Reflect.ownKeys(run))
    if (!OF_ALL.has(key)) Object.defineProperty(own, key, { value: map(Reflect.get(run, key)), enumerable: true });
  return own;
}

/** The keys of an object: for one of a class also those of its prototypes. */
export function keysOf(object: object): readonly (string | symbol)[] {
  if (isPlain(object)) {
    const isShown = (key: string | symbol) => Object.prototype.propertyIsEnumerable.call(object, key);
    return Reflect.ownKeys(object).filter(isShown);
  }
  const keys = new Set<string | symbol>();
  for (let from: object | null = object; from && from !== Object.prototype; from = Object.getPrototypeOf(from))
    for (const key of Reflect.ownKeys(from)) if (key !== "constructor") keys.add(key);
  return [...keys];
}

function descriptorOf(object: object, key: string | symbol): PropertyDescriptor | undefined {
  for (let from: object | null = object; from; from = Object.getPrototypeOf(from)) {
    const found = Object.getOwnPropertyDescriptor(from, key);
    if (found) return found;
  }
  return undefined;
}
