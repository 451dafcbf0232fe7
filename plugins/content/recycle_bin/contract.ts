import type { Generated, Selectable } from "kysely";

/** What lies in the bin: one row for each explicit delete (platform 7.2). */
export interface DeletionsTable {
  id: Generated<number>;
  /** The kind of the item, such as "book". */
  deletable_type: string;
  deletable_id: number;
  /** Null for the system itself, and once that user is gone. */
  deleted_by: number | null;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

/** An entry of the bin. */
export type Deletion = Selectable<DeletionsTable>;

/** An entry with the name of its item, as logs tell of it; the name is null where the item is gone. */
export interface NamedDeletion extends Deletion {
  readonly name: string | null;
}

/** What came of an entry: how many items were brought back or removed. */
export interface Emptied extends NamedDeletion {
  readonly count: number;
}

declare module "lectern/db" {
  interface Tables {
    deletions: DeletionsTable;
  }
}

declare module "lectern/core" {
  interface Events {
    recycle_bin_restore: { draft: NamedDeletion; result: Emptied };
    recycle_bin_destroy: { draft: NamedDeletion; result: Emptied };
    /** Somebody empties the bin: before its entries go by `recycle_bin_purge`. */
    recycle_bin_empty: { draft: Record<string, never>; result: Record<string, never> };
    /** An entry goes with others, as the bin empties itself or is emptied; the log tells of none of them. */
    recycle_bin_purge: { draft: NamedDeletion; result: Emptied };
  }
  interface Jobs {
    recycle_bin_purge: Record<string, never>;
  }
}
