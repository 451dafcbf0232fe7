import type { Migrations } from "../../db/mod.ts";
import { jobMigrations } from "../events/job_queue.ts";
import { scheduleMigrations } from "../events/schedules.ts";
import { markerMigrations } from "../files/instance_marker.ts";
import { storedFilesMigrations } from "../files/recorded_files.ts";
import { limitMigrations } from "../http/rate_limit.ts";
import { collationMigrations } from "../i18n/collation.ts";
import { serverMigrations } from "./running_servers.ts";
import { versionMigrations } from "./versions.ts";

/** The migrations of the runtime's own tables, under the ledger "core". */
export const coreMigrations: Migrations = {
  ...jobMigrations,
  ...limitMigrations,
  ...collationMigrations,
  ...scheduleMigrations,
  ...versionMigrations,
  ...markerMigrations,
  ...serverMigrations,
  ...storedFilesMigrations,
};
