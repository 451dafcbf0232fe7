import type { EventTransaction } from "../events/event_bus.ts";

/** What a role may do with an item and all below it, whatever it may do elsewhere. */
export interface Override {
  /** 0 for the fallback, which speaks for all roles without an entry. */
  readonly role_id: number;
  readonly view: boolean;
  readonly create: boolean;
  readonly update: boolean;
  readonly delete: boolean;
}

/** Content permissions, for whoever brings items in that had some (platform 3). */
export interface Overrides {
  /**
   * Puts these in place of all overrides of an item, as one event within the transaction; what follows from them below
   * holds with its commit. Throws ApiError 404 where there is no such item.
   */
  replace(kind: string, id: number, entries: readonly Override[], tx: EventTransaction): Promise<void>;
}

declare module "../runtime/registry.ts" {
  interface Contracts {
    overrides: Overrides;
  }
}
