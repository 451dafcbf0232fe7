import { type EventTransaction, sql } from "lectern/core";
import { rows } from "lectern/db";
import { ACTIONS, type AccessList, digestOf, isEmpty } from "./access_list.ts";

const RULINGS = sql.join(
  ACTIONS.map(
    (action) => sql`json_build_object('fallback', ${sql.ref(`acl.${action}_fallback`)},
      'allow', ${sql.ref(`acl.${action}_allow`)}, 'deny', ${sql.ref(`acl.${action}_deny`)}) as ${sql.ref(action)}`,
  ),
);
const COLUMNS = ACTIONS.flatMap((action) => [`${action}_fallback`, `${action}_allow`, `${action}_deny`]);
const TYPED = [
  "digest text",
  ...ACTIONS.flatMap((a) => [`${a}_fallback smallint`, `${a}_allow int[]`, `${a}_deny int[]`]),
];

/** Reads access lists by id. */
export async function readLists(ids: readonly number[], { db }: EventTransaction): Promise<Map<number, AccessList>> {
  const found = await rows<AccessList & { id: number }>(
    db,
    sql`select acl.id, ${RULINGS} from acl where acl.id = any(${[...new Set(ids)]}::integer[])`,
  );
  return new Map(found.map((list) => [list.id, list]));
}

/**
 * Finds or creates access lists and returns their ids, 0 for the empty list. A list that exists gets a new `touched_at`,
 * which locks it and keeps the sweep from deleting it before items refer to it.
 */
export async function findOrCreateLists(lists: readonly AccessList[], { db }: EventTransaction): Promise<number[]> {
  const wanted = new Map(lists.filter((list) => !isEmpty(list)).map((list) => [digestOf(list), list]));
  if (wanted.size === 0) return lists.map(() => 0);
  const names = sql.raw(COLUMNS.join(", "));
  const kept = await rows<{ id: number; digest: string }>(
    db,
    sql`insert into acl as kept (digest, ${names}) select digest, ${names}
      from jsonb_to_recordset(${JSON.stringify([...wanted].map(rowOf))}::text::jsonb) as wanted(${sql.raw(TYPED.join())})
      order by digest
    on conflict (digest) do update set touched_at = clock_timestamp() returning id, digest`,
  );
  const ids = new Map(kept.map(({ id, digest }) => [digest, id]));
  return lists.map((list) => (isEmpty(list) ? 0 : (ids.get(digestOf(list)) as number)));
}

function rowOf([digest, list]: [string, AccessList]): Record<string, unknown> {
  const columns = ACTIONS.flatMap((action) => {
    const { fallback, allow, deny } = list[action];
    return [
      [`${action}_fallback`, fallback],
      [`${action}_allow`, allow],
      [`${action}_deny`, deny],
    ] as [string, unknown][];
  });
  return { digest, ...Object.fromEntries(columns) };
}
