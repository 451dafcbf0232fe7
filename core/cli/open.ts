import { openStore } from "../../db/mod.ts";
import { boot, type House } from "../boot.ts";
import { type Config, configSchema } from "../config.ts";
import { BootError } from "../errors.ts";
import { type FileStore, folderStore } from "../files.ts";
import { s3Store } from "../files_s3.ts";
import { createLog } from "../log.ts";
import type { AnyPlugin, CommandIo } from "../plugin.ts";
import { readSettings } from "../settings.ts";
import { type Choices, readChoices } from "./load.ts";

/** A booted house with what it was made of. */
export interface OpenHouse {
  readonly house: House;
  readonly config: Config;
  readonly files: FileStore;
}

/** Boots the house over its store, without listening. Whoever opens it stops it. */
export async function openHouse(plugins: readonly AnyPlugin[], io: CommandIo): Promise<OpenHouse> {
  const config = readConfig(io);
  const log = createLog(config.logLevel);
  const choices: Choices = await readChoices();
  const store = await openStore({
    ...storeOptions(config),
    onRevived: () => log.warn("The embedded store had ended and was started again"),
  });
  try {
    const files = fileStoreOf(config);
    const house = await boot({
      config,
      store,
      files,
      log,
      plugins,
      env: io.env,
      settings: choices.settings,
      denied: choices.denied,
    });
    return { house, config, files };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The settings of the house. Throws BootError. */
export function readConfig(io: CommandIo): Config {
  return readSettings("lectern", configSchema, io.env);
}

/** How the settings say to open the store. */
export function storeOptions(config: Config): Parameters<typeof openStore>[0] {
  const server = config.databaseUrl === "" ? {} : { databaseUrl: config.databaseUrl };
  return { ...server, dataDir: config.dataDir, poolSize: config.poolSize };
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
