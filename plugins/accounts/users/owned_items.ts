/**
 * The items of a deleted user: the heir becomes their owner, and as creator and editor the user is replaced by null (platform
 * 5.4). Items are found by the indexes of their kind: present ones by the index of each column, those in the recycle bin by the
 * index of deleted items. So the work follows the number of items that change, not the size of the table. Statements are
 * templates, since the tables are those of the slot `content` and not of grants.
 */
import { type ItemTable, type RawBuilder, sql } from "lectern/core";
import { type Executor, rows, type TableName } from "lectern/db";

const OWNER: keyof ItemTable = "owned_by";
const COLUMNS = [OWNER, "created_by", "updated_by"] as const satisfies (keyof ItemTable)[];

/** Where items of the user are looked for: present ones by one of the columns, or deleted ones by all of them. */
export type Pass = (typeof COLUMNS)[number] | "deleted";
/** The passes that find every item; the order is that in which they run. */
export const PASSES: readonly Pass[] = [...COLUMNS, "deleted"];

/** The deleted user and the new owner of the items; null for none. */
export interface Succession {
  readonly user: number;
  readonly heir: number | null;
}

/** Ids of items of a user beyond the id `after`, in order; `limit` null for all of them. */
export async function itemsOf(
  db: Executor,
  table: TableName,
  { user, pass, after = 0, limit }: { user: number; pass: Pass; after?: number; limit: number | null },
): Promise<number[]> {
  // Templates, here and below: the tables are those of contributed kinds, which the types of the builder do not know.
  const found = await rows<{ id: number }>(
    db,
    sql`select id from ${sql.table(table)} where ${conditionOf(pass, user)} and id > ${after}::integer
      order by id limit ${limit}::integer`,
  );
  return found.map(({ id }) => id);
}

/** Changes these items, so far as they are still the user's. Returns how many changed. */
export async function changeItems(
  db: Executor,
  table: TableName,
  ids: readonly number[],
  { user, heir }: Succession,
): Promise<number> {
  if (ids.length === 0) return 0;
  const [owner, creator, editor] = COLUMNS.map((name) => sql.id(name));
  const changed = await rows(
    db,
    sql`update ${sql.table(table)} set
      ${owner} = case when ${owner} = ${user}::integer then ${heir}::integer else ${owner} end,
      ${creator} = nullif(${creator}, ${user}::integer), ${editor} = nullif(${editor}, ${user}::integer)
      where id = any(${[...ids]}::integer[]) and ${anyOf(user)} returning 1`,
  );
  return changed.length;
}

/** How many items a user owns, created or edited last, the largest of the three; counts to `limit` in each, or null for all. */
export async function countItems(
  db: Executor,
  tables: readonly TableName[],
  user: number,
  limit: number | null,
): Promise<number> {
  const counted = COLUMNS.map((column) => {
    const parts = tables.map(
      (table) =>
        sql`(select count(*) from (select from ${sql.table(table)} where ${conditionOf(column, user)}
          limit ${limit}::integer) as found)`,
    );
    return sql`${sql.join(parts, sql` + `)}`;
  });
  const [found] = await rows<{ n: number }>(db, sql`select greatest(${sql.join(counted)})::float8 as n`);
  return found?.n ?? 0;
}

/** Deleted items have an index of their own, the others one for each column. */
function conditionOf(pass: Pass, user: number): RawBuilder<unknown> {
  const deletedAt = sql.id("deleted_at" satisfies keyof ItemTable);
  return pass === "deleted"
    ? sql`${deletedAt} is not null and ${anyOf(user)}`
    : sql`${sql.id(pass)} = ${user}::integer and ${deletedAt} is null`;
}

function anyOf(user: number): RawBuilder<unknown> {
  return sql`(${sql.join(
    COLUMNS.map((column) => sql`${sql.id(column)} = ${user}::integer`),
    sql` or `,
  )})`;
}
