/**
 * The file store that is known before the boot: that of a plugin that declares one (`DeclaredFileStore`), or the data folder. Stores
 * that plugins contribute in their setup are known after it alone.
 */
import { chosenProvider } from "../chosen_provider.ts";
import type { Config } from "../config.ts";
import { BootError } from "../errors.ts";
import { DISK, type NamedStore } from "../files/contributed_store.ts";
import { folderStore } from "../files/file_store.ts";
import type { DeclaredFileStore } from "../files/provided.ts";
import type { OpenedPlace } from "../runtime/instance.ts";
import type { PluginChoices } from "../runtime/operator_choices.ts";
import { pinOf } from "../runtime/pins.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { PowerChecks } from "../runtime/power_checks.ts";
import { readSettings } from "../runtime/settings.ts";

/** What settings are read from. */
export interface SettingSources extends Pick<PluginChoices, "settings" | "denied" | "grants"> {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A declared store with the settings of its plugin. */
interface Declared {
  readonly name: string;
  readonly store: DeclaredFileStore;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The file store that was opened, and where it is. */
export interface OpenedFiles extends NamedStore {
  /** Whether uploaded files are there; else they are in the store of FILES_STORE, which a plugin contributes. */
  readonly isInUse: boolean;
  /** Its place as addresses of its service name it, such as a bucket; the path of the folder. */
  readonly place: string;
  /** The store in use in messages. */
  readonly described: string;
  /** The variables to look at where it fails; "" for the folder. */
  readonly check: string;
}

/** Opens the file store that FILES_STORE chooses, or else the settings; the data folder where that is not declared. Throws BootError. */
export function openedFiles(
  config: Pick<Config, "filesStore" | "dataDir">,
  plugins: readonly AnyPlugin[],
  sources: SettingSources,
): OpenedFiles {
  const { filesStore: chosen } = config;
  const all = declaredStores(plugins, sources);
  const candidates =
    chosen === ""
      ? all.filter(({ store, settings }) => store.place(settings) !== "")
      : all.filter(({ name }) => name === chosen);
  const found = chosenProvider(candidates, { service: "a file store", variable: "FILES_STORE", chosen: "" });
  if (!found) return dataFolder(config);
  const { name, store, settings } = found;
  const [place, described] = [store.place(settings), store.describe(settings)];
  return { name, files: store.open(settings), isInUse: true, place, described, check: store.check };
}

/** The names of the file stores that can be opened before the boot, the data folder first. */
export function openableNames(plugins: readonly AnyPlugin[]): string[] {
  return [DISK, ...plugins.flatMap(({ fileStore }) => (fileStore ? [fileStore.name] : []))];
}

/** Opens another place of a declared store by an address, such as the bucket of "s3://backups". Throws BootError. */
export function openPlace(
  scheme: string,
  place: string,
  plugins: readonly AnyPlugin[],
  sources: SettingSources,
): OpenedPlace {
  const found = declaredStores(plugins, sources).find(({ name }) => name === scheme);
  const files = found?.store.openOther?.(place, found.settings);
  if (found && files) return { files, check: found.store.check };
  throw new BootError(`Cannot use "${scheme}://${place}": no plugin opens such addresses`);
}

/** The settings of a plugin that is not booted; without the grant no setting reads its variable. Throws BootError. */
export function settingsBeforeBoot(
  { name, settings: schema }: AnyPlugin,
  { env, settings = {}, denied = {} }: SettingSources,
): Readonly<Record<string, unknown>> {
  const own = denied[name]?.includes("env") ? {} : { ...env };
  return schema ? readSettings(name, schema, own, settings[name]) : {};
}

function declaredStores(plugins: readonly AnyPlugin[], sources: SettingSources): Declared[] {
  return plugins.flatMap((plugin) => {
    const { fileStore: store } = plugin;
    if (!store) return [];
    checkAccepted(plugin, sources);
    return [{ name: store.name, store, settings: settingsBeforeBoot(plugin, sources) }];
  });
}

/** Refuses the store of a plugin as its setup does: commands open it without a boot. Throws BootError. */
function checkAccepted(plugin: AnyPlugin, { denied = {}, grants }: SettingSources): void {
  const choices = { denied: denied[plugin.name] ?? [], pin: pinOf(grants, plugin.name), ships: false };
  new PowerChecks(plugin, plugin.grants, choices).fileStore();
}

function dataFolder({ filesStore, dataDir }: Pick<Config, "filesStore" | "dataDir">): OpenedFiles {
  const place = `${dataDir}/files`;
  const isInUse = filesStore === "" || filesStore === DISK;
  const described = isInUse ? `the folder "${place}"` : `the file store "${filesStore}"`;
  return { name: DISK, files: folderStore(place), isInUse, place, described, check: "" };
}
