import { type EventTransaction, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import { ACTIONS, type AccessList } from "./contract.ts";

const RULINGS = sql.join(
  ACTIONS.map(
    (action) => sql`json_build_object('fallback', ${sql.ref(`acl.${action}_fallback`)},
      'allow', ${sql.ref(`acl.${action}_allow`)}, 'deny', ${sql.ref(`acl.${action}_deny`)}) as ${sql.ref(action)}`,
  ),
);

/** A list by its id. Throws where there is none: an item never has such a one. */
export async function readList(db: Pick<Db, "executeQuery">, id: number): Promise<AccessList> {
  const [list] = await rows<AccessList>(db, sql`select ${RULINGS} from acl where acl.id = ${id}`);
  if (!list) throw new Error(`Cannot read the access list ${id}: there is none`);
  return list;
}

/**
 * A role that is gone vanishes from all lists: nobody has it, so no decision changes, and items keep their lists. Such
 * a list is found no more, because its digest still tells of the role.
 */
export async function forgetRole(role: number, { db }: EventTransaction): Promise<void> {
  const without = ACTIONS.flatMap((action) =>
    (["allow", "deny"] as const).map((side) => {
      const column = sql.ref(`${action}_${side}`);
      return sql`${column} = array_remove(${column}, ${role}::integer)`;
    }),
  );
  await rows(
    db,
    sql`update acl set digest = null, ${sql.join(without)}
    where view_allow @> array[${role}::integer] or view_deny @> array[${role}::integer]`,
  );
}
