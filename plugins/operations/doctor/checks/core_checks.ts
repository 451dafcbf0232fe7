import { comparedWith } from "lectern/cli";
import { type ContentKind, type Reference, referenceCheck, type SelfCheck } from "lectern/contracts";
import { type CheckedParts, sql } from "lectern/core";
import type { Db } from "lectern/db";
import { contentChecks } from "./content_checks.ts";
import { addressCheck, variablesCheck } from "./environment_checks.ts";
import { diskCheck, markerCheck, orphansCheck, unfinishedCheck } from "./file_checks.ts";
import { jobChecks } from "./job_checks.ts";
import { replicasCheck } from "./replica_checks.ts";
import { schemaCheck, sequencesCheck, triggersCheck } from "./schema_checks.ts";
import { serverVersionsCheck, sharedFilesCheck } from "./server_checks.ts";
import { clockCheck, grantsCheck, leaderCheck, migrationChecks } from "./store_checks.ts";

/** The checks of the runtime's parts and of what operators set. */
export function coreChecks(parts: CheckedParts): SelfCheck[] {
  const { config, store, db, files, jobs, replicas, roles, servers, plugins, env, claims, kinds, thirdParty, denied } =
    parts;
  const stores = { db, files, place: "the file store" };
  return [
    ...migrationChecks(db, plugins),
    schemaCheck(db, comparedWith(db, plugins, { mode: config.pluginRoles, thirdParty, denied })),
    triggersCheck(db),
    sequencesCheck(db),
    grantsCheck(roles),
    referenceCheck(db, {
      name: "core/parents",
      title: "Every item is in an item that exists",
      references: () => kinds().flatMap((kind) => parentsOf(kind, kinds())),
      repair: "none",
      advice: "Restore the parents from a backup, or move the items to others.",
    }),
    clockCheck(db, config.clockSeconds),
    ...(store.kind === "server" ? [leaderCheck(store)] : []),
    ...(replicas ? [replicasCheck(replicas)] : []),
    markerCheck(stores),
    sharedFilesCheck(servers, files),
    serverVersionsCheck(servers),
    orphansCheck(stores, claims),
    ...contentChecks(stores, () => everBooted(db)),
    ...(files.unfinished ? [unfinishedCheck(stores)] : []),
    diskCheck(config.dataDir, config.minDiskPercent),
    ...jobChecks(db, jobs),
    addressCheck(config),
    variablesCheck(env, plugins),
  ];
}

/** The names of the plugins that have ever booted over a store. */
async function everBooted(db: Db): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`select name from installed_plugins`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

function parentsOf({ table, parents }: ContentKind, kinds: readonly ContentKind[]): Reference[] {
  return parents.flatMap(({ kind, column }) => {
    const parent = kinds.find((one) => one.kind === kind);
    return parent ? [{ table, column, to: parent.table }] : [];
  });
}
