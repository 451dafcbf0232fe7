import { endpoint, nullable, type Static, t, timestampSchema } from "lectern/core";
import type { BackupContext } from "./contract.ts";

/** Backups that an answer lists. */
const LISTED = 20;

/** The scheduled backups that have ended, the latest first. */
const backupsSchema = t.Object(
  {
    data: t.Array(
      t.Object(
        {
          started_at: timestampSchema,
          ended_at: timestampSchema,
          failed: t.Boolean(),
          outcome: t.String({ description: "Place and size, or what went wrong" }),
        },
        { $id: "ScheduledBackup" },
      ),
    ),
    total: t.Integer({ minimum: 0 }),
    last_success_at: nullable(timestampSchema),
    interval_hours: t.Number({ minimum: 0, description: "Hours between backups; 0 where none are made by a schedule" }),
  },
  { $id: "ScheduledBackups" },
);

/** Mounts the route of what was backed up. */
export function mountBackups({ app, db, settings }: BackupContext): void {
  app.get(
    "/backups",
    async () => {
      const rows = db.selectFrom("scheduled_backups");
      const data = await rows
        .select(["started_at", "ended_at", "failed", "outcome"])
        .orderBy("id", "desc")
        .limit(LISTED)
        .execute();
      const all = await rows
        .select(({ fn, not, ref }) => [
          fn.countAll<number>().as("total"),
          fn
            .max("ended_at")
            .filterWhere(not(ref("failed")))
            .as("last"),
        ])
        .executeTakeFirstOrThrow();
      return { data, total: all.total, last_success_at: all.last ?? null, interval_hours: settings.intervalHours };
    },
    {
      permit: "settings-manage",
      response: backupsSchema,
      ...endpoint("backups", "list", {
        about: "Lists the latest scheduled backups with their outcome, and tells when the last good one was made.",
      }),
    },
  );
}

declare module "lectern/contracts" {
  interface Answers {
    "/api/backups": Static<typeof backupsSchema>;
  }
}
