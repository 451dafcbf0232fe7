/**
 * What plugins add by `extend`, before the boot: further plugins, and those that stand for the entries that the operator isolates, whose
 * modules the loader of lists does not import. Such an entry keeps its place in the list; one that no plugin has loaded stops the start.
 */
import { Type as t } from "@sinclair/typebox";
import { configSchema } from "../config.ts";
import { BootError } from "../errors.ts";
import { SHIPPED_LIST } from "../runtime/left_out.ts";
import type { PluginChoices } from "../runtime/operator_choices.ts";
import type { AnyPlugin, Extending, IsolatedEntry } from "../runtime/plugin.ts";
import { declaredOnce } from "../runtime/read_once.ts";
import { type Constants, readSettings } from "../runtime/settings.ts";
import { deepFreeze } from "../std/freeze.ts";
import { withinTime } from "../std/within_time.ts";

/** The setting that limits `extend`; others are read, and checked, by the boot. */
const limitSchema = t.Pick(configSchema, ["setupTimeoutMs"]);

/** What `extend` of a plugin is called with: the environment, and the operator's settings by plugin. */
export interface ExtensionOptions extends Pick<PluginChoices, "settings"> {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Other values of constants, for tests. */
  readonly constants?: Constants | undefined;
}

/** An isolated entry that no plugin has loaded yet. */
export interface AwaitedEntry extends IsolatedEntry {
  /** The version of its package, for a plugin that names none. */
  readonly version: string | undefined;
}

/** What stands at a place of the list. */
export type Listed = AnyPlugin | AwaitedEntry;

/** Whether what is listed has yet to be loaded. */
export function isAwaited(one: Listed): one is AwaitedEntry {
  return !("setup" in one);
}

/**
 * The plugins, and after them those that they add by `extend`, in the order of the list. It runs once when plugins are loaded and
 * not at the boot, since added plugins have commands too. Added plugins add no further ones, and their files are in the folder of the
 * plugin that adds them; those that stand for isolated entries take their places. Throws BootError that names the plugin whose
 * `extend` failed, or the isolated entry that no plugin has loaded.
 */
export async function withExtensions(
  listed: readonly Listed[],
  { env, settings = {}, constants = {} }: ExtensionOptions,
): Promise<readonly AnyPlugin[]> {
  const places = [...listed];
  const added: AnyPlugin[] = [];
  const { setupTimeoutMs } = readSettings("lectern", limitSchema, env, {}, constants.core);
  for (const plugin of listed) {
    if (isAwaited(plugin) || !plugin.extend) continue;
    const own = plugin.settings ? readSettings(plugin.name, plugin.settings, { ...env }, settings[plugin.name]) : {};
    const known = deepFreeze({ plugins: places.filter(isLoaded), isolated: places.filter(isAwaited) });
    for (const found of await extensionsOf(plugin, { settings: own, ...known }, setupTimeoutMs)) {
      const at = places.findIndex((one) => isAwaited(one) && one.entry === found.isolated?.entry);
      const place = places[at];
      if (place && isAwaited(place)) places[at] = standIn(place, plugin, found);
      else added.push(extension(plugin, found));
    }
  }
  const missing = places.find(isAwaited);
  if (missing)
    throw new BootError(
      `Cannot isolate "${missing.entry}": none of the listed plugins isolates; one of "${SHIPPED_LIST}" does`,
    );
  return [...places.filter(isLoaded), ...added];
}

function isLoaded(one: Listed): one is AnyPlugin {
  return !isAwaited(one);
}

/** What `extend` of a plugin returns, read once. */
async function extensionsOf(
  { name, extend }: AnyPlugin,
  given: Extending,
  limitMs: number,
): Promise<readonly AnyPlugin[]> {
  try {
    const late = `It did not end within ${limitMs} ms`;
    return ((await withinTime(limitMs, async () => extend?.(given), late)) ?? []).map(declaredOnce);
  } catch (cause) {
    if (cause instanceof BootError) throw cause;
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new BootError(`Cannot load the plugins that "${name}" adds: ${text}`, { cause });
  }
}

/** A plugin that stands for an isolated entry. One that does not ship is named as the one that says how it is confined. */
function standIn({ entry, version }: AwaitedEntry, by: AnyPlugin, plugin: AnyPlugin): AnyPlugin {
  const { listFile: _file, addedBy: _added, isolated, ...own } = plugin;
  const said = String(isolated?.how);
  const how = by.listFile === undefined ? said : `isolated by ${by.name}: ${said}`;
  return deepFreeze(declaredOnce({ ...(version !== undefined && { version }), ...own, isolated: { entry, how } }));
}

/** A plugin as one that another adds: without a file it would be one of the operator's own, in no folder. */
function extension({ name, listFile }: AnyPlugin, plugin: AnyPlugin): AnyPlugin {
  // What it says of itself here is left out.
  const { listFile: _file, isolated: _isolated, ...own } = plugin;
  return deepFreeze(declaredOnce({ ...own, addedBy: name, ...(listFile !== undefined && { listFile }) }));
}
