import type { RawBuilder } from "kysely";
import type { TableName } from "../../db/mod.ts";
import type { VisibilityRule } from "../resources/visibility.ts";
import type { Viewer } from "../viewer.ts";

/** What a decision needs to know of an item: whose it is, and which kind when the permission does not say. */
export interface Owned {
  readonly id: number;
  /** The owner; nobody owns an item whose owner is gone. */
  readonly owned_by: number | null;
  /**
   * The shared access list in force, 0 for none. Deciding about content needs it and throws where it is absent; images,
   * attachments and comments have none.
   */
  readonly acl_id?: number;
}

/** Who may do what: the one place that decides it (platform 2.3). */
export interface Access {
  /**
   * Whether the viewer may do something: a permission by full name ("users-manage", "book-create-all"), or an action on
   * an item ("page-update" on a page; "page-create" on the book or chapter that shall hold it).
   */
  may(viewer: Viewer, permission: string, item?: Owned): Promise<boolean>;
  /** Throws the 403 of the wire contract unless `may` says yes. */
  need(viewer: Viewer, permission: string, item?: Owned): Promise<void>;
  /** The rule that keeps rows of a content table from viewers who may not view them; for `visibilityRule`. */
  sees(kind: string, table: TableName): VisibilityRule;
  /** How much of a content table viewers see, for its listing. The kind must be in the slot `content`. */
  reach(kind: string, table: TableName): VisibleIds;
}

/** How many rows of a table viewers see. */
export interface VisibleIds {
  /** SQL for the exact number of rows a viewer sees, cheaper than counting. */
  total(viewer: Viewer): RawBuilder<number>;
  /** SQL for the approximate number of all rows. */
  readonly all: RawBuilder<number>;
  /** SQL for the ids of all rows a viewer sees, where sorting these is cheaper than skipping all others; else undefined. */
  few(viewer: Viewer): RawBuilder<unknown> | undefined;
}

declare module "../runtime/registry.ts" {
  interface Contracts {
    access: Access;
  }
}

/** A permission on items of a kind, such as "book-update-own" (platform 2.1). */
export type ItemPermission<Kind extends string> = `${Kind}-${"create" | "view" | "update" | "delete"}-${"all" | "own"}`;

/** The permissions of a kind, for widening `Permissions`. */
export type ItemPermissions<Kind extends string> = Record<ItemPermission<Kind>, true>;

/**
 * The permission names of a kind, for `adds`.
 * @example
 * itemPermissions("note"); // ["note-create-all", "note-create-own", "note-view-all", …]
 */
export function itemPermissions<Kind extends string>(kind: Kind): ItemPermission<Kind>[] {
  const actions = ["create", "view", "update", "delete"] as const;
  return actions.flatMap((action): ItemPermission<Kind>[] => [`${kind}-${action}-all`, `${kind}-${action}-own`]);
}
