/**
 * Grants, and what plugins register, as text: of each plugin in a few lines (`grants`, `plan`), of one in words (`grants NAME`), in one
 * short line at the start of a server. Lists that are "any" are shown as that; what the operator denied is marked, not left out.
 */
import { columnsText, deniesColumns } from "../runtime/column_grants.ts";
import { GRANT_KINDS, type Kind, SWITCHES } from "../runtime/grant_kinds.ts";
import { shownHost } from "../runtime/granted_hosts.ts";
import { variablesOf } from "../runtime/operator_choices.ts";
import { factsOf, type PinFacts } from "../runtime/pin_facts.ts";
import type { AnyPlugin, Grants } from "../runtime/plugin.ts";
import { RECORDED_KINDS, type Recorded, recordedNames } from "../runtime/recorded.ts";
import { printable } from "../std/printable.ts";
import type { KnownEnforcement } from "./known_enforcement.ts";

/** Names of one kind that the short line shows; the others are counted. */
const MAX_SHORT = 3;
/** Kinds of the first line, beside the switches. */
const RESOURCES: readonly string[] = ["read", "write", "columns", "contentTables", "net", "env"];
const NAME_WIDTH = 16;

/** What an operator reads for each kind. */
const MEANING: Readonly<Record<Kind, string>> = {
  read: "reads the tables",
  write: "reads and writes the tables",
  columns: "reads columns of the tables",
  contentTables: "uses the tables of all kinds of content, to",
  net: "calls the hosts",
  env: "reads the variables",
  files: "stores files",
  system: "acts as SYSTEM, which may do everything",
  impersonate: "acts as users",
  auth: "decides who the user of a request is",
  schema: "changes the store's schema beyond its own tables, with all rights of its account",
  routeScopes: "sets credentials, limits and errors below the paths",
  visibilityRules: "hides rows of the tables",
  handlers: "sees and follows the events",
  filters: "changes the events",
  vetoes: "refuses the events",
  performs: "performs the events of Lectern",
  slots: "contributes to the slots",
  slotsRead: "reads the slots",
  jobs: "runs the jobs",
  schedules: "runs on the schedules",
  publicRoutes: "answers everybody at the paths",
  writes: "may call the writing functions",
  screens: "serves the screens",
};

/** What an operator reads for each fact. */
const FACTS: Readonly<Record<Exclude<keyof PinFacts, "syncSchema">, string>> = {
  contracts: "calls the contracts",
  provides: "provides the contracts",
  events: "has events of its own",
  adds: "adds the permissions",
  commands: "adds the commands",
  hosts: "calls by its default settings",
  migrations: "changes the schema by the steps",
};

/** One kind of what a plugin declares or registers: its names, or none for one that is either granted or not. */
interface Shown {
  readonly kind: Kind;
  readonly names: readonly string[];
  readonly isDenied: boolean;
}

/** A plugin with what the operator denied it, and what it registers as far as that is known. */
export interface ShownPlugin {
  readonly plugin: AnyPlugin;
  readonly denied: readonly Kind[];
  readonly recorded: Recorded;
}

/**
 * The lines of a plugin: its name, resources and switches, how its process is confined, and where PostgreSQL does not enforce the
 * tables of a plugin that it should, the reason; then a line for each kind of what it registers.
 */
export function grantsLines(of: ShownPlugin, enforcement?: KnownEnforcement): string[] {
  const { plugin } = of;
  const shown = shownOf(of);
  const isFirst = ({ kind }: Shown) => SWITCHES.has(kind) || RESOURCES.includes(kind);
  const lines = [
    shown.filter(isFirst).map(textOf).join(" "),
    ...shown.filter((one) => !isFirst(one)).map(textOf),
  ].filter((line) => line !== "");
  if (lines.length === 0) lines.push("nothing");
  lines[0] += `${isolationNote(plugin)}${enforcementNote(enforcement)}`;
  return lines.map((line, at) => `${(at === 0 ? plugin.name : "").padEnd(NAME_WIDTH)} ${line}`);
}

function isolationNote({ isolated }: AnyPlugin): string {
  return isolated ? ` ${isolated.how}` : "";
}

/** That PostgreSQL does not enforce the tables of a plugin that it should, or that nobody knows, after two spaces; else "". */
export function enforcementNote({ isWanted = false, isUnknown, reason }: Partial<KnownEnforcement> = {}): string {
  if (!isWanted || reason === undefined) return "";
  return `  ${isUnknown ? "not known to be enforced" : "not enforced"}: ${reason}`;
}

/** One short line: long lists are cut. */
export function shortGrants(of: ShownPlugin): string {
  const { plugin } = of;
  const cut = ({ names, ...rest }: Shown): Shown => ({
    ...rest,
    names: names.length > MAX_SHORT + 1 ? [...names.slice(0, MAX_SHORT), `+${names.length - MAX_SHORT}`] : names,
  });
  const shown = shownOf(of).map((one) => textOf(RESOURCES.includes(one.kind) ? one : cut(one)));
  return `${plugin.name.padEnd(NAME_WIDTH)} ${shown.join(" ") || "nothing"}${isolationNote(plugin)}`;
}

/** What one plugin declares and registers in words, a line for each name of a longer list. */
export function grantsInWords(of: ShownPlugin): string[] {
  const shown = shownOf(of);
  const head = `${of.plugin.name}${isolationNote(of.plugin)}`;
  if (shown.length === 0) return [head, "  nothing"];
  return [
    head,
    ...shown.flatMap(({ kind, names, isDenied }) => inWords(`${MEANING[kind]}${isDenied ? " (denied)" : ""}`, names)),
  ];
}

/** What is accepted of a plugin beside that, in words. */
export function factsInWords({ plugin, recorded }: ShownPlugin): string[] {
  const { migrations, syncSchema, ...lists } = factsOf(plugin, recorded.performs);
  const named = Object.entries({ ...lists, migrations: Object.keys(migrations) });
  return [
    ...named.flatMap(([fact, names]) =>
      names.length === 0 ? [] : inWords(FACTS[fact as keyof typeof FACTS], names.map(printable)),
    ),
    ...(syncSchema.length === 0 ? [] : inWords("brings its schema up to date at each start", [])),
  ];
}

function inWords(meaning: string, names: readonly string[]): string[] {
  const head = `  ${meaning}`;
  if (names.length === 0) return [head];
  return names.length === 1 ? [`${head}: ${names[0]}`] : [`${head}:`, ...names.map((name) => `    ${name}`)];
}

function shownOf({ plugin, denied, recorded }: ShownPlugin): Shown[] {
  const grants: Grants = { ...plugin.grants, env: variablesOf(plugin) };
  const declared = GRANT_KINDS.flatMap((kind): Shown[] => {
    const grant = grants[kind];
    if (grant === undefined || grant === false) return [];
    const names = namesOf(kind, grant).map((name) => (kind === "net" ? shownHost(plugin, name) : name));
    return names.length === 0 && grant !== true ? [] : [{ kind, names, isDenied: isDenied(kind, denied) }];
  });
  const registered = RECORDED_KINDS.flatMap((kind): Shown[] => {
    const names = recordedNames(kind, recorded);
    return names.length === 0 ? [] : [{ kind, names, isDenied: isDenied(kind, denied) }];
  });
  return [...declared, ...registered].map((one) => ({ ...one, names: one.names.map(printable) }));
}

function isDenied(kind: Kind, denied: readonly Kind[]): boolean {
  return kind === "columns" ? deniesColumns(denied) : denied.includes(kind);
}

function namesOf(kind: keyof Grants, grant: NonNullable<Grants[keyof Grants]>): readonly string[] {
  if (typeof grant === "boolean") return [];
  if (typeof grant === "string") return [grant];
  return kind === "columns" ? columnsText(grant as NonNullable<Grants["columns"]>) : (grant as readonly string[]);
}

function textOf({ kind, names, isDenied }: Shown): string {
  const shown = names.length === 0 ? kind : `${kind}=${names.join(kind === "screens" ? ", " : ",")}`;
  return isDenied ? `${shown} (denied)` : shown;
}
