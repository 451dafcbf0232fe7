/**
 * What the files of this plugin share: options and context of a run, the tables of its state, kinds and outcomes of items, and
 * its event. The state is by source and id there, so that several servers can be copied into one and each run continues what
 * earlier ones did. Credentials of a source are not part of it.
 */
import type { Progress } from "lectern/cli";
import type { FileKeeper, PictureKeeper } from "lectern/contracts";
import type { Contracts, PluginContext } from "lectern/core";
import type { Db } from "lectern/db";
import type { AddressRewriter } from "./address_rewriter.ts";
import type { Marks } from "./marks.ts";
import type { Report } from "./report.ts";
import type { Source } from "./source.ts";
import type { MigrationState } from "./state.ts";
import type { TargetMap } from "./target_map.ts";

/** Options that an operator may give. */
export interface MigrateOptions {
  /** Whether to skip content permissions, for tokens that may not read them. */
  readonly withoutPermissions: boolean;
  /** Whether to overwrite items that were changed here since the last run. */
  readonly overwrite: boolean;
  /** Whether to read every item of the source again, also those that its listings show as unchanged. */
  readonly all: boolean;
  /** Number of concurrent requests. */
  readonly concurrency: number;
}

/** What a run reports its progress to. */
export type ProgressListener = Pick<Progress, "begin" | "step" | "say">;

/** What the files of this plugin share during a run. */
export interface MigrateContext {
  readonly db: Db;
  readonly perform: PluginContext["perform"];
  readonly validate: PluginContext["validate"];
  readonly contracts: Pick<Contracts, "markup" | "overrides" | "tags">;
  /** The file keeper of the plugin "images" or "attachments". Throws where the plugin is not installed. */
  readonly keeper: (plugin: string) => FileKeeper;
  readonly pictureKeeper: () => PictureKeeper | undefined;
  /** Names of the permissions that roles can have here. */
  readonly permissions: ReadonlySet<string>;
  /** Ids of roles here by name in lower case, for sources whose roles cannot be read. */
  readonly rolesByName: ReadonlyMap<string, number>;
  readonly source: Source;
  readonly state: MigrationState;
  readonly marks: Marks;
  readonly targets: TargetMap;
  readonly addresses: AddressRewriter;
  readonly report: Report;
  readonly options: MigrateOptions;
  readonly listener: ProgressListener;
}

/** Items of other servers. A row is inserted before the item is copied, which reserves its id and address here. */
export interface MigratedItemsTable {
  /** Base URL of the other server. */
  source: string;
  /** One of `Kind`. */
  kind: string;
  /** Its id at the source. */
  source_id: number;
  /** Its id here. */
  own_id: number;
  /** Its slug, or the path of an image, at the source and here; "" for none. */
  source_slug: string;
  slug: string;
  /** Hash of what was last written; null before that, "=" for an item that existed here and is not changed. */
  hash: string | null;
  /** Its `updated_at` when it was last written; a different value means that it was changed here since. */
  stamp: string | null;
  /** The last run that processed it. */
  run: number;
  /** What its row in the listing was when it was copied completely (`Marks`); null where it has to be read again. */
  listed: string | null;
  /** Hash of its content permissions then; null where they were not asked for. */
  overrides: string | null;
}

/** The servers that were copied from. */
export interface MigrationSourcesTable {
  source: string;
  /** Number of the current run; an unfinished one is resumed. */
  run: number;
  finished: boolean;
  /** The newest row of the audit log of the source when the last run began; null where it could not be read. */
  activity_id: number | null;
  activity_at: string | null;
  /** Ids of rows about permissions that were read by then, among those that could have been committed later. */
  activity_seen: number[] | null;
}

/** Kinds of copied items, as in event names; "cover" is the image of a book or shelf. */
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

/** The outcome of copying an item. "edited": it was changed here and is not overwritten; "removed": it was deleted here. */
export type Outcome = "created" | "updated" | "skipped" | "edited" | "removed";

declare module "lectern/db" {
  interface Tables {
    migrated_items: MigratedItemsTable;
    migration_sources: MigrationSourcesTable;
  }
}

declare module "lectern/core" {
  interface Events {
    /** An item is copied from another server. The item's own events are performed within it. */
    migrate_item: { draft: { kind: Kind; source_id: number }; result: { outcome: Outcome } };
  }
}
