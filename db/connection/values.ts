/**
 * What crosses the wire, both ways. Results: a timestamp is text as the API prints it, with six fraction digits
 * and "Z", because a JS Date would cut microseconds and cost more; int8 is a number while it is a safe one.
 * Parameters: everything is sent without a type, so that Postgres infers it from the statement, as with any other
 * driver; text for jsonb is taken as JSON that is already written, so nothing is ever encoded twice.
 * A parameter that cannot be sent is refused here, before postgres.js sees it: an error thrown while it writes
 * would be answered to whichever query is under way on the same connection, and leave that connection stuck.
 */
import type postgres from "postgres";

const SPACE = 32;

/** Postgres' text of a timestamp (session in UTC, DateStyle ISO) as `YYYY-MM-DDTHH:mm:ss.ffffffZ`; "infinity" stays. */
export function wireTime(text: string): string {
  if (text.charCodeAt(10) !== SPACE) return oddTime(text);
  const zone = text.indexOf("+", 19);
  const end = zone < 0 ? text.length : zone;
  if ((zone >= 0 && text.length !== zone + 3) || (zone >= 0 && !text.endsWith("+00"))) return oddTime(text);
  const fraction = end > 20 ? text.slice(20, end).padEnd(6, "0") : "000000";
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
}

/** Years beyond four digits, "BC" and "infinity": rare enough to be slow. Throws when the session left UTC. */
function oddTime(text: string): string {
  if (text === "infinity" || text === "-infinity") return text;
  const parts = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?(?:\+00)?( BC)?$/.exec(text);
  if (!parts)
    throw new RangeError(`Cannot read timestamp "${text}": wanted UTC; a session must not change its TimeZone`);
  return `${parts[1]}T${parts[2]}.${(parts[3] ?? "").padEnd(6, "0")}Z${parts[4] ?? ""}`;
}

/** int8 as a number. Throws RangeError where a number could not hold it exactly. */
export function wireInteger(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`Cannot read int8 "${text}" as a number: wanted at most 9007199254740991; select it as text`);
}

const asIs = (text: string): string => text;

/** How postgres.js reads and writes each type; object identifiers are those of pg_type. */
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
} as unknown as Record<string, postgres.PostgresType>;

/**
 * Parameters as postgres.js may safely have them. Objects become JSON text, Dates ISO text, bigints and booleans
 * text; arrays stay arrays, since only the column knows whether they are int[] or jsonb. Throws TypeError.
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

function convert(sql: postgres.Sql, value: unknown, place: number): unknown {
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return sql.typed(element(value, place) as never, 0);
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  throw unsendable(value, place);
}

/** A list whose elements postgres.js can write; holes and objects as JSON would write them. */
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
