/**
 * Routes about the instance: its details for clients, and for administrators versions, the store, plugins with their grants
 * and boot times, and stored files that no row refers to. They change nothing, and answers contain no value of a setting,
 * as some are secrets.
 */
import type { SystemFacts } from "lectern/contracts";
import { endpoint, SECOND_MS, sql } from "lectern/core";
import {
  bootedPluginsSchema,
  faultsSchema,
  lostFilesSchema,
  type SystemContext,
  systemFactsSchema,
  systemSchema,
} from "./contract.ts";
import { about } from "./docs.ts";

/** Files that an answer lists; all are counted. */
const LISTED_FILES = 100;
const PERMIT = "settings-manage";

/** Mounts the route that clients read. Without a logo of its own the instance has the shipped one, unless `hasLogo` says no. */
export function mountSystem(
  { app, baseUrl, contracts }: SystemContext,
  instance: SystemFacts,
  hasLogo: () => boolean,
): void {
  app.get(
    "/system",
    async () => {
      await contracts.instance_settings.fresh();
      return {
        version: instance.version,
        instance_id: await instance.instanceId(),
        app_name: instance.name,
        app_logo: hasLogo() ? instance.logo || `${baseUrl}/logo.png` : null,
        base_url: baseUrl,
      };
    },
    { permit: "access-api", response: systemSchema, ...endpoint("system", "read", { about: about.read }) },
  );
}

/** Mounts the routes for administrators. */
export function mountFacts({ app, contracts, db, runtime, slot, texts }: SystemContext): void {
  app.get(
    "/system/facts",
    async () => {
      const store = await db
        .selectNoFrom([
          sql<string>`current_setting('server_version')`.as("version"),
          sql<number>`pg_database_size(current_database())::float8`.as("bytes"),
        ])
        .executeTakeFirst();
      const jobs = await db
        .selectFrom("jobs")
        .select(({ fn, not, ref }) => [
          fn
            .countAll<number>()
            .filterWhere(not(ref("dead")))
            .as("waiting"),
          fn.countAll<number>().filterWhere(ref("dead")).as("dead"),
        ])
        .executeTakeFirst();
      return {
        lectern_version: runtime.version,
        bun_version: Bun.version,
        platform: `${process.platform} ${process.arch}`,
        started_at: new Date(Date.now() - process.uptime() * SECOND_MS).toISOString(),
        boot_ms: rounded(runtime.plugins().reduce((sum, { ms }) => sum + ms, 0)),
        memory_bytes: process.memoryUsage.rss(),
        store: { version: store?.version ?? "", bytes: store?.bytes ?? 0 },
        jobs: { waiting: jobs?.waiting ?? 0, dead: jobs?.dead ?? 0 },
        language: texts.language(),
        theme: slot("theme")[0]?.name ?? "",
      };
    },
    { permit: PERMIT, response: systemFactsSchema, ...endpoint("system", "facts", { about: about.facts }) },
  );
  app.get(
    "/system/plugins",
    () => {
      const data = runtime.plugins().map(({ plugin, ms, migrated, denied, recorded }) => ({
        name: plugin.name,
        ...(plugin.version !== undefined && { version: plugin.version }),
        requires: [...plugin.requires],
        provides: [...plugin.provides],
        grants: { ...plugin.grants, ...recorded },
        denied,
        migrations: Object.keys(plugin.migrations),
        migrated,
        events: [...plugin.events],
        permissions: [...plugin.permissions],
        commands: Object.keys(plugin.commands),
        boot_ms: rounded(ms),
      }));
      return { data, total: data.length };
    },
    { permit: PERMIT, response: bootedPluginsSchema, ...endpoint("system", "plugins", { about: about.plugins }) },
  );
  app.get(
    "/system/faults",
    () => {
      const data = runtime.faults().map(({ plugin, place, message, count, first, last }) => ({
        ...{ plugin, place, message, count },
        first_at: first.toISOString(),
        last_at: last.toISOString(),
      }));
      return { data, total: data.length };
    },
    { permit: PERMIT, response: faultsSchema, ...endpoint("system", "faults", { about: about.faults }) },
  );
  app.get(
    "/system/files",
    async () => {
      const { orphans, kept, unclaimed } = await contracts.upkeep.lostFiles();
      return {
        data: orphans
          .slice(0, LISTED_FILES)
          .map(({ key, size, modified }) => ({ key, size, modified: modified.toISOString() })),
        total: orphans.length,
        bytes: orphans.reduce((sum, { size }) => sum + size, 0),
        kept,
        unclaimed: Object.fromEntries(unclaimed),
      };
    },
    { permit: PERMIT, response: lostFilesSchema, ...endpoint("system", "files", { about: about.files }) },
  );
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
