/**
 * SQL for what a request may name of a listing: the order and the conditions of its filters (content-api 3). Field names come from the spec
 * and values are parameters: nothing of a request becomes SQL text.
 */
import { type RawBuilder, sql } from "kysely";
import type { TableName } from "../../db/mod.ts";
import { closedPattern, type FieldType, parameterOf } from "../input/filter_value.ts";
import type { ListingFilter, ListingQuery } from "../input/listing_query.ts";

/** A field that clients may sort and filter by. */
export interface ListField {
  readonly type: FieldType;
  /** Its SQL where that is not the column of its name. */
  readonly column?: RawBuilder<unknown>;
  /** The column that stores the first 600 characters of the `text_key` of a text. */
  readonly key?: string;
  /** Whether it may be null: nulls sort as the smallest value. */
  readonly nullable?: boolean;
  /** Whether the filter for equality with 0 finds null, as old clients send it for pages without a chapter. */
  readonly zeroIsNull?: boolean;
  /** Whether clients may sort by it alone: a filter on it is ignored, as one on an unknown field is. */
  readonly isNoFilter?: boolean;
}

/** The table of a listing and its fields to sort and filter by, the first of which is the default sort. */
export interface FieldsOfTable {
  readonly table: TableName;
  readonly fields: Readonly<Record<string, FieldType | ListField>>;
}

const OPERATORS = { eq: sql`=`, ne: sql`<>`, gt: sql`>`, lt: sql`<`, gte: sql`>=`, lte: sql`<=` };
/** The operator of the rows that a filter leaves out; an index supports none of those of `eq` and `like`. */
const OPPOSITES: Readonly<Partial<Record<ListingFilter["operator"], keyof typeof OPERATORS>>> = {
  ne: "eq",
  gt: "lte",
  gte: "lt",
  lt: "gte",
  lte: "gt",
};
const NOTHING = sql<boolean>`false`;
/** No text of PostgreSQL holds it. */
const UNSTORABLE = "\0";
/** Characters of a stored key: what an index entry has room for. */
const KEY_LENGTH = 600;

/** The field that rows are sorted by: an unknown one means the default; the direction still holds, as in the original. */
export function sortedBy({ fields }: FieldsOfTable, sort: ListingQuery["sort"]): string {
  return sort && Object.hasOwn(fields, sort.field) ? sort.field : (Object.keys(fields)[0] as string);
}

/** SQL for the order of rows, which is complete: rows that are equal in it are in that of their ids. */
export function orderOf(spec: FieldsOfTable, sort: ListingQuery["sort"]): RawBuilder<unknown> {
  const name = sortedBy(spec, sort);
  const down = sort?.direction === "desc";
  const direction = down ? sql`desc` : sql`asc`;
  const id = sql.ref(`${spec.table}.id`);
  if (name === "id") return sql`${id} ${direction}`;
  const field = fieldOf(spec, name);
  const nulls = field.nullable ? (down ? sql` nulls last` : sql` nulls first`) : sql``;
  return sql`${comparable(spec, name, field)} ${direction}${nulls}, ${id} ${direction}`;
}

/** The rows that a filter finds. A null matches no comparison, as in the original. */
export function conditionOf(
  spec: FieldsOfTable,
  { field: name, operator, value }: ListingFilter,
): RawBuilder<boolean>[] {
  const field = fieldOf(spec, name);
  const column = comparable(spec, name, field);
  if (operator === "like") {
    if (value.includes(UNSTORABLE)) return [NOTHING];
    return [sql<boolean>`${asText(spec, name, field)} like ${patternOf(field, value)}`];
  }
  if (field.zeroIsNull && operator === "eq" && value.trim() === "0") return [sql<boolean>`${column} is null`];
  const parameter = filterValue(field, value);
  if (parameter) return [sql<boolean>`${column} ${OPERATORS[operator]} ${parameter}`];
  // What no row holds differs from what each row holds.
  if (operator !== "ne") return [NOTHING];
  return field.nullable ? [sql<boolean>`${column} is not null`] : [];
}

/** The rows that a filter leaves out, as a condition that the index of its field supports; undefined where none does. */
export function leftOutBy(
  spec: FieldsOfTable,
  { field: name, operator, value }: ListingFilter,
): RawBuilder<boolean> | undefined {
  const field = fieldOf(spec, name);
  const opposite = OPPOSITES[field.type === "boolean" && operator === "eq" ? "ne" : operator];
  const parameter = filterValue(field, value);
  if (!opposite || !parameter) return undefined;
  const column = comparable(spec, name, field);
  const others =
    field.type === "boolean" && operator === "eq"
      ? sql`${column} = not ${parameter}`
      : sql`${column} ${OPERATORS[opposite]} ${parameter}`;
  return sql<boolean>`(${others} or ${column} is null)`;
}

/** The value that a field is compared with; undefined where the field cannot hold it. */
function filterValue(field: ListField, value: string): RawBuilder<unknown> | undefined {
  if (value.includes(UNSTORABLE)) return undefined;
  return field.key ? sql`left(text_key(${value}::text), ${sql.lit(KEY_LENGTH)})` : parameterOf(field.type, value);
}

/** The pattern of `like` for the SQL of `asText`. */
function patternOf({ type }: ListField, value: string): RawBuilder<string> {
  return type === "text" ? sql`text_pattern(${value}::text)` : sql`lower(${closedPattern(value)}::text)`;
}

/** SQL that a field is compared and sorted by: the collation of the original. */
function comparable(spec: FieldsOfTable, name: string, field: ListField): RawBuilder<unknown> {
  if (field.type === "text") return keyOf(spec, name, field);
  const column = columnOf(spec, name, field);
  return field.type === "code" ? sql`lower(${column}) collate "C"` : column;
}

function asText(spec: FieldsOfTable, name: string, field: ListField): RawBuilder<unknown> {
  const column = columnOf(spec, name, field);
  if (field.type === "timestamp") return sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')`;
  if (field.type === "boolean") return sql`(${column})::integer::text`;
  return field.type === "integer" ? sql`(${column})::text` : comparable(spec, name, field);
}

function keyOf(spec: FieldsOfTable, name: string, field: ListField): RawBuilder<unknown> {
  if (field.key) return sql.ref(`${spec.table}.${field.key}`);
  return sql`text_key(${columnOf(spec, name, field)}) collate "C"`;
}

function columnOf(spec: FieldsOfTable, name: string, field: ListField): RawBuilder<unknown> {
  return field.column ?? sql.ref(`${spec.table}.${name}`);
}

/** A field of a listing. */
export function fieldOf(spec: FieldsOfTable, name: string): ListField {
  const field = spec.fields[name] as FieldType | ListField;
  return typeof field === "string" ? { type: field } : field;
}
