import { parseArgs } from "node:util";
import { movedStores, removeMovedStore } from "../../db/mod.ts";
import type { CommandIo } from "../runtime/command.ts";

const STATES = { kept: "of", gone: "its data folder is gone:", unknown: "of an unknown data folder" } as const;

/** `stores`: lists the embedded stores outside of their data folders, and deletes one whose data folder is gone. */
export function storesCommand(io: CommandIo, args: readonly string[]): number {
  let options: { remove?: string; force?: boolean };
  try {
    options = parseArgs({
      args: [...args],
      options: { remove: { type: "string" }, force: { type: "boolean" } },
    }).values;
  } catch {
    io.err("Usage: stores [--remove NAME [--force]]");
    return 2;
  }
  if (options.remove !== undefined) {
    removeMovedStore(options.remove, { force: options.force === true });
    io.out(`The store "${options.remove}" is removed`);
    return 0;
  }
  const stores = movedStores();
  for (const { name, owner, state, isLive } of stores)
    io.out(`${name}  ${STATES[state]}${owner === undefined ? "" : ` ${owner}`}${isLive ? " (in use)" : ""}`);
  if (stores.length === 0) io.out("All stores are in their data folders");
  return 0;
}
