/**
 * SQL for rows as the text of JSON, which is passed on unparsed: the same bytes that `JSON.stringify` makes of the rows as the driver decodes
 * them (`connection/values.ts`). PostgreSQL's own functions differ in times (`+00:00`, no trailing zeros) and in spaces, so objects are put
 * together from texts here, and only strings are escaped by `to_json`, which escapes what `JSON.stringify` does: quotes, backslashes and control
 * characters. The types of columns are known from the description of the statement; a row with another type has no such text.
 */
import { type RawBuilder, sql } from "kysely";
import { flatten } from "./query.ts";
import { ident } from "./quoting.ts";
import { describeOnPool, type ResultColumn } from "./routes.ts";

/** Names for which quotes are all that JSON needs; numbers would come first in an object. */
const PLAIN_NAME = /^[a-z_][a-z0-9_]*$/i;
/** Years that have four digits or more as they are, which a time of PostgreSQL before Christ and infinity have not. */
const YEARS = "'0001-01-01 00:00:00+00'";
const ISO = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`;

/** SQL for the JSON of a value that is not null, by the oid of its type in pg_type. */
const TEXTS: ReadonlyMap<number, (value: string) => string> = new Map([
  ...[16, 20, 21, 23].map((type) => [type, plain] as const),
  ...[25, 1042, 1043].map((type) => [type, escaped] as const),
  [1184, time],
]);

/**
 * SQL for the JSON text of a row: `columns` of the rows that are called `alias`, in their order. Undefined where a type has no such text, or a name.
 * @example
 * const columns = (await columnsOf(db, sql`select id, name from notes`)) ?? [];
 * const text = rowJson(columns, "note");
 * const [all] = await rows(db, sql<{ json: string }>`select string_agg(${text}, ',') as json from (select id, name from notes) as note`);
 */
export function rowJson(columns: readonly ResultColumn[], alias: string): RawBuilder<string> | undefined {
  const isNamed = new Set(columns.map(({ name }) => name)).size === columns.length;
  const texts = columns.flatMap(({ name, type }, at) => {
    const text = PLAIN_NAME.test(name) ? TEXTS.get(type)?.(`${ident(alias)}.${ident(name)}`) : undefined;
    return text === undefined ? [] : [`'${at === 0 ? "{" : ","}"${name}":' || coalesce(${text}, 'null')`];
  });
  if (!isNamed || texts.length === 0 || texts.length < columns.length) return undefined;
  return sql.raw(`${texts.join(" || ")} || '}'`);
}

/**
 * The columns of a template's rows; it is not run. Undefined within a transaction. Throws what the server says of a template that is wrong.
 * @example
 * const columns = await columnsOf(db, sql`select id, name from notes`); // [{ name: "id", type: 23 }, { name: "name", type: 25 }]
 */
export async function columnsOf(
  db: object,
  fragment: RawBuilder<unknown>,
): Promise<readonly ResultColumn[] | undefined> {
  return describeOnPool(db, flatten(fragment).sql);
}

function plain(value: string): string {
  return `${value}::text`;
}

function escaped(value: string): string {
  return `to_json(${value})::text`;
}

/** The session is in UTC. */
function time(value: string): string {
  return `'"' || case when ${value} >= ${YEARS} and ${value} < 'infinity' then to_char(${value}, ${ISO})
    when isfinite(${value}) then to_char(${value}, ${ISO}) || ' BC' else ${value}::text end || '"'`;
}
