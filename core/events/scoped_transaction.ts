/**
 * A plugin's own view of a transaction: the same one, its store restricted to what the plugin was granted. Events hand one
 * transaction from plugin to plugin, so each gets its view where it comes in: in its handlers, its actions, and in the
 * functions that others call it by with their own `tx`. A view is made once for each plugin and transaction, and its
 * store not before it is asked for; what takes no part in a transaction pays nothing.
 */
import type { Db } from "../../db/mod.ts";
import type { EventName, Result } from "../runtime/registry.ts";
import type { Action, AnyHandlers, EventTransaction, Handlers } from "./event_bus.ts";

/** The bus's own transaction by each of its views, and by itself. */
const ROOTS = new WeakMap<object, EventTransaction>();

type Call = (this: unknown, ...args: unknown[]) => unknown;

/** Registers the bus's own transaction, so that views of it can be made. Returns it. */
export function rootTransaction(tx: EventTransaction): EventTransaction {
  ROOTS.set(tx, tx);
  return tx;
}

/** Transactions as one plugin sees them. */
export class ScopedTransaction {
  readonly #restrict: (db: Db) => Db;
  readonly #views = new WeakMap<EventTransaction, EventTransaction>();

  /** `restrict` gives the plugin's view of a store. */
  constructor(restrict: (db: Db) => Db) {
    this.#restrict = restrict;
  }

  /** This plugin's view of a transaction, whoever's view it is. */
  of(tx: EventTransaction): EventTransaction {
    const root = ROOTS.get(tx);
    if (!root) return tx;
    const known = this.#views.get(root);
    if (known) return known;
    const restrict = this.#restrict;
    const { db, viewer, at, address, afterCommit, onRollback, enqueue } = root;
    let own: Db | undefined;
    const view: EventTransaction = {
      get db() {
        own ??= restrict(db);
        return own;
      },
      viewer,
      at,
      address,
      afterCommit,
      onRollback,
      enqueue,
      perform: (name, draft, action) => root.perform(name, draft, (final) => action(final, view)),
    };
    ROOTS.set(view, root);
    this.#views.set(root, view);
    return view;
  }

  /** An action that sees this plugin's view. */
  action<E extends EventName, R extends Result<E>>(action: Action<E, R>): Action<E, R> {
    return (draft, tx) => action(draft, this.of(tx));
  }

  /** Handlers of an event that see this plugin's view. */
  handlers<E extends EventName>(handlers: Handlers<E>): Handlers<E> {
    const { beforeTransaction, filter, veto, inTransaction, notify } = handlers;
    return {
      ...(beforeTransaction && {
        beforeTransaction: (draft, viewer) => beforeTransaction.call(handlers, draft, viewer),
      }),
      ...(filter && { filter: (draft, tx) => filter.call(handlers, draft, this.of(tx)) }),
      ...(veto && { veto: (draft, tx) => veto.call(handlers, draft, this.of(tx)) }),
      ...(inTransaction && {
        inTransaction: (result, tx, record) => inTransaction.call(handlers, result, this.of(tx), record),
      }),
      ...(notify && { notify: (result, record) => notify.call(handlers, result, record) }),
    };
  }

  /** Handlers of every event that see this plugin's view. */
  anyHandlers(handlers: AnyHandlers): AnyHandlers {
    const { inTransaction, notify } = handlers;
    return {
      ...(inTransaction && { inTransaction: (record, tx) => inTransaction.call(handlers, record, this.of(tx)) }),
      ...(notify && { notify: (record) => notify.call(handlers, record) }),
    };
  }

  /** What a plugin gives to others: its functions see its own view of a transaction that they are called with. */
  scoped<Given>(given: Given): Given {
    if (typeof given === "function") return this.#seeing(given as unknown as Call) as unknown as Given;
    if (typeof given !== "object" || given === null || Object.getPrototypeOf(given) !== Object.prototype) return given;
    const members = Object.entries(Object.getOwnPropertyDescriptors(given)).map(([name, member]) => [
      name,
      typeof member.value === "function" ? { ...member, value: this.#seeing(member.value as Call) } : member,
    ]);
    return Object.create(Object.prototype, Object.fromEntries(members)) as Given;
  }

  #seeing(run: Call): Call {
    const of = (tx: EventTransaction) => this.of(tx);
    return function (...args) {
      for (let at = 0; at < args.length; at++) {
        const given = args[at];
        if (typeof given === "object" && given !== null && ROOTS.has(given)) args[at] = of(given as EventTransaction);
      }
      return run.apply(this, args);
    };
  }
}
