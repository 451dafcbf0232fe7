/**
 * The structured log: one JSON object per line on standard error; standard output is left to commands. Values under names
 * that look like credentials are replaced, as a second line of defence: callers pass no secrets. Lines written while a request
 * is answered have its id. Rotation, shipping and sampling are left to the operator's tools.
 */
import { codeOf } from "../db/mod.ts";

/** The levels of the log, in ascending order; lines below the level that is set are not written. */
export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** A log, with fields that are added to each of its lines. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
  /** The same log with further fields. */
  with(fields: Record<string, unknown>): Log;
  /** Whether lines of this level are written, for fields that are costly to compute. */
  writes(level: LogLevel): boolean;
}

const ORDER: readonly LogLevel[] = ["debug", "info", "warn", "error", "silent"];
const SECRET = /passw|secret|token|authorization|cookie|credential|api_?key/i;
/** Names of errors of `lectern/db`, which processes with a log need not load. */
const STORE_AWAY = "ConnectionLost";
const STORE_BUSY = "StoreUnavailable";
/** SQLSTATEs of a server that shuts down or starts up. */
const SERVER_GOING = /^57P0[1-3]$/;
/** The SQLSTATE of a write on a server that is read-only, such as a former leader. */
const READ_ONLY = "25006";
const MAX_DEPTH = 6;

/**
 * Creates a log. `write` receives complete lines without the line end; `requestId` returns the id of the request that is answered at the
 * moment, if there is one.
 */
export function createLog(
  level: LogLevel = "info",
  write: (line: string) => void = toStandardError,
  requestId: () => string | undefined = () => undefined,
): Log {
  const threshold = ORDER.indexOf(level);
  const make = (bound: Record<string, unknown>): Log => {
    const line =
      (at: LogLevel) =>
      (message: string, fields: Record<string, unknown> = {}) => {
        if (ORDER.indexOf(at) < threshold) return;
        const id = requestId();
        const all = redact({ ...(id ? { requestId: id } : {}), ...bound, ...fields }) as Record<string, unknown>;
        write(JSON.stringify({ time: new Date().toISOString(), level: at, message, ...all }));
      };
    return {
      debug: line("debug"),
      info: line("info"),
      warn: line("warn"),
      error: line("error"),
      with: (fields) => make({ ...bound, ...fields }),
      writes: (at) => ORDER.indexOf(at) >= threshold,
    };
  };
  return make({});
}

/**
 * What a server says to whoever starts it, such as its address, whatever the level of the log: as it is on a terminal, else in the form of
 * the log, since services collect standard output and standard error together.
 * @example
 * const { stdout } = process;
 * stdout.write(`${startLine("Notes are kept in /srv/notes", stdout.isTTY === true)}\n`);
 */
export function startLine(message: string, isTerminal: boolean): string {
  return isTerminal ? message : JSON.stringify({ time: new Date().toISOString(), level: "info", message });
}

/**
 * Logs the failure of work that is tried again, such as of jobs: as an error, or at the level debug while the store is away. That has one
 * line, among which those of each attempt would hide the rest.
 * @example
 * const counting = Promise.reject(new Error("no such note"));
 * counting.catch((error: unknown) => logRetried(context.log, "Cannot count notes", { error }));
 */
export function logRetried(
  log: Pick<Log, "debug" | "error">,
  message: string,
  fields: Record<string, unknown> & { readonly error: unknown },
): void {
  const isAway = isStoreAway(fields.error) || codeOf(fields.error) === READ_ONLY;
  log[isAway ? "debug" : "error"](message, fields);
}

/** A copy of a value as the log writes it: credentials replaced, errors as objects, cut off six levels deep. */
export function redact(value: unknown, depth = 0): unknown {
  if (value instanceof Error)
    return {
      name: value.name,
      message: value.message,
      ...(!isOfStore(value) && { stack: value.stack }),
      ...cause(value, depth),
    };
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return "[deep]";
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, SECRET.test(key) ? "[redacted]" : redact(inner, depth + 1)]),
  );
}

function cause(error: Error, depth: number): Record<string, unknown> {
  if (error.cause === undefined || depth >= MAX_DEPTH) return {};
  const shown = redact(error.cause, depth + 1) as Record<string, unknown>;
  if (isOfStore(error) && error.cause instanceof Error) delete shown.stack;
  return { cause: shown };
}

/** Whether the store was away or busy: that says all, and comes with each statement that is sent meanwhile. */
function isOfStore(error: Error): boolean {
  return isStoreAway(error) || error.name === STORE_BUSY;
}

/** Whether a statement failed since the store is away, which has a line of its own. */
function isStoreAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { name, code } = error as { name: string; code?: unknown };
  return name === STORE_AWAY || (typeof code === "string" && SERVER_GOING.test(code));
}

function toStandardError(line: string): void {
  process.stderr.write(`${line}\n`);
}
