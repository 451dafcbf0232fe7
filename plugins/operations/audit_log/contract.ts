import type { Generated } from "kysely";
import {
  idSchema,
  listingSchema,
  nullable,
  type PluginContext,
  personSchema,
  type Static,
  t,
  timestampSchema,
} from "lectern/core";

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

/** An entry of the audit log (platform 6). */
export const activitySchema = t.Object(
  {
    id: idSchema,
    type: t.String(),
    detail: t.String(),
    user_id: nullable(t.Integer()),
    loggable_id: nullable(idSchema),
    loggable_type: nullable(t.String()),
    ip: t.String(),
    created_at: timestampSchema,
    user: personSchema,
  },
  { $id: "Activity" },
);

/** The listing of the audit log. */
export const activityListingSchema = listingSchema(activitySchema);

/** The types of the entries. */
export const activityTypesSchema = t.Object(
  { data: t.Array(t.String()), total: t.Integer({ minimum: 0 }) },
  { $id: "ActivityTypes" },
);

declare module "lectern/contracts" {
  interface Answers {
    "/api/audit-log": Static<typeof activityListingSchema>;
    "/api/audit-log/types": Static<typeof activityTypesSchema>;
  }
}

declare module "lectern/db" {
  interface Tables {
    activities: ActivitiesTable;
  }
}
