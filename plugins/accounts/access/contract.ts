import type { Generated } from "kysely";

/** What a list says about one action. */
export interface Ruling {
  /** 1 allows, 0 denies those of whose roles no entry speaks; -1 leaves it to roles and ownership. */
  readonly fallback: -1 | 0 | 1;
  /** Ids of roles in ascending order; no role is in both. */
  readonly allow: readonly number[];
  readonly deny: readonly number[];
}

/** The actions that overrides speak of. */
export const ACTIONS = ["view", "create", "update", "delete"] as const;

/** One of them. */
export type Action = (typeof ACTIONS)[number];

/** The overrides in force on an item, from all levels above it (platform 2.3, steps 6 and 7). */
export type AccessList = Readonly<Record<Action, Ruling>>;

type Columns = { [A in Action as `${A}_fallback`]: -1 | 0 | 1 } & {
  [A in Action as `${A}_allow` | `${A}_deny`]: number[];
};

/**
 * Access lists, each distinct one once. A row says the same for ever, save that a deleted role vanishes from it: that
 * changes no decision. Row 0 is the empty list.
 */
export interface AclTable extends Columns {
  id: Generated<number>;
  /** By which an equal list is found; null for one that lost a role, which nobody shall find. */
  digest: string | null;
  /** When somebody last found it. */
  touched_at: Generated<string>;
}

/** How many items have a list, in shards that are to be summed; kept by triggers on the tables of content. */
export interface AclCountTable {
  kind: string;
  acl_id: number;
  shard: number;
  /** Items that are neither deleted nor their owner's alone. */
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
