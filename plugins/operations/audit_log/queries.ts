import { type ListSpec, type Static, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { AuditLogContext, activitySchema } from "./contract.ts";

/** An entry as the listing shows it. */
export type ListedActivity = Static<typeof activitySchema>;

/** The listing of the log. */
export function listSpec({ contracts }: AuditLogContext): ListSpec {
  const user = contracts.users.ref(sql.ref("activities.user_id"));
  return {
    table: "activities",
    fields: {
      id: "integer",
      type: "code",
      detail: "text",
      user_id: "integer",
      loggable_id: { type: "integer", nullable: true },
      loggable_type: { type: "code", nullable: true },
      ip: "code",
      created_at: "timestamp",
    },
    columns: sql`activities.id, activities.type, activities.detail, activities.user_id, activities.loggable_id,
      activities.loggable_type, activities.ip, activities.created_at, ${user} as "user"`,
  };
}

/** Reads the types in the log. A loose index scan: one step along the index per type, however long the log is. */
export async function readTypes(db: Pick<Db, "executeQuery">): Promise<string[]> {
  const types = await rows<{ type: string }>(
    db,
    sql`with recursive each as (
        (select lower(type) collate "C" as type from activities order by 1 limit 1)
        union all
        select (select lower(type) collate "C" from activities where lower(type) collate "C" > each.type
          order by 1 limit 1)
        from each where each.type is not null)
      select type from each where type is not null`,
  );
  return types.map(({ type }) => type);
}
