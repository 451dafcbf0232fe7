/**
 * The commands `backup` and `restore`, backups before migrations, and scheduled ones into BACKUP_DIR, whose outcome is seen on the
 * screen of the system, in the metrics and in the log. README.md of this folder describes backups and restores.
 */
import { definePlugin, html, SECOND_MS } from "lectern/core";
import { backupBeforeMigrations } from "./backup_folder.ts";
import { commands } from "./commands.ts";
import { migrations } from "./migrations.ts";
import { lastBackup } from "./queries.ts";
import { offerRestore } from "./restore_offer.ts";
import { mountBackups } from "./routes.ts";
import { scheduleBackups } from "./schedule.ts";
import { settings } from "./settings.ts";

export default definePlugin({
  name: "scheduled_backups",
  grants: { write: ["scheduled_backups"], read: ["books", "bookshelves"] },
  optionalTables: ["books", "bookshelves"],
  settings,
  migrations,
  commands,
  beforeMigrations: backupBeforeMigrations,
  setup(context) {
    const { contribute } = context;
    mountBackups(context);
    scheduleBackups(context);
    offerRestore(context);
    contribute("screen_part", {
      at: "system/figures",
      label: "Last scheduled backup",
      async read({ ui }) {
        const last = await lastBackup(context, { successful: false });
        if (!last) return ui.t("None yet");
        if (!last.failed) return html`${ui.time(last.ended_at)}`;
        return html`<strong>${ui.t("Failed")}</strong> ${ui.time(last.ended_at)}: ${last.outcome}`;
      },
    });
    contribute("metric", {
      name: "lectern_backup_last_success_timestamp_seconds",
      help: "Unix time of the end of the last successful scheduled backup.",
      type: "gauge",
      async read() {
        const last = await lastBackup(context, { successful: true });
        return last ? [{ value: Date.parse(last.ended_at) / SECOND_MS }] : [];
      },
    });
    contribute("metric", {
      name: "lectern_backup_last_failed",
      help: "Is 1 if the last scheduled backup failed, else 0.",
      type: "gauge",
      async read() {
        const last = await lastBackup(context, { successful: false });
        return last ? [{ value: last.failed ? 1 : 0 }] : [];
      },
    });
  },
});
