/** The bus's own transactions, by the views of them that plugins get (`runtime/scoped_transaction.ts`). */
import type { EventTransaction, RootTransaction } from "./event_bus.ts";

/** The moments of an event at which handlers run, in their order. */
export const MOMENTS = ["beforeTransaction", "filter", "veto", "inTransaction", "notify"] as const;

/** The bus's own transaction by each of its views, and by itself. */
const ROOTS = new WeakMap<object, RootTransaction>();

/** Registers the bus's own transaction, so that views of it can be made. Returns it. */
export function rootTransaction(tx: RootTransaction): RootTransaction {
  ROOTS.set(tx, tx);
  return tx;
}

/** The bus's own transaction behind a plugin's view of it: statements of the runtime itself need no grants of the plugin. */
export function rootOf(tx: EventTransaction): EventTransaction {
  return ROOTS.get(tx) ?? tx;
}

/** Notes a view of the bus's own transaction. */
export function viewOfRoot(view: EventTransaction, root: RootTransaction): void {
  ROOTS.set(view, root);
}

/** The bus's own transaction behind a view of it, or itself; undefined for any other object. */
export function knownRoot(tx: EventTransaction): RootTransaction | undefined {
  return ROOTS.get(tx);
}

/** Whether an object is the bus's own transaction, or a view of it. */
export function isTransaction(value: object): boolean {
  return ROOTS.has(value);
}
