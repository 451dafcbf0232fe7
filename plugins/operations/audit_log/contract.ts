import type { Generated } from "kysely";

/** What happened, one row each (platform 6.1). */
export interface ActivitiesTable {
  id: Generated<number>;
  /** In lower case, such as "book_create". */
  type: string;
  detail: string;
  /** Outlives its user. */
  user_id: number;
  /** The item of content it happened to; null for what happened to something else, and once the item is gone for good. */
  loggable_type: string | null;
  loggable_id: number | null;
  /** As precise as configured; "" for commands, jobs and schedules. */
  ip: string;
  created_at: Generated<string>;
}

declare module "lectern/db" {
  interface Tables {
    activities: ActivitiesTable;
  }
}
