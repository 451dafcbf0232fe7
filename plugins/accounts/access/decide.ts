/**
 * Decides whether a viewer may perform an action on one item, by the steps of platform 2.3: permissions decided by roles
 * alone (4), administrators (5), the overrides in force on the item, which its access list contains (6 to 9), and finally
 * the permissions of the viewer's roles on all items or on own ones (10). visibility.ts has the same rules as SQL
 * conditions and must agree.
 */
import type { Owned } from "lectern/contracts";
import { hasPermission, type Viewer } from "lectern/core";
import { ACTIONS, type AccessList, type Action, type Ruling } from "./contract.ts";

/** Kinds of permissions that roles and ownership alone decide, for administrators too (step 4). */
const ROLES_ONLY: ReadonlySet<string> = new Set(["restrictions", "image", "attachment", "comment"]);
const ACTION_NAMES: ReadonlySet<string> = new Set(ACTIONS);

/** Loads an access list by id. */
export type LoadList = (id: number) => AccessList | Promise<AccessList>;

/** What decisions are made of. */
export interface Decisions {
  readonly loadList: LoadList;
  /** Whether a kind is in the slot `content`: overrides are set on items of these kinds alone. */
  isContent(kind: string): boolean;
}

/**
 * Whether the viewer has a permission by its full name, or may perform an action such as "page-update" on an item. Throws
 * if a content item has no `acl_id`, since then the overrides on it are unknown; other items without one have none.
 */
export async function decide(
  { loadList, isContent }: Decisions,
  viewer: Viewer,
  permission: string,
  item?: Owned,
): Promise<boolean> {
  if (viewer.via === "system") return true;
  if (!item) return hasPermission(viewer, permission);
  const action = overridableAction(permission);
  if (!action) return byRoles(viewer, permission, item.owned_by);
  if (!inScope(viewer, permission, item.owned_by)) return false;
  if (viewer.admin) return true;
  if (item.acl_id === undefined) {
    const [kind = ""] = permission.split("-");
    if (!isContent(kind)) return byRoles(viewer, permission, item.owned_by);
    throw new Error(
      `Cannot decide "${permission}" on ${item.id}: its acl_id was not read; select it from the table with id and owned_by`,
    );
  }
  const ruling = item.acl_id === 0 ? undefined : byList((await loadList(item.acl_id))[action], viewer.roles);
  return ruling ?? byRoles(viewer, permission, item.owned_by);
}

/** Whether the scope of a narrower credential includes the permission; overrides cannot extend the scope. */
function inScope({ only, id }: Viewer, permission: string, owner: number | null): boolean {
  return !only || only.has(`${permission}-all`) || (owner === id && only.has(`${permission}-own`));
}

/** The action of a permission that overrides apply to; undefined for other permissions. */
function overridableAction(permission: string): Action | undefined {
  const [kind = "", action = ""] = permission.split("-");
  return ACTION_NAMES.has(action) && !ROLES_ONLY.has(kind) ? (action as Action) : undefined;
}

/** Steps 8 and 9; undefined if the list has no ruling for these roles. */
function byList({ allow, deny, fallback }: Ruling, roles: readonly number[]): boolean | undefined {
  if (roles.some((role) => allow.includes(role))) return true;
  if (roles.some((role) => deny.includes(role))) return false;
  return fallback === -1 ? undefined : fallback === 1;
}

/** Steps 3 and 10: the permission on all items, or on items the viewer owns. */
function byRoles(viewer: Viewer, permission: string, owner: number | null): boolean {
  if (viewer.permissions.has(`${permission}-all`)) return true;
  return owner !== null && owner === viewer.id && viewer.permissions.has(`${permission}-own`);
}
