/** What the house knows of itself, for whoever looks after it: read it as often as you like, nothing is changed by it. */
import packaged from "../package.json" with { type: "json" };
import type { FileClaim } from "./contracts/files.ts";
import type { FileStore } from "./files.ts";
import type { AnyPlugin, Grants } from "./plugin.ts";
import { type Swept, sweepFiles } from "./sweep.ts";

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

/** Facts about the house. */
export interface HouseFacts {
  /** The version of the house, which is not the one that clients are told. */
  readonly version: string;
  /** Plugins in boot order; complete once the house has booted. */
  plugins(): readonly BootedPlugin[];
  /** Stored files that nothing names any more; they stay where they are. */
  lostFiles(): Promise<Swept>;
}

/** Gathers the facts of a house. */
export function factsOf(
  booted: readonly BootedPlugin[],
  files: FileStore,
  claims: () => readonly FileClaim[],
): HouseFacts {
  return {
    version: packaged.version,
    plugins: () => booted,
    lostFiles: () => sweepFiles(files, claims(), { dryRun: true }),
  };
}
