import type { Generated } from "kysely";
import type { PluginContext } from "lectern/core";
import type { settings } from "./settings.ts";

/** A scheduled backup that has ended. */
export interface BackupRow {
  id: Generated<number>;
  started_at: string;
  ended_at: Generated<string>;
  /** What the command wrote last: the place and the size, or the error. */
  outcome: string;
  failed: boolean;
}

declare module "lectern/db" {
  interface Tables {
    scheduled_backups: BackupRow;
  }
}

/** The context of this plugin. */
export type BackupContext = PluginContext<never, "scheduled_backups" | "books" | "bookshelves", typeof settings>;
