import type { Fault } from "../faults.ts";
import type { RouteInfo } from "../http/route_table.ts";
import type { EventName } from "../registry.ts";
import type { Kind } from "./grant_kinds.ts";
import type { AnyPlugin } from "./plugin.ts";
import type { Recorded } from "./recorded.ts";

/** A plugin as it booted. */
export interface BootedPlugin {
  readonly plugin: AnyPlugin;
  /** Milliseconds that its migrations and setup took. */
  readonly ms: number;
  /** Migration steps that this boot ran. */
  readonly migrated: readonly string[];
  /** Kinds of grants and registrations that the operator denied. */
  readonly denied: readonly Kind[];
  /** What its `setup` registered. */
  readonly recorded: Recorded;
}

/** Read-only facts about the runtime; what monitoring and upkeep need beside are contracts (`own_contracts.ts`). */
export interface RuntimeInfo {
  /** The version of Lectern, not the API version that clients see. */
  readonly version: string;
  /** Plugins in boot order; complete once the runtime has booted. */
  plugins(): readonly BootedPlugin[];
  /** Every route, complete once the runtime has booted. */
  routes(): readonly RouteInfo[];
  /** Whether a route serves a method and path, such as "GET" and "/api/search"; complete after boot. */
  serves(method: string, path: string): boolean;
  /** Whether an event has handlers by its name, so that a costly draft is made only for these; complete after boot. */
  hasHandlers(name: EventName): boolean;
  /** Parts of plugins that failed and were left out in this process, the latest first. */
  faults(): readonly Fault[];
}
