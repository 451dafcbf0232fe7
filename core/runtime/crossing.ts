/**
 * What passes between plugins of which one does not ship with Lectern: requests go to it without credentials and come back from it as
 * they were, and what it is answered is its own copy, so that it changes nothing that others read.
 */

import { type PassedRunning, withPassed } from "../events/part_guard.ts";
import { type CredentialFilter, originalOf } from "../http/credentials.ts";
import { plainCopy } from "../std/freeze.ts";

/** A function of a plugin. */
export type Call = (this: unknown, ...args: unknown[]) => unknown;

/** How values pass to and from one plugin. */
export interface Crossing {
  /** The arguments of a function of the plugin, as it gets them. */
  given(args: readonly unknown[]): unknown[];
  /** A function of another plugin as the plugin calls it: with what it gives as that one gets it, and the result as the plugin does. */
  called(run: Call): Call;
}

/**
 * The crossing of a plugin that does not ship. `withCallbacks` replaces the functions that it passes to others, also within objects and
 * lists, by `map` of such with a time limit, so that the others are not blamed for it; those that run are in `running`.
 */
export function crossingOf(
  plugin: string,
  filter: CredentialFilter,
  withCallbacks: (arg: unknown, map: (limited: Call) => Call, running: PassedRunning) => unknown,
): Crossing {
  const hidden = (request: Request) => filter.without(request, plugin);
  const given = (args: readonly unknown[]) => args.map((arg) => copyOf(withRequest(arg, hidden)));
  const map = (callback: Call): Call =>
    function (...values) {
      return callback.apply(this, given(values));
    };
  const sent = (arg: unknown, running: PassedRunning) => {
    const own = withRequest(arg, originalOf);
    // The functions of a visit are those of others.
    const isVisit = typeof arg === "object" && arg !== null && "request" in arg;
    return isVisit ? own : withCallbacks(own, map, running);
  };
  return {
    given,
    called: (run) =>
      function (...args) {
        const running: PassedRunning = new Set();
        const own = args.map((arg) => sent(arg, running));
        const call = () => run.apply(this, own);
        const isPlain = own.every((arg, at) => arg === args[at]);
        return returned(isPlain ? call() : withPassed(running, call));
      },
  };
}

/** What a function of another plugin returns, as the plugin gets it. */
function returned(value: unknown): unknown {
  return value instanceof Promise ? value.then((found) => plainCopy(found)) : plainCopy(value);
}

/** A request, or an object with a member of this name that is one, such as a `Visit`, with another request in its place. */
function withRequest(value: unknown, change: (request: Request) => Request): unknown {
  if (value instanceof Request) return change(value);
  if (typeof value !== "object" || value === null || !("request" in value)) return value;
  const { request } = value;
  if (!(request instanceof Request) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const changed = change(request);
  return changed === request ? value : Object.freeze({ ...value, request: changed });
}

/**
 * A handler of events that gets copies of draft, result and record, which all handlers share. The viewer is the same, and the
 * transaction, which is the plugin's own view of it.
 */
export function withCopies(run: Call): Call {
  return function (...args) {
    return run.apply(this, args.map(copyOf));
  };
}

/** A copy of a value, unless it is a transaction, or frozen with its request. */
function copyOf(value: unknown): unknown {
  const isWhole = typeof value === "object" && value !== null && ("afterCommit" in value || "request" in value);
  return isWhole ? value : plainCopy(value);
}
