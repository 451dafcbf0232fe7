import type { QueryCreator } from "kysely";
import { jsonArrayFrom, jsonBuildObject, jsonObjectFrom } from "kysely/helpers/postgres";
import type { UserRef } from "lectern/contracts";
import { type ItemTable, type RawBuilder, sql } from "lectern/core";
import { type Executor, prepared, type Tables } from "lectern/db";
import type { Allowed, EntityPermissionsTable, Entry } from "./contract.ts";

/** The overrides set on an item as answers show them (platform 3); inherited ones are not included. */
export interface ShownPermissions {
  readonly owner: UserRef | null;
  readonly role_permissions: readonly (Entry & { readonly role: { id: number; display_name: string } })[];
  readonly fallback_permissions: { readonly inheriting: boolean } & { readonly [A in keyof Allowed]: boolean | null };
}

/** A column of an item or an entry, for templates; `owner` is the table or its alias. */
export const itemColumn = (owner: string, column: keyof ItemTable): RawBuilder<unknown> =>
  sql.ref(`${owner}.${column}`);
/** The columns of an `Item`. */
export const itemColumns = (owner: string): RawBuilder<unknown> =>
  sql.join((["id", "name", "owned_by", "acl_id"] as const).map((column) => itemColumn(owner, column)));
/** The same for the overrides, which have the alias "entry". */
export const entryColumn = (column: keyof EntityPermissionsTable): RawBuilder<unknown> => sql.ref(`entry.${column}`);

const FLAGS = ["entry.view", "entry.create", "entry.update", "entry.delete"] as const;
const NONE = { view: null, create: null, update: null, delete: null };

type Item = { readonly kind: string; readonly id: number };

/** A query of the overrides of an item, as `entry`. */
function entriesOf(db: Pick<QueryCreator<Tables>, "selectFrom">, { kind, id }: Item) {
  return db.selectFrom("entity_permissions as entry").where("entry.kind", "=", kind).where("entry.item_id", "=", id);
}

const find = prepared("content_permissions.find", (db, p: Item & { owner: RawBuilder<UserRef | null> }) =>
  db.selectNoFrom((eb) => [
    p.owner.as("owner"),
    jsonArrayFrom(
      entriesOf(eb, p)
        .innerJoin("roles", "roles.id", "entry.role_id")
        .select(["entry.role_id", ...FLAGS])
        .select(({ ref }) =>
          jsonBuildObject({ id: ref("roles.id"), display_name: ref("roles.display_name") }).as("role"),
        )
        .orderBy("entry.id"),
    ).as("roles"),
    jsonObjectFrom(entriesOf(eb, p).select(FLAGS).where("entry.role_id", "=", sql.lit(0))).as("fallback"),
  ]),
);

/** Reads the overrides in one statement. `owner` is SQL for the reference to the item's owner. */
export async function readPermissions(
  db: Executor,
  { kind, id }: Item,
  owner: RawBuilder<UserRef | null>,
): Promise<ShownPermissions> {
  const found = await find.executeTakeFirst(db, { kind, id, owner });
  const { fallback = null, owner: ownerRef = null, roles = [] } = found ?? {};
  return {
    owner: ownerRef,
    role_permissions: roles,
    fallback_permissions: { inheriting: fallback === null, ...(fallback ?? NONE) },
  };
}
