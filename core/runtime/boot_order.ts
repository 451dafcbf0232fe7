/**
 * The order in which plugins boot: providers of a contract before the plugins that need or use it, then what `before` and `after`
 * name. Only installed plugins count, so that an order can name a plugin that an operator leaves out.
 */

import { BootError } from "../errors.ts";
import { closestMatch } from "../std/closest_match.ts";
import { contractHint, leaveOutLine, type ShippedPlugins } from "./left_out.ts";
import { isOwnContract, OWN_CONTRACTS } from "./own_contracts.ts";
import type { AnyPlugin } from "./plugin.ts";

/** A plugin that another one waits for, and the reason as errors show it. */
interface Wait {
  readonly plugin: AnyPlugin;
  readonly reason: string;
}

/**
 * Plugins in boot order: providers of a contract before its users, then `before` and `after`, otherwise as listed. Throws
 * BootError for a name or contract with two plugins, a required contract without a provider, and a cycle. `shipped` are the
 * plugins that ship with Lectern, also those that are left out: errors name them.
 */
export function inBootOrder(plugins: readonly AnyPlugin[], shipped: ShippedPlugins = []): AnyPlugin[] {
  const waits = waitsOf(plugins, providersOf(plugins, shipped));
  const waiting = [...plugins];
  const ordered: AnyPlugin[] = [];
  const done = new Set<AnyPlugin>();
  while (waiting.length > 0) {
    const ready = waiting.findIndex((plugin) => waits.get(plugin)?.every((wait) => done.has(wait.plugin)));
    if (ready < 0) throw new BootError(`Cannot order the plugins: ${cycleOf(waiting[0] as AnyPlugin, waits, done)}`);
    const [plugin] = waiting.splice(ready, 1) as [AnyPlugin];
    ordered.push(plugin);
    done.add(plugin);
  }
  return ordered;
}

/** A name in `before` or `after` that belongs to no plugin. */
export interface UnknownNeighbour {
  readonly plugin: string;
  readonly list: "before" | "after";
  readonly name: string;
  /** The known name that differs least. */
  readonly closest: string | undefined;
}

/** Names in `before` and `after` that are neither installed nor shipped; these are ignored, since plugins are optional there. */
export function unknownNeighbours(plugins: readonly AnyPlugin[], shipped: ShippedPlugins = []): UnknownNeighbour[] {
  const absent = plugins.flatMap((plugin) =>
    (["before", "after"] as const).flatMap((list) =>
      plugin[list]
        .filter((name) => !plugins.some((one) => one.name === name))
        .map((name) => ({ plugin: plugin.name, list, name })),
    ),
  );
  if (absent.length === 0) return [];
  const known = [...new Set([...plugins, ...shipped].map(({ name }) => name))];
  return absent
    .filter(({ name }) => !known.includes(name))
    .map((one) => ({ ...one, closest: closestMatch(one.name, known) }));
}

/** A contract in `uses` that neither installed nor shipped plugins provide. */
export interface UnknownContract {
  readonly plugin: string;
  readonly contract: string;
  /** The known contract whose name differs least. */
  readonly closest: string | undefined;
}

/** Contracts in `uses` that no plugin provides and whose names resemble a known one; these are most likely misspelt. */
export function unknownContracts(plugins: readonly AnyPlugin[], shipped: ShippedPlugins = []): UnknownContract[] {
  const installed = contractNames(plugins, []);
  const absent = plugins.flatMap(({ name, uses }) =>
    uses.filter((contract) => !installed.includes(contract)).map((contract) => ({ plugin: name, contract })),
  );
  if (absent.length === 0) return [];
  const known = contractNames(plugins, shipped);
  return absent
    .filter(({ contract }) => !known.includes(contract))
    .map((one) => ({ ...one, closest: closestMatch(one.contract, known) }))
    .filter(({ closest }) => closest !== undefined);
}

function contractNames(plugins: readonly AnyPlugin[], shipped: ShippedPlugins): string[] {
  return [...new Set([...OWN_CONTRACTS, ...[...plugins, ...shipped].flatMap(({ provides }) => provides)])];
}

function waitsOf(
  plugins: readonly AnyPlugin[],
  providers: ReadonlyMap<string, AnyPlugin>,
): ReadonlyMap<AnyPlugin, readonly Wait[]> {
  const byName = new Map(plugins.map((plugin) => [plugin.name, plugin]));
  const waits = new Map<AnyPlugin, Wait[]>(plugins.map((plugin) => [plugin, []]));
  const add = (plugin: AnyPlugin | undefined, other: AnyPlugin | undefined, reason: string) => {
    if (plugin && other) waits.get(plugin)?.push({ plugin: other, reason });
  };
  for (const plugin of plugins) {
    for (const contract of new Set([...plugin.requires, ...plugin.uses])) {
      const provider = providers.get(contract);
      add(plugin, provider, `"${contract}" of "${provider?.name}"`);
    }
    for (const name of plugin.after) add(plugin, byName.get(name), `"${name}", which its "after" names`);
    for (const name of plugin.before) add(byName.get(name), plugin, `"${plugin.name}", whose "before" names "${name}"`);
  }
  return waits;
}

function providersOf(plugins: readonly AnyPlugin[], shipped: ShippedPlugins): Map<string, AnyPlugin> {
  const providers = new Map<string, AnyPlugin>();
  const names = new Set<string>();
  for (const plugin of plugins) {
    if (names.has(plugin.name)) throw new BootError(`Two plugins are named "${plugin.name}"`);
    names.add(plugin.name);
    for (const contract of plugin.provides) {
      if (isOwnContract(contract))
        throw new BootError(`The plugin "${plugin.name}" provides "${contract}", which Lectern itself provides`);
      const other = providers.get(contract);
      if (other)
        throw new BootError(
          `Both "${other.name}" and "${plugin.name}" provide "${contract}"; one must go${leaveOutLine([other, plugin], shipped)}`,
        );
      providers.set(contract, plugin);
    }
  }
  const missing = plugins
    .flatMap(({ requires }) => requires)
    .find((contract) => !providers.has(contract) && !isOwnContract(contract));
  if (missing === undefined) return providers;
  const users = plugins.filter(({ requires }) => requires.includes(missing)).map(({ name }) => `"${name}"`);
  const who = users.length === 1 ? `plugin ${users[0]} requires` : `plugins ${users.join(", ")} require`;
  throw new BootError(
    `The ${who} "${missing}", which no plugin provides${contractHint(missing, plugins, shipped) || closestContract(missing, plugins, shipped)}`,
  );
}

function closestContract(name: string, plugins: readonly AnyPlugin[], shipped: ShippedPlugins): string {
  const near = closestMatch(name, contractNames(plugins, shipped));
  return near === undefined ? "" : `; did you mean "${near}"?`;
}

/** The cycle that a plugin waits for: each of its plugins with the next one. */
function cycleOf(
  first: AnyPlugin,
  waits: ReadonlyMap<AnyPlugin, readonly Wait[]>,
  done: ReadonlySet<AnyPlugin>,
): string {
  const path: { plugin: AnyPlugin; wait: Wait }[] = [];
  for (let plugin = first; ; ) {
    const start = path.findIndex((step) => step.plugin === plugin);
    if (start >= 0)
      return path
        .slice(start)
        .map((step) => `"${step.plugin.name}" waits for ${step.wait.reason}`)
        .join("; ");
    // A plugin that is not done waits for one that is not done either, or it would have been ready.
    const wait = waits.get(plugin)?.find((each) => !done.has(each.plugin)) as Wait;
    path.push({ plugin, wait });
    plugin = wait.plugin;
  }
}
