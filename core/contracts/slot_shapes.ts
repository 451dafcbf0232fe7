/**
 * The shape of a contribution to each slot of core: its members, and what each has to be. The compiler compares it with the types of
 * the slots, so no member is missing here; the boot compares contributions with it, since plugins are loaded without a check of their
 * types. What functions return is checked by the readers of the slot.
 */
import { didYouMean } from "../closest_match.ts";
import type { Slots } from "../runtime/registry.ts";
import type { CORE_SLOTS } from "./slot_names.ts";
import type { ScreenAccess } from "./web.ts";

/** What a member has to be; "access" is who may see it (`ScreenAccess`), "any" is checked by the reader of the slot. */
type Word = "text" | "number" | "flag" | "function" | "object" | "list" | "access" | "any";

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
type Checked<V> =
  | (ScreenAccess extends NonNullable<V> ? (undefined extends V ? "optional_access" : "access") : never)
  | (undefined extends V ? `optional_${WordOf<NonNullable<V>> | "any"}` : WordOf<V> | "any")
  | ([V] extends [string | undefined] ? readonly V[] : never);

/** Slots that the runtime fills, with what a plugin does instead of contributing to them. */
const FILLED = { permission: 'is dropped, since the runtime fills it: name the permission in "adds"' } as const;

type ShapedSlot = Exclude<(typeof CORE_SLOTS)[number], keyof typeof FILLED>;
type Shapes = {
  readonly [N in ShapedSlot]: { readonly [K in Keys<Slots[N]>]: Checked<ValueOf<Slots[N], K>> };
};

const OPTIONAL = "optional_";
const MOMENTS = ["listed", "saved", "read"] as const;

/** The shapes by slot. */
const SHAPES: Shapes = {
  activity: {
    event: "text",
    types: "optional_list",
    descriptions: "optional_object",
    instead: "optional_flag",
    activities: "function",
  },
  content: {
    ...{
      kind: "text",
      labels: "optional_object",
      table: "text",
      segment: "text",
      parents: "list",
      ownOnly: "optional_text",
    },
    ...{ hasParentList: "optional_function", columns: "list", path: "object", contents: "optional_function" },
    ...{ selectContents: "optional_function", contentsDependOn: "optional_list" },
  },
  content_maker: { kind: "text", make: "function", refill: "function" },
  content_record: { changed: "function" },
  credential_scheme: { schemes: "object", prefixes: "optional_list", error: "optional_object" },
  dependents: { kind: "optional_text", destroy: "function" },
  document_head: { styles: "optional_list", scripts: "optional_list", draw: "optional_function" },
  export_files: { named: "function", dependents: "optional_function" },
  export_format: { name: "text", extension: "text", write: "function" },
  export_kind: { kind: "text", find: "function", within: "optional_function", contents: "optional_function" },
  file_claims: { plugin: "text", used: "function" },
  file_keeper: { plugin: "text", keep: "function", drop: "function" },
  file_store: {
    ...{ name: "text", put: "function", get: "function", remove: "function", list: "function" },
    ...{ unfinished: "optional_object" },
  },
  import_files: { list: "text", object: "text", permission: "optional_text", store: "function" },
  item_reader: { kind: "text", noun: "text", find: "optional_function", list: "optional_function" },
  last_activity: { of: "function" },
  list_item_schema: { field: "text", schema: "object" },
  mail_transport: { name: "text", send: "function" },
  markdown_converter: { configure: "function" },
  menu: {
    ...{ menu: ["main", "settings", "account"], path: "text", text: "text", icon: "text", admits: "access" },
    ...{ needs: "optional_text", order: "optional_number" },
  },
  metric: {
    ...{ name: "text", help: "text", type: ["gauge", "counter"], labels: "optional_list", perProcess: "optional_flag" },
    ...{ read: "function" },
  },
  page_content: {
    preStore: "optional_function",
    postRender: "optional_function",
    include: "optional_function",
    dependsOn: "optional_list",
  },
  permission_label: { permission: "text", label: "text", about: "optional_text", section: "optional_text" },
  picture_keeper: { keep: "function" },
  response_fields: {
    ...{ kind: "text", moment: MOMENTS, schema: "optional_object", add: "function", select: "optional_function" },
    ...{ present: "optional_function", cached: "optional_object" },
  },
  screen_figure: {
    ...{
      at: "text",
      label: "text",
      read: "function",
      path: "optional_text",
      admits: "optional_access",
      order: "optional_number",
    },
  },
  screen_head: {
    scripts: "optional_list",
    styles: "optional_list",
    meta: "optional_function",
    links: "optional_function",
    css: "optional_function",
  },
  screen_hook: { before: "optional_function", after: "optional_function" },
  screen_icon: { name: "text", svg: "text", source: "text" },
  screen_part: { at: "text", order: "optional_number", draw: "function" },
  screen_redirect: { find: "function" },
  search_engine: { name: "text", index: "function", remove: "function", find: "function" },
  searchable: { kind: "text", body: "object", html: "optional_object" },
  self_check: { name: "text", title: "text", check: "function", fix: "optional_function", onDemand: "optional_flag" },
  sign_in_step: { name: "text", path: "text", order: "optional_number", isNeeded: "function" },
  toolbar_entry: {
    ...{ at: "text", text: "text", icon: "text", path: "function", kind: ["link", "dialog", "form", undefined] },
    ...{ admits: "optional_access", isInMenu: "optional_flag", order: "optional_number" },
  },
  view_part: { target: "text", place: ["before", "after"], priority: "number", draw: "function" },
  view_replacement: { name: "text", draw: "function" },
};

/** The shapes of slots that plugins declare which ship; a test compares them with the types of the slots. */
export const PLUGIN_SHAPES = {
  dashboard_figure: { name: "text", about: "text", read: "function" },
} as const;

const ALL_SHAPES: Readonly<Record<string, Readonly<Record<string, Wanted>>>> = { ...SHAPES, ...PLUGIN_SHAPES };
/** Accesses that are no lists of permissions. */
const ACCESSES = ["anyone", "reader", "user"];
const isTexts = (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === "string");

const IS: Readonly<Record<Word, (value: unknown) => boolean>> = {
  text: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  flag: (value) => typeof value === "boolean",
  function: (value) => typeof value === "function",
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  list: Array.isArray,
  access: (value) =>
    ACCESSES.some((one) => one === value) ||
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
  access: '"anyone", "reader", "user", a list of permissions or { all: a list of permissions }',
  any: "given",
};

/** What is wrong with a contribution, as the end of a sentence about it; undefined where it has the shape of its slot, or none is known. */
export function contributionProblem(slot: string, contribution: unknown): string | undefined {
  if (Object.hasOwn(FILLED, slot)) return FILLED[slot as keyof typeof FILLED];
  const shape = Object.hasOwn(ALL_SHAPES, slot) ? ALL_SHAPES[slot] : undefined;
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
