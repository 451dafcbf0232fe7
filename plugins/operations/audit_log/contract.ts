import type { Generated } from "kysely";
import type { PluginContext } from "lectern/core";

/** The rows of the log (platform 6.1). */
export interface ActivitiesTable {
  id: Generated<number>;
  /** In lower case, such as "book_create". */
  type: string;
  detail: string;
  /** No foreign key: rows remain when the user is deleted. */
  user_id: number;
  /** Kind of the affected content item; null if there is none, or the item was deleted permanently. */
  loggable_type: string | null;
  loggable_id: number | null;
  /** Masked to the configured precision; empty for commands, jobs and schedules. */
  ip: string;
  created_at: Generated<string>;
}

/** The context that the files of this plugin share. */
export type AuditLogContext = PluginContext<"users", "activities" | "users">;

declare module "lectern/db" {
  interface Tables {
    activities: ActivitiesTable;
  }
}
