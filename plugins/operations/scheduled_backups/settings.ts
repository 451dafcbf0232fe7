import type { Instance } from "lectern/cli";
import { type Static, t } from "lectern/core";

/** The operator's settings of backups, and of those that a schedule and a start make. */
export const settings = t.Object({
  intervalHours: t.Number({
    default: 0,
    minimum: 0,
    env: "BACKUP_INTERVAL_HOURS",
    unit: "hours",
    description: "Between scheduled backups, such as 24; 0 for none",
  }),
  backupDir: t.String({
    default: "",
    env: "BACKUP_DIR",
    description:
      "Folder of backups, or s3://bucket/path with the endpoint and key of FILES_S3; by default backups in the data folder",
  }),
  backupKeep: t.Integer({
    default: 7,
    minimum: 0,
    env: "BACKUP_KEEP",
    unit: "backups",
    description: "Number of backups kept in BACKUP_DIR; 0 keeps all",
  }),
  backupBeforeMigrations: t.Union([t.Literal("embedded"), t.Literal("always"), t.Literal("never")], {
    default: "embedded",
    env: "BACKUP_BEFORE_MIGRATIONS",
    description:
      "When a start backs up the store before migrations of present tables: embedded (where the store is the embedded one), always, never",
  }),
});

/** Their values. */
export type BackupSettings = Static<typeof settings>;

/** The settings of an instance that is not booted. */
export function settingsOf({ settings: values }: Instance): BackupSettings {
  // The kernel has read them by the schema above.
  return values as BackupSettings;
}
