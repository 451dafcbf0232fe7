/**
 * Who may do what, and who sees what (platform 2.3). Both questions are answered from the same facts: whether the
 * viewer's roles grant the action on all items or on own ones, and who owns the item. Overrides on items (steps 6 to 9)
 * belong between `certain` and `byRoles`: in `decide` for a single item by its `acl_id`, in `rowsFor` as a condition
 * over the table's `acl_id`. Nothing outside this file knows how a decision is made.
 */
import { holds, type Narrowing, type Owned, type RawBuilder, sql, type Viewer } from "lectern/core";
import type { TableName } from "lectern/db";

/** What an administrator may always do with items; other permissions an administrator must hold as anybody must. */
const ENTITY_ACTIONS: ReadonlySet<string> = new Set(["view", "create", "update", "delete"]);
/** Permissions on items that only roles and ownership decide, for administrators too (step 4). */
const ROLES_ONLY: ReadonlySet<string> = new Set(["restrictions", "image", "attachment", "comment"]);

/** Whether the viewer may do something: a permission by full name, or an action such as "page-update" on an item. */
export function decide(viewer: Viewer, permission: string, item?: Owned): boolean {
  if (viewer.via === "system") return true;
  if (!item) return holds(viewer, permission);
  return certain(viewer, permission) || byRoles(viewer, permission, item.owned_by);
}

/** The rule that keeps rows of a content table from viewers who may not view them; see `Access.sees`. */
export function rowsFor(kind: string, table: TableName): Narrowing {
  const permission = `${kind}-view`;
  const owner = sql.ref(`${table}.owned_by`);
  return (viewer) => {
    if (viewer.via === "system" || certain(viewer, permission)) return true;
    return rowsByRoles(viewer, permission, owner);
  };
}

/** Step 5: what nobody can take from an administrator. */
function certain(viewer: Viewer, permission: string): boolean {
  const [kind = "", action = ""] = permission.split("-");
  return viewer.admin && ENTITY_ACTIONS.has(action) && !ROLES_ONLY.has(kind);
}

/** Steps 3 and 10: on all items, or on those the viewer owns. */
function byRoles(viewer: Viewer, permission: string, owner: number | null): boolean {
  if (viewer.permissions.has(`${permission}-all`)) return true;
  return owner !== null && owner === viewer.id && viewer.permissions.has(`${permission}-own`);
}

function rowsByRoles(viewer: Viewer, permission: string, owner: RawBuilder<unknown>): RawBuilder<boolean> | true {
  if (viewer.permissions.has(`${permission}-all`)) return true;
  return viewer.permissions.has(`${permission}-own`) ? sql<boolean>`${owner} = ${viewer.id}` : sql<boolean>`false`;
}
