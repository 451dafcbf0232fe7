/**
 * The statement of a page of a listing. A subquery picks the rows of the page over the table and its conditions; these alone are joined
 * with what they show. The first rows of a listing are picked with all their columns; further down only ids are, since an index has what it
 * takes to skip the rows before, which are then not fetched.
 *
 * The rows come as one text of JSON, which is passed to the answer unparsed (`std/json_text.ts`), where the types of the columns allow
 * it: decoding 100 rows and writing them as JSON costs the server more than PostgreSQL takes to write them. Fields that are merged into
 * rows come beside the text, by id; where there are any, the text is parsed.
 */
import { type RawBuilder, sql } from "kysely";
import type { AddedFields, FieldsOfRows } from "./added_fields.ts";
import type { ListSpec } from "./list_spec.ts";

/** Which rows of a listing are read. */
export interface Page {
  /** The table with the joins of its fields. */
  readonly from: RawBuilder<unknown>;
  readonly where: RawBuilder<boolean>;
  readonly order: RawBuilder<unknown>;
  readonly count: unknown;
  readonly offset: unknown;
  /**
   * A number of rows that the page ends within, where all rows are picked whole. It stands in the statement, so that the plan is made once and
   * for few rows: of a parameter PostgreSQL would expect a tenth of the table, and plan each statement anew.
   */
  readonly within: number | undefined;
}

/** The row of the statement of a page as text; the fields of an `added` with `select` are in `added N` by id. */
export interface TextPage
  extends Readonly<Record<`added ${number}`, Readonly<Record<string, Record<string, unknown>>> | null>> {
  /** The rows as JSON, with commas between them; null for none. */
  readonly data: string | null;
  /** The ids of the rows, with commas between them; null where nothing is read by them. */
  readonly ids: string | null;
  /** Where it is read in the same statement. */
  readonly total?: number;
}

/** What the rows of a page are called within its statement. */
export const ROW = "shown";

/** The columns of the listing without any rows, for their types. */
export function columnsOfPage(spec: ListSpec, from: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select ${spec.columns} from ${from} ${spec.joins ?? sql``}`;
}

/** The rows of a page, in order; `more` are further columns. */
export function rowsOfPage(spec: ListSpec, page: Page, more: RawBuilder<unknown> = sql``): RawBuilder<unknown> {
  const { from, where, order, count, offset, within } = page;
  const { columns, fieldJoins, joins } = spec;
  const table = sql.table(spec.table);
  const id = sql.ref(`${spec.table}.id`);
  if (within === undefined)
    return sql`select ${columns}${more} from (select ${id} from ${from} where ${where} order by ${order} limit ${count} offset ${offset}) as picked
      join ${from} on ${id} = picked.id ${joins ?? sql``} order by ${order}`;
  const picked = sql`select * from (select ${table}.* from ${from} where ${where} order by ${order} limit ${sql.lit(within)}) as picked
    limit ${count} offset ${offset}`;
  // Nothing changes the order of a subquery but a join.
  const ordered = fieldJoins || joins ? sql` order by ${order}` : sql``;
  return sql`select ${columns}${more} from (${picked}) as ${table} ${fieldJoins ?? sql``} ${joins ?? sql``}${ordered}`;
}

/** The page as text; `json` is that of a row of the rows called `shown`. */
export function textOfPage(
  spec: ListSpec,
  page: Page,
  json: RawBuilder<string>,
  { added, total }: { readonly added: readonly AddedFields[]; readonly total?: RawBuilder<number> },
): RawBuilder<TextPage> {
  const selects = added.map(({ select }, at) => select && { select, name: sql.id(nameOf(at)) });
  const found = selects.filter((each) => each !== undefined);
  const more = found.map(({ select, name }) => sql`, ${select} as ${name}`);
  const id = sql.id(ROW, "id");
  const fields = found.map(({ name }) => {
    const one = sql`${sql.id(ROW)}.${name}`;
    return sql`, json_object_agg(${id}, ${one}) filter (where ${one} is not null) as ${name}`;
  });
  // Each column is used several times: `offset 0` has PostgreSQL compute it once.
  const ids = found.length < added.length ? sql`string_agg(${id}::text, ',')` : sql`null`;
  return sql`select string_agg(${json}, ',') as data, ${ids} as ids${total ? sql`, ${total} as total` : sql``}${sql.join(fields, sql``)}
    from (${rowsOfPage(spec, page, sql.join(more, sql``))} offset 0) as ${sql.id(ROW)}`;
}

/** The fields that are merged into the rows of a page, by id; `page` is where they were selected with the rows. */
export async function fieldsOfPage(
  added: readonly AddedFields[],
  ids: () => readonly number[],
  page?: TextPage,
): Promise<readonly FieldsOfRows[]> {
  return Promise.all(
    added.map(({ select, read }, at) => {
      if (!select || !page) return read(ids());
      return new Map(Object.entries(page[nameOf(at)] ?? {}).map(([id, fields]) => [Number(id), fields]));
    }),
  );
}

function nameOf(at: number): `added ${number}` {
  return `added ${at}`;
}
