import type { StoreEvent } from "../../db/mod.ts";
import type { Log } from "../log.ts";

/** Writes one line for each change of the store's connections; requests that fail meanwhile have lines of their own. */
export function logStoreEvents(log: Log): (event: StoreEvent) => void {
  return ({ kind, ...fields }) => {
    if (kind === "lost") log.error("The store was lost", fields);
    else if (kind === "found") log.info("The store was found again", fields);
    else if (kind === "moved") log.warn("The store has another leader", fields);
    else if (kind === "former") log.error("A former leader of the store accepts writes, and is not used", fields);
    else if (kind === "reserve_used")
      log.error("The disk is full: the embedded store used up the room that is kept for its start; free some", fields);
    else if (kind === "replica_lost") log.warn("A replica serves no reads", fields);
    else log.info("A replica serves reads again", fields);
  };
}
