/**
 * Whether PostgreSQL enforces the tables of plugins, as `grants` and `plan` show it without a boot over the store. The account of
 * the embedded store may always make roles. At a server the rights of the account are read, and nothing is tried.
 */
import { Type } from "@sinclair/typebox";
import { openStore, roleObstacle } from "../../db/mod.ts";
import { configSchema } from "../config.ts";
import type { CommandIo } from "../runtime/command.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { type Enforcement, firstGrantsOf, isEnforcementWanted, OFF } from "../runtime/plugin_roles.ts";
import { readSettings } from "../runtime/settings.ts";
import type { Choices } from "./load.ts";
import { serverOptions } from "./open.ts";

/** Milliseconds to connect, and for each statement. */
const LIMIT_MS = 5_000;
const SETTINGS = Type.Pick(configSchema, ["pluginRoles", "databaseUrl", "listenUrl", "prepare"]);

/** Whether PostgreSQL enforces the grants of a plugin. */
export interface KnownEnforcement extends Enforcement {
  /** Whether that could not be found out, for `reason`. */
  readonly isUnknown?: boolean;
}

/** The plugins of a command, and what their operator chose. */
export interface Asked {
  readonly plugins: readonly AnyPlugin[];
  /** The plugins that do not ship with Lectern. */
  readonly others: readonly AnyPlugin[];
  readonly choices: Choices;
}

/** Finds out how the grants of each plugin are enforced. Makes no store and changes none. Throws BootError for invalid settings. */
export async function knownEnforcement(
  { plugins, others, choices }: Asked,
  io: CommandIo,
): Promise<(plugin: AnyPlugin) => KnownEnforcement> {
  const { pluginRoles: mode, ...config } = readSettings("lectern", SETTINGS, io.env);
  const isWanted = (plugin: AnyPlugin) => isEnforcementWanted(mode, others.includes(plugin));
  const wanted = plugins.filter(isWanted);
  const found = await answerFor(wanted, { mode, server: serverOptions(config), choices });
  return (plugin) => (isWanted(plugin) ? { isWanted: true, ...found } : { isWanted: false });
}

async function answerFor(
  wanted: readonly AnyPlugin[],
  { mode, server, choices }: { mode: string; server: ReturnType<typeof serverOptions>; choices: Choices },
): Promise<Omit<KnownEnforcement, "isWanted">> {
  if (wanted.length === 0) return {};
  if (mode === "off") return { reason: OFF };
  if (server.databaseUrl === undefined) return {};
  try {
    const store = await openStore({ ...server, dataDir: "", poolSize: 2, looks: true, connectTimeoutMs: LIMIT_MS });
    try {
      store.limit({ statementMs: LIMIT_MS, writeMs: LIMIT_MS, waitMs: LIMIT_MS });
      const grants = wanted.map((plugin) => firstGrantsOf(plugin, choices.denied[plugin.name] ?? []));
      return { reason: await roleObstacle(store.db, grants) };
    } finally {
      await store.close();
    }
  } catch (error) {
    return { isUnknown: true, reason: error instanceof Error ? error.message : String(error) };
  }
}
