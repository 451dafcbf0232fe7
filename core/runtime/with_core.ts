import type { Migrating } from "../../db/mod.ts";
import { coreMigrations } from "./migrations.ts";

/** The runtime, by the name of its ledger, and these plugins: all that has migrations. */
export function withCore(plugins: readonly Migrating[]): Migrating[] {
  return [{ name: "core", migrations: coreMigrations }, ...plugins];
}
