/**
 * Opens what commands work with: configuration, store, file store and runtime. The server and every command that changes
 * something boot the same runtime; only the marker of the file store is treated differently.
 */

import {
  codeOf,
  hasStore,
  openStore,
  type Store,
  type StoreOptions,
  Timelines,
  withThrowawayStore,
} from "../../db/mod.ts";
import { type Config, configSchema } from "../config.ts";
import { BootError } from "../errors.ts";
import { type FileStore, folderStore } from "../files/file_store.ts";
import { checkMarker, completeMarker, markedTimelines, markTimelines, writeMarker } from "../files/instance_marker.ts";
import { currentRequestId } from "../http/request_context.ts";
import { createLog, type Log } from "../log.ts";
import { boot, type Runtime } from "../runtime/boot.ts";
import type { CommandIo } from "../runtime/command.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { readSettings } from "../runtime/settings.ts";
import { checkStoreVersion } from "../runtime/store_version.ts";
import { beforeMigrations } from "./before_migrations.ts";
import { type Choices, readChoices, removedVariables, shippedPlugins, thirdParty } from "./load.ts";
import {
  correction,
  misspeltText,
  misspeltVariables,
  otherNameOfPlace,
  refuseMisspeltPlaces,
} from "./misspelt_variables.ts";
import { type OpenedFiles, openedFiles } from "./opened_files.ts";
import { refuseRemovedVariables } from "./removed_variables.ts";
import { logStoreEvents } from "./store_log.ts";
import { trialOfPinned } from "./trial.ts";

/** SQLSTATE of a write that a server refuses. */
const READ_ONLY = "25006";

/** What a start logs behind a pooler in transaction mode that has no address for notifications. */
const UNHEARD =
  "No notifications arrive over the pooler of DATABASE_URL: what other servers change shows after a second, and their jobs wait up to 5 s; set DATABASE_LISTEN_URL to the address of the server itself";

/** A booted runtime with its configuration and file store. */
export interface OpenRuntime {
  readonly runtime: Runtime;
  readonly config: Config;
  readonly files: FileStore;
}

/**
 * What happens to the marker of the file store (`files/instance_marker.ts`): it is checked and completed, only checked, replaced, or
 * ignored over a temporary store, to which no files belong: plugins then have a folder of their own, as the rows that would name the
 * files of the instance are not there. "look" is "ignore" for those who want to see what plugins do, whether it was accepted or not.
 */
export type MarkerMode = "complete" | "check" | "accept" | "ignore" | "look";

/** Boots the runtime over its store, without listening. The caller has to stop it. `onStore` is shown the store before the boot. */
export async function openRuntime(
  plugins: readonly AnyPlugin[],
  io: CommandIo,
  config: Config = readConfig(io, plugins),
  marker: MarkerMode = "complete",
  onStore: (store: Store) => void = () => {},
): Promise<OpenRuntime> {
  refuseRemovedVariables(io.env, plugins, await removedVariables());
  const log = logOf(config);
  const choices: Choices = await readChoices();
  const isTemporary = marker === "ignore" || marker === "look";
  if (!isTemporary) await checkStoreExists(config, plugins, io);
  if (config.worker === undefined || config.worker.number === 1)
    for (const one of misspeltVariables(io.env, plugins, shippedPlugins())) log.warn(misspeltText(one));
  // A worker boots what the first one has compared; a temporary store is nobody's.
  const isCompared = !isTemporary && (config.worker === undefined || config.worker.number === 1);
  const trial = isCompared ? trialOfPinned(plugins, thirdParty(plugins), choices, io) : undefined;
  const timelines = timelinesOf(config, plugins, io);
  const store = await openStore({
    ...storeOptions(config, plugins, io),
    timelines,
    onEvent: logStoreEvents(log),
    onUnheard: () => log.warn(UNHEARD),
    onRestart: () => log.warn("The embedded store had stopped and was restarted"),
    onRestartFailure: (error) => log.error("Cannot restart the embedded store; trying again", { error }),
  });
  onStore(store);
  try {
    const opened = await openFiles(config, plugins, io, marker === "look");
    const { files, isInUse, described: place } = opened;
    const isChecked = marker === "complete" || marker === "check";
    if (isInUse && isChecked) await checkMarker({ db: store.db, files, place }, log);
    await checkStoreVersion(store.db, plugins);
    for (const [plugin, reason] of (await trial)?.problems ?? [])
      log.warn("What a plugin registers is compared with what was accepted at its setup alone", { plugin, reason });
    await beforeMigrations(store, plugins, io);
    const runtime = await boot({
      config,
      store,
      files: opened,
      ...(isTemporary && { scratchFiles: folderStore(`${config.dataDir}/files`) }),
      log,
      plugins,
      shipped: shippedPlugins(),
      env: io.env,
      ...(config.checkAnswers && {
        onAnswerMismatch: (mismatch) => log.error("An answer is not as its schema says", { ...mismatch }),
      }),
      settings: choices.settings,
      denied: choices.denied,
      ...(marker !== "look" && { grants: choices.grants, trials: (await trial)?.recorded }),
    });
    try {
      const stores = { db: store.db, files: runtime.files, place };
      if (!isInUse && isChecked) await checkMarker(stores, log);
      if (marker === "accept") await writeMarker(stores);
      if (marker === "complete") await completeMarker(stores, log);
      if (!isTemporary && store.kind === "server")
        await keepTimelines(timelines, { files: runtime.files, log, writes: marker !== "check" });
    } catch (error) {
      await runtime.stop();
      throw error;
    }
    return { runtime, config, files: runtime.files };
  } catch (error) {
    await store.close();
    if (codeOf(error) !== READ_ONLY) throw error;
    throw new BootError(
      `Cannot start over ${store.description}: it is read-only, such as a replica; set DATABASE_URL to the server that accepts writes`,
      { cause: error },
    );
  }
}

/** Whether there is no store yet, which is then printed; read-only commands do not create one. */
export async function reportMissingStore(plugins: readonly AnyPlugin[], io: CommandIo): Promise<boolean> {
  if (await hasStore(storeOptions(readConfig(io, plugins), plugins, io))) return false;
  io.err("There is no store yet, so there is nothing to show; the first start makes it");
  return true;
}

/** Reads the configuration of core. Throws BootError, also for a variable that resembles one of core or plugins which says where data lies. */
export function readConfig(io: CommandIo, plugins: readonly AnyPlugin[] = []): Config {
  refuseMisspeltPlaces(io.env, plugins);
  return readSettings("lectern", configSchema, io.env);
}

/** The log of a configuration; lines of a worker have its number. */
export function logOf({ logLevel, worker }: Config): Log {
  const log = createLog(logLevel, undefined, currentRequestId);
  return worker ? log.with({ worker: worker.number }) : log;
}

/** Refuses to create a store where DATA_REQUIRED, or a variable of another name, says that there is one. Throws BootError. */
export async function checkStoreExists(config: Config, plugins: readonly AnyPlugin[], io: CommandIo): Promise<void> {
  await refuseOtherNames(config, plugins, io);
  if (!config.dataRequired || (await hasStore(storeOptions(config, plugins, io)))) return;
  throw new BootError(
    `Cannot start: DATA_REQUIRED is true, and there is no store in the ${config.databaseUrl === "" ? "folder of DATA_DIR" : "database of DATABASE_URL"}; ` +
      "is it an empty mount? Unset DATA_REQUIRED to create a new instance",
  );
}

/** Refuses to create a store where a variable has another name than the setting which would say where it is. Throws BootError. */
export async function refuseOtherNames(config: Config, plugins: readonly AnyPlugin[], io: CommandIo): Promise<void> {
  const other = otherNameOfPlace(io.env, plugins);
  if (other?.near === undefined || (await hasStore(storeOptions(config, plugins, io)))) return;
  const place = config.databaseUrl === "" ? `the folder "${config.dataDir}"` : "the database of DATABASE_URL";
  throw new BootError(`Cannot make a new store in ${place}: ${correction({ name: other.name, near: other.near })}`);
}

/** The timelines by which a former leader is told, with those that the marker of the file store knows. */
export function timelinesOf(config: Config, plugins: readonly AnyPlugin[], io: CommandIo): Timelines {
  return new Timelines({}, async () => {
    const { files, isInUse } = await openFiles(config, plugins, io, true);
    return isInUse ? markedTimelines(files) : {};
  });
}

/** What the timelines are kept in. */
interface KeptTimelines {
  readonly files: FileStore;
  readonly log: Log;
  readonly writes: boolean;
}

/**
 * Keeps the timelines in the marker from now on. Throws BootError over a former leader, which the file store of a plugin says only
 * now.
 */
async function keepTimelines(timelines: Timelines, { files, log, writes }: KeptTimelines): Promise<void> {
  timelines.learn = () => markedTimelines(files);
  const used = Object.entries(timelines.known);
  await timelines.refresh();
  for (const [system, timeline] of used) {
    const newest = timelines.newerThan({ system, timeline });
    if (newest !== undefined)
      throw new BootError(
        `Cannot start: the server of DATABASE_URL is a former leader (its timeline is ${timeline}, that of its cluster ${newest}); ` +
          `start the leader, or run "lectern leader accept" after a restore or a move`,
      );
  }
  if (!writes) return;
  const note = () =>
    markTimelines(files, timelines.known).catch((error: unknown) =>
      log.warn("Cannot write the timeline of the store to the marker of the file store", { error }),
    );
  timelines.onNewer = () => void note();
  await note();
}

/** The options for opening the configured store. */
export function storeOptions(
  config: Config,
  plugins: readonly AnyPlugin[],
  io: CommandIo,
): Parameters<typeof openStore>[0] {
  const { dataDir, poolSize, slowPoolSize, readMaxLagMs, readCheckMs } = config;
  const readUrls = config.readUrls.split(/\s+/).filter((url) => url !== "");
  return {
    ...serverOptions(config),
    timelines: timelinesOf(config, plugins, io),
    dataDir,
    poolSize,
    slowPoolSize,
    readUrls,
    readMaxLagMs,
    readCheckMs,
  };
}

/** Those of them that are about a server; none for the embedded one. */
export function serverOptions(
  config: Pick<Config, "databaseUrl" | "listenUrl" | "prepare">,
): Pick<StoreOptions, "databaseUrl" | "listenUrl" | "prepare"> {
  const { databaseUrl, listenUrl, prepare } = config;
  return databaseUrl === "" ? {} : { databaseUrl, listenUrl, prepare };
}

/**
 * The file store that is known before the boot; that of a plugin has to be accepted, unless this is a look at what it would do. Throws
 * BootError, also for settings that cannot be used.
 */
export async function openFiles(
  config: Config,
  plugins: readonly AnyPlugin[],
  io: CommandIo,
  isLook = false,
): Promise<OpenedFiles> {
  const { settings, denied, grants } = await readChoices();
  return openedFiles(config, plugins, { env: io.env, settings, denied, grants: isLook ? undefined : grants });
}

/** The file store in use, and its name in messages. That of a plugin's setup is known after a boot, over a temporary store. */
export async function withFiles<T>(
  config: Config,
  plugins: readonly AnyPlugin[],
  io: CommandIo,
  run: (files: FileStore, described: string) => Promise<T>,
): Promise<T> {
  const { files: opened, isInUse, described } = await openFiles(config, plugins, io);
  if (isInUse) return run(opened, described);
  return withThrowawayStore(async ({ dataDir }) => {
    const temporary = { ...config, databaseUrl: "", dataDir };
    const quiet = { ...io, env: { LOG_LEVEL: "warn", ...io.env } };
    const { runtime, files } = await openRuntime(plugins, quiet, temporary, "ignore");
    try {
      return await run(files, described);
    } finally {
      await runtime.stop();
    }
  });
}
