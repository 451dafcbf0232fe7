import type { FileKeeper, PictureKeeper } from "lectern/contracts";
import type { Contracts, PluginContext } from "lectern/core";
import type { Db } from "lectern/db";
import type { Addresses } from "./addresses.ts";
import type { Places } from "./places.ts";
import type { Report } from "./report.ts";
import type { Source } from "./source.ts";
import type { State } from "./state.ts";

/** What an operator may choose. */
export interface Choices {
  /** Whether content permissions are left out, for tokens that may not read them. */
  readonly withoutPermissions: boolean;
  /** Whether what was changed here since the last run is given up for what the source has. */
  readonly overwrite: boolean;
  /** Requests at a time. */
  readonly concurrency: number;
}

/** What a run tells of itself while it runs. */
export interface Listener {
  begin(label: string, total: number): void;
  step(): void;
  say(line: string, to?: "out" | "err"): void;
}

/** What the parts of a run share. */
export interface Run {
  readonly db: Db;
  readonly perform: PluginContext["perform"];
  readonly validate: PluginContext["validate"];
  readonly contracts: Pick<Contracts, "markup" | "overrides" | "tags">;
  /** Who keeps the files of "images" and "attachments". */
  readonly keeper: (plugin: string) => FileKeeper;
  readonly pictureKeeper: () => PictureKeeper | undefined;
  /** Names of permissions that roles here may hold. */
  readonly permissions: ReadonlySet<string>;
  /** Roles here by name in lower case, for sources that show no roles. */
  readonly rolesByName: ReadonlyMap<string, number>;
  readonly source: Source;
  readonly state: State;
  readonly places: Places;
  readonly addresses: Addresses;
  readonly report: Report;
  readonly choices: Choices;
  readonly listener: Listener;
}
