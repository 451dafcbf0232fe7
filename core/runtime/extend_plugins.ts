import { Type as t } from "@sinclair/typebox";
import { configSchema } from "../config.ts";
import { BootError } from "../errors.ts";
import { deepFreeze } from "../std/freeze.ts";
import { withinTime } from "../std/within_time.ts";
import type { PluginChoices } from "./operator_choices.ts";
import type { AnyPlugin } from "./plugin.ts";
import { declaredOnce } from "./read_once.ts";
import { type Constants, readSettings } from "./settings.ts";

/** The setting that limits `extend`; others are read, and checked, by the boot. */
const limitSchema = t.Pick(configSchema, ["setupTimeoutMs"]);

/** What `extend` of a plugin is called with: the environment, and the operator's settings by plugin. */
export interface ExtensionOptions extends Pick<PluginChoices, "settings"> {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Other values of constants, for tests. */
  readonly constants?: Constants | undefined;
}

/**
 * The plugins, and after them those that they add by `extend`, in the order of the list. It runs once when plugins are loaded and
 * not at the boot, since added plugins have commands too. Added plugins add no further ones, and their files are in the folder of the
 * plugin that adds them. Throws BootError that names the
 * plugin whose `extend` failed.
 */
export async function withExtensions(
  plugins: readonly AnyPlugin[],
  { env, settings = {}, constants = {} }: ExtensionOptions,
): Promise<readonly AnyPlugin[]> {
  const all = [...plugins];
  const { setupTimeoutMs } = readSettings("lectern", limitSchema, env, {}, constants.core);
  for (const plugin of plugins) {
    if (!plugin.extend) continue;
    const own = plugin.settings ? readSettings(plugin.name, plugin.settings, { ...env }, settings[plugin.name]) : {};
    all.push(...(await addedBy(plugin, own, deepFreeze([...plugins]), setupTimeoutMs)));
  }
  return all;
}

async function addedBy(
  { name, extend, listFile }: AnyPlugin,
  settings: Readonly<Record<string, unknown>>,
  plugins: readonly AnyPlugin[],
  limitMs: number,
): Promise<readonly AnyPlugin[]> {
  try {
    const late = `It did not end within ${limitMs} ms`;
    const added = await withinTime(limitMs, async () => extend?.({ settings, plugins }), late);
    // What a plugin says of itself here is left out: without a file it would be one of the operator's own, in no folder.
    return (added ?? []).map(({ listFile: _file, isolation: _isolation, ...plugin }) =>
      deepFreeze(declaredOnce({ ...plugin, addedBy: name, ...(listFile !== undefined && { listFile }) })),
    );
  } catch (cause) {
    if (cause instanceof BootError) throw cause;
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new BootError(`Cannot load the plugins that "${name}" adds: ${text}`, { cause });
  }
}
