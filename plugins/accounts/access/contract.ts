import type { Generated } from "kysely";

/** The ruling of an access list on one action. */
export interface Ruling {
  /** For viewers none of whose roles is named: 1 allows, 0 denies, -1 leaves the decision to roles and ownership. */
  readonly fallback: -1 | 0 | 1;
  /** Ids of roles in ascending order; no role is in both arrays. */
  readonly allow: readonly number[];
  readonly deny: readonly number[];
}

/** The actions that overrides allow or deny. */
export const ACTIONS = ["view", "create", "update", "delete"] as const;

/** An action that overrides allow or deny. */
export type Action = (typeof ACTIONS)[number];

/** The overrides in force on an item, from all levels above it (platform 2.3, steps 6 and 7). */
export type AccessList = Readonly<Record<Action, Ruling>>;

/**
 * Access lists, each distinct one stored once. A row is immutable, except that deleted roles are removed from it, which
 * changes no decision. Row 0 is the empty list.
 */
export interface AclTable {
  id: Generated<number>;
  /** As in `Ruling`, for each action. */
  view_fallback: -1 | 0 | 1;
  /** Ids of roles. */
  view_allow: number[];
  view_deny: number[];
  create_fallback: -1 | 0 | 1;
  create_allow: number[];
  create_deny: number[];
  update_fallback: -1 | 0 | 1;
  update_allow: number[];
  update_deny: number[];
  delete_fallback: -1 | 0 | 1;
  delete_allow: number[];
  delete_deny: number[];
  /** A hash by which an equal list is found; null for a list from which a role was removed, so that it is not found. */
  digest: string | null;
  /** When a transaction last found or created it. */
  touched_at: Generated<string>;
}

/** The number of items with each list, in shards to be summed. Maintained by triggers on the content tables. */
export interface AclCountTable {
  kind: string;
  acl_id: number;
  shard: number;
  /** Items that are neither deleted nor visible to their owner alone. */
  n: number;
  /** All items. */
  held: number;
}

declare module "lectern/core" {
  interface ItemTable {
    /** The access list in force, a row of `acl`: 0 where no override touches the item. */
    acl_id: Generated<number>;
  }
}

declare module "lectern/db" {
  interface Tables {
    acl: AclTable;
    acl_count: AclCountTable;
  }
}
