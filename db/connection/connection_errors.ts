/** Errors of connections. */
import { ConnectionLost } from "../query/errors.ts";
import { codeOf, messageOf } from "../query/unknown_values.ts";

/** The code of a connection that was dropped since the server did not answer. */
export const DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED";
/** SQLSTATE of a write on a server that is read-only, such as a former leader. */
export const READ_ONLY = "25006";

/** Whether an error is of the connection: those of the server have a severity, those of sockets and postgres.js a code. */
export function isConnectionError(error: unknown): boolean {
  if (typeof error !== "object" || error === null || "severity" in error) return false;
  return "syscall" in error || /^CONNECT/.test(codeOf(error));
}

/** The error of a statement whose connection was lost by `cause`. */
export function lost(cause: unknown): ConnectionLost {
  const [code, message] = [codeOf(cause), messageOf(cause)];
  if (code === DEADLINE_EXCEEDED) return new ConnectionLost(message, code);
  return new ConnectionLost("The connection to the store was lost", code === "" ? "CONNECTION_CLOSED" : code, cause);
}
