import type { Selectable } from "kysely";
import { type EventTransaction, sql } from "lectern/core";
import { prepared, type Tables } from "lectern/db";
import { ACTIONS, type AccessList, digestOf, isEmpty, type Ruling } from "./access_list.ts";

/** The columns of a list: for each action the fallback and the roles. */
const COLUMNS = ACTIONS.flatMap((action) => [`${action}_fallback`, `${action}_allow`, `${action}_deny`] as const);
const TYPED = sql.join([
  sql`digest text`,
  ...COLUMNS.map(
    (column) => sql`${sql.id(column)} ${sql.raw(column.endsWith("_fallback") ? "smallint" : "integer[]")}`,
  ),
]);

/** A list as it is sent to be stored. */
type SentList = Pick<Selectable<Tables["acl"]>, "digest" | (typeof COLUMNS)[number]>;

const findLists = prepared("content_permissions.findLists", (db, p: { ids: readonly number[] }) =>
  db
    .selectFrom("acl")
    .select("acl.id")
    .select(({ ref }) =>
      ACTIONS.map((action) =>
        sql<Ruling>`json_build_object('fallback', ${ref(`acl.${action}_fallback`)},
          'allow', ${ref(`acl.${action}_allow`)}, 'deny', ${ref(`acl.${action}_deny`)})`.as(action),
      ),
    )
    .where("acl.id", "=", sql<number>`any(${p.ids}::integer[])`),
);

const storeLists = prepared("content_permissions.storeLists", (db, p: { lists: string }) =>
  db
    .insertInto("acl")
    .columns(["digest", ...COLUMNS])
    .expression((eb) =>
      eb
        .selectFrom(sql<SentList>`jsonb_to_recordset(${p.lists}::text::jsonb)`.as<"wanted">(sql`wanted(${TYPED})`))
        .select(["digest", ...COLUMNS])
        .orderBy("digest"),
    )
    .onConflict((conflict) => conflict.column("digest").doUpdateSet({ touched_at: sql<string>`clock_timestamp()` }))
    .returning(["id", "digest"]),
);

/** Reads access lists by id. */
export async function readLists(ids: readonly number[], { db }: EventTransaction): Promise<Map<number, AccessList>> {
  const found = await findLists.execute(db, { ids: [...new Set(ids)] });
  return new Map(found.map((list) => [list.id, list]));
}

/**
 * Finds or creates access lists and returns their ids, 0 for the empty list. A list that exists gets a new `touched_at`,
 * which locks it and keeps the sweep from deleting it before items refer to it.
 */
export async function findOrCreateLists(lists: readonly AccessList[], { db }: EventTransaction): Promise<number[]> {
  const wanted = new Map(lists.filter((list) => !isEmpty(list)).map((list) => [digestOf(list), list]));
  if (wanted.size === 0) return lists.map(() => 0);
  const stored = await storeLists.execute(db, { lists: JSON.stringify([...wanted].map(rowOf)) });
  const ids = new Map(stored.map(({ id, digest }) => [digest, id]));
  return lists.map((list) => (isEmpty(list) ? 0 : (ids.get(digestOf(list)) ?? 0)));
}

function rowOf([digest, list]: [string, AccessList]): Record<string, unknown> {
  const columns = ACTIONS.flatMap((action) => {
    const { fallback, allow, deny } = list[action];
    const columns: [string, unknown][] = [
      [`${action}_fallback`, fallback],
      [`${action}_allow`, allow],
      [`${action}_deny`, deny],
    ];
    return columns;
  });
  return { digest, ...Object.fromEntries(columns) };
}
