/**
 * The recycle bin's table, the events of its entries, and the schemas of its answers. An entry names its item by kind and id
 * alone, so that it outlasts the plugin of the kind.
 */
import type { Generated, Selectable } from "kysely";
import { idSchema, listingSchema, nullable, type PluginContext, type Static, t, timesFields } from "lectern/core";
import type { Executor } from "lectern/db";

/** The recycle bin: one row for each explicit delete (platform 7.2). */
export interface DeletionsTable {
  id: Generated<number>;
  /** The kind of the item, such as "book". */
  deletable_type: string;
  deletable_id: number;
  /** Null for the system itself, and where that user is gone. */
  deleted_by: number | null;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

/** An entry of the recycle bin. */
export type Deletion = Selectable<DeletionsTable>;

/** An entry with the name of its item, for logs; null where the item is gone. */
export interface NamedDeletion extends Deletion {
  readonly name: string | null;
}

/** An entry as events are performed with it; the action reads the rest under its lock. */
export type DeletionRef = Pick<Deletion, "id">;

/** A restored or destroyed entry, with the number of its items. */
export interface DeletionOutcome extends NamedDeletion {
  readonly count: number;
}

/** What the files of this plugin share. */
export interface RecycleBinContext
  extends Pick<PluginContext<"upkeep">, "app" | "contracts" | "list" | "log" | "perform" | "slot"> {
  readonly db: Executor;
}

const open = { additionalProperties: true } as const;
const named = { id: idSchema, name: t.String(), slug: t.String() };
const count = t.Optional(t.Integer({ minimum: 0, description: "Items below it, deleted ones too" }));
const person = t.Optional(nullable(idSchema));
const time = t.Optional(timesFields.created_at);

const binItem = t.Object(
  {
    ...named,
    description: t.Optional(t.String()),
    book_id: t.Optional(idSchema),
    chapter_id: t.Optional(nullable(idSchema)),
    priority: t.Optional(t.Integer()),
    draft: t.Optional(t.Boolean()),
    template: t.Optional(t.Boolean()),
    ...{ created_at: time, updated_at: time, created_by: person, updated_by: person, owned_by: person },
    ...{ chapters_count: count, pages_count: count },
    parent: t.Optional(nullable(t.Object({ ...named, type: t.String() }, open))),
  },
  {
    ...open,
    $id: "DeletedItem",
    description: "An item of any kind, with the fields of its listing; kinds of other plugins may have further ones",
  },
);

/** An entry of the recycle bin with its item (content-api 13). */
export const deletionSchema = t.Object(
  {
    id: idSchema,
    deleted_by: nullable(idSchema),
    ...timesFields,
    deletable_type: t.String(),
    deletable_id: idSchema,
    deletable: nullable(binItem),
  },
  { $id: "Deletion" },
);

/** The listing of the recycle bin. */
export const deletionListingSchema = listingSchema(deletionSchema);

/** The number of restored items. */
export const restoredSchema = t.Object({ restore_count: t.Integer({ minimum: 0 }) }, { $id: "RestoredItems" });

/** The number of items that were deleted for good. */
export const destroyedSchema = t.Object({ delete_count: t.Integer({ minimum: 0 }) }, { $id: "DestroyedItems" });

/** The number of items that were deleted for good, and of entries that stayed, if any. */
export const emptiedSchema = t.Object(
  {
    delete_count: t.Integer({ minimum: 0 }),
    kept_count: t.Optional(
      t.Integer({ minimum: 1, description: "Entries that stay, as the plugins of their kinds are not installed" }),
    ),
  },
  { $id: "EmptiedBin" },
);

/** An item in the recycle bin. */
export type BinItem = Static<typeof binItem> & Record<string, unknown>;

declare module "lectern/contracts" {
  interface Answers {
    "/api/recycle-bin": Static<typeof deletionListingSchema>;
    "DELETE /api/maintenance/recycle-bin": Static<typeof emptiedSchema>;
    [destroyed: `DELETE /api/recycle-bin/${number}`]: Static<typeof destroyedSchema>;
    [restored: `PUT /api/recycle-bin/${number}`]: Static<typeof restoredSchema>;
  }
}

declare module "lectern/db" {
  interface Tables {
    deletions: DeletionsTable;
  }
}

declare module "lectern/core" {
  interface Events {
    recycle_bin_restore: { draft: DeletionRef; result: DeletionOutcome };
    recycle_bin_destroy: { draft: DeletionRef; result: DeletionOutcome };
    /** A user empties the bin; performed before its entries are purged. */
    recycle_bin_empty: { draft: Record<string, never>; result: Record<string, never> };
    /** An entry is removed because it expired or the bin is emptied; not logged. */
    recycle_bin_purge: { draft: DeletionRef; result: DeletionOutcome };
  }
  interface Jobs {
    recycle_bin_purge: Record<string, never>;
  }
}
