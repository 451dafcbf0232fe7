/**
 * Values that a plugin which does not ship gives to others: drafts, results, arguments, and the members of its services and
 * contributions. Others put them into their statements, where SQL in the place of a text or a number would run with their rights, and
 * Kysely takes for SQL whatever has a member "toOperationNode" when the statement is built. So a value is read once and copied: what is
 * not known here to be without such a member, now and later, becomes a plain object or list. Functions among the values are replaced
 * by such whose arguments and results are copied too: Kysely calls a function in the place of a value.
 */
import { types } from "node:util";
import { ExpressionRefused } from "../../db/mod.ts";
import { ApiError } from "../errors.ts";
import { isPlain } from "../std/freeze.ts";
import { boundTo, type Call, keysOf, withMembersOf } from "./read_members.ts";
import { givenViewer, isSql, isViewer, isWhole } from "./whole_values.ts";

/** Which plugin gives a value, and as what: "an argument of overrides.replace". */
export interface Giving {
  readonly plugin: string;
  readonly place: string;
}

/** How deep functions are looked for within arguments, such as those of `Visit.ui`. */
const MAX_GIVEN_DEPTH = 3;

/**
 * A copy of a value that a plugin gives. `call` replaces the functions in it; without it they return values, and never SQL. Throws
 * ExpressionRefused for SQL at any depth.
 */
export function givenValue<Value>(value: Value, giving: Giving, call?: (run: Call) => Call): Value {
  return new Copier(giving, call).value(value) as Value;
}

class Copier {
  readonly #giving: Giving;
  readonly #call: (run: Call) => Call;
  readonly #copies = new Map<object, unknown>();

  constructor(giving: Giving, call: (run: Call) => Call = (run) => givingValues(run, giving)) {
    this.#giving = giving;
    this.#call = call;
  }

  value(value: unknown): unknown {
    if (typeof value === "function") return this.#function(value as Call);
    if (typeof value !== "object" || value === null) return value;
    return this.#copies.get(value) ?? this.#object(value);
  }

  #refused(found: string): Error {
    const { plugin, place } = this.#giving;
    return new ExpressionRefused(plugin, `${found} in ${place}`, []);
  }

  #object(value: object): unknown {
    if (isSql(value)) throw this.#refused("SQL in the place of a value");
    if (isWhole(value)) return value;
    if (Array.isArray(value)) return this.#list(value);
    if (types.isDate(value)) return new Date(Date.prototype.getTime.call(value));
    if (types.isTypedArray(value)) return view(value);
    if (types.isMap(value)) return this.#map(value);
    if (types.isSet(value)) return this.#set(value);
    if (isViewer(value)) return this.#viewer(value);
    if (types.isNativeError(value)) return this.#error(value);
    const then: unknown = Reflect.get(value, "then");
    if (typeof then === "function") return this.#promise(value, then as Call);
    return this.#members(value);
  }

  #viewer(value: Parameters<typeof givenViewer>[0]): unknown {
    const found = givenViewer(value);
    if (!found) throw this.#refused("a viewer whose members are no values");
    return found;
  }

  #list(value: readonly unknown[]): unknown[] {
    const copy: unknown[] = [];
    this.#copies.set(value, copy);
    const { length } = value;
    for (let at = 0; at < length; at++) copy.push(this.value(value[at]));
    return copy;
  }

  #map(value: Map<unknown, unknown>): Map<unknown, unknown> {
    const copy = new Map<unknown, unknown>();
    this.#copies.set(value, copy);
    Map.prototype.forEach.call(value, (each, key) => void copy.set(this.value(key), this.value(each)));
    return copy;
  }

  #set(value: Set<unknown>): Set<unknown> {
    const copy = new Set<unknown>();
    this.#copies.set(value, copy);
    Set.prototype.forEach.call(value, (each) => void copy.add(this.value(each)));
    return copy;
  }

  /** An error of a plugin's own class, as one of the language or of core. */
  #error(value: Error): Error {
    const copy = value instanceof ApiError ? new ApiError(value.status, "") : new Error();
    this.#copies.set(value, copy);
    for (const key of Reflect.ownKeys(value)) {
      const found = this.value(Reflect.get(value, key));
      Object.defineProperty(copy, key, { value: found, writable: true, enumerable: false, configurable: true });
    }
    return copy;
  }

  /** What it resolves to is copied. */
  #promise(value: object, then: Call): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    then.call(value, resolve, reject);
    return promise.then((found) => new Copier(this.#giving, this.#call).value(found));
  }

  #members(value: object): unknown {
    const copy: object = Object.create(Object.getPrototypeOf(value) === null ? null : Object.prototype);
    this.#copies.set(value, copy);
    for (const key of keysOf(value)) {
      // A proxy may deny the member when it is asked for it.
      if (key === "toOperationNode") throw this.#refused("SQL in the place of a value");
      const read: unknown = Reflect.get(value, key);
      const found = this.value(typeof read === "function" ? boundTo(value, read as Call) : read);
      Object.defineProperty(copy, key, { value: found, writable: true, enumerable: true, configurable: true });
    }
    return copy;
  }

  #function(run: Call): Call {
    const known = this.#copies.get(run);
    if (known) return known as Call;
    const own = this.#call(run);
    this.#copies.set(run, own);
    return withMembersOf(run, own, (value) => this.value(value));
  }
}

/** The same bytes in an object without further members. */
function view(value: NodeJS.TypedArray): unknown {
  const of = <Member>(name: string) => Reflect.get(TYPED, name, value) as Member;
  const [buffer, byteOffset, length] = [of<ArrayBuffer>("buffer"), of<number>("byteOffset"), of<number>("length")];
  if (Buffer.isBuffer(value)) return Buffer.from(buffer, byteOffset, length);
  return new globalThis[of<"Uint8Array">(Symbol.toStringTag as never)](buffer, byteOffset, length);
}

const TYPED: object = Object.getPrototypeOf(Uint8Array.prototype);

/** A function of a plugin, as others call it: what it returns is copied. */
export function givingValues(run: Call, giving: Giving): Call {
  return function (...args) {
    return givenValue(run.apply(this, takenArguments(args, giving.plugin)), giving);
  };
}

/** Arguments of a function of a plugin: it calls functions among them with copies of its values, such as those of `Visit`. */
export function takenArguments(args: readonly unknown[], plugin: string): unknown[] {
  return args.map((arg) => withFunctions(arg, (run) => calledWithCopies(run, plugin)));
}

/** A function, or a list or plain object with functions in it, with others in their place; any other value as it is. */
export function withFunctions(value: unknown, map: (run: Call) => Call, depth = 0): unknown {
  if (typeof value === "function") return map(value as Call);
  if (typeof value !== "object" || value === null || depth > MAX_GIVEN_DEPTH) return value;
  if (Array.isArray(value) && !types.isProxy(value)) return listWithFunctions(value, map, depth);
  if (types.isProxy(value) || !isPlain(value) || isSql(value) || isWhole(value)) return value;
  const members = Object.getOwnPropertyDescriptors(value) as Record<string | symbol, PropertyDescriptor>;
  let hasChanged = false;
  for (const key of Reflect.ownKeys(members)) {
    const member = members[key] as PropertyDescriptor;
    if (member.get) continue;
    const own = withFunctions(member.value, map, depth + 1);
    hasChanged ||= own !== member.value;
    members[key] = { ...member, value: own };
  }
  if (!hasChanged) return value;
  const copy: object = Object.create(Object.getPrototypeOf(value), members);
  return Object.isFrozen(value) ? Object.freeze(copy) : copy;
}

/** Whether a value is a list or plain object with functions in it, at any depth that `withFunctions` looks at. */
export function holdsFunctions(value: unknown): value is object {
  return typeof value === "object" && withFunctions(value, (run) => run.bind(undefined) as Call) !== value;
}

function listWithFunctions(list: readonly unknown[], map: (run: Call) => Call, depth: number): unknown {
  const own = list.map((each) => withFunctions(each, map, depth + 1));
  if (own.every((each, at) => each === list[at])) return list;
  return Object.isFrozen(list) ? Object.freeze(own) : own;
}

function calledWithCopies(run: Call, plugin: string): Call {
  const giving = { plugin, place: "an argument of a function that it was given" };
  return withMembersOf(
    run,
    function (...args) {
      return run.apply(
        this,
        args.map((arg) => givenValue(arg, giving)),
      );
    },
    (value) => value,
  );
}
