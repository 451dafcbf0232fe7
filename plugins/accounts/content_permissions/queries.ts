import type { UserRef } from "lectern/contracts";
import { type RawBuilder, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { Allowed, Entry } from "./contract.ts";

/** The overrides set on an item as answers show them (platform 3); inherited ones are not included. */
export interface ShownPermissions {
  readonly owner: UserRef | null;
  readonly role_permissions: readonly (Entry & { readonly role: { id: number; display_name: string } })[];
  readonly fallback_permissions: { readonly inheriting: boolean } & { readonly [A in keyof Allowed]: boolean | null };
}

const FLAGS = sql`'view', entry.view, 'create', entry."create", 'update', entry.update, 'delete', entry.delete`;
const NONE = { view: null, create: null, update: null, delete: null };

/** Reads the overrides in one statement. `owner` is SQL for the reference to the item's owner. */
export async function readPermissions(
  db: Pick<Db, "executeQuery">,
  item: { readonly kind: string; readonly id: number },
  owner: RawBuilder<UserRef | null>,
): Promise<ShownPermissions> {
  const of = sql`entry.kind = ${item.kind} and entry.item_id = ${item.id}::integer`;
  const [found] = await rows<{ owner: UserRef | null; roles: never[]; fallback: Allowed | null }>(
    db,
    sql`select ${owner} as owner,
      coalesce((select json_agg(json_build_object('role_id', entry.role_id, ${FLAGS},
          'role', json_build_object('id', roles.id, 'display_name', roles.display_name)) order by entry.id)
        from entity_permissions entry join roles on roles.id = entry.role_id where ${of}), '[]') as roles,
      (select json_build_object(${FLAGS}) from entity_permissions entry where ${of} and entry.role_id = 0) as fallback`,
  );
  const { fallback = null, owner: ownerRef = null, roles = [] } = found ?? {};
  return {
    owner: ownerRef,
    role_permissions: roles,
    fallback_permissions: { inheriting: fallback === null, ...(fallback ?? NONE) },
  };
}
