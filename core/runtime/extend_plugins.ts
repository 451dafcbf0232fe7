import { BootError } from "../errors.ts";
import { deepFreeze } from "../freeze.ts";
import type { PluginChoices } from "./operator_choices.ts";
import type { AnyPlugin } from "./plugin.ts";
import { readSettings } from "./settings.ts";

/** What `extend` of a plugin is called with: the environment, and the operator's settings by plugin. */
export interface ExtensionOptions extends Pick<PluginChoices, "settings"> {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The plugins, and after them those that they add by `extend`, in the order of the list. It runs once when plugins are loaded and
 * not at the boot, since added plugins have commands too. Added plugins add no further ones. Throws BootError that names the
 * plugin whose `extend` failed.
 */
export async function withExtensions(
  plugins: readonly AnyPlugin[],
  { env, settings = {} }: ExtensionOptions,
): Promise<readonly AnyPlugin[]> {
  const all = [...plugins];
  for (const plugin of plugins) {
    if (!plugin.extend) continue;
    const own = plugin.settings ? readSettings(plugin.name, plugin.settings, { ...env }, settings[plugin.name]) : {};
    all.push(...(await addedBy(plugin, own, deepFreeze([...plugins]))));
  }
  return all;
}

async function addedBy(
  { name, extend }: AnyPlugin,
  settings: Readonly<Record<string, unknown>>,
  plugins: readonly AnyPlugin[],
): Promise<readonly AnyPlugin[]> {
  try {
    return ((await extend?.({ settings, plugins })) ?? []).map((plugin) => deepFreeze({ ...plugin, addedBy: name }));
  } catch (cause) {
    if (cause instanceof BootError) throw cause;
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new BootError(`Cannot load the plugins that "${name}" adds: ${text}`, { cause });
  }
}
