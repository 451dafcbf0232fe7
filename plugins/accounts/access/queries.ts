import { sql } from "lectern/core";
import { type Executor, prepared } from "lectern/db";
import { ACTIONS, type AccessList, type Ruling } from "./contract.ts";

const findList = prepared("access.findList", (db, p: { id: number }) =>
  db
    .selectFrom("acl")
    .select(({ ref }) =>
      ACTIONS.map((action) =>
        sql<Ruling>`json_build_object('fallback', ${ref(`acl.${action}_fallback`)},
          'allow', ${ref(`acl.${action}_allow`)}, 'deny', ${ref(`acl.${action}_deny`)})`.as(action),
      ),
    )
    .where("acl.id", "=", p.id),
);

/** Reads an access list by id. Throws if there is none, since items only refer to lists that exist. */
export async function readList(db: Executor, id: number): Promise<AccessList> {
  const list = await findList.executeTakeFirst(db, { id });
  if (!list) throw new Error(`Cannot read the access list ${id}: there is none`);
  return list;
}
