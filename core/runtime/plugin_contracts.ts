/** Contracts as one plugin sees them: those that it names in `requires` and `uses`, and those that it provides. */
import { BootError } from "../errors.ts";
import { type Faults, withFaults } from "../faults.ts";
import { isOwnContract, type OwnContracts } from "./own_contracts.ts";
import type { AnyContext, AnyPlugin } from "./plugin.ts";

/** Keeps a service that a plugin provides. Throws BootError for one that it does not name in `provides`. */
export function provide(plugin: AnyPlugin, contracts: Map<string, unknown>, name: string, service: unknown): void {
  if (!(plugin.provides as readonly string[]).includes(name)) {
    throw new BootError(`The plugin "${plugin.name}" provides "${name}" without naming it in "provides"`);
  }
  contracts.set(name, service);
}

/** The contracts of `requires` and `uses`, and no others, as the plugin calls them. */
export function contractsOf(
  plugin: AnyPlugin,
  contracts: ReadonlyMap<string, unknown>,
  forPlugin: (name: string, service: unknown) => unknown,
): AnyContext["contracts"] {
  const own: Record<string, unknown> = {};
  const services = new Map<unknown, unknown>();
  const serviceOf = (name: string) => {
    const service = contracts.get(name);
    if (!services.has(service)) services.set(service, forPlugin(name, service));
    return services.get(service);
  };
  for (const name of new Set([...plugin.requires, ...plugin.uses]))
    Object.defineProperty(own, name, { enumerable: true, get: () => serviceOf(name) });
  return own as AnyContext["contracts"];
}

/** The service of a contract of the runtime for one plugin, whose listeners fail as its other parts do; undefined for another contract. */
export function ownContractFor(
  name: string,
  service: unknown,
  listening: { readonly plugin: string; readonly faults: Faults },
): unknown {
  if (!isOwnContract(name)) return undefined;
  if (name !== "telemetry") return service;
  const telemetry = service as OwnContracts["telemetry"];
  return {
    ...telemetry,
    onAnswer: (listener) => telemetry.onAnswer(withFaults(listener, listening)),
  } satisfies typeof telemetry;
}
