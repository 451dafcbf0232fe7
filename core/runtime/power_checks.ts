/**
 * What one plugin may do and register. Powers that it declares in `grants` are checked where it uses them. What it registers is recorded,
 * and refused where the operator denied it, or accepted less in package.json (`pins.ts`): at the call, so that nothing of it is in use
 * before the boot stops, and again after `setup`, which may have caught the error.
 */
import { BootError } from "../errors.ts";
import type { RouteScope } from "../http/route_scope.ts";
import type { RouteInfo } from "../http/route_table.ts";
import type { Permit } from "../registry.ts";
import type { Kind } from "./grant_kinds.ts";
import { coversPermit, namesRoute } from "./path_patterns.ts";
import { beyondError, type Pin } from "./pins.ts";
import type { AnyPlugin, Grants } from "./plugin.ts";
import { accepts, beyondRecorded, type ListKind, RECORDED_KINDS, type Recorded } from "./recorded.ts";
import { written } from "./written.ts";

/** Methods of calls that write nothing. */
const READING: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** Powers that are either granted or not. */
type Power = "system" | "impersonate" | "auth";

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

/** What the operator chose for a plugin. */
export interface PowerChoices {
  readonly denied: readonly Kind[];
  /** What was accepted; undefined for a plugin without a pin. */
  readonly pin: Pin | undefined;
  readonly ships: boolean;
}

/** The grants of a plugin without the kinds that the operator denied. */
export function grantsWithout({ grants }: AnyPlugin, denied: readonly Kind[]): Grants {
  return Object.fromEntries(Object.entries(grants).filter(([kind]) => !denied.includes(kind as Kind)));
}

/** The powers of one plugin, and the record of what it registers. */
export class PowerChecks {
  readonly #plugin: AnyPlugin;
  readonly #granted: Grants;
  readonly #choices: PowerChoices;
  readonly #names = new Map<ListKind, Set<string>>();
  readonly #screens = new Map<string, Permit>();
  #isSetUp = false;

  /** `granted`: the plugin's grants without the kinds that the operator denied. */
  constructor(plugin: AnyPlugin, granted: Grants, choices: PowerChoices) {
    this.#plugin = plugin;
    this.#granted = granted;
    this.#choices = choices;
  }

  /** What the plugin has registered, and what it tried to. */
  get recorded(): Recorded {
    const lists = RECORDED_KINDS.flatMap((kind) => {
      const names = this.#names.get(kind as ListKind);
      return names ? [[kind, names.has("any") ? "any" : [...names].sort()] as const] : [];
    });
    const screens = [...this.#screens].sort(([a], [b]) => (a < b ? -1 : 1));
    return { ...Object.fromEntries(lists), ...(screens.length > 0 && { screens: Object.fromEntries(screens) }) };
  }

  /** Whether the plugin has a power that is either granted or not. */
  has(kind: Power): boolean {
    return this.#granted[kind] === true;
  }

  /** Records handlers of an event. Those of `app_boot` are none. */
  on(event: string, handlers: object): void {
    if (event === "app_boot") return;
    if ("filter" in handlers) this.record("filters", event, `filters "${event}"`);
    if ("veto" in handlers) this.record("vetoes", event, `vetoes "${event}"`);
    const moment = ["beforeTransaction", "inTransaction", "notify"].find((name) => name in handlers);
    if (moment !== undefined) this.record("handlers", event, `handles "${event}" in "${moment}"`);
  }

  /** Records handlers of all events. */
  onAny(): void {
    this.#record("handlers", "any", "handles every event", "any");
  }

  /** Records a file store that the plugin declares. */
  fileStore(): void {
    this.record("slots", "file_store", "declares a file store");
  }

  /** Checks a resolver of credentials. */
  auth(what = "resolves credentials"): void {
    if (!this.has("auth")) throw this.#missing("auth", what);
  }

  /** Checks a call of a function that needs a power. Throws PowerError. */
  calls(kind: Power, what: string): void {
    if (!this.has(kind)) throw new PowerError(this.#missing(kind, `calls ${what}`).message);
  }

  /** Checks a call of a route, by another method than GET, as a viewer. Throws PowerError. */
  callsRoute(method: string, path: string): void {
    const { impersonate = false } = this.#granted;
    if (this.#choices.ships || READING.has(method.toUpperCase())) return;
    if (impersonate === true || this.has("system")) return;
    const routes = impersonate === false ? [] : impersonate;
    if (namesRoute(routes, method, path)) return;
    const { message } = this.#missing(
      "impersonate",
      `calls ${method} ${path}`,
      written([...routes, `${method} ${path}`]),
    );
    throw new PowerError(`${message}, with the names of its parameters`);
  }

  /** Records the functions that write, of the contracts that the plugin may call. */
  writes(contract: string, functions: readonly string[]): void {
    for (const name of functions.map((one) => `${contract}.${one}`))
      this.record("writes", name, `may call ${name}, which writes`);
  }

  /** Records a route scope, and checks its resolver of credentials. */
  routeScope(prefix: string, { authenticate, outside }: RouteScope): void {
    const path = outside ? prefix || "/" : `/api${prefix}`;
    this.record("routeScopes", path, `adds the route scope "${path}"`);
    if (authenticate) this.auth(`resolves credentials in the route scope "${path}"`);
  }

  /** Records a name of a kind; `what` says what the plugin does. Throws BootError where the operator denied or did not accept it. */
  record(kind: ListKind, name: string, what: string): void {
    this.#checkText(name);
    if (name === "any")
      throw new BootError(`The plugin "${this.#plugin.name}" ${what}: "any" is no name, as it stands for all names`);
    this.#record(kind, name, what, [name]);
  }

  /** Checks, and during `setup` records, the name of a slot that is read. Throws PowerError. */
  readSlot(name: string): void {
    const { denied, pin } = this.#choices;
    this.#checkText(name);
    const what = `The plugin "${this.#plugin.name}" reads the slot "${name}"`;
    if (denied.includes("slotsRead"))
      throw new PowerError(`${what}, which the operator refused: "denied" in package.json names "slotsRead"`);
    if (pin?.slotsRead !== undefined && !accepts(pin, "slotsRead", name))
      throw new PowerError(`${what}, which "slotsRead" in "grants" of package.json does not name`);
    if (!this.#isSetUp) this.#names.set("slotsRead", (this.#names.get("slotsRead") ?? new Set()).add(name));
  }

  /** Checks the name of a job that is enqueued: one that the plugin handles. Throws PowerError. */
  enqueue(name: string): void {
    this.#checkText(name);
    if (this.#choices.ships || this.#names.get("jobs")?.has(name)) return;
    throw new PowerError(`The plugin "${this.#plugin.name}" enqueues "${name}", which it does not handle`);
  }

  /** Checks the name of an event that is performed: one that the plugin lists. Throws PowerError. */
  perform(name: string): void {
    this.#checkText(name);
    const { name: plugin, events } = this.#plugin;
    if (this.#choices.ships || (events as readonly string[]).includes(name)) return;
    const line = JSON.stringify([...events, name]).replaceAll('","', '", "');
    throw new PowerError(
      `The plugin "${plugin}" performs "${name}", which it does not list; add to it: events: ${line}`,
    );
  }

  /** Records the screens and public routes among the mounted routes of the plugin. */
  routes(routes: readonly RouteInfo[]): void {
    for (const { method, path, permit, detail } of routes) {
      // The screens' plugin marks the routes of screens with whom they permit.
      const access = detail["x-screen"] as Permit | undefined;
      if (access !== undefined) this.#screen(path, access);
      else if (permit === "public") this.record("publicRoutes", path, `serves ${method} ${path} to everybody`);
    }
  }

  /** Ends `setup`. Throws BootError where it registered more than was accepted. */
  settle(): void {
    const { pin, denied } = this.#choices;
    const recorded = this.recorded;
    this.#isSetUp = true;
    const kind = RECORDED_KINDS.find((one) => recorded[one] !== undefined && denied.includes(one));
    if (kind !== undefined) throw this.#refused(`registers ${kind}`, kind);
    const beyond = pin ? beyondRecorded(recorded, pin) : [];
    if (beyond.length > 0) throw beyondError([[this.#plugin.name, beyond]]);
  }

  /** The error for an act as SYSTEM, or as another user. */
  actingError(kind: "system" | "impersonate"): PowerError {
    const what = kind === "system" ? "acts as SYSTEM" : "acts as a user who is not that of the request";
    return new PowerError(this.#missing(kind, what).message);
  }

  /** Names become values of statements, where an object could be SQL. */
  #checkText(name: unknown): void {
    if (typeof name !== "string")
      throw new TypeError(`The plugin "${this.#plugin.name}" gives ${typeof name} as a name: wanted a text`);
  }

  #record(kind: ListKind, name: string, what: string, names: Recorded[ListKind]): void {
    this.#names.set(kind, (this.#names.get(kind) ?? new Set()).add(name));
    this.#check(kind, what, { [kind]: names });
  }

  #screen(path: string, access: Permit): void {
    this.#screens.set(path, widest(this.#screens.get(path) ?? access, access));
    this.#check("screens", `serves the screen "${path}" for ${JSON.stringify(access)}`, {
      screens: { [path]: access },
    });
  }

  #check(kind: keyof Recorded, what: string, one: Recorded): void {
    const { pin, denied } = this.#choices;
    if (denied.includes(kind)) throw this.#refused(what, kind);
    const beyond = pin ? beyondRecorded(one, pin) : [];
    if (beyond.length > 0) throw beyondError([[this.#plugin.name, beyond]]);
  }

  #missing(kind: Power, what: string, line = "true"): BootError {
    const { name, grants } = this.#plugin;
    if (grants[kind] !== undefined && this.#granted[kind] === undefined) return this.#refused(what, kind);
    return new BootError(
      `The plugin "${name}" ${what}, which it does not declare; add to its grants: ${kind}: ${line}`,
    );
  }

  #refused(what: string, kind: Kind): BootError {
    return new BootError(
      `The plugin "${this.#plugin.name}" ${what}, which the operator refused: "denied" in package.json names "${kind}"`,
    );
  }
}

/** Whom a screen and a form at one path admit together. */
function widest(one: Permit, other: Permit): Permit {
  if (coversPermit(one, other)) return one;
  return coversPermit(other, one) ? other : "user";
}
