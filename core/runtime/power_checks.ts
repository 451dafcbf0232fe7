/**
 * Checks what one plugin registers and enqueues against the powers that it declares (`powers.ts`), and those that the operator
 * denied. The errors name the plugin, the power and the line to add.
 */

import { BootError } from "../errors.ts";
import type { RouteScope } from "../http/route_scope.ts";
import type { RouteInfo } from "../http/route_table.ts";
import type { Permit } from "../registry.ts";
import { coversPath, coversPermit } from "./path_patterns.ts";
import type { AnyPlugin, Grants } from "./plugin.ts";
import type { Powers } from "./powers.ts";

/** Kinds of powers that name events, slots, tables, jobs, schedules or prefixes. */
type ListKind = Exclude<keyof Powers, "system" | "impersonate" | "auth" | "schema" | "screens">;

/**
 * The error of a call for which a plugin lacks the power. The message names the plugin and the line to add.
 * @example
 * try {
 *   await context.callAs(SYSTEM, "GET", "/api/books");
 * } catch (error) {
 *   if (error instanceof PowerError) context.log.warn("Declare system first", { error });
 * }
 */
export class PowerError extends Error {
  override readonly name = "PowerError";
}

/** The powers of one plugin. */
export class PowerChecks {
  readonly #plugin: AnyPlugin;
  readonly #granted: Grants;
  #events: ReadonlySet<string> | undefined;
  readonly #sets = new Map<ListKind, ReadonlySet<string>>();

  /** `granted`: the plugin's grants without the kinds that the operator denied. */
  constructor(plugin: AnyPlugin, granted: Grants) {
    this.#plugin = plugin;
    this.#granted = granted;
  }

  /** Whether the plugin has a power that is either granted or not. */
  has(kind: "system" | "impersonate" | "auth"): boolean {
    return this.#granted[kind] === true;
  }

  /** Checks handlers of an event. `app_boot` needs no power. */
  on(event: string, handlers: object): void {
    if (event === "app_boot") return;
    if ("filter" in handlers) this.need("filters", event, `filters "${event}"`);
    if ("veto" in handlers) this.need("vetoes", event, `vetoes "${event}"`);
    const moment = ["beforeTransaction", "inTransaction", "notify"].find((name) => name in handlers);
    if (moment !== undefined) this.need("handlers", event, `handles "${event}" in "${moment}"`);
  }

  /** Checks handlers of every event. */
  onAny(): void {
    if (this.#granted.handlers !== "any") throw this.#missing("handlers", "handles every event", '"any"');
  }

  /** Checks a resolver of credentials. */
  auth(what = "resolves credentials"): void {
    if (!this.has("auth")) throw this.#missing("auth", what, "true");
  }

  /** Checks a call of a function that needs a power. Throws PowerError. */
  calls(kind: "system" | "impersonate" | "auth", what: string): void {
    if (!this.has(kind)) throw new PowerError(this.#missing(kind, `calls ${what}`, "true").message);
  }

  /** Checks a route scope, and its resolver of credentials. */
  routeScope(prefix: string, { authenticate, outside }: RouteScope): void {
    const path = outside ? prefix || "/" : `/api${prefix}`;
    this.need("routeScopes", path, `adds the route scope "${path}"`);
    if (authenticate) this.auth(`resolves credentials in the route scope "${path}"`);
  }

  /** Checks a name of a kind. `what` says what the plugin does. */
  need(kind: ListKind, name: string, what: string): void {
    if (!this.#includes(kind, name)) throw this.#missing(kind, what, this.#lineWith(kind, name));
  }

  /** Checks the name of a slot that is read, by a plugin that says which ones it reads. Throws PowerError. */
  readSlot(name: string): void {
    const isOpen = this.#plugin.grants.slotsRead === undefined && this.#granted.slotsRead === undefined;
    if (isOpen || this.#includes("slotsRead", name)) return;
    const { message } = this.#missing("slotsRead", `reads the slot "${name}"`, this.#lineWith("slotsRead", name));
    throw new PowerError(message);
  }

  /** Checks the name of a job that is enqueued. Throws PowerError. */
  enqueue(name: string): void {
    if (!this.#includes("jobs", name))
      throw new PowerError(this.#missing("jobs", `enqueues "${name}"`, this.#lineWith("jobs", name)).message);
  }

  /** Checks the name of an event that is performed: one of the plugin's own or of `performs`. Throws PowerError. */
  perform(name: string): void {
    this.#checkText(name);
    this.#events ??= new Set(this.#plugin.events);
    if (this.#events.has(name) || this.#includes("performs", name)) return;
    const { message } = this.#missing("performs", `performs "${name}"`, this.#lineWith("performs", name));
    throw new PowerError(`${message}, or to "events" of the plugin if the event is its own`);
  }

  /** Checks the screens and public routes among the mounted routes of the plugin. */
  routes(routes: readonly RouteInfo[]): void {
    for (const { method, path, permit, detail } of routes) {
      // The screens' plugin marks the routes of screens with whom they permit.
      const access = detail["x-screen"] as Permit | undefined;
      if (access !== undefined) this.#screen(path, access);
      else if (permit === "public") this.#publicRoute(method, path);
    }
  }

  /** The error for an act as SYSTEM, or as another user. */
  actingError(kind: "system" | "impersonate"): PowerError {
    const what = kind === "system" ? "acts as SYSTEM" : "acts as a user who is not that of the request";
    return new PowerError(this.#missing(kind, what, "true").message);
  }

  #includes(kind: ListKind, name: string): boolean {
    this.#checkText(name);
    const granted = this.#granted[kind];
    if (granted === "any") return true;
    const known = this.#sets.get(kind) ?? new Set<string>(granted ?? []);
    this.#sets.set(kind, known);
    return known.has(name);
  }

  /** Names become values of statements, where an object could be SQL. */
  #checkText(name: unknown): void {
    if (typeof name !== "string")
      throw new TypeError(`The plugin "${this.#plugin.name}" gives ${typeof name} as a name: wanted a text`);
  }

  #screen(path: string, access: Permit): void {
    const declared = this.#granted.screens ?? {};
    if (declared === "any") return;
    const isDeclared = Object.entries(declared).some(
      ([pattern, permit]) => coversPath(pattern, path) && coversPermit(permit, access),
    );
    const admitted = JSON.stringify(access);
    if (!isDeclared)
      throw this.#missing("screens", `serves the screen "${path}" for ${admitted}`, `{ "${path}": ${admitted} }`);
  }

  #publicRoute(method: string, path: string): void {
    const declared = this.#granted.publicRoutes ?? [];
    if (declared === "any" || declared.some((pattern) => coversPath(pattern, path))) return;
    throw this.#missing("publicRoutes", `serves ${method} ${path} to everybody`, this.#lineWith("publicRoutes", path));
  }

  /** The list of a kind with one name more, as it is written in a plugin. */
  #lineWith(kind: ListKind, name: string): string {
    const declared = this.#plugin.grants[kind] ?? [];
    return JSON.stringify(declared === "any" ? declared : [...declared, name]).replaceAll('","', '", "');
  }

  #missing(kind: keyof Powers, what: string, line: string): BootError {
    const { name, grants } = this.#plugin;
    if (grants[kind] !== undefined && this.#granted[kind] === undefined)
      return new BootError(
        `The plugin "${name}" ${what}, which the operator refused: "denied" in package.json names "${kind}"`,
      );
    return new BootError(
      `The plugin "${name}" ${what}, which it does not declare; add to its grants: ${kind}: ${line}`,
    );
  }
}
