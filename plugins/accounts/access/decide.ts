/**
 * Who may do what to one item (platform 2.3), step by step: what roles alone decide (4), what nobody takes from an
 * administrator (5), the overrides in force on the item, which its access list holds ready (6 to 9), and else what the
 * viewer's roles grant on all items or on own ones (10). Which rows a viewer sees is asked in SQL and must come to the
 * same answers: see rows.ts.
 */
import type { Owned } from "lectern/contracts";
import { hasPermission, type Viewer } from "lectern/core";
import { ACTIONS, type AccessList, type Action, type Ruling } from "./contract.ts";

/** Permissions on items that only roles and ownership decide, for administrators too (step 4). */
const ROLES_ONLY: ReadonlySet<string> = new Set(["restrictions", "image", "attachment", "comment"]);
const NAMES: ReadonlySet<string> = new Set(ACTIONS);

/** Finds a list by its id. */
export type ListOf = (id: number) => AccessList | Promise<AccessList>;

/**
 * Whether the viewer may do something: a permission by full name, or an action such as "page-update" on an item. Throws
 * where an item of content comes without its list, since nobody could tell.
 */
export async function decide(listOf: ListOf, viewer: Viewer, permission: string, item?: Owned): Promise<boolean> {
  if (viewer.via === "system") return true;
  if (!item) return hasPermission(viewer, permission);
  const action = listed(permission);
  if (!action) return byRoles(viewer, permission, item.owned_by);
  if (!inScope(viewer, permission, item.owned_by)) return false;
  if (viewer.admin) return true;
  if (item.acl_id === undefined)
    throw new Error(`Cannot decide "${permission}" on ${item.id}: its acl_id was not read`);
  const ruling = item.acl_id === 0 ? undefined : ruled((await listOf(item.acl_id))[action], viewer.roles);
  return ruling ?? byRoles(viewer, permission, item.owned_by);
}

/** What overrides open to the user, a narrower credential of the user may use only where its scope names it. */
function inScope({ only, id }: Viewer, permission: string, owner: number | null): boolean {
  return !only || only.has(`${permission}-all`) || (owner === id && only.has(`${permission}-own`));
}

/** The action of a permission that overrides and administrators have a say in; undefined for others. */
function listed(permission: string): Action | undefined {
  const [kind = "", action = ""] = permission.split("-");
  return NAMES.has(action) && !ROLES_ONLY.has(kind) ? (action as Action) : undefined;
}

/** Steps 8 and 9; undefined where no entry speaks of these roles. */
function ruled({ allow, deny, fallback }: Ruling, roles: readonly number[]): boolean | undefined {
  if (roles.some((role) => allow.includes(role))) return true;
  if (roles.some((role) => deny.includes(role))) return false;
  return fallback === -1 ? undefined : fallback === 1;
}

/** Steps 3 and 10: on all items, or on those the viewer owns. */
function byRoles(viewer: Viewer, permission: string, owner: number | null): boolean {
  if (viewer.permissions.has(`${permission}-all`)) return true;
  return owner !== null && owner === viewer.id && viewer.permissions.has(`${permission}-own`);
}
