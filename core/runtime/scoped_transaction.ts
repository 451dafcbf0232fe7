/**
 * A plugin's view of a transaction: its store is restricted to the plugin's grants. A plugin gets its view wherever a
 * transaction enters it: in its handlers, its actions, and the functions that others call with their own `tx`. A view is
 * created once for each plugin and transaction, its store at first use.
 */
import type { Db } from "../../db/mod.ts";
import type { Action, EventTransaction } from "../events/event_bus.ts";
import type { Part, PartGuard } from "../events/part_guard.ts";
import { isTransaction, knownRoot, MOMENTS, viewOfRoot } from "../events/root_transaction.ts";
import type { EventName, Result } from "../registry.ts";
import type { ActAs } from "../viewer.ts";
import { type Crossing, withCopies } from "./crossing.ts";
import { holdsFunctions, withFunctions } from "./given_values.ts";

type Call = (this: unknown, ...args: unknown[]) => unknown;

/** Handlers of an event or of all events, each replaced by `map` of it. */
export function mapHandlers<H extends object>(handlers: H, map: (run: Call, moment: string) => Call): H {
  const mapped = MOMENTS.flatMap((moment) => {
    const run: unknown = Reflect.get(handlers, moment);
    return typeof run === "function" ? [[moment, map(run.bind(handlers) as Call, moment)]] : [];
  });
  // A mapped handler takes and returns what the handler does.
  return Object.fromEntries(mapped) as H;
}

/** Checks of what a plugin does within transactions. */
export interface TransactionChecks {
  readonly plugin: string;
  /** Limits the time of the plugin's functions that others call. */
  readonly guard: PartGuard;
  /** Acts as the viewer of the transaction. */
  readonly as: ActAs;
  /** Throws PowerError for a job that the plugin may not enqueue. */
  enqueue(job: string): void;
  /** Throws PowerError for an event that the plugin does not declare. */
  perform(event: string): void;
  /** Throws PowerError for a route that the plugin may not call. */
  callsRoute(method: string, path: string): void;
  /**
   * A draft, a result or an option that others use, as these get it; `place` says which. Throws where it is none that the plugin may give
   * to them.
   */
  value<V>(value: V, place: string): V;
}

/** Transactions as one plugin sees them. */
export class ScopedTransaction {
  readonly #restrict: (db: Db) => Db;
  readonly #checks: TransactionChecks;
  readonly #crossing: Crossing | undefined;
  readonly #views = new WeakMap<EventTransaction, EventTransaction>();

  /** `restrict` returns a store with the plugin's grants; `crossing` is that of a plugin that does not ship. */
  constructor(restrict: (db: Db) => Db, checks: TransactionChecks, crossing?: Crossing) {
    this.#restrict = restrict;
    this.#checks = checks;
    this.#crossing = crossing;
  }

  /** This plugin's view of a transaction, or of another plugin's view of it. */
  of(tx: EventTransaction): EventTransaction {
    const root = knownRoot(tx);
    if (!root) return tx;
    const known = this.#views.get(root);
    if (known) return known;
    const restrict = this.#restrict;
    const { as, callsRoute, enqueue, perform, plugin, value } = this.#checks;
    let own: Db | undefined;
    // Member by member: a spread took longer than all else here, and each event makes a view for each of its plugins.
    const { viewer, at, address, requestId, afterCommit, onRollback } = root;
    const view: EventTransaction = {
      viewer,
      at,
      address,
      requestId,
      afterCommit,
      onRollback,
      get db() {
        own ??= restrict(root.db);
        return own;
      },
      async enqueue(name, payload, options) {
        enqueue(name);
        await root.enqueue(name, payload, value(options, `the options of the job "${name}"`));
      },
      callAs: async (caller, method, path, options) => {
        callsRoute(method, path);
        const sent = value(options, "an input of callAs");
        return as(caller, () => root.callAs(caller, method, path, sent));
      },
      perform: async (name, draft, action) => {
        perform(name);
        const act = async (final: typeof draft) => value(await action(final, view), `the result of "${name}"`);
        return as(root.viewer, () => root.perform(name, value(draft, `the draft of "${name}"`), act, plugin));
      },
    };
    viewOfRoot(view, root);
    this.#views.set(root, view);
    return view;
  }

  /** An action of an event that gets this plugin's view. */
  action<E extends EventName, R extends Result<E>>(name: E, action: Action<E, R>): Action<E, R> {
    return async (draft, tx) => this.#checks.value(await action(draft, this.of(tx)), `the result of "${name}"`);
  }

  /** Handlers that get this plugin's view. */
  handlers<H extends object>(handlers: H): H {
    return mapHandlers(handlers, (run, moment) => {
      if (!this.#crossing) return this.#withView(run);
      const own = this.#withView(withCopies(run));
      const { value } = this.#checks;
      return async function (...args) {
        return value(await own.apply(this, args), `what "${moment}" returns`);
      };
    });
  }

  /**
   * A function, or an object of functions, that others call: each gets this plugin's view of transactions, and has a time limit. `place`
   * is its contract or slot.
   */
  scoped<Given>(given: Given, place: string, limitMs: number | undefined): Given {
    const { plugin, guard } = this.#checks;
    const ofOthers = (run: Call, at: string): Call => {
      const call = this.#entered(run);
      if (limitMs === undefined) return call;
      const { handlerMs, longMs } = guard.limits;
      const withinMs = this.#crossing && limitMs < longMs ? handlerMs : longMs;
      const part: Part = { plugin, place: at, limitMs, withinMs, isKept: this.#crossing === undefined };
      if (!this.#crossing) return guard.guarded(part, call);
      const returned = (inner: Call): Call => guard.guarded({ ...part, place: `${at}()` }, inner);
      return guard.guarded(part, withReturned(call, returned));
    };
    if (typeof given === "function") return ofOthers(given as Call, place) as Given;
    const whole: unknown = this.#crossing ? withoutClass(given) : given;
    if (!isPlain(whole)) return given;
    const members = Object.entries(Object.getOwnPropertyDescriptors(whole)).map(([name, member]) => {
      const at = `${place}.${name}`;
      const { value } = member;
      if (typeof value === "function") return [name, { ...member, value: ofOthers(value as Call, at) }];
      if (hasFunctions(value)) return [name, { ...member, value: this.scoped(value, at, limitMs) }];
      if (!this.#crossing || !holdsFunctions(value)) return [name, member];
      return [name, { ...member, value: withFunctions(value, (run) => ofOthers(run, at)) }];
    });
    // It has the members of what was given.
    return Object.create(Object.prototype, Object.fromEntries(members)) as Given;
  }

  /** A function that others call. */
  #entered(run: Call): Call {
    const crossing = this.#crossing;
    if (!crossing) return this.#withView(run);
    return this.#withView(function (...args) {
      return run.apply(this, crossing.given(args));
    });
  }

  #withView(run: Call): Call {
    const of = (tx: EventTransaction) => this.of(tx);
    return function (...args) {
      for (let at = 0; at < args.length; at++) {
        const given = args[at];
        if (typeof given === "object" && given !== null && isTransaction(given))
          args[at] = of(given as EventTransaction);
      }
      return run.apply(this, args);
    };
  }
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Whether a value is a plain object with functions among its members: a group of functions, and neither a schema nor an expression. */
function hasFunctions(value: unknown): value is object {
  return isPlain(value) && Object.values(value).some((member) => typeof member === "function");
}

/** A function of a plugin whose results have others in place of the functions in them, such as those of an object that it makes. */
function withReturned(call: Call, map: (run: Call) => Call): Call {
  const mapped = (found: unknown) => withFunctions(found, map);
  return function (...args) {
    const result = call.apply(this, args);
    return result instanceof Promise ? result.then(mapped) : mapped(result);
  };
}

/** An object in place of an instance of a plugin's class, whose methods stand on the prototype; any other value as it is. */
function withoutClass(given: unknown): unknown {
  if (typeof given !== "object" || given === null || Object.getPrototypeOf(given) === Object.prototype) return given;
  const isOfClass = String(given.constructor).startsWith("class") && !("toOperationNode" in given);
  if (!isOfClass) return given;
  const members: PropertyDescriptorMap = {};
  for (let from: object | null = given; from && from !== Object.prototype; from = Object.getPrototypeOf(from))
    for (const name of Object.getOwnPropertyNames(from)) {
      if (name === "constructor" || Object.hasOwn(members, name)) continue;
      const value: unknown = Reflect.get(given, name);
      members[name] =
        typeof value === "function"
          ? { value: value.bind(given), enumerable: true, configurable: true }
          : holdsFunctions(value)
            ? { value, enumerable: true, configurable: true }
            : { get: () => Reflect.get(given, name) as unknown, enumerable: true, configurable: true };
    }
  return Object.create(Object.prototype, members);
}
