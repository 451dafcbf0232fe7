/**
 * Grants as text: of each plugin in a few lines (`grants`, `plan`), of one in words (`grants NAME`), in one short line at the start of
 * a server. Lists that a plugin declares as "any" are shown as that; what the operator denied is marked, not left out.
 */
import { columnsText, deniesColumns } from "../runtime/column_grants.ts";
import { shownHost } from "../runtime/granted_hosts.ts";
import { variablesOf } from "../runtime/operator_choices.ts";
import { permitText } from "../runtime/path_patterns.ts";
import type { AnyPlugin, Grants } from "../runtime/plugin.ts";
import { GRANT_KINDS, SWITCHES } from "../runtime/powers.ts";
import type { KnownEnforcement } from "./known_enforcement.ts";

/** Names of one kind that the short line shows; the others are counted. */
const MAX_SHORT = 3;
/** Kinds of the first line, beside the switches. */
const RESOURCES: readonly string[] = ["read", "write", "columns", "contentTables", "net", "env"];
const NAME_WIDTH = 16;

/** What an operator reads for each kind. */
const MEANING: Readonly<Record<keyof Grants, string>> = {
  read: "reads the tables",
  write: "reads and writes the tables",
  columns: "reads columns of the tables",
  contentTables: "uses the tables of all kinds of content, to",
  net: "calls the hosts",
  env: "reads the variables",
  files: "stores files",
  system: "acts as SYSTEM, which may do everything",
  impersonate: "acts as users other than that of the request",
  auth: "decides who the user of a request is",
  schema: "changes the store's schema beyond its own tables, with all rights of its account",
  routeScopes: "sets credentials, limits and errors below the paths",
  visibilityRules: "hides rows of the tables",
  handlers: "sees and follows the events",
  filters: "changes the events",
  vetoes: "refuses the events",
  performs: "performs the events of other plugins",
  slots: "contributes to the slots",
  slotsRead: "reads the slots",
  jobs: "runs the jobs",
  schedules: "runs on the schedules",
  publicRoutes: "answers everybody at the paths",
  screens: "serves the screens",
};

/** One kind of a plugin's grants: its names, or none for one that is either granted or not. */
interface Shown {
  readonly kind: keyof Grants;
  readonly names: readonly string[];
  readonly isDenied: boolean;
}

/**
 * The lines of a plugin: its name, resources and switches, how its process is confined, and where PostgreSQL does not enforce the
 * tables of a plugin that it should, the reason; then a line for each kind of powers.
 */
export function grantsLines(
  plugin: AnyPlugin,
  denied: readonly (keyof Grants)[],
  enforcement?: KnownEnforcement,
): string[] {
  const shown = shownOf(plugin, denied);
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
export function shortGrants(plugin: AnyPlugin, denied: readonly (keyof Grants)[]): string {
  const cut = ({ names, ...rest }: Shown): Shown => ({
    ...rest,
    names: names.length > MAX_SHORT + 1 ? [...names.slice(0, MAX_SHORT), `+${names.length - MAX_SHORT}`] : names,
  });
  const shown = shownOf(plugin, denied).map((one) => textOf(RESOURCES.includes(one.kind) ? one : cut(one)));
  return `${plugin.name.padEnd(NAME_WIDTH)} ${shown.join(" ") || "nothing"}${isolationNote(plugin)}`;
}

/** The grants of one plugin in words, a line for each name of a longer list. */
export function grantsInWords(plugin: AnyPlugin, denied: readonly (keyof Grants)[]): string[] {
  const shown = shownOf(plugin, denied);
  const head = `${plugin.name}${isolationNote(plugin)}`;
  if (shown.length === 0) return [head, "  nothing"];
  return [
    head,
    ...shown.flatMap(({ kind, names, isDenied }) => {
      const head = `  ${MEANING[kind]}${isDenied ? " (denied)" : ""}`;
      if (names.length === 0) return [head];
      return names.length === 1 ? [`${head}: ${names[0]}`] : [`${head}:`, ...names.map((name) => `    ${name}`)];
    }),
  ];
}

function shownOf(plugin: AnyPlugin, denied: readonly (keyof Grants)[]): Shown[] {
  const grants: Grants = { ...plugin.grants, env: variablesOf(plugin) };
  return GRANT_KINDS.flatMap((kind) => {
    const grant = grants[kind];
    if (grant === undefined || grant === false) return [];
    const names = namesOf(kind, grant).map((name) => (kind === "net" ? shownHost(plugin, name) : name));
    return names.length === 0 && grant !== true ? [] : [{ kind, names, isDenied: isDenied(kind, denied) }];
  });
}

function isDenied(kind: keyof Grants, denied: readonly (keyof Grants)[]): boolean {
  return kind === "columns" ? deniesColumns(denied) : denied.includes(kind);
}

function namesOf(kind: keyof Grants, grant: NonNullable<Grants[keyof Grants]>): readonly string[] {
  if (typeof grant === "boolean") return [];
  if (typeof grant === "string") return [grant];
  if (kind === "columns") return columnsText(grant as NonNullable<Grants["columns"]>);
  if (kind !== "screens") return grant as readonly string[];
  return Object.entries(grant as Exclude<NonNullable<Grants["screens"]>, "any">).map(
    ([path, access]) => `${path} (${permitText(access)})`,
  );
}

function textOf({ kind, names, isDenied }: Shown): string {
  const shown = names.length === 0 ? kind : `${kind}=${names.join(kind === "screens" ? ", " : ",")}`;
  return isDenied ? `${shown} (denied)` : shown;
}
