/**
 * Structured log: one JSON object a line on standard error, so that standard output stays free for commands. Values
 * under names that look like credentials are replaced before anything is written; that is a net under the rule that
 * secrets are not passed here in the first place. It does not rotate, ship or sample: the operator's tools do.
 */

/** How much is written: everything, what an operator wants to know, only what needs attention, or nothing. */
export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** A log with fields that go into every line. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
  /** The same log with further fields in every line. */
  with(fields: Record<string, unknown>): Log;
  /** Whether lines of this level are written; asks before costly fields are made. */
  writes(level: LogLevel): boolean;
}

const ORDER: readonly LogLevel[] = ["debug", "info", "warn", "error", "silent"];
const SECRET = /passw|secret|token|authorization|cookie|credential|api_?key/i;
const MAX_DEPTH = 6;

/** Makes a log. `write` receives finished lines without the line end. */
export function createLog(level: LogLevel = "info", write: (line: string) => void = toStandardError): Log {
  const threshold = ORDER.indexOf(level);
  const make = (bound: Record<string, unknown>): Log => {
    const line =
      (at: LogLevel) =>
      (message: string, fields: Record<string, unknown> = {}) => {
        if (ORDER.indexOf(at) < threshold) return;
        const all = redact({ ...bound, ...fields }) as Record<string, unknown>;
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

/** A copy with secret-looking values replaced, errors spelt out and cycles cut; what the log writes. */
export function redact(value: unknown, depth = 0): unknown {
  if (value instanceof Error)
    return { name: value.name, message: value.message, stack: value.stack, ...cause(value, depth) };
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return "[deep]";
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, SECRET.test(key) ? "[redacted]" : redact(inner, depth + 1)]),
  );
}

function cause(error: Error, depth: number): Record<string, unknown> {
  return error.cause === undefined || depth >= MAX_DEPTH ? {} : { cause: redact(error.cause, depth + 1) };
}

function toStandardError(line: string): void {
  process.stderr.write(`${line}\n`);
}
