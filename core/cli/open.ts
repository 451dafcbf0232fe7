/**
 * Opens what commands work with: the configured store and file store, and a runtime booted over them. Commands that only read get a
 * temporary store where there is none, so that they create nothing.
 */
import { hasStore, openStore, withThrowawayStore } from "../../db/mod.ts";
import { backupBeforeMigrations } from "../backup/backup_folder.ts";
import { type Config, configSchema } from "../config.ts";
import { BootError } from "../errors.ts";
import { DISK, shippedStoreName } from "../files/contributed_store.ts";
import { type FileStore, folderStore } from "../files/file_store.ts";
import { s3Store } from "../files/s3_store.ts";
import { createLog } from "../log.ts";
import { boot, type Runtime } from "../runtime/boot.ts";
import { coreMigrations } from "../runtime/migrations.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { readSettings } from "../runtime/settings.ts";
import type { CommandIo } from "./command.ts";
import { type Choices, readChoices, shippedPlugins } from "./load.ts";

/** A booted runtime with its configuration and file store. */
export interface OpenRuntime {
  readonly runtime: Runtime;
  readonly config: Config;
  readonly files: FileStore;
}

/** Boots the runtime over its store, without listening. The caller has to stop it. */
export async function openRuntime(
  plugins: readonly AnyPlugin[],
  io: CommandIo,
  config: Config = readConfig(io),
): Promise<OpenRuntime> {
  const log = createLog(config.logLevel);
  const choices: Choices = await readChoices();
  const store = await openStore({
    ...storeOptions(config),
    onRestart: () => log.warn("The embedded store had stopped and was restarted"),
    onRestartFailure: (error) => log.error("Cannot restart the embedded store; trying again", { error }),
  });
  try {
    const files = fileStoreOf(config);
    await backupBeforeMigrations(store, [{ name: "core", migrations: coreMigrations }, ...plugins], config, log);
    const runtime = await boot({
      config,
      store,
      files,
      log,
      plugins,
      shipped: await shippedPlugins(),
      env: io.env,
      ...(config.checkAnswers && {
        onAnswerMismatch: (mismatch) => log.error("An answer is not as its schema says", { ...mismatch }),
      }),
      settings: choices.settings,
      denied: choices.denied,
      grants: choices.grants,
    });
    return { runtime, config, files: runtime.files };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Runs a read-only command over the configured store; if there is none, over a temporary one that is deleted afterwards. */
export async function readOnlyCommand<T>(io: CommandIo, run: (config: Config) => Promise<T>): Promise<T> {
  const config = readConfig(io);
  const options = storeOptions(config);
  if (await hasStore(options)) return run(config);
  return withThrowawayStore(options, ({ databaseUrl = "", dataDir }) => run({ ...config, databaseUrl, dataDir }));
}

/** Whether there is no store yet, which is then printed; read-only commands do not create one. */
export async function reportMissingStore(io: CommandIo): Promise<boolean> {
  if (await hasStore(storeOptions(readConfig(io)))) return false;
  io.err("There is no store yet, so there is nothing to show; the first start makes it");
  return true;
}

/** Reads the configuration of core. Throws BootError. */
export function readConfig(io: CommandIo): Config {
  return readSettings("lectern", configSchema, io.env);
}

/** The options for opening the configured store. */
export function storeOptions(config: Config): Parameters<typeof openStore>[0] {
  const server = config.databaseUrl === "" ? {} : { databaseUrl: config.databaseUrl };
  const { dataDir, poolSize, slowPoolSize } = config;
  return { ...server, dataDir, poolSize, slowPoolSize };
}

/** Opens the shipped file store: a bucket if one is configured, else a folder below the data folder. Throws BootError. */
export function fileStoreOf(config: Config): FileStore {
  const { filesS3Endpoint: endpoint, filesS3Bucket: bucket, filesS3Region: region } = config;
  if (shippedStoreName(config) === DISK) return folderStore(`${config.dataDir}/files`);
  if (bucket === "")
    throw new BootError("Cannot store files in a bucket: FILES_STORE is s3, but FILES_S3_BUCKET is empty");
  if (endpoint === "" || config.filesS3Key === "" || config.filesS3Secret === "")
    throw new BootError("Cannot store files in a bucket: set FILES_S3_ENDPOINT, FILES_S3_KEY and FILES_S3_SECRET too");
  return s3Store({
    endpoint,
    bucket,
    region,
    accessKeyId: config.filesS3Key,
    secretAccessKey: config.filesS3Secret,
  });
}
