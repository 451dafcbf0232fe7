import type { Runtime } from "../runtime/boot.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { versionLines } from "../runtime/versions.ts";
import { grantsLines } from "./grants_text.ts";
import type { KnownEnforcement } from "./known_enforcement.ts";
import type { Choices } from "./load.ts";
import { type Look, pendingText } from "./look.ts";

/** What a plan shows beside what the plugins register. */
export interface PlanParts extends Pick<Look, "pending" | "notes"> {
  readonly denied: Choices["denied"];
  enforcementOf(plugin: AnyPlugin): KnownEnforcement;
}

/** The boot plan as text: order, grants, pending migrations, times of a first boot, routes and events. */
export function planOf(runtime: Runtime, { pending, notes, denied, enforcementOf }: PlanParts): string {
  const plugins = runtime.booted.flatMap(({ plugin, ms, recorded }) => {
    const steps = pending.get(plugin.name) ?? [];
    const migrations = steps.length === 0 ? "" : `  pending: ${steps.join(", ")}`;
    const [first = "", ...more] = grantsLines(
      { plugin, denied: denied[plugin.name] ?? [], recorded },
      enforcementOf(plugin),
    );
    return [`  ${first}  ${ms.toFixed(1)} ms${migrations}`, ...more.map((line) => `  ${line}`)];
  });
  const routes = runtime.http.routes().map(({ method, path, permit }) => `  ${method.padEnd(7)} ${path}  (${permit})`);
  const events = runtime.booted.flatMap(({ plugin }) => plugin.events.map((event) => `  ${event}  (${plugin.name})`));
  const versions = versionLines(runtime.booted.map(({ plugin }) => plugin));
  const own = pendingText(new Map([...pending].filter(([name]) => name === "core")));
  const waiting = own === "" ? [] : ["", `Pending: ${own}`];
  return [
    ...["Plugins in boot order", ...plugins, ...waiting, "", "Routes", ...routes, "", "Events", ...events, ...versions],
    ...["", ...notes],
  ].join("\n");
}
