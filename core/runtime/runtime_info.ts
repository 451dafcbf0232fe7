/** What the runtime knows of itself, for whoever looks after it: read it as often as you like, nothing is changed by it. */
import packaged from "../../package.json" with { type: "json" };
import type { FileClaim } from "../contracts/files.ts";
import type { FileStore } from "../files/file_store.ts";
import { type SweepResult, sweepFiles } from "../files/orphan_sweep.ts";
import type { RouteInfo } from "../http/routes.ts";
import type { AnyPlugin, Grants } from "./plugin.ts";
import type { EventName } from "./registry.ts";

/** A plugin as it booted. */
export interface BootedPlugin {
  readonly plugin: AnyPlugin;
  /** Milliseconds that its migrations and setup took. */
  readonly ms: number;
  /** Steps of its migrations that were waiting. */
  readonly migrated: readonly string[];
  /** What the operator took away of its grants. */
  readonly denied: readonly (keyof Grants)[];
}

/** Facts about the runtime. */
export interface RuntimeInfo {
  /** The version of the runtime, which is not the one that clients are told. */
  readonly version: string;
  /** Plugins in boot order; complete once the runtime has booted. */
  plugins(): readonly BootedPlugin[];
  /** Every route, complete once the runtime has booted. */
  routes(): readonly RouteInfo[];
  /** Whether anybody takes part in an event by its name, so that a costly draft is made for somebody; asked after boot. */
  hasHandlers(name: EventName): boolean;
  /** Stored files that nothing names any more; they stay where they are. */
  lostFiles(): Promise<SweepResult>;
}

/** What the facts are gathered from. */
export interface RuntimeInfoParts extends Pick<RuntimeInfo, "routes" | "hasHandlers"> {
  readonly booted: readonly BootedPlugin[];
  readonly files: FileStore;
  claims(): readonly FileClaim[];
}

/** Gathers the facts of a runtime. */
export function runtimeInfo({ booted, files, claims, routes, hasHandlers }: RuntimeInfoParts): RuntimeInfo {
  return {
    version: packaged.version,
    plugins: () => booted,
    routes,
    hasHandlers,
    lostFiles: () => sweepFiles(files, claims(), { dryRun: true }),
  };
}
