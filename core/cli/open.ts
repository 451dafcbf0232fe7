import { hasStore, openStore, withThrowawayStore } from "../../db/mod.ts";
import { type Config, configSchema } from "../config.ts";
import { BootError } from "../errors.ts";
import { type FileStore, folderStore } from "../files/file_store.ts";
import { s3Store } from "../files/s3_store.ts";
import { createLog } from "../log.ts";
import { boot, type Runtime } from "../runtime/boot.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { readSettings } from "../runtime/settings.ts";
import type { CommandIo } from "./command.ts";
import { type Choices, readChoices } from "./load.ts";

/** A booted runtime with what it was made of. */
export interface OpenRuntime {
  readonly runtime: Runtime;
  readonly config: Config;
  readonly files: FileStore;
}

/** Boots the runtime over its store, without listening. Whoever opens it stops it. */
export async function openRuntime(
  plugins: readonly AnyPlugin[],
  io: CommandIo,
  config: Config = readConfig(io),
): Promise<OpenRuntime> {
  const log = createLog(config.logLevel);
  const choices: Choices = await readChoices();
  const store = await openStore({
    ...storeOptions(config),
    onRevived: () => log.warn("The embedded store had ended and was started again"),
  });
  try {
    const files = fileStoreOf(config);
    const runtime = await boot({
      config,
      store,
      files,
      log,
      plugins,
      env: io.env,
      settings: choices.settings,
      denied: choices.denied,
    });
    return { runtime, config, files };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Runs what only looks with the settings of the runtime: over its store, else over one that is gone afterwards. */
export async function readOnlyCommand<T>(io: CommandIo, look: (config: Config) => Promise<T>): Promise<T> {
  const config = readConfig(io);
  const place = storeOptions(config);
  if (await hasStore(place)) return look(config);
  return withThrowawayStore(place, ({ databaseUrl = "", dataDir }) => look({ ...config, databaseUrl, dataDir }));
}

/** Whether there is no store yet, which is then said: commands that only look leave it at that. */
export async function reportMissingStore(io: CommandIo): Promise<boolean> {
  if (await hasStore(storeOptions(readConfig(io)))) return false;
  io.err("There is no store yet, so there is nothing to show; the first start makes it");
  return true;
}

/** The settings of the runtime. Throws BootError. */
export function readConfig(io: CommandIo): Config {
  return readSettings("lectern", configSchema, io.env);
}

/** How the settings say to open the store. */
export function storeOptions(config: Config): Parameters<typeof openStore>[0] {
  const server = config.databaseUrl === "" ? {} : { databaseUrl: config.databaseUrl };
  const { dataDir, poolSize, slowPoolSize } = config;
  return { ...server, dataDir, poolSize, slowPoolSize };
}

/** Where files are kept: in a bucket where one is named, else below the data folder. Throws BootError. */
export function fileStoreOf(config: Config): FileStore {
  const { filesS3Endpoint: endpoint, filesS3Bucket: bucket, filesS3Region: region } = config;
  if (bucket === "") return folderStore(`${config.dataDir}/files`);
  if (endpoint === "" || config.filesS3Key === "" || config.filesS3Secret === "")
    throw new BootError("Cannot keep files in a bucket: set FILES_S3_ENDPOINT, FILES_S3_KEY and FILES_S3_SECRET too");
  return s3Store({
    endpoint,
    bucket,
    region,
    accessKeyId: config.filesS3Key,
    secretAccessKey: config.filesS3Secret,
  });
}
