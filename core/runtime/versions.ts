/**
 * Versions of plugins: each may have one and name the versions of Lectern that it works with, which the boot judges. The newest
 * version that ran is stored, so that an older one over newer data is reported.
 */
import { sql } from "kysely";
import {
  type ContributedKind,
  type Db,
  type InstalledPluginsTable,
  type Migrations,
  type PluginRecord,
  type PluginTablesTable,
  pluginRecords,
  writePluginRecords,
} from "../../db/mod.ts";
import packaged from "../../package.json" with { type: "json" };
import { BootError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { AnyPlugin } from "./plugin.ts";

/** What else than tables the migrations of plugins that do not ship have made (`db/query/made_objects.ts`). */
export interface PluginObjectsTable {
  plugin: string;
  /** Whether it was made as the role of the plugin, which owns it. */
  owned: boolean;
  type: string;
  names: string[];
  args: string[];
}

declare module "../../db/query/tables.ts" {
  interface Tables {
    plugin_objects: PluginObjectsTable;
    installed_plugins: InstalledPluginsTable;
    plugin_tables: PluginTablesTable;
  }
}

/** The tables of booted plugins, and of the tables that their migrations created. */
export const versionMigrations: Migrations = {
  async "0005_installed_plugins"(db) {
    await sql`create table installed_plugins (name text primary key, version text,
      first_at timestamptz not null default now(), last_at timestamptz not null default now())`.execute(db);
  },
  async "0006_plugin_tables"(db) {
    await sql`create table plugin_tables (table_name text primary key, plugin text not null);
      alter table installed_plugins add column jobs text[] not null default '{}',
        add column kinds jsonb not null default '[]', add column permissions text[] not null default '{}'`.execute(db);
  },
  async "0009_runs_beside"(db) {
    await sql`alter table installed_plugins add column runs_beside text`.execute(db);
  },
  async "0010_plugin_objects"(db) {
    await sql`create table plugin_objects (plugin text not null, owned boolean not null, type text not null,
      names text[] not null, args text[] not null, primary key (type, names, args))`.execute(db);
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

/** What a plugin registered in its setup. */
export interface Registered {
  readonly jobs: readonly string[];
  readonly kinds: readonly ContributedKind[];
}

/**
 * Tells what each plugin registered: the call after the setup of a plugin returns the jobs and kinds that were added since the
 * call before.
 */
export function registrations(jobs: { names(): string[] }, kinds: () => readonly ContributedKind[]): () => Registered {
  const known = new Set<string>();
  let seen = 0;
  return () => {
    const added = jobs.names().filter((name) => !known.has(name));
    for (const name of added) known.add(name);
    const all = kinds();
    const contributed = all.slice(seen).map(({ kind, table, parents }) => ({ kind, table, parents }));
    seen = all.length;
    return { jobs: added, kinds: contributed };
  };
}

/** Stores which plugins booted and what they registered; writes only what changed. Warns of each whose version is older than one that has booted over this store before. */
export async function recordPlugins(
  db: Db,
  booted: readonly { readonly plugin: AnyPlugin; readonly registered: Registered }[],
  log: Log,
): Promise<void> {
  const stored = await pluginRecords(db);
  const found = new Map(stored.map((row) => [row.name, row]));
  // Code that another plugin added has no data of its own.
  const plugins = booted.filter(({ plugin }) => plugin.addedBy === undefined);
  const rows = plugins.map(({ plugin: { name, version, permissions }, registered: { jobs, kinds } }) => {
    const before = found.get(name)?.version ?? undefined;
    const isOlder = version !== undefined && before !== undefined && Bun.semver.order(version, before) < 0;
    if (isOlder)
      log.warn("The plugin is older than the version that ran last: it may not know its newer data", {
        plugin: name,
        version,
        newest: before,
      });
    const newestNow = (isOlder ? before : (version ?? before)) ?? null;
    return { name, version: newestNow, jobs: [...jobs], kinds: [...kinds], permissions: [...permissions] };
  });
  const changed = rows.filter((row) => {
    const known = found.get(row.name);
    return !known || contentOf(known) !== contentOf(row);
  });
  if (changed.length > 0) await writePluginRecords(db, changed);
}

/** Kinds of content that plugins contributed which have booted over this store and are not installed now. */
export async function absentKinds(db: Db, contributed: readonly string[]): Promise<readonly ContributedKind[]> {
  const found = await pluginRecords(db);
  return found.flatMap(({ kinds }) => kinds).filter(({ kind }) => !contributed.includes(kind));
}

/** The content of a record as text, to compare two. */
function contentOf({ version, jobs, kinds, permissions }: PluginRecord): string {
  return JSON.stringify([version, jobs, kinds.map(kindContent), permissions]);
}

function kindContent({ kind, table, parents = [] }: ContributedKind) {
  return [kind, table, parents.map((parent) => [parent.kind, parent.column])];
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
