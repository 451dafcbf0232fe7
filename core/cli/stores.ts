import { parseArgs } from "node:util";
import { movedStores, removeMovedStore } from "../../db/mod.ts";
import type { CommandIo } from "./command.ts";

const STATES = { kept: "of", gone: "its data folder is gone:", unknown: "of a data folder that nobody knows" } as const;

/** `stores`: names the embedded stores that live apart from their data folder, and removes one that is left over. */
export function storesCommand(io: CommandIo, args: readonly string[]): number {
  let wish: { remove?: string; force?: boolean };
  try {
    wish = parseArgs({ args: [...args], options: { remove: { type: "string" }, force: { type: "boolean" } } }).values;
  } catch {
    io.err("Usage: stores [--remove NAME [--force]]");
    return 2;
  }
  if (wish.remove !== undefined) {
    removeMovedStore(wish.remove, { force: wish.force === true });
    io.out(`The store "${wish.remove}" is removed`);
    return 0;
  }
  const stores = movedStores();
  for (const { name, owner, state, isLive } of stores)
    io.out(`${name}  ${STATES[state]}${owner === undefined ? "" : ` ${owner}`}${isLive ? " (in use)" : ""}`);
  if (stores.length === 0) io.out("No store lives apart from its data folder");
  return 0;
}
