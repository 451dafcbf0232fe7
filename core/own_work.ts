/**
 * A plugin's own view of a transaction: the same work, its store narrowed to what the plugin was granted. Events hand one
 * transaction from plugin to plugin, so each gets its view of it where it comes in: in its handlers, its acts, and in the
 * functions that others call it by with their own `work`. A view is made once for each plugin and transaction, and its
 * store not before it is asked for; what takes no part in a transaction pays nothing.
 */
import type { Db } from "../db/mod.ts";
import type { Act, AnyHandlers, Handlers, Work } from "./bus.ts";
import type { EventName, Result } from "./registry.ts";

/** The bus's own work by each of its views, and by itself. */
const ROOTS = new WeakMap<object, Work>();

type Call = (this: unknown, ...args: unknown[]) => unknown;

/** Makes a work known, so that views of it can be had. Returns it. */
export function rooted(work: Work): Work {
  ROOTS.set(work, work);
  return work;
}

/** Works as one plugin gets to see them. */
export class OwnWork {
  readonly #narrow: (db: Db) => Db;
  readonly #views = new WeakMap<Work, Work>();

  /** `narrow` gives the plugin's view of a store. */
  constructor(narrow: (db: Db) => Db) {
    this.#narrow = narrow;
  }

  /** This plugin's view of a work, whoever's view it is. */
  of(work: Work): Work {
    const root = ROOTS.get(work);
    if (!root) return work;
    const known = this.#views.get(root);
    if (known) return known;
    const narrow = this.#narrow;
    const { db, viewer, at, address, after, undo, enqueue } = root;
    let own: Db | undefined;
    const view: Work = {
      get db() {
        own ??= narrow(db);
        return own;
      },
      viewer,
      at,
      address,
      after,
      undo,
      enqueue,
      perform: (name, draft, act) => root.perform(name, draft, (final) => act(final, view)),
    };
    ROOTS.set(view, root);
    this.#views.set(root, view);
    return view;
  }

  /** An act that sees this plugin's view. */
  act<E extends EventName, R extends Result<E>>(act: Act<E, R>): Act<E, R> {
    return (draft, work) => act(draft, this.of(work));
  }

  /** Handlers of an event that see this plugin's view. */
  handlers<E extends EventName>(handlers: Handlers<E>): Handlers<E> {
    const { prepare, filter, veto, join, notify } = handlers;
    return {
      ...(prepare && { prepare: (draft, viewer) => prepare.call(handlers, draft, viewer) }),
      ...(filter && { filter: (draft, work) => filter.call(handlers, draft, this.of(work)) }),
      ...(veto && { veto: (draft, work) => veto.call(handlers, draft, this.of(work)) }),
      ...(join && { join: (result, work, happening) => join.call(handlers, result, this.of(work), happening) }),
      ...(notify && { notify: (result, happening) => notify.call(handlers, result, happening) }),
    };
  }

  /** Handlers of every event that see this plugin's view. */
  anyHandlers(handlers: AnyHandlers): AnyHandlers {
    const { join, notify } = handlers;
    return {
      ...(join && { join: (happening, work) => join.call(handlers, happening, this.of(work)) }),
      ...(notify && { notify: (happening) => notify.call(handlers, happening) }),
    };
  }

  /** What a plugin gives to others: its functions see its own view of a work that they are called with. */
  given<Given>(given: Given): Given {
    if (typeof given === "function") return this.#seeing(given as unknown as Call) as unknown as Given;
    if (typeof given !== "object" || given === null || Object.getPrototypeOf(given) !== Object.prototype) return given;
    const members = Object.entries(Object.getOwnPropertyDescriptors(given)).map(([name, member]) => [
      name,
      typeof member.value === "function" ? { ...member, value: this.#seeing(member.value as Call) } : member,
    ]);
    return Object.create(Object.prototype, Object.fromEntries(members)) as Given;
  }

  #seeing(run: Call): Call {
    const of = (work: Work) => this.of(work);
    return function (...args) {
      for (let at = 0; at < args.length; at++) {
        const given = args[at];
        if (typeof given === "object" && given !== null && ROOTS.has(given)) args[at] = of(given as Work);
      }
      return run.apply(this, args);
    };
  }
}
