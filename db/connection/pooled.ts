/**
 * Transactions of single statements behind a pooler in transaction mode. Each transaction may run in another session, which other
 * clients use before and after it: settings are local to the transaction, and advisory locks of the session are released in
 * the message that ends it. Begin, statement and commit are pipelined; after an error the commit is a rollback.
 */
import type { SessionSettings } from "./connection_types.ts";

/** Releases the advisory locks of the session. */
export const UNLOCK = "select pg_advisory_unlock_all()";

/** Begins a transaction with local settings. The last result has the server process and its transaction. */
export function beginText(settings: SessionSettings): string {
  const local = Object.entries(settings).map(([name, value]) => `set local ${name} = ${value}; `);
  return `begin; ${local.join("")}select pg_backend_pid() as pid, now() as since`;
}

/** Ends a transaction; if `unlocks`, releases the locks of the session in the same message. */
export function endText(command: "commit" | "rollback", unlocks: boolean): string {
  return unlocks ? `${command}; ${UNLOCK}` : command;
}
