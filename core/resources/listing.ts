/**
 * Listings: one engine for every resource, so that paging, sorting and filtering mean the same everywhere (content-api 3).
 * The winners are found first, over the table and its conditions alone, and only then joined with what a row shows; the
 * total is counted by a second statement that travels along with the first. Field names come from the resource's own list,
 * values are always parameters: nothing of a request becomes SQL text.
 */
import { type RawBuilder, sql } from "kysely";
import { type Db, rows, type TableName } from "../../db/mod.ts";
import { ApiError } from "../errors.ts";
import type { WithSlowPool } from "../http/store_errors.ts";
import type { InputObject } from "../input/body_parsing.ts";
import type { Viewer } from "../viewer.ts";
import { type ListingFilter, type ListingQuery, type ListLimits, parseListing } from "./listing_query.ts";
import type { VisibilityRules } from "./visibility.ts";

/**
 * What a field holds, which decides how a filter's text is read and compared. Text is for people: letter case and accents
 * do not matter, and it sorts alphabetically (`core/i18n/collation.ts`). A code is for machines, such as a slug or an address:
 * only letter case does not matter, and it sorts by its bytes.
 */
export type FieldType = "integer" | "text" | "code" | "timestamp" | "boolean";

/** A field clients may sort and filter by. */
export interface ListField {
  readonly type: FieldType;
  /** Its SQL where it is not simply the column of that name. */
  readonly column?: RawBuilder<unknown>;
  /** The column of the table that holds the key of a text, or its first 600 letters: compared without computing it. */
  readonly key?: string;
  /** May be null: nulls sort as the smallest value. */
  readonly nullable?: boolean;
  /** The filter value 0 means null (old clients ask so for pages without a chapter). */
  readonly zeroIsNull?: boolean;
}

/** A listing of one table. */
export interface ListSpec {
  readonly table: TableName;
  /** Fields to sort and filter by; the first is the default sort. */
  readonly fields: Readonly<Record<string, FieldType | ListField>>;
  /** What a row shows, such as sql`books.id, books.name`. */
  readonly columns: RawBuilder<unknown>;
  /** Joins that the columns need, such as sql`join books on …`. */
  readonly joins?: RawBuilder<unknown>;
  /** Joins that a field's column needs. */
  readonly fieldJoins?: RawBuilder<unknown>;
  /** A further condition, beside what the viewer may see. */
  readonly where?: RawBuilder<boolean>;
  /**
   * SQL of rows with an `id` that stand in place of the table under its name, such as groups of its rows. What a viewer may
   * see is then for it alone to say.
   */
  readonly source?: RawBuilder<unknown>;
  /** How much of the table viewers see, where that is known without looking. */
  readonly reach?: VisibleIds;
}

/** How much of a table viewers see. */
export interface VisibleIds {
  /** SQL for how many rows a viewer sees: exact, and far cheaper than counting. */
  total(viewer: Viewer): RawBuilder<number>;
  /** SQL for how many rows there are to see, nearly. */
  readonly all: RawBuilder<number>;
  /**
   * SQL for the ids of all rows a viewer might see, for those who may see few: walking past all that they do not see
   * would cost more than putting these in order. Undefined for viewers who see most rows.
   */
  few(viewer: Viewer): RawBuilder<unknown> | undefined;
}

/** The envelope of every listing. */
export interface Listing<Row> {
  readonly data: Row[];
  /** All rows that match, whatever count and offset say. */
  readonly total: number;
}

const OPERATORS: Readonly<Record<string, RawBuilder<unknown>>> = {
  eq: sql`=`,
  ne: sql`<>`,
  gt: sql`>`,
  lt: sql`<`,
  gte: sql`>=`,
  lte: sql`<=`,
};
const NOTHING = sql<boolean>`false`;
/** Letters of a key that tables store beside a text: what an index entry has room for. */
const KEY_LETTERS = 600;
/** What it costs to gather and sort a row, by what it costs to walk past one. */
const GATHERING = 3;

/** Rows that can be passed over and read in no time, where an index has them in order. */
const QUICK_ROWS = 2_000;
const TOO_LONG = new ApiError(422, "This listing takes too long. Ask for it with other filters or a smaller offset.");

/** What listings need of the runtime. */
export interface ListParts {
  readonly db: Db;
  readonly visibility: VisibilityRules;
  readonly limits: ListLimits & { readonly timeoutMs: number };
  readonly withSlowPool: WithSlowPool;
}

/** Answers a listing request. `query` is the parsed query string; unknown fields in it are ignored. */
export async function listRows<Row>(
  parts: ListParts,
  spec: ListSpec,
  viewer: Viewer,
  query: InputObject,
): Promise<Listing<Row>> {
  const asked = parseListing(query, parts.limits);
  const read = () => readListing<Row>(parts, spec, viewer, asked);
  // Only where rows are in an index, and their number is known, is a listing as cheap however many rows there are.
  const isQuick = spec.reach && !spec.where && asked.filters.length === 0 && asked.offset + asked.count <= QUICK_ROWS;
  return isQuick ? read() : parts.withSlowPool({ viewer, limitMs: parts.limits.timeoutMs, tooLong: TOO_LONG }, read);
}

async function readListing<Row>(
  { db, visibility }: ListParts,
  spec: ListSpec,
  viewer: Viewer,
  { count, offset, sort, filters }: ListingQuery,
): Promise<Listing<Row>> {
  const table = spec.source ? sql`(${spec.source}) as ${sql.table(spec.table)}` : sql.table(spec.table);
  const id = sql.ref(`${spec.table}.id`);
  const wanted = [...(spec.where ? [spec.where] : []), ...filters.flatMap((filter) => conditionOf(spec, filter))];
  const isPlain = wanted.length === 0;
  const few = spec.reach?.few(viewer);
  const known = few && (await reachOf(db, spec, viewer));
  if (isPlain && known && known.total <= offset) return { data: [], total: known.total };
  if (few && known && isFewer(known, offset + count)) wanted.push(sql<boolean>`${id} = any(array(${few}))`);
  const seen = spec.source ? sql<boolean>`true` : visibility.where(spec.table, viewer);
  const where = sql.join([seen, ...wanted], sql` and `);
  const from = sql`${table} ${spec.fieldJoins ?? sql``}`;
  const order = orderOf(spec, sort);
  const [data, counted] = await Promise.all([
    rows<Row>(
      db,
      sql`select ${spec.columns} from (select ${id} from ${from} where ${where} order by ${order} limit ${count} offset ${offset}) as picked
      join ${from} on ${id} = picked.id ${spec.joins ?? sql``} order by ${order}`,
    ),
    isPlain && spec.reach
      ? (known ?? reachOf(db, spec, viewer))
      : counts(db, sql`count(*) as total from ${from} where ${where}`),
  ]);
  return { data, total: counted?.total ?? 0 };
}

type Counts = { readonly total: number; readonly all: number };

async function reachOf(db: Db, { reach }: ListSpec, viewer: Viewer): Promise<Counts | undefined> {
  return reach && counts(db, sql`${reach.total(viewer)} as total, ${reach.all} as all`);
}

async function counts(db: Db, selected: RawBuilder<unknown>): Promise<Counts | undefined> {
  const [counted] = await rows<Counts>(db, sql`select ${selected}`);
  return counted;
}

/** Whether it is less work to gather all rows in sight than to walk in order until so many have been seen. */
function isFewer({ total, all }: Counts, wanted: number): boolean {
  return total * total * GATHERING <= all * wanted;
}

function orderOf(spec: ListSpec, sort: { field: string; direction: "asc" | "desc" } | undefined): RawBuilder<unknown> {
  // An unknown field falls back to the default one, and the direction still holds, as in the original.
  const name = sort && Object.hasOwn(spec.fields, sort.field) ? sort.field : (Object.keys(spec.fields)[0] as string);
  const down = sort?.direction === "desc";
  const direction = down ? sql`desc` : sql`asc`;
  const id = sql.ref(`${spec.table}.id`);
  if (name === "id") return sql`${id} ${direction}`;
  const field = fieldOf(spec, name);
  const nulls = field.nullable ? (down ? sql` nulls last` : sql` nulls first`) : sql``;
  return sql`${comparable(spec, name, field)} ${direction}${nulls}, ${id} ${direction}`;
}

function conditionOf(spec: ListSpec, { field: name, operator, value }: ListingFilter): RawBuilder<boolean>[] {
  if (!Object.hasOwn(spec.fields, name)) return [];
  const field = fieldOf(spec, name);
  if (value.includes("\0")) return [NOTHING];
  if (operator === "like") return [sql<boolean>`${asText(spec, name, field)} like ${patternOf(field, value)}`];
  const parameter = field.key
    ? sql`left(text_key(${value}::text), ${sql.lit(KEY_LETTERS)})`
    : parameterOf(field.type, value);
  if (!parameter) return [NOTHING];
  const sign = OPERATORS[operator] ?? OPERATORS.eq;
  const column = comparable(spec, name, field);
  if (!field.zeroIsNull) return [sql<boolean>`${column} ${sign} ${parameter}`];
  if (operator === "eq" && value.trim() === "0") return [sql<boolean>`${column} is null`];
  if (operator === "eq") return [sql<boolean>`${column} = ${parameter}`];
  return [sql<boolean>`coalesce(${column}, 0) ${sign} ${parameter}`];
}

/** A pattern that ends in a lone escape would be an error of the store; it means the backslash itself. */
function closed(pattern: string): string {
  const trailing = /\\*$/.exec(pattern)?.[0].length ?? 0;
  return trailing % 2 === 1 ? `${pattern}\\` : pattern;
}

/** The pattern of `like` for what `asText` answers. */
function patternOf({ type }: ListField, value: string): RawBuilder<string> {
  return type === "text" ? sql`text_pattern(${value}::text)` : sql`lower(${closed(value)}::text)`;
}

/** What a field is compared and sorted by, as the collation of the original has it. */
function comparable(spec: ListSpec, name: string, field: ListField): RawBuilder<unknown> {
  if (field.type === "text") return keyOf(spec, name, field);
  const column = columnOf(spec, name, field);
  return field.type === "code" ? sql`lower(${column}) collate "C"` : column;
}

function asText(spec: ListSpec, name: string, field: ListField): RawBuilder<unknown> {
  const column = columnOf(spec, name, field);
  if (field.type === "timestamp") return sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')`;
  if (field.type === "boolean") return sql`(${column})::integer::text`;
  return field.type === "integer" ? sql`(${column})::text` : comparable(spec, name, field);
}

function keyOf(spec: ListSpec, name: string, field: ListField): RawBuilder<unknown> {
  if (field.key) return sql.ref(`${spec.table}.${field.key}`);
  return sql`text_key(${columnOf(spec, name, field)}) collate "C"`;
}

function columnOf(spec: ListSpec, name: string, field: ListField): RawBuilder<unknown> {
  return field.column ?? sql.ref(`${spec.table}.${name}`);
}

function fieldOf(spec: ListSpec, name: string): ListField {
  const field = spec.fields[name] as FieldType | ListField;
  return typeof field === "string" ? { type: field } : field;
}

/** A filter's value as the column needs it; undefined where the column cannot hold it, so that nothing matches. */
function parameterOf(type: FieldType, value: string): RawBuilder<unknown> | undefined {
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
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?\s?(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?$/i;

/** A date or time in one of the accepted notations as ISO 8601, UTC where it names no zone; undefined for others. */
function timeOf(text: string): string | undefined {
  const parts = TIME.exec(text);
  if (!parts) return undefined;
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "0", zone = "Z"] = parts;
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  // Postgres refuses what no calendar has, which must not become an error of ours.
  const date = new Date(`${iso}Z`);
  if (Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(day) || year === "0000") return undefined;
  return `${iso}.${fraction.slice(0, 6)}${zone}`;
}
