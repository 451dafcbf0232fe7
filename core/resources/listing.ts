/**
 * Listings: paging, sorting and filtering for every resource (content-api 3). A subquery picks the ids of the page over the
 * table and its conditions; these rows alone are joined with what they show. A second, pipelined statement counts the total.
 * Field names come from the spec and values are parameters: nothing of a request becomes SQL text.
 */
import { type RawBuilder, sql } from "kysely";
import { type Db, rows, type TableName } from "../../db/mod.ts";
import { ApiError } from "../errors.ts";
import type { InputObject } from "../input/body_parsing.ts";
import { closedPattern, type FieldType, parameterOf } from "../input/filter_value.ts";
import { type ListingFilter, type ListingQuery, type ListLimits, parseListing } from "../input/listing_query.ts";
import type { Viewer } from "../viewer.ts";
import { type CountedRows, filteredTotal } from "./filtered_total.ts";
import type { WithSlowPool } from "./slow_reads.ts";
import type { VisibilityRules } from "./visibility.ts";

/** Number and ids of the rows of a table that viewers see, and which lists these have. */
export interface VisibleRows {
  /** SQL for the exact number of rows a viewer sees, cheaper than counting. */
  total(viewer: Viewer): RawBuilder<number>;
  /** SQL for the approximate number of all rows. */
  readonly all: RawBuilder<number>;
  /** SQL for the ids of all rows a viewer sees, where sorting these is cheaper than skipping all others; else undefined. */
  ids(viewer: Viewer): RawBuilder<unknown> | undefined;
  /**
   * A condition over a column of access lists, for what is counted by list: a viewer sees every row with this list that is neither
   * deleted nor visible to its owner alone. True for a viewer to whom this is so whatever the list.
   */
  ofLists(viewer: Viewer, column: RawBuilder<number>): RawBuilder<boolean>;
  /**
   * A condition over the table that holds for all rows that a viewer sees beside those of `ofLists` and for none of these: some
   * of the viewer's own. Undefined where there are none. It does not check visibility.
   */
  besideLists(viewer: Viewer): RawBuilder<boolean> | undefined;
}

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

/** A listing of one table. */
export interface ListSpec {
  readonly table: TableName;
  /** Fields to sort and filter by; the first is the default sort. */
  readonly fields: Readonly<Record<string, FieldType | ListField>>;
  /** The columns of a row, such as sql`books.id, books.name`. */
  readonly columns: RawBuilder<unknown>;
  /** Joins for `columns`, such as sql`join books on …`. */
  readonly joins?: RawBuilder<unknown>;
  /** Joins for the columns of fields. */
  readonly fieldJoins?: RawBuilder<unknown>;
  /** A condition in addition to visibility. */
  readonly where?: RawBuilder<boolean>;
  /** SQL of rows with an `id` that replace the table under its name, such as groups of rows. It has to check visibility itself. */
  readonly source?: RawBuilder<unknown>;
  /** How many rows viewers see, where that is known without counting. */
  readonly visibleRows?: VisibleRows;
}

/** The envelope of every listing. */
export interface Listing<Row> {
  readonly data: Row[];
  /** The number of all rows that match. */
  readonly total: number;
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
/** The cost of fetching and sorting a row, in multiples of the cost of skipping one. */
const SORT_COST = 3;
/** Rows up to which a listing in index order is quick. */
const QUICK_ROWS = 2_000;
const TOO_LONG = new ApiError(422, "This listing takes too long. Ask for it with other filters or a smaller offset.");

/** Services of the runtime that listings use. */
export interface ListParts {
  readonly db: Db;
  readonly visibility: VisibilityRules;
  readonly limits: ListLimits & { readonly timeoutMs: number };
  readonly withSlowPool: WithSlowPool;
}

/** Runs a listing request. `query` is the parsed query string; unknown fields in it are ignored. */
export async function listRows<Row>(
  parts: ListParts,
  spec: ListSpec,
  viewer: Viewer,
  query: InputObject,
): Promise<Listing<Row>> {
  const parsed = parseListing(query, parts.limits);
  const read = () => readListing<Row>(parts, spec, viewer, parsed);
  // In index order and with a known total, the cost does not grow with the table.
  const isQuick =
    spec.visibleRows && !spec.where && parsed.filters.length === 0 && parsed.offset + parsed.count <= QUICK_ROWS;
  return isQuick ? read() : parts.withSlowPool({ viewer, limitMs: parts.limits.timeoutMs, tooLong: TOO_LONG }, read);
}

async function readListing<Row>(
  { db, visibility }: ListParts,
  spec: ListSpec,
  viewer: Viewer,
  { count, offset, sort, filters: sent }: ListingQuery,
): Promise<Listing<Row>> {
  const filters = sent.filter(
    ({ field }) => Object.hasOwn(spec.fields, field) && fieldOf(spec, field).isNoFilter !== true,
  );
  const table = spec.source ? sql`(${spec.source}) as ${sql.table(spec.table)}` : sql.table(spec.table);
  const id = sql.ref(`${spec.table}.id`);
  const wanted = [...(spec.where ? [spec.where] : []), ...filters.flatMap((filter) => conditionOf(spec, filter))];
  const isPlain = wanted.length === 0;
  const ids = spec.visibleRows?.ids(viewer);
  const known = ids && (await countsOf(db, spec, viewer));
  if (isPlain && known && known.total <= offset) return { data: [], total: known.total };
  if (ids && known && isSortCheaper(known, offset + count)) wanted.push(sql<boolean>`${id} = any(array(${ids}))`);
  const visible = spec.source ? sql<boolean>`true` : visibility.where(spec.table, viewer);
  const where = sql.join([visible, ...wanted], sql` and `);
  const from = sql`${table} ${spec.fieldJoins ?? sql``}`;
  const order = orderOf(spec, sort);
  const [data, counted] = await Promise.all([
    // Templates, here and below: table, columns, joins and order are those of the listing, which the types of the builder do not know.
    rows<Row>(
      db,
      sql`select ${spec.columns} from (select ${id} from ${from} where ${where} order by ${order} limit ${count} offset ${offset}) as picked
      join ${from} on ${id} = picked.id ${spec.joins ?? sql``} order by ${order}`,
    ),
    isPlain && spec.visibleRows
      ? (known ?? countsOf(db, spec, viewer))
      : totalOf(db, spec, { from, visible, wanted, filters, visibleTotal: spec.visibleRows?.total(viewer) }),
  ]);
  return { data, total: counted?.total ?? 0 };
}

/** The total of a filtered listing: by the rows that the filters leave out where an index has these, else by counting. */
async function totalOf(
  db: Db,
  spec: ListSpec,
  counted: Pick<CountedRows, "from" | "visible" | "wanted"> & {
    readonly filters: readonly ListingFilter[];
    readonly visibleTotal: RawBuilder<number> | undefined;
  },
): Promise<Pick<Counts, "total"> | undefined> {
  const { from, visible, wanted, filters, visibleTotal } = counted;
  const leftOut = filters.flatMap((filter) => leftOutBy(spec, filter) ?? []);
  if (!visibleTotal || spec.where || leftOut.length < wanted.length)
    return counts(db, sql`count(*) as total from ${from} where ${sql.join([visible, ...wanted], sql` and `)}`);
  const isNegative = filters.every(({ operator }) => operator === "ne");
  return { total: await filteredTotal(db, { from, visible, visibleTotal, wanted, leftOut, isNegative }) };
}

type Counts = { readonly total: number; readonly all: number };

async function countsOf(db: Db, { visibleRows }: ListSpec, viewer: Viewer): Promise<Counts | undefined> {
  return visibleRows && counts(db, sql`${visibleRows.total(viewer)} as total, ${visibleRows.all} as all`);
}

async function counts(db: Db, selected: RawBuilder<unknown>): Promise<Counts | undefined> {
  const [counted] = await rows<Counts>(db, sql`select ${selected}`);
  return counted;
}

/** Whether sorting all visible rows costs less than scanning in order until `wanted` of them are found. */
function isSortCheaper({ total, all }: Counts, wanted: number): boolean {
  return total * total * SORT_COST <= all * wanted;
}

function orderOf(spec: ListSpec, sort: ListingQuery["sort"]): RawBuilder<unknown> {
  // An unknown field means the default one; the direction still holds, as in the original.
  const name = sort && Object.hasOwn(spec.fields, sort.field) ? sort.field : (Object.keys(spec.fields)[0] as string);
  const down = sort?.direction === "desc";
  const direction = down ? sql`desc` : sql`asc`;
  const id = sql.ref(`${spec.table}.id`);
  if (name === "id") return sql`${id} ${direction}`;
  const field = fieldOf(spec, name);
  const nulls = field.nullable ? (down ? sql` nulls last` : sql` nulls first`) : sql``;
  return sql`${comparable(spec, name, field)} ${direction}${nulls}, ${id} ${direction}`;
}

/** The rows that a filter finds. A null matches no comparison, as in the original. */
function conditionOf(spec: ListSpec, { field: name, operator, value }: ListingFilter): RawBuilder<boolean>[] {
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
function leftOutBy(spec: ListSpec, { field: name, operator, value }: ListingFilter): RawBuilder<boolean> | undefined {
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
