import { BootError } from "../errors.ts";
import type { AnyPlugin } from "./plugin.ts";

/**
 * Plugins in boot order: providers of a contract before its users, otherwise as listed. Throws BootError for a name or
 * contract with two plugins, a contract without a provider, and a cycle.
 */
export function inBootOrder(plugins: readonly AnyPlugin[]): AnyPlugin[] {
  const providers = providersOf(plugins);
  const waiting = [...plugins];
  const ordered: AnyPlugin[] = [];
  const done = new Set<string>();
  while (waiting.length > 0) {
    const ready = waiting.findIndex((plugin) =>
      plugin.requires.every((contract) => done.has(providers.get(contract)?.name ?? "")),
    );
    if (ready < 0) throw new BootError(`Cannot order the plugins: ${cycleOf(waiting, providers)}`);
    const [plugin] = waiting.splice(ready, 1) as [AnyPlugin];
    ordered.push(plugin);
    done.add(plugin.name);
  }
  return ordered;
}

function providersOf(plugins: readonly AnyPlugin[]): Map<string, AnyPlugin> {
  const providers = new Map<string, AnyPlugin>();
  const names = new Set<string>();
  for (const plugin of plugins) {
    if (names.has(plugin.name)) throw new BootError(`Two plugins are named "${plugin.name}"`);
    names.add(plugin.name);
    for (const contract of plugin.provides) {
      const other = providers.get(contract);
      if (other) throw new BootError(`Both "${other.name}" and "${plugin.name}" provide "${contract}"; one must go`);
      providers.set(contract, plugin);
    }
  }
  for (const plugin of plugins) {
    for (const contract of plugin.requires) {
      if (!providers.has(contract))
        throw new BootError(`The plugin "${plugin.name}" requires "${contract}", which no plugin provides`);
    }
  }
  return providers;
}

function cycleOf(waiting: readonly AnyPlugin[], providers: ReadonlyMap<string, AnyPlugin>): string {
  const left = new Set(waiting.map((plugin) => plugin.name));
  return waiting
    .map((plugin) => {
      const blockers = plugin.requires.filter((contract) => left.has(providers.get(contract)?.name ?? ""));
      return `"${plugin.name}" waits for ${blockers.map((contract) => `"${contract}" of "${providers.get(contract)?.name}"`).join(", ")}`;
    })
    .join("; ");
}
