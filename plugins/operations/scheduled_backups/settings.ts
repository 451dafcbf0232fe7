import { type Static, t } from "lectern/core";

/** The operator's settings of scheduled backups; those of their folder belong to the command. */
export const settings = t.Object({
  intervalHours: t.Number({
    default: 0,
    minimum: 0,
    env: "BACKUP_INTERVAL_HOURS",
    unit: "hours",
    description: "Between scheduled backups, such as 24; 0 for none",
  }),
});

/** Their values. */
export type BackupSettings = Static<typeof settings>;
