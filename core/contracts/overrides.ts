import type { EventTransaction } from "../events/event_bus.ts";

/** The permissions of a role on an item and its descendants, in place of those it has elsewhere. */
export interface Override {
  /** 0 for the fallback, which holds for all roles without an entry. */
  readonly role_id: number;
  readonly view: boolean;
  readonly create: boolean;
  readonly update: boolean;
  readonly delete: boolean;
}

/** Content permissions of imported items (platform 3). */
export interface Overrides {
  /**
   * Replaces all overrides of an item, as one event within the transaction; descendants follow at the commit. Throws
   * ApiError 404 where there is no such item.
   */
  replace(kind: string, id: number, entries: readonly Override[], tx: EventTransaction): Promise<void>;
}

declare module "../runtime/registry.ts" {
  interface Contracts {
    overrides: Overrides;
  }
}
