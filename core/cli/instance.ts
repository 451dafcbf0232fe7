import { hasStore, openStore } from "../../db/mod.ts";
import { createLog } from "../log.ts";
import type { CommandIo } from "../runtime/command.ts";
import type { Instance } from "../runtime/instance.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { withCore } from "../runtime/with_core.ts";
import { readChoices } from "./load.ts";
import { readConfig, refuseOtherNames, storeOptions, withFiles } from "./open.ts";
import { openedFiles, openPlace, settingsBeforeBoot } from "./opened_files.ts";

/** Connections of a command that works alone. */
const CONNECTIONS = 2;

/** The instance for commands of a plugin that do not boot. Nothing is opened yet. Throws BootError for settings that cannot be used. */
export async function instanceFor(plugin: AnyPlugin, plugins: readonly AnyPlugin[], io: CommandIo): Promise<Instance> {
  const config = readConfig(io, plugins);
  const { settings, denied, grants } = await readChoices();
  const sources = { env: io.env, settings, denied, grants };
  const options = { ...storeOptions(config, plugins, io), poolSize: CONNECTIONS };
  const { name, place } = openedFiles(config, plugins, sources);
  return {
    settings: settingsBeforeBoot(plugin, sources),
    installed: withCore(plugins),
    log: createLog(config.logLevel),
    dataDir: config.dataDir,
    filesAt: { name, place },
    hasStore: () => hasStore(options),
    refuseOtherNames: () => refuseOtherNames(config, plugins, io),
    openStore: () => openStore(options),
    withFiles: (run) => withFiles(config, plugins, io, run),
    openPlace: (scheme, at) => openPlace(scheme, at, plugins, sources),
  };
}
