/** What `grants` shows of the enforcement of tables by PostgreSQL, without a boot: the store is read where it is a server. */
import { enforceability, openStore, StoreError } from "../../db/mod.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import type { Enforcement } from "../runtime/plugin_roles.ts";
import type { CommandIo } from "./command.ts";
import { readConfig, storeOptions } from "./open.ts";

/** The enforcement of each plugin whose tables PostgreSQL should restrict; `others` are those that do not ship. */
export async function enforcementOf(
  plugins: readonly AnyPlugin[],
  others: readonly AnyPlugin[],
  io: CommandIo,
): Promise<ReadonlyMap<AnyPlugin, Enforcement>> {
  const config = readConfig(io);
  const isOff = config.pluginRoles === "off";
  const wanted = config.pluginRoles === "all" ? plugins : plugins.filter((plugin) => others.includes(plugin));
  // The account of an embedded store may do everything.
  const isCertain = isOff || wanted.length === 0 || config.databaseUrl === "";
  const found = isCertain ? undefined : await ofServer(io);
  const reasonOf = ({ name }: AnyPlugin) => {
    if (isOff) return "PLUGIN_ROLES is off";
    return found?.has(name) ? undefined : found?.reason;
  };
  return new Map(wanted.map((plugin) => [plugin, { isWanted: true, reason: reasonOf(plugin) }]));
}

/** What the server says; undefined, and a line for the operator, where it cannot be asked. */
async function ofServer(io: CommandIo) {
  try {
    const store = await openStore(storeOptions(readConfig(io)));
    try {
      return await enforceability(store.db);
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    io.err(`Whether the store enforces the grants is unknown: ${error.message}`);
    return undefined;
  }
}
