import { sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import { ACTIONS, type AccessList } from "./contract.ts";

const RULINGS = sql.join(
  ACTIONS.map(
    (action) => sql`json_build_object('fallback', ${sql.ref(`acl.${action}_fallback`)},
      'allow', ${sql.ref(`acl.${action}_allow`)}, 'deny', ${sql.ref(`acl.${action}_deny`)}) as ${sql.ref(action)}`,
  ),
);

/** Reads an access list by id. Throws if there is none, since items only refer to lists that exist. */
export async function readList(db: Pick<Db, "executeQuery">, id: number): Promise<AccessList> {
  const [list] = await rows<AccessList>(db, sql`select ${RULINGS} from acl where acl.id = ${id}`);
  if (!list) throw new Error(`Cannot read the access list ${id}: there is none`);
  return list;
}
