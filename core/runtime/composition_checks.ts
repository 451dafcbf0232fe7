/** What a boot checks of plugins and of the operator's choices before anything is changed. */

import type { Log } from "../log.ts";
import { deepFreeze } from "../std/freeze.ts";
import { checkEvents } from "./boot_checks.ts";
import { inBootOrder, unknownContracts, unknownNeighbours } from "./boot_order.ts";
import { checkCommands } from "./command.ts";
import { checkGrants } from "./grant_kinds.ts";
import { grantedHosts } from "./granted_hosts.ts";
import type { ShippedPlugins } from "./left_out.ts";
import { checkChoices, checkVariables, type PluginChoices } from "./operator_choices.ts";
import { checkPins } from "./pins.ts";
import type { AnyPlugin } from "./plugin.ts";
import { checkPluginKeys } from "./plugin_keys.ts";
import { declaredOnce } from "./read_once.ts";
import type { Recorded } from "./recorded.ts";
import { type Constants, readSettings } from "./settings.ts";
import { checkVersions } from "./versions.ts";

/** The plugins of a runtime and what an operator chose. */
export interface Composition extends PluginChoices {
  readonly log: Log;
  readonly plugins: readonly AnyPlugin[];
  /** The plugins that ship with Lectern. */
  readonly shipped?: ShippedPlugins;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly constants?: Constants | undefined;
  /** What plugins registered at a trial, by name. */
  readonly trials?: ReadonlyMap<string, Recorded> | undefined;
}

/**
 * Plugins in boot order, with their settings and the operator's choices checked; declarations of those that do not ship are read once. Logs a warning for names that no plugin has. Throws
 * BootError naming the plugin.
 */
export function checkedPlugins(parts: Composition): readonly AnyPlugin[] {
  const { log, shipped } = parts;
  const given = parts.plugins.map((plugin) => (shipped?.includes(plugin) === false ? declaredOnce(plugin) : plugin));
  checkPluginKeys(given);
  const plugins = inBootOrder(given, shipped ?? []);
  for (const neighbour of unknownNeighbours(plugins, shipped ?? []))
    log.warn("A plugin wants to boot before or after one that is neither installed nor shipped", { ...neighbour });
  for (const unknown of unknownContracts(plugins, shipped))
    log.warn("A plugin uses a contract that no plugin provides; check its name", { ...unknown });
  checkVersions(plugins);
  checkGrants(given);
  checkEvents(plugins, shipped ?? []);
  checkVariables(given);
  checkCommands(given, []);
  checkChoices(plugins, parts);
  checkPins(plugins, parts);
  // `makeContext` reads settings again, after tables are altered.
  for (const plugin of plugins) {
    const { name, settings, grants } = plugin;
    if (!settings) continue;
    const values = readSettings(name, settings, parts.env, parts.settings?.[name], parts.constants?.[name]);
    grantedHosts(plugin, grants.net ?? [], values);
  }
  // Those that were made otherwise than by `definePlugin`, and copies with the file of their list.
  return plugins.map(deepFreeze);
}
