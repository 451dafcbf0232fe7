import { migrationStatuses, openStore } from "../../db/mod.ts";
import type { CommandIo } from "../runtime/command.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { withCore } from "../runtime/with_core.ts";
import { readConfig, storeOptions } from "./open.ts";

/** Whether migrations are pending, which are then printed; for commands that must not run them by a boot. */
export async function reportPending(plugins: readonly AnyPlugin[], io: CommandIo): Promise<boolean> {
  const store = await openStore(storeOptions(readConfig(io, plugins), plugins, io));
  try {
    const statuses = await migrationStatuses(store.db, withCore(plugins));
    const steps = [...statuses].flatMap(([name, { pending }]) => pending.map((step) => `${name} ${step}`));
    if (steps.length === 0) return false;
    io.err(`Migrations are pending; run "migrate" or start the server first: ${steps.join(", ")}`);
    return true;
  } finally {
    await store.close();
  }
}
