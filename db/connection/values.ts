/**
 * Conversion of results and parameters. Results: a timestamp is text as in answers of the API, with six fraction digits and
 * "Z", since a Date would lose microseconds and cost more; int8 is a number while it is a safe integer. Parameters are sent
 * without a type, so that PostgreSQL infers it from the statement; text for jsonb is taken as JSON, so that nothing is
 * encoded twice. A parameter that cannot be sent throws here: an error within postgres.js would reject another query of the
 * connection and leave it stuck.
 */
import type postgres from "postgres";

const SPACE = 32;
const POINT = 46;
/** Characters of `2026-01-05 09:30:00.123456+00`, as nearly all stored times are written. */
const FULL_LENGTH = 29;

/** PostgreSQL's text of a timestamp (session in UTC, DateStyle ISO) as `YYYY-MM-DDTHH:mm:ss.ffffffZ`; "infinity" stays. */
export function wireTime(text: string): string {
  if (text.charCodeAt(10) !== SPACE) return rareTime(text);
  if (text.length === FULL_LENGTH && text.charCodeAt(19) === POINT && text.endsWith("+00"))
    return `${text.slice(0, 10)}T${text.slice(11, 26)}Z`;
  const zone = text.indexOf("+", 19);
  const end = zone < 0 ? text.length : zone;
  if ((zone >= 0 && text.length !== zone + 3) || (zone >= 0 && !text.endsWith("+00"))) return rareTime(text);
  const fraction = end > 20 ? text.slice(20, end).padEnd(6, "0") : "000000";
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
}

/** Years beyond four digits, "BC" and "infinity". Throws where the session is not in UTC. */
function rareTime(text: string): string {
  if (text === "infinity" || text === "-infinity") return text;
  const parts = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?(?:\+00)?( BC)?$/.exec(text);
  if (!parts)
    throw new RangeError(`Cannot read timestamp "${text}": wanted UTC; a session must not change its TimeZone`);
  return `${parts[1]}T${parts[2]}.${(parts[3] ?? "").padEnd(6, "0")}Z${parts[4] ?? ""}`;
}

/** int8 as a number. Throws RangeError beyond the safe integers. */
export function wireInteger(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`Cannot read int8 "${text}" as a number: wanted at most 9007199254740991; select it as text`);
}

const asIs = (text: string): string => text;

/** The types for postgres.js; the numbers are oids of pg_type. */
export const wireTypes = {
  int8: { to: 20, from: [20], serialize: String, parse: wireInteger },
  timestamp: { to: 1184, from: [1114, 1184], serialize: asIs, parse: wireTime },
  date: { to: 1082, from: [1082], serialize: asIs, parse: asIs },
  boolean: { to: 16, from: [16], serialize: String, parse: (text: string) => text === "t" },
  json: {
    to: 114,
    from: [114, 3802],
    serialize: (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value)),
    parse: (text: string) => JSON.parse(text) as unknown,
  },
} as Record<string, postgres.PostgresType>;

/**
 * Parameters for postgres.js. Objects become JSON text, Dates ISO text, bigints and booleans text; arrays stay arrays, since
 * the column decides between int[] and jsonb. Throws TypeError for other values.
 */
export function outgoing(sql: postgres.Sql, parameters: readonly unknown[]): postgres.ParameterOrJSON<never>[] {
  const sent: unknown[] = new Array(parameters.length);
  for (let i = 0; i < parameters.length; i++) {
    const value = parameters[i];
    sent[i] =
      typeof value === "string" || typeof value === "number" || value === null ? value : convert(sql, value, i + 1);
  }
  return sent as postgres.ParameterOrJSON<never>[];
}

/**
 * A parameter as the text that postgres.js would send, where `serialize` does what it does for the parameter's type. `place`
 * counts from 1. Throws TypeError as `outgoing` does.
 */
export function textOf(value: unknown, place: number, serialize: (value: unknown) => string): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return serialize(element(value, place));
  return serialize(typeof value === "string" || typeof value === "number" ? value : single(value, place));
}

function convert(sql: postgres.Sql, value: unknown, place: number): unknown {
  return Array.isArray(value) ? sql.typed(element(value, place) as never, 0) : single(value, place);
}

/** A value that is no list. */
function single(value: unknown, place: number): unknown {
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return value;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  throw unsendable(value, place);
}

/** A value of an array for postgres.js; holes and objects as in JSON. */
function element(value: unknown, place: number): unknown {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      if (typeof item !== "string" && typeof item !== "number" && item !== null)
        return value.map((one) => element(one, place));
    }
    return value;
  }
  if (typeof value === "bigint") return String(value);
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "function" || typeof value === "symbol") throw unsendable(value, place);
  if (typeof value === "object" && value !== null && !(value instanceof Uint8Array))
    return JSON.parse(JSON.stringify(value));
  return value ?? null;
}

function unsendable(value: unknown, place: number): TypeError {
  return new TypeError(
    `Cannot send parameter ${place}: found ${typeof value}, wanted text, a number, null, a list or an object`,
  );
}
