import type { Viewer, VisibilityRule, VisibleRows } from "lectern/core";
import type { TableName } from "lectern/db";

/** The fields of an item that a decision depends on. */
export interface Owned {
  readonly id: number;
  /** The owner; null where the user is gone. */
  readonly owned_by: number | null;
  /** The shared access list in force, 0 for none. Required for kinds of the slot `content`: a decision throws without it. */
  readonly acl_id?: number;
}

/**
 * Decides who may do what (platform 2.3).
 * @example
 * export default definePlugin({
 *   name: "notes",
 *   requires: ["access"],
 *   grants: { read: ["notes"] },
 *   setup({ app, contracts: { access }, visibilityRule, visible }) {
 *     visibilityRule("notes", access.visibilityRuleOf("note", "notes"));
 *     app.get(
 *       "/notes/:slug",
 *       async ({ params, viewer }) => {
 *         const note = await visible("notes", viewer).selectAll().where("slug", "=", params.slug).executeTakeFirst();
 *         if (!note) throw notFound("Note");
 *         return { name: note.name, is_editable: await access.may(viewer, "note-update", note) };
 *       },
 *       { permit: "access-api" },
 *     );
 *   },
 * });
 */
export interface Access {
  /**
   * Whether a viewer may do something: a permission by its full name ("users-manage", "book-create-all"), or an action on
   * an item ("page-update" on a page; "page-create" on the parent of the new page).
   */
  may(viewer: Viewer, permission: string, item?: Owned): Promise<boolean>;
  /** Throws the 403 of the wire contract unless `may` allows it. */
  need(viewer: Viewer, permission: string, item?: Owned): Promise<void>;
  /**
   * The visibility rule of a table of items, for `visibilityRule`. The table has the columns `id`, `owned_by` and `acl_id`, which
   * is added for kinds of the slot `content`; a table without one of them stops the boot.
   */
  visibilityRuleOf(kind: string, table: TableName): VisibilityRule;
  /** Number and ids of the rows of a content table that viewers see, for its listing. The kind has to be in the slot `content`. */
  visibleRows(kind: string, table: TableName): VisibleRows;
}

declare module "lectern/core" {
  interface Contracts {
    access: Access;
  }
}

/** A permission on items of a kind, such as "book-update-own" (platform 2.1). */
export type ItemPermission<Kind extends string> = `${Kind}-${"create" | "view" | "update" | "delete"}-${"all" | "own"}`;

/** The permissions of a kind, for widening `Permissions`. */
export type ItemPermissions<Kind extends string> = Record<ItemPermission<Kind>, true>;

/**
 * The permission names of a kind, for `permissions`.
 * @example
 * itemPermissions("note"); // ["note-create-all", "note-create-own", "note-view-all", …]
 */
export function itemPermissions<Kind extends string>(kind: Kind): ItemPermission<Kind>[] {
  const actions = ["create", "view", "update", "delete"] as const;
  return actions.flatMap((action): ItemPermission<Kind>[] => [`${kind}-${action}-all`, `${kind}-${action}-own`]);
}
