/**
 * What is known of a slot beside its type: the shape of a contribution, what others may call of it, and how long that may take. The
 * compiler compares shapes with the types of the slots, so no member is missing; the boot compares contributions with them, since plugins
 * are loaded without a check of their types. What functions return is checked by the readers of the slot. Core declares the slots that
 * it reads; others are declared by `slots` of plugins.
 */
import { BootError } from "../errors.ts";
import type { Permit, SlotName, Slots } from "../registry.ts";
import { didYouMean } from "../std/closest_match.ts";
import { deepFreeze } from "../std/freeze.ts";
import type { ShippedPlugins } from "./left_out.ts";
import type { AnyPlugin } from "./plugin.ts";

/** What a member has to be; "permit" is who may see it (`Permit`), "any" is checked by the reader of the slot. */
type Word = "text" | "number" | "flag" | "function" | "object" | "list" | "permit" | "any";

/** What a member has to be, or the texts that it may be; with "optional_" before it or `undefined` among the texts it may be left out. */
type Wanted = Word | `optional_${Word}` | readonly (string | undefined)[];

type Keys<C> = C extends object ? Extract<keyof C, string> : never;
type ValueOf<C, K extends string> = C extends unknown ? (K extends keyof C ? C[K] : undefined) : never;
type WordOf<V> = V extends string
  ? "text"
  : V extends number
    ? "number"
    : V extends boolean
      ? "flag"
      : V extends readonly unknown[]
        ? "list"
        : V extends (...args: never[]) => unknown
          ? "function"
          : "object";
/** Nothing is known of a name of an open interface that no plugin widens in the program at hand. */
type Checked<V> = [V] extends [never] ? Word : CheckedMember<V>;
type CheckedMember<V> =
  | (Permit extends NonNullable<V> ? (undefined extends V ? "optional_permit" : "permit") : never)
  | (undefined extends V ? `optional_${WordOf<NonNullable<V>> | "any"}` : WordOf<V> | "any")
  | ([V] extends [string | undefined] ? readonly V[] : never);

/** A slot as its owner declares it. */
export interface SlotSpec {
  /** What each member of a contribution has to be; contributions are objects then. */
  readonly members?: Readonly<Record<string, Wanted>>;
  /**
   * Functions that only plugins that ship with Lectern may call: they write, send or hand out what other plugins keep, and leave events
   * and the check of the viewer to their caller. Other members are left out for others.
   */
  readonly ships?: readonly string[];
  /** What a plugin does in place of contributing, as the end of a sentence: for slots that the runtime fills. */
  readonly filled?: string;
  /**
   * The time limit of functions: "readers" call them by `callContribution`, which has one and leaves out what fails; "long" ones transfer
   * files or work on many items. By default that of a function of a contract.
   */
  readonly limit?: "readers" | "long";
}

/** Slots by name, with the members of their types. */
export type SlotSpecs = {
  readonly [N in SlotName]?: SlotSpec & {
    readonly members?: { readonly [K in Keys<Slots[N]>]: Checked<ValueOf<Slots[N], K>> };
    readonly ships?: readonly Keys<Slots[N]>[];
  };
};

const OPTIONAL = "optional_";

/** The slots that core reads. */
export const CORE_SLOTS = deepFreeze({
  content: {
    members: {
      kind: "text",
      labels: "optional_object",
      table: "text",
      segment: "text",
      parents: "list",
      ownOnly: "optional_text",
      hasParentList: "optional_function",
      columns: "list",
      path: "object",
      contents: "optional_function",
      selectContents: "optional_function",
      selectOutline: "optional_function",
      contentsDependOn: "optional_list",
    },
    limit: "readers",
  },
  dependents: { members: { kind: "optional_text", destroy: "function" }, ships: ["destroy"] },
  file_claims: { members: { plugin: "text", used: "function" }, ships: ["used"], limit: "long" },
  file_store: {
    members: {
      name: "text",
      put: "function",
      get: "function",
      remove: "function",
      list: "function",
      unfinished: "optional_object",
    },
    ships: ["get", "list", "put", "remove", "unfinished"],
    limit: "long",
  },
  permission: { filled: 'is dropped, since the runtime fills it: name the permission in "permissions"' },
  response_fields: {
    members: {
      kind: "text",
      moment: ["listed", "saved", "read"],
      schema: "optional_object",
      add: "function",
      select: "optional_function",
      present: "optional_function",
      cached: "optional_object",
    },
    ships: ["cached"],
    limit: "readers",
  },
  searchable: { members: { kind: "text", body: "object", html: "optional_object" } },
  searched_parts: {
    members: {
      kind: "text",
      table: "text",
      idColumn: "text",
      itemColumn: "text",
      nameColumn: "text",
      textColumn: "text",
      wordsColumn: "text",
      url: "function",
    },
    limit: "readers",
  },
  self_check: {
    members: {
      name: "text",
      title: "text",
      check: "function",
      fix: "optional_function",
      onDemand: "optional_flag",
    },
    ships: ["check", "fix"],
    limit: "long",
  },
} as const satisfies SlotSpecs);

/** What is known of slots, by name. */
export interface DeclaredSlots {
  get(name: string): SlotSpec | undefined;
  /** All of them, by name. */
  all(): ReadonlyMap<string, SlotSpec>;
}

/**
 * All slots that are declared: those of core and of plugins. Those of shipped plugins that are left out count too, since what others
 * may not call stays so; they are asked for where a name is not among the others. Throws BootError for a slot that two declare.
 */
export function declaredSlots(plugins: readonly AnyPlugin[], shipped: ShippedPlugins): DeclaredSlots {
  const declaresOwn = plugins.some((plugin) => Object.keys(plugin.slots).length > 0);
  const installed = slotsOf(declaresOwn ? [...shipped, ...plugins] : []);
  let all = declaresOwn ? installed : undefined;
  const complete = () => {
    all ??= slotsOf(shipped);
    return all;
  };
  return {
    get: (name) => installed.get(name) ?? complete().get(name),
    all: complete,
  };
}

function slotsOf(plugins: Iterable<AnyPlugin>): ReadonlyMap<string, SlotSpec> {
  const slots = new Map<string, SlotSpec>(Object.entries(CORE_SLOTS));
  const owners = new Map([...slots.keys()].map((name) => [name, "Lectern"]));
  for (const plugin of new Set(plugins))
    for (const [name, spec] of Object.entries<SlotSpec>(plugin.slots)) {
      const owner = owners.get(name);
      if (owner !== undefined && owner !== `"${plugin.name}"`)
        throw new BootError(`The plugin "${plugin.name}" declares the slot "${name}", which ${owner} declares already`);
      owners.set(name, `"${plugin.name}"`);
      slots.set(name, spec);
    }
  return slots;
}

const isTexts = (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === "string");

const IS: Readonly<Record<Word, (value: unknown) => boolean>> = {
  text: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  flag: (value) => typeof value === "boolean",
  function: (value) => typeof value === "function",
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  list: Array.isArray,
  permit: (value) =>
    typeof value === "string" ||
    isTexts(value) ||
    (typeof value === "object" && value !== null && isTexts((value as { all?: unknown }).all)),
  any: (value) => value !== undefined,
};

const SAID: Readonly<Record<Word, string>> = {
  text: "a text",
  number: "a number",
  flag: "true or false",
  function: "a function",
  object: "an object",
  list: "a list",
  permit: '"public", "reader", "user", a permission, a list of permissions or { all: a list of permissions }',
  any: "given",
};

/** What is wrong with a contribution, as the end of a sentence about it; undefined where it has the shape of its slot, or none is known. */
export function contributionProblem(spec: SlotSpec | undefined, contribution: unknown): string | undefined {
  if (spec?.filled !== undefined) return spec.filled;
  const shape: Readonly<Record<string, Wanted>> | undefined = spec?.members;
  if (!shape) return undefined;
  if (!IS.object(contribution)) return `has to be an object, and is ${shown(contribution)}`;
  const given = contribution as object;
  const names = Object.keys(shape);
  // An instance of a class has members of its own.
  const own = Object.getPrototypeOf(given) === Object.prototype ? Object.keys(given) : [];
  const unknown = own.find((name) => !names.includes(name));
  if (unknown !== undefined)
    return `has "${unknown}", which is none of its members${didYouMean(unknown, names) || `: ${names.join(", ")}`}`;
  for (const [name, wanted] of Object.entries(shape)) {
    // An accessor is not called: what it returns may be different later.
    if (Object.getOwnPropertyDescriptor(given, name)?.get) continue;
    const value: unknown = Reflect.get(given, name);
    if (!fits(value, wanted)) return `needs "${name}" to be ${saidOf(wanted)}, and it is ${shown(value)}`;
  }
  return undefined;
}

function fits(value: unknown, wanted: Wanted): boolean {
  if (typeof wanted !== "string") return wanted.some((one) => one === value);
  if (value === undefined && wanted.startsWith(OPTIONAL)) return true;
  return IS[wordOf(wanted)](value);
}

function saidOf(wanted: Wanted): string {
  if (typeof wanted === "string") return SAID[wordOf(wanted)];
  return wanted.flatMap((one) => (one === undefined ? [] : [`"${one}"`])).join(" or ");
}

function wordOf(wanted: Word | `optional_${Word}`): Word {
  return (wanted.startsWith(OPTIONAL) ? wanted.slice(OPTIONAL.length) : wanted) as Word;
}

/** A value as errors name it, without what is in it. */
function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (typeof value === "string") return `the text "${value.slice(0, 60)}"`;
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
