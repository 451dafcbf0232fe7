/** What was copied from other servers, or will be: the place it has here is kept for it before it is written. */
export interface MigratedItemsTable {
  /** The address of the other server. */
  source: string;
  /** One of `Kind`. */
  kind: string;
  /** Its id there. */
  source_id: number;
  /** Its id here. */
  own_id: number;
  /** The part of its address that is its own, there and here: a slug, the path of a picture; "" where it has none. */
  source_slug: string;
  slug: string;
  /** Of what was last written; null before that, "=" for what was found here and is left alone. */
  hash: string | null;
  /** Its `updated_at` as it was last written: another one means that somebody changed it here. */
  stamp: string | null;
  /** The last run that was through with it. */
  run: number;
}

/** Servers that were copied from. */
export interface MigrationSourcesTable {
  source: string;
  /** Counts its runs; one that did not end is gone on with. */
  run: number;
  finished: boolean;
}

/** What is copied, as events spell it; "cover" is the picture of a book or shelf. */
export type Kind =
  | "role"
  | "user"
  | "bookshelf"
  | "book"
  | "chapter"
  | "page"
  | "image"
  | "cover"
  | "attachment"
  | "comment";

/** What became of an item. "edited": it was changed here and is left alone; "removed": it was removed here. */
export type Outcome = "created" | "updated" | "skipped" | "edited" | "removed";

declare module "lectern/db" {
  interface Tables {
    migrated_items: MigratedItemsTable;
    migration_sources: MigrationSourcesTable;
  }
}

declare module "lectern/core" {
  interface Events {
    /** An item is copied from another server, within which the events of the item itself are performed. */
    migrate_item: { draft: { kind: Kind; source_id: number }; result: { outcome: Outcome } };
  }
}
