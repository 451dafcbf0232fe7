import type { Migrations } from "../db/mod.ts";
import { jobMigrations } from "./jobs.ts";
import { limitMigrations } from "./limit.ts";

/** The steps of the house's own tables, under the ledger "core". */
export const coreMigrations: Migrations = { ...jobMigrations, ...limitMigrations };
