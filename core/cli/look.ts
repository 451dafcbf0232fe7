/**
 * What `plan` and `check` find out without a change. The store is opened to read its version, the marker of its files and its
 * ledgers, and closed again; nothing of plugins runs over it. What they register is read from a boot over a temporary embedded
 * store with a folder of files, which are deleted: a transaction that is rolled back would hold locks of the live store and move its sequences.
 */

import {
  hasStore,
  messageOf,
  migrationStatuses,
  openStore,
  type SchemaDifference,
  StoreError,
  withThrowawayStore,
} from "../../db/mod.ts";
import type { Config } from "../config.ts";
import { checkMarker } from "../files/instance_marker.ts";
import type { Runtime } from "../runtime/boot.ts";
import { inBootOrder } from "../runtime/boot_order.ts";
import type { CommandIo } from "../runtime/command.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { checkStoreVersion } from "../runtime/store_version.ts";
import { withCore } from "../runtime/with_core.ts";
import { differencesFrom, madeIn } from "./expected_schema.ts";
import { readChoices, shippedPlugins, thirdParty } from "./load.ts";
import { checkStoreExists, logOf, openFiles, openRuntime, readConfig, serverOptions, timelinesOf } from "./open.ts";

/** Steps by plugin that have not run; "core" is the runtime. Plugins without any are left out. */
export type PendingSteps = ReadonlyMap<string, readonly string[]>;

/** What was found out. */
export interface Look {
  /** Booted over the temporary store. */
  readonly runtime: Runtime;
  /** Pending in the configured store; all steps where there is none yet. */
  readonly pending: PendingSteps;
  /** What the schema lacks or has in another form than migrations make; only looked for where it is a start and no step is pending. */
  readonly differences: readonly SchemaDifference[];
  /** What was not checked, as sentences. */
  readonly notes: readonly string[];
  /** Whether there is no store yet. */
  readonly isNew: boolean;
}

/** What the configured store says of itself; `place` is undefined where there is none yet. */
interface StoreFacts {
  readonly place: string | undefined;
  readonly pending: PendingSteps;
}

/**
 * Looks at the plugins and the configured store, and calls `run` with what was found. `isStart`: whether what a start would refuse
 * of the configured store and of accepted grants is an error, such as a missing store with DATA_REQUIRED. Throws BootError, and StoreError.
 */
export async function withLook<T>(
  plugins: readonly AnyPlugin[],
  terminal: CommandIo,
  { isStart }: { readonly isStart: boolean },
  run: (look: Look) => Promise<T>,
): Promise<T> {
  const io = { ...terminal, env: { LOG_LEVEL: "warn", ...terminal.env } };
  const config = readConfig(io, plugins);
  if (isStart) await checkStoreExists(config, plugins, io);
  const { place, pending } = await factsOf(plugins, config, io);
  return withThrowawayStore(async ({ dataDir }) => {
    const temporary: Config = { ...config, databaseUrl: "", listenUrl: "", readUrls: "", dataDir };
    const refuse = (cause: unknown) => {
      throw config.databaseUrl !== "" && isNoServer(cause) ? noServer(cause) : cause;
    };
    const isCompared = isStart && place !== undefined && pending.size === 0;
    const differences = isCompared ? await differencesOf(plugins, config, dataDir).catch(refuse) : [];
    const { runtime } = await openRuntime(plugins, io, temporary, isStart ? "ignore" : "look").catch(refuse);
    try {
      return await run({ runtime, pending, differences, notes: notesOf(place, pending), isNew: place === undefined });
    } finally {
      await runtime.stop();
    }
  });
}

/** The pending steps in one line, such as "notes 0002_color"; "" for none. */
export function pendingText(pending: PendingSteps): string {
  return [...pending].flatMap(([name, steps]) => steps.map((step) => `${name} ${step}`)).join(", ");
}

/** What the configured store lacks of what the migrations of these plugins make in the temporary one, or has in another form. */
async function differencesOf(
  plugins: readonly AnyPlugin[],
  config: Config,
  temporaryDir: string,
): Promise<SchemaDifference[]> {
  const { denied } = await readChoices();
  const expected = await madeIn(temporaryDir, inBootOrder(plugins, shippedPlugins()), {
    mode: config.pluginRoles,
    thirdParty: new Set(thirdParty(plugins).map(({ name }) => name)),
    denied,
  });
  const store = await openStore({ ...serverOptions(config), dataDir: config.dataDir, poolSize: 2, looks: true });
  try {
    return await differencesFrom(store.db, plugins, expected);
  } finally {
    await store.close();
  }
}

async function factsOf(plugins: readonly AnyPlugin[], config: Config, io: CommandIo): Promise<StoreFacts> {
  const all = withCore(plugins);
  const own = { dataDir: config.dataDir, poolSize: 2, looks: true, timelines: timelinesOf(config, plugins, io) };
  const options = { ...serverOptions(config), ...own };
  if (!(await hasStore(options))) {
    const steps = all.map(({ name, migrations }) => [name, Object.keys(migrations).sort()] as const);
    return { place: undefined, pending: new Map(steps.filter(([, names]) => names.length > 0)) };
  }
  const store = await openStore(options);
  try {
    await checkStoreVersion(store.db, plugins);
    const { files, isInUse, described: place } = await openFiles(config, plugins, io, true);
    // The files of a store that a setup contributes are known after it alone.
    if (isInUse) await checkMarker({ db: store.db, files, place }, logOf(config));
    const steps = [...(await migrationStatuses(store.db, all))].map(([name, { pending }]) => [name, pending] as const);
    return { place: store.description, pending: new Map(steps.filter(([, names]) => names.length > 0)) };
  } finally {
    await store.close();
  }
}

function notesOf(place: string | undefined, pending: PendingSteps): string[] {
  if (place === undefined) return ["There is no store yet: the first start makes it, by all steps"];
  return [
    `Nothing was changed in ${place}: what plugins register is that of a boot over a temporary, empty store`,
    "Nor were stored files: plugins had an empty folder. Calls to other servers that they make when they are set up were made",
    `Not checked: what follows from the rows that are there, in setups, seeds${pending.size > 0 ? " and the pending steps, which did not run" : ""}`,
  ];
}

function isNoServer(error: unknown): boolean {
  return error instanceof StoreError && error.message.startsWith("Cannot start the embedded store");
}

/** The embedded server has no binaries for this system, or they do not run. */
function noServer(cause: unknown): StoreError {
  return new StoreError(
    `Cannot look at the plugins without a change of the store: that needs a temporary embedded store. ${messageOf(cause)}`,
    { cause },
  );
}
