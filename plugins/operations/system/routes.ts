/**
 * What those who look after an instance want to know of it: versions, the store, what each plugin may touch and how long it
 * took to boot, files that nothing names. Nothing here changes anything, and no value of a setting is told, since some are
 * secrets.
 */
import { endpoint, type PluginContext, sql } from "lectern/core";
import { rows } from "lectern/db";

type Context = Pick<PluginContext<never, "jobs">, "app" | "db" | "runtime" | "language" | "theme">;

/** Lost files that an answer names; the rest is counted. */
const NAMED_FILES = 100;
const PERMIT = "settings-manage";

/** Mounts the routes. */
export function mountInstance({ app, db, runtime, language, theme }: Context): void {
  app.get(
    "/system/facts",
    async () => {
      const [store] = await rows<{ version: string; bytes: number }>(
        db,
        sql`select current_setting('server_version') as version, pg_database_size(current_database())::float8 as bytes`,
      );
      const [jobs] = await rows<{ waiting: number; dead: number }>(
        db,
        sql`select count(*) filter (where not dead)::integer as waiting, count(*) filter (where dead)::integer as dead
          from jobs`,
      );
      return {
        lectern_version: runtime.version,
        bun_version: Bun.version,
        platform: `${process.platform} ${process.arch}`,
        started_at: new Date(Date.now() - process.uptime() * 1000).toISOString(),
        boot_ms: rounded(runtime.plugins().reduce((sum, { ms }) => sum + ms, 0)),
        memory_bytes: process.memoryUsage.rss(),
        store: { version: store?.version ?? "", bytes: store?.bytes ?? 0 },
        jobs,
        language,
        theme,
      };
    },
    { permit: PERMIT, ...endpoint("system", "facts", { about: about.facts }) },
  );
  app.get(
    "/system/plugins",
    () => {
      const data = runtime.plugins().map(({ plugin, ms, migrated, denied }) => ({
        name: plugin.name,
        requires: [...plugin.requires],
        provides: [...plugin.provides],
        grants: plugin.permissions,
        denied,
        migrations: Object.keys(plugin.migrations),
        migrated,
        events: [...plugin.events],
        permissions: [...plugin.adds],
        commands: Object.keys(plugin.commands),
        boot_ms: rounded(ms),
      }));
      return { data, total: data.length };
    },
    { permit: PERMIT, ...endpoint("system", "plugins", { about: about.plugins }) },
  );
  app.get(
    "/system/files",
    async () => {
      const { orphans, kept, unclaimed } = await runtime.lostFiles();
      return {
        data: orphans.slice(0, NAMED_FILES).map(({ key, size, modified }) => ({ key, size, modified })),
        total: orphans.length,
        bytes: orphans.reduce((sum, { size }) => sum + size, 0),
        kept,
        unclaimed: Object.fromEntries(unclaimed),
      };
    },
    { permit: PERMIT, ...endpoint("system", "files", { about: about.files }) },
  );
}

const about = {
  facts: "Tells those who manage settings of versions, the store, waiting jobs, and since when the server runs.",
  plugins: "Lists the plugins in the order they booted, with what each may touch and how long it took.",
  files:
    "Counts stored files that no row names and that are older than a day, and names the first hundred of them. They stay: " +
    "the command `files sweep` removes them.",
} as const;

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
