/**
 * Powers of plugins: what a plugin may do beside using tables, hosts, variables and files. Each is declared in `grants`;
 * what is not declared is refused, at registration (`power_checks.ts`) or at the call (`acting.ts`).
 */
import type { TableName } from "../../db/mod.ts";
import { BootError } from "../errors.ts";
import type { EventName, JobName, Permit, SlotName } from "../registry.ts";
import { closestMatch } from "../std/closest_match.ts";
import { deepFreeze } from "../std/freeze.ts";
import { hostSettings } from "./granted_hosts.ts";
import type { AnyPlugin, Grants } from "./plugin.ts";

/** The powers of a plugin; none by default. A list names what is meant; "any" stands for all. */
export interface Powers {
  /** Acts as `SYSTEM`, which may do everything. */
  readonly system?: boolean;
  /** Acts as users other than that of the request, event or call at hand. */
  readonly impersonate?: boolean;
  /** Says who the user of a request is: `auth`, `authenticate` of a route scope, `begin` and `complete` of `sessions`. */
  readonly auth?: boolean;
  /** Migrations and `syncSchema` change more of the store's schema than the plugin's own tables, with all rights of its account. */
  readonly schema?: boolean;
  /** Prefixes of its route scopes, as whole paths: `/api/notes`, `/uploads`; `/` for all paths outside /api. */
  readonly routeScopes?: readonly string[] | "any";
  /** Tables for whose rows it adds a visibility rule. */
  readonly visibilityRules?: readonly TableName[] | "any";
  /** Events that it handles in `beforeTransaction`, `inTransaction` or `notify`; "any" for `on.any`. */
  readonly handlers?: readonly EventName[] | "any";
  /** Events whose draft it may change. */
  readonly filters?: readonly EventName[] | "any";
  /** Events that it may refuse. */
  readonly vetoes?: readonly EventName[] | "any";
  /** Events of other plugins that it performs, beside its own `events`; their handlers then see what it passes. */
  readonly performs?: readonly EventName[] | "any";
  /** Slots that it contributes to. */
  readonly slots?: readonly SlotName[] | "any";
  /** The only slots that it reads; any without this list. */
  readonly slotsRead?: readonly SlotName[] | "any";
  /** Jobs that it handles or enqueues. */
  readonly jobs?: readonly JobName[] | "any";
  /** Names of its schedules. */
  readonly schedules?: readonly string[] | "any";
  /** Routes with `permit: "public"`, as whole paths; `/files/*` stands for `/files` and all below. */
  readonly publicRoutes?: readonly string[] | "any";
  /** Screens and forms by path, and whom they permit at most; `/notes/*` stands for `/notes` and all below. */
  readonly screens?: Readonly<Record<string, Permit>> | "any";
}

/** Kinds of powers, in the order in which they are shown. */
export const POWER_KINDS = [
  "system",
  "impersonate",
  "auth",
  "schema",
  "routeScopes",
  "visibilityRules",
  "handlers",
  "filters",
  "vetoes",
  "performs",
  "slots",
  "slotsRead",
  "jobs",
  "schedules",
  "publicRoutes",
  "screens",
] as const satisfies readonly (keyof Powers)[];

/** Kinds of grants: those of resources, then powers. */
export const GRANT_KINDS: readonly (keyof Grants)[] = [
  "read",
  "write",
  "columns",
  "contentTables",
  "net",
  "env",
  "files",
  ...POWER_KINDS,
];

/** Kinds whose lists name each single thing. */
const NAMED: ReadonlySet<string> = new Set(["read", "write", "columns", "contentTables", "env"]);

/** Kinds that are either granted or not. */
export const SWITCHES: ReadonlySet<string> = new Set(["files", "system", "impersonate", "auth", "schema"]);

/**
 * Every power of registration, without `system` and `impersonate`: what a theme has, since an operator writes it.
 * @example
 * definePlugin({ name: "trusted", grants: { ...ALL_REGISTRATIONS, read: ["books"] }, setup() {} });
 */
export const ALL_REGISTRATIONS: Powers = deepFreeze({
  auth: true,
  routeScopes: "any",
  visibilityRules: "any",
  handlers: "any",
  filters: "any",
  vetoes: "any",
  performs: "any",
  slots: "any",
  slotsRead: "any",
  jobs: "any",
  schedules: "any",
  publicRoutes: "any",
  screens: "any",
});

/** Checks the shape of the grants of plugins. Throws BootError that names the plugin and the first wrong key. */
export function checkGrants(plugins: readonly AnyPlugin[]): void {
  for (const { name, grants, settings } of plugins) {
    const problem = grantsProblem(grants) ?? hostProblem(grants, settings);
    if (problem !== undefined) throw new BootError(`"grants" of the plugin "${name}" ${problem}`);
  }
}

/** What is wrong with the shape of grants, as the end of a sentence; undefined if nothing is. */
export function grantsProblem(grants: unknown): string | undefined {
  if (!isObject(grants)) return "is no object";
  for (const [kind, value] of Object.entries(grants)) {
    if (!(GRANT_KINDS as readonly string[]).includes(kind)) {
      const near = closestMatch(kind, GRANT_KINDS);
      return `names the kind of grant "${kind}", which does not exist${near === undefined ? "" : `; did you mean "${near}"?`}`;
    }
    if (value !== undefined && !isShape(kind, value)) return `has another value for "${kind}" than ${shapeOf(kind)}`;
  }
  return undefined;
}

function hostProblem(grants: Grants, settings: AnyPlugin["settings"]): string | undefined {
  const known = Object.keys(settings?.properties ?? {});
  const wrong = hostSettings(grants).find((field) => !known.includes(field));
  if (wrong === undefined) return undefined;
  const near = closestMatch(wrong, known);
  return `names the host of the setting "${wrong}" in "net", which it does not have${near === undefined ? "" : `; did you mean "${near}"?`}`;
}

function isShape(kind: string, value: unknown): boolean {
  if (SWITCHES.has(kind)) return typeof value === "boolean";
  if (value === "any") return hasAny(kind);
  if (kind === "screens") return isObject(value) && Object.values(value).every(isPermit);
  if (kind === "columns") return isObject(value) && Object.values(value).every(isNames);
  if (kind === "contentTables") return isNames(value) && value.every((one) => one === "read" || one === "write");
  return isNames(value);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isPermit(value: unknown): boolean {
  if (typeof value === "string") return true;
  const names: unknown = typeof value === "object" && value !== null && "all" in value ? value.all : value;
  return Array.isArray(names) && names.every((name) => typeof name === "string");
}

function hasAny(kind: string): boolean {
  return !NAMED.has(kind);
}

function shapeOf(kind: string): string {
  if (SWITCHES.has(kind)) return "true or false";
  if (kind === "columns") return "an object of tables with lists of their columns";
  const shape = kind === "screens" ? "an object of paths with whom they permit" : "a list of names";
  return hasAny(kind) ? `${shape}, or "any"` : shape;
}
