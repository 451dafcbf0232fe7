/** The search engine in use: the shipped one over PostgreSQL, or that of a plugin behind its adapter. */
import type { SearchEngine } from "lectern/contracts";
import { chosenProvider, type EventTransaction } from "lectern/core";
import type { SearchedKind, SearchTask } from "./contract.ts";
import type { Hit } from "./presenter.ts";

/** The name of the shipped engine, for SEARCH_ENGINE. */
export const SHIPPED = "postgresql";

/** A page of results with their total. */
export interface Found {
  readonly hits: readonly Hit[];
  readonly total: number;
  /** Whether more items may match than were counted. */
  readonly isLowerBound: boolean;
}

/** What an engine does in this plugin. */
export interface Engine {
  readonly name: string;
  /** Called in the transaction that writes an item. */
  indexItem(searched: SearchedKind, id: number, tx: EventTransaction): Promise<void>;
  /** Called in the transaction that removes items permanently. */
  removeItems(kind: string, ids: readonly number[], tx: EventTransaction): Promise<void>;
  /** Called at boot: queues what has to be indexed. */
  fill(kinds: readonly SearchedKind[], tx: EventTransaction): Promise<void>;
  /** Finds a page of the items that match a search and that its viewer sees. */
  find(task: SearchTask): Promise<Found>;
}

/** The engine of a plugin that is in use; undefined for the shipped one. Throws BootError where the choice is not clear. */
export function chosenEngine(contributed: readonly SearchEngine[], chosen: string): SearchEngine | undefined {
  const shipped = { name: SHIPPED };
  const found = chosenProvider<SearchEngine | typeof shipped>([shipped, ...contributed], {
    service: "a search engine",
    variable: "SEARCH_ENGINE",
    chosen,
  });
  return found && "find" in found ? found : undefined;
}
