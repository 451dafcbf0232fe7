/**
 * The page of settings of `.deploy/`, made from the schemas of the runtime and the plugins that ship. `bun test/rules/_configuration.ts`
 * writes it; a rule compares it.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TObject, TSchema } from "@sinclair/typebox";
import { configSchema } from "../../core/config.ts";
import plugins, { removedVariables } from "../../plugins/mod.ts";
import { ROOT } from "./_source.ts";

/** The page. */
export const CONFIGURATION = ".deploy/configuration.md";

/** A variable with the schema that describes it. */
export interface Variable {
  readonly name: string;
  readonly spec: TSchema;
}

/** What people set by task; a variable belongs to the first group that fits. */
const GROUPS: readonly (readonly [title: string, names: RegExp])[] = [
  ["Address, processes and data", /^(?:PORT|HOST|SERVE_WORKERS|APP_URL|APP_PROXIES|DATA_\w+)$/],
  [
    "The instance",
    /^(?:APP_(?:NAME|LOGO|LANG|THEME|VERSION|ENV)|ALLOWED_IFRAME_SOURCES|DRAWIO|API_DOCS_PUBLIC|UPDATE_CHECK)$/,
  ],
  ["Database", /^(?:DATABASE_\w+|PLUGIN_ROLES)$/],
  ["Uploaded files", /^(?:FILES?_\w+|IMAGE_ACCESS)$/],
  ["Accounts and sign-in", /^(?:ADMIN_|PASSWORD_|REGISTRATION_|SESSION_|SIGN_IN_|APP_PUBLIC|APP_TIMEZONE)/],
  ["Mail", /^MAIL_/],
  ["Content, search and exports", /^(?:REVISION_|DRAFT_|RECYCLE_|SEARCH_|EXPORT_)/],
  ["Backups", /^BACKUP_/],
  ["Limits of requests", /^(?:API_|RATE_|MAX_|LONG_|IDLE_|STOP_|ALLOW_PRIVATE)/],
  ["Memory and child processes", /^(?:ANSWER_CACHE|CHILD_)/],
  ["Log, audit log, metrics and traces", /^(?:LOG_|AUDIT_|IP_|METRICS_|OTEL_)/],
  ["Monitored hosts and dashboards", /^(?:HOSTS_|DASHBOARD_)/],
];

/** Every variable that settings of the runtime and of shipped plugins name, once, in their order. */
export function variables(): Variable[] {
  const schemas: TObject[] = [configSchema, ...plugins.flatMap(({ settings }) => (settings ? [settings] : []))];
  const all = schemas.flatMap(({ properties }) => Object.values(properties));
  const named = all.flatMap((spec) => (typeof spec.env === "string" ? [{ name: spec.env, spec }] : []));
  return [...new Map(named.map((one) => [one.name, one])).values()];
}

/** The variables of each group, in the order of the groups. */
export function groups(): { readonly title: string; readonly members: readonly Variable[] }[] {
  const first = (name: string) => GROUPS.findIndex(([, names]) => names.test(name));
  return GROUPS.map(([title], at) => ({ title, members: variables().filter(({ name }) => first(name) === at) }));
}

/** The text of the page. */
export function configurationPage(): string {
  const parts = [
    "# Configuration",
    "Made by `bun test/rules/_configuration.ts` from the settings' descriptions; do not edit it. The [README](../README.md#configuration) shows what people set most.",
    "Every setting is an environment variable and has a default; one that is set to nothing has it too. `.env` in the current folder sets those that the " +
      "environment does not ([rules](operations.md#settings)). Plugins that do not ship have settings of their own, which `npx --no lectern grants` shows.",
    ...groups().flatMap(({ title, members }) => [`## ${title}`, table(members)]),
    "## Variables that are gone",
    "A start with one of these ends with what stands for it. What is a number now was changed by nobody, or follows from another variable.",
    [
      "| Variable | |",
      "| --- | --- |",
      ...Object.entries(removedVariables).map(([name, text]) => `| \`${name}\` | ${cell(text)} |`),
    ].join("\n"),
  ];
  return `${parts.join("\n\n")}\n`;
}

function table(members: readonly Variable[]): string {
  const rows = members.map(
    ({ name, spec }) => `| \`${name}\` | ${defaultOf(spec)} | ${typeOf(spec)} | ${cell(spec.description ?? "")} |`,
  );
  return ["| Variable | Default | Type | |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

function defaultOf({ default: value }: TSchema): string {
  return value === undefined || value === "" ? "–" : `\`${String(value)}\``;
}

function typeOf({ type, anyOf, minimum, maximum, unit }: TSchema): string {
  if (type === "boolean") return "true or false";
  // A union of literals, as `readSettings` takes it.
  if (anyOf) return (anyOf as TSchema[]).flatMap(({ const: one }) => (one === "" ? [] : [`\`${one}\``])).join(", ");
  if (type !== "integer" && type !== "number") return "text";
  const range = [minimum === undefined ? "" : ` from ${minimum}`, maximum === undefined ? "" : ` to ${maximum}`];
  return `${type === "integer" ? "whole number" : "number"}${range.join("")}, ${unit}`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("*", "\\*").replaceAll("<", "\\<");
}

if (import.meta.main) writeFileSync(join(ROOT, CONFIGURATION), configurationPage());
