/**
 * On whose behalf plugins act. A plugin may act as the user of the request that it answers, as the viewer of an event that it
 * handles, and as a viewer that another plugin passes to one of its functions; as anybody else it needs the power `system` or
 * `impersonate`. What is current is kept in AsyncLocalStorage, so a viewer that a plugin has kept is no longer current later.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { currentViewer } from "../http/request_context.ts";
import { GUEST, originOf, type Viewer } from "../viewer.ts";
import type { PowerChecks } from "./power_checks.ts";

/** A viewer as whom somebody acts who may, and those as whom the callers act. */
interface Acting {
  readonly viewer: Viewer;
  readonly outer: Acting | undefined;
}

const ACTING = new AsyncLocalStorage<Acting>();

/** Runs a function as a viewer. Throws PowerError if the plugin may not act as this viewer. */
export type ActAs = <R>(viewer: Viewer, run: () => R) => R;

/** How one plugin acts as viewers. */
export function actingWith(powers: PowerChecks): ActAs {
  return (viewer, run) => {
    if (isCurrent(viewer)) return run();
    const kind = viewer.via === "system" ? "system" : "impersonate";
    if (!powers.has(kind)) throw powers.actingError(kind);
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

/** Functions of a service that need a power of their callers. */
export type NeededPowers = Readonly<Record<string, "auth" | "system" | "impersonate">>;

const NEEDED = new WeakMap<object, NeededPowers>();

/** Notes which functions of a service need a power. Returns the service. */
export function needingPowers<Service>(service: Service, needed: NeededPowers | undefined): Service {
  if (needed) NEEDED.set(Object(service), needed);
  return service;
}

/** A contract's service for the plugin that calls it, as `calledBy`; functions that need a power are refused without it. */
export function contractFor<Service>(name: string, service: Service, powers: PowerChecks, as: ActAs): Service {
  const own = calledBy(as, service);
  const guarded = Object.entries(NEEDED.get(Object(service)) ?? {}).flatMap(([member, kind]) => {
    const call: unknown = Reflect.get(Object(own), member);
    if (typeof call !== "function") return [];
    const checked: Call = async function (...args) {
      powers.calls(kind, `${name}.${member}`);
      return call.apply(this, args);
    };
    return [[member, { value: checked, enumerable: true }]];
  });
  return guarded.length === 0 ? own : Object.create(Object(own), Object.fromEntries(guarded));
}

/**
 * A service or contribution of another plugin for the plugin that calls it: each viewer that it passes has to be one as whom it
 * may act, and is current while the function runs. Other values are returned as they are.
 */
export function calledBy<Given>(as: ActAs, given: Given): Given {
  if (typeof given === "function") return passing(as, given as unknown as Call) as unknown as Given;
  if (typeof given !== "object" || given === null || Object.getPrototypeOf(given) !== Object.prototype) return given;
  const members = Object.entries(Object.getOwnPropertyDescriptors(given)).map(([name, member]) => [
    name,
    typeof member.value === "function" ? { ...member, value: passing(as, member.value as Call) } : member,
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

/** Whether a value can be used as a viewer. Answers about users name permissions too, as lists: nothing takes these for a viewer. */
function isViewer(value: unknown): value is Viewer {
  if (typeof value !== "object" || value === null || !("via" in value) || !("permissions" in value)) return false;
  const { permissions } = value;
  return typeof permissions === "object" && permissions !== null && "has" in permissions;
}
