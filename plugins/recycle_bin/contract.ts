import type { Generated, Selectable } from "kysely";

/** What lies in the bin: one row for each explicit delete (platform 7.2). */
export interface DeletionsTable {
  id: Generated<number>;
  /** The kind of the item, such as "book". */
  deletable_type: string;
  deletable_id: number;
  /** Null for the house itself, and once that user is gone. */
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
    /** The bin empties itself; nobody is told of it in the log. */
    recycle_bin_purge: { draft: NamedDeletion; result: Emptied };
  }
}
