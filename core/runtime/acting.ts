/**
 * On whose behalf plugins act. A plugin may act as the user of the request that it answers, as the viewer of an event that it
 * handles, and as a viewer that another plugin passes to one of its functions; as anybody else it needs the power `system` or
 * `impersonate`. What is current is kept in AsyncLocalStorage, so a viewer that a plugin has kept is no longer current later.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { ExpressionRefused } from "../../db/mod.ts";
import { currentViewer } from "../http/request_context.ts";
import { type ActAs, frozenViewer, GUEST, originOf, type Viewer } from "../viewer.ts";
import type { Crossing } from "./crossing.ts";
import { type PowerChecks, PowerError } from "./power_checks.ts";
import { givenViewer, isViewer } from "./whole_values.ts";

/** A viewer as whom somebody acts who may, and those as whom the callers act. */
interface Acting {
  readonly viewer: Viewer;
  readonly outer: Acting | undefined;
}

const ACTING = new AsyncLocalStorage<Acting>();

/** How one plugin acts as viewers. Those of a plugin that does not ship, `fenced`, have to be values: their members become parts of SQL. */
export function actingWith(powers: PowerChecks, fenced?: string): ActAs {
  return (viewer, run) => {
    if (fenced !== undefined && !givenViewer(viewer))
      throw new ExpressionRefused(fenced, "a viewer whose members are no values", []);
    if (isCurrent(viewer)) return run();
    const kind = viewer.via === "system" ? "system" : "impersonate";
    if (!powers.has(kind)) throw powers.actingError(kind);
    frozenViewer(viewer);
    return ACTING.run({ viewer, outer: ACTING.getStore() }, run);
  };
}

/** Whether a viewer is a guest, the user of the current request, or one as whom a caller acts; in any language. */
function isCurrent(viewer: Viewer): boolean {
  if (viewer === GUEST || viewer === currentViewer()) return true;
  for (let acting = ACTING.getStore(); acting; acting = acting.outer) if (acting.viewer === viewer) return true;
  const origin = originOf(viewer);
  return origin !== undefined && isCurrent(origin);
}

type Call = (this: unknown, ...args: unknown[]) => unknown;

/**
 * What functions of a service need of their callers: a power, or "ships", that the plugin ships with Lectern. The latter is for what
 * writes without an event of its own, or without a check of the viewer. "writes" needs nothing: such a function is shown by name.
 */
export type NeededPowers = Readonly<Record<string, CallNeed>>;
/** What a function needs of its callers. */
export type CallNeed = "auth" | "system" | "impersonate" | "ships" | "writes";

/** The plugin that calls functions of others. */
export interface Caller {
  readonly name: string;
  /** The folder of its files; undefined for a plugin that was loaded from no file. */
  readonly folder: string | undefined;
  readonly powers: PowerChecks;
  readonly as: ActAs;
  /** That of a plugin that does not ship; undefined for one that ships. */
  readonly crossing: Crossing | undefined;
}

/** Members of a service that depend on the plugin that calls them, in place of those of all callers. */
export type MembersFor<Service> = (caller: CallerFacts) => Partial<Service>;

/** What a service may know of its caller. */
export interface CallerFacts extends Pick<Caller, "name" | "folder"> {
  /** Whether the plugin ships with Lectern. */
  readonly ships: boolean;
}

interface Conditions {
  readonly needed: NeededPowers;
  readonly membersFor: MembersFor<unknown> | undefined;
}

const CONDITIONS = new WeakMap<object, Conditions>();

/** Notes what functions of a service need of their callers, and which members depend on them. Returns the service. */
export function withConditions<Service>(
  service: Service,
  needed: NeededPowers = {},
  membersFor?: MembersFor<Service>,
): Service {
  CONDITIONS.set(Object(service), { needed, membersFor: membersFor as MembersFor<unknown> | undefined });
  return service;
}

/** The functions of a contract's service that are shown as writing ones; none where no plugin provides it. */
export function writingFunctions(service: unknown): string[] {
  const { needed = {} } = CONDITIONS.get(Object(service)) ?? {};
  return Object.keys(needed).filter((member) => needed[member] === "writes");
}

/** A contract's service for the plugin that calls it, as `calledBy`; functions whose needs the plugin lacks are refused. */
export function contractFor<Service>(name: string, service: Service, caller: Caller): Service {
  const { needed = {}, membersFor } = CONDITIONS.get(Object(service)) ?? {};
  const { name: plugin, folder, crossing } = caller;
  const members = membersFor?.({ name: plugin, folder, ships: crossing === undefined });
  const own = calledBy(caller, members ? replaced(service, Object.getOwnPropertyDescriptors(members)) : service);
  return withNeeds(own, needed, caller, (member) => `${name}.${member}`);
}

/** A contribution to a slot for the plugin that calls it, as `calledBy`; functions that are for shipped plugins are refused to others. */
export function contributionFor<Contribution>(
  { slot, ships }: { readonly slot: string; readonly ships: readonly string[] },
  contribution: Contribution,
  caller: Caller,
): Contribution {
  const own = calledBy(caller, contribution);
  if (!caller.crossing) return own;
  const needed = Object.fromEntries(ships.map((member) => [member, "ships" as const]));
  return withNeeds(own, needed, caller, (member) => `"${member}" of the slot "${slot}"`);
}

/** An object whose functions check what they need of the caller. Members that are no functions are left out where they need something. */
function withNeeds<Given>(own: Given, needed: NeededPowers, caller: Caller, nameOf: (member: string) => string): Given {
  const { name, powers, crossing } = caller;
  const guarded = Object.entries(needed).flatMap(([member, need]): [string, PropertyDescriptor][] => {
    const value: unknown = Reflect.get(Object(own), member);
    const ships = need === "ships";
    if (value === undefined || need === "writes" || (ships && !crossing)) return [];
    const call = value as Call;
    const refused: Call = () => {
      throw new PowerError(
        `The plugin "${name}" calls ${nameOf(member)}, which only plugins that ship with Lectern may call`,
      );
    };
    const checked: Call = async function (...args) {
      if (!ships) powers.calls(need, nameOf(member));
      return call.apply(this, args);
    };
    const isFunction = typeof value === "function";
    return [[member, { value: isFunction ? (ships ? refused : checked) : undefined, enumerable: true }]];
  });
  return guarded.length === 0 ? own : replaced(own, Object.fromEntries(guarded));
}

/** A copy of an object with other members. No prototype of it has the replaced ones, which a plugin would find there. */
function replaced<Given>(given: Given, members: PropertyDescriptorMap): Given {
  return Object.create(Object.prototype, { ...Object.getOwnPropertyDescriptors(given), ...members }) as Given;
}

/**
 * A service or contribution of another plugin for the plugin that calls it: each viewer that it passes has to be one as whom it
 * may act, and is current while the function runs. Other values are returned as they are.
 */
export function calledBy<Given>({ as, crossing }: Pick<Caller, "as" | "crossing">, given: Given): Given {
  const called = (call: Call) => passing(as, crossing ? crossing.called(call) : call);
  if (typeof given === "function") return called(given as Call) as Given;
  if (typeof given !== "object" || given === null || Object.getPrototypeOf(given) !== Object.prototype) return given;
  const members = Object.entries(Object.getOwnPropertyDescriptors(given)).map(([name, member]) => [
    name,
    typeof member.value === "function" ? { ...member, value: called(member.value as Call) } : member,
  ]);
  return Object.create(Object.prototype, Object.fromEntries(members)) as Given;
}

function passing(as: ActAs, call: Call): Call {
  return function (...args) {
    let run = () => call.apply(this, args);
    for (const arg of args) {
      if (!isViewer(arg) || isCurrent(arg)) continue;
      const inner = run;
      run = () => as(arg, inner);
    }
    return run();
  };
}
