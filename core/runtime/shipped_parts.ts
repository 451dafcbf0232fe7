import type { Store } from "../../db/mod.ts";
import type { Instance } from "./instance.ts";
import type { CheckedParts, SelfCheck } from "./self_check.ts";

/** What a plugin that ships may declare and others may not, since it gets the whole store. It is not called of others. */
export interface ShippedParts {
  /**
   * Runs at a start and at `migrate`, where steps over tables that are there are pending, before the first of them: it may copy the
   * store. What it throws stops the start, and no step has run.
   */
  beforeMigrations?(store: Store, instance: Instance): Promise<void>;
  /** Checks of the parts of the runtime, before those of the slot `self_check`; called when all plugins are set up. */
  checks?(parts: CheckedParts): readonly SelfCheck[];
}
