/**
 * The value of a listing's filter as a parameter of the column's type. Clients send text: what the column cannot hold
 * matches nothing and is no error (content-api 3), so each notation is checked before PostgreSQL would refuse it.
 */
import { type RawBuilder, sql } from "kysely";
import { trimEndChars } from "../std/trim_chars.ts";

/**
 * The type of a filtered field, which decides how the text of a filter is read and compared. `text` is for people: case and
 * accents are ignored, and it sorts alphabetically (`core/i18n/collation.ts`). `code` is for machines, such as a slug or an
 * address: case is ignored, and it sorts by its bytes.
 */
export type FieldType = "integer" | "text" | "code" | "timestamp" | "boolean";

/** The value as a parameter of the type; undefined where the type cannot hold it. */
export function parameterOf(type: FieldType, value: string): RawBuilder<unknown> | undefined {
  if (type === "text") return sql`text_key(${value}::text)`;
  if (type === "code") return sql`lower(${value}::text)`;
  const text = value.trim();
  if (type === "integer") return integerOf(text);
  if (type === "boolean")
    return /^(1|0|true|false)$/i.test(text) ? sql`${/^(1|true)$/i.test(text)}::boolean` : undefined;
  const time = timeOf(text);
  return time === undefined ? undefined : sql`${time}::timestamptz`;
}

function integerOf(text: string): RawBuilder<unknown> | undefined {
  if (!/^[+-]?\d{1,30}(\.\d{1,30})?$/.test(text)) return undefined;
  const whole = text.replace(/\.0+$/, "");
  if (/^[+-]?\d+$/.test(whole) && Math.abs(Number(whole)) <= 2_147_483_647) return sql`${Number(whole)}::integer`;
  return sql`${text}::numeric`;
}

const TIME =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,9}))?)?)?)?\s?(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?$/i;

/**
 * A date, or a time to the hour at least, as ISO 8601, in UTC where it names no zone; undefined for other notations. Zeros may be
 * missing before numbers, as in MySQL.
 */
function timeOf(text: string): string | undefined {
  const parts = TIME.exec(text);
  if (!parts) return undefined;
  const [, year, ...numbers] = parts.slice(0, 7);
  const [month, day, hour, minute, second] = numbers.map((number = "0") => number.padStart(2, "0"));
  const [fraction = "0", zone = "Z"] = parts.slice(7);
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  // PostgreSQL refuses dates that no calendar has.
  const date = new Date(`${iso}Z`);
  if (Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(day) || year === "0000") return undefined;
  return `${iso}.${fraction.slice(0, 6)}${zone}`;
}

/** A pattern of `like` that PostgreSQL accepts: an escape at its end means the backslash itself. */
export function closedPattern(pattern: string): string {
  const trailing = pattern.length - trimEndChars(pattern, "\\").length;
  return trailing % 2 === 1 ? `${pattern}\\` : pattern;
}
