/**
 * Versions of plugins: each may have one and name the versions of Lectern that it works with, which the boot judges. The newest
 * version that ran is stored, so that an older one over newer data is reported.
 */
import { type Kysely, sql } from "kysely";
import type { Db, Migrations } from "../../db/mod.ts";
import packaged from "../../package.json" with { type: "json" };
import { BootError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { AnyPlugin } from "./plugin.ts";

/** Plugins that have booted over this store. */
export interface InstalledPluginsTable {
  name: string;
  /** The newest version that booted; null where the plugin had none. */
  version: string | null;
  /** When it booted first, and last. */
  first_at: string;
  last_at: string;
}

declare module "../../db/query/tables.ts" {
  interface Tables {
    installed_plugins: InstalledPluginsTable;
  }
}

/** The table of booted plugins. */
export const versionMigrations: Migrations = {
  async "0005_installed_plugins"(db) {
    await sql`create table installed_plugins (name text primary key, version text,
      first_at timestamptz not null default now(), last_at timestamptz not null default now())`.execute(db);
  },
};

const NUMBER = "(?:0|[1-9]\\d*)";
const LABELS = "(?:-[0-9A-Za-z.-]+)?(?:\\+[0-9A-Za-z.-]+)?";
const VERSION = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}${LABELS}$`);
const PART = `(?:${NUMBER}|[xX*])`;
const PARTIAL = `v?${PART}(?:\\.${PART}(?:\\.${PART}${LABELS})?)?`;
const COMPARATOR = `(?:[~^]|[<>]=?|=)?\\s*${PARTIAL}`;
const ALTERNATIVE = `(?:${PARTIAL}\\s+-\\s+${PARTIAL}|${COMPARATOR}(?:\\s+${COMPARATOR})*)`;
const RANGE = new RegExp(`^\\s*${ALTERNATIVE}(?:\\s*\\|\\|\\s*${ALTERNATIVE})*\\s*$`);

/** Whether a text is a semantic version such as "1.2.0" or "2.0.0-beta.1". */
export function isVersion(text: string): boolean {
  return VERSION.test(text);
}

/** Checks the versions of plugins and the range of Lectern that each requires. Throws BootError that names the plugin. */
export function checkVersions(plugins: readonly AnyPlugin[], own: string = packaged.version): void {
  for (const { name, version, lectern } of plugins) {
    if (version !== undefined && !isVersion(version))
      throw new BootError(
        `The plugin "${name}" has the version "${version}"; wanted a semantic version such as "1.2.0"`,
      );
    if (lectern === undefined) continue;
    // Bun takes a range that it cannot read for one that every version satisfies.
    if (!RANGE.test(lectern))
      throw new BootError(
        `The plugin "${name}" requires Lectern "${lectern}"; wanted a range of versions such as "^1.2.0" or ">=0.2 <0.4"`,
      );
    if (!Bun.semver.satisfies(own, lectern))
      throw new BootError(
        `The plugin "${name}"${version === undefined ? "" : ` ${version}`} requires Lectern ${lectern}, and this is ${own}`,
      );
  }
}

/** Stores which plugins booted. Warns of each whose version is older than one that has booted over this store before. */
export async function recordVersions(db: Db, plugins: readonly AnyPlugin[], log: Log): Promise<void> {
  const store = db as unknown as Kysely<{ installed_plugins: InstalledPluginsTable }>;
  const stored = await store.selectFrom("installed_plugins").select(["name", "version"]).execute();
  const newest = new Map(stored.map(({ name, version }) => [name, version ?? undefined]));
  const rows = plugins.map(({ name, version }) => {
    const before = newest.get(name);
    const isOlder = version !== undefined && before !== undefined && Bun.semver.order(version, before) < 0;
    if (isOlder)
      log.warn("The plugin is older than the version that ran last: it may not know its newer data", {
        plugin: name,
        version,
        newest: before,
      });
    return { name, version: (isOlder ? before : (version ?? before)) ?? null };
  });
  const now = sql<string>`now()`;
  await store
    .insertInto("installed_plugins")
    .values(rows.map((row) => ({ ...row, first_at: now, last_at: now })))
    .onConflict((conflict) =>
      conflict.column("name").doUpdateSet((eb) => ({ version: eb.ref("excluded.version"), last_at: now })),
    )
    .execute();
}

/** The versions of plugins as text, one line each, under a heading; none where no plugin has one. */
export function versionLines(plugins: readonly AnyPlugin[]): string[] {
  const lines = plugins.flatMap(({ name, version, lectern }) => {
    const range = lectern === undefined ? [] : [`requires Lectern ${lectern}`];
    const parts = [...(version === undefined ? [] : [version]), ...range];
    return parts.length === 0 ? [] : [`  ${name.padEnd(16)} ${parts.join("  ")}`];
  });
  return lines.length === 0 ? [] : ["", "Versions", ...lines];
}
