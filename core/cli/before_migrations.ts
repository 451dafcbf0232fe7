import { migrationStatuses, type Store } from "../../db/mod.ts";
import type { CommandIo } from "../runtime/command.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { withCore } from "../runtime/with_core.ts";
import { instanceFor } from "./instance.ts";
import { shippedPlugins } from "./load.ts";

/** Lets the plugins that ship do what they want to do before migrations alter tables that are there, such as a backup. Throws BootError. */
export async function beforeMigrations(store: Store, plugins: readonly AnyPlugin[], io: CommandIo): Promise<void> {
  const shipped = shippedPlugins();
  const concerned = plugins.filter((plugin) => plugin.beforeMigrations && shipped.includes(plugin));
  if (concerned.length === 0 || !(await altersTables(store, plugins))) return;
  for (const plugin of concerned) await plugin.beforeMigrations?.(store, await instanceFor(plugin, plugins, io));
}

/** Whether a plugin that has run here before has new steps: those of a new plugin create tables. */
async function altersTables({ db }: Store, plugins: readonly AnyPlugin[]): Promise<boolean> {
  const statuses = await migrationStatuses(db, withCore(plugins));
  return [...statuses.values()].some(({ hasLedger, pending }) => hasLedger && pending.length > 0);
}
