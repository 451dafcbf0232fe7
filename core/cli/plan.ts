import type { MigrationStatus } from "../../db/mod.ts";
import type { Runtime } from "../runtime/boot.ts";
import { versionLines } from "../runtime/versions.ts";
import { grantsLines } from "./grants_text.ts";
import type { Choices } from "./load.ts";

/** The boot plan as text: order, grants, pending migrations, boot times, routes and events. */
export function planOf(
  runtime: Runtime,
  statuses: ReadonlyMap<string, Pick<MigrationStatus, "pending">>,
  denied: Choices["denied"] = {},
): string {
  const plugins = runtime.booted.flatMap(({ plugin, ms }) => {
    const { pending = [] } = statuses.get(plugin.name) ?? {};
    const migrations = pending.length === 0 ? "" : `  was waiting: ${pending.join(", ")}`;
    const [first = "", ...more] = grantsLines(
      plugin,
      denied[plugin.name] ?? [],
      runtime.roles.enforcementOf(plugin.name),
    );
    return [`  ${first}  ${ms.toFixed(1)} ms${migrations}`, ...more.map((line) => `  ${line}`)];
  });
  const routes = runtime.http.routes().map(({ method, path, permit }) => `  ${method.padEnd(7)} ${path}  (${permit})`);
  const events = runtime.booted.flatMap(({ plugin }) => plugin.events.map((event) => `  ${event}  (${plugin.name})`));
  const versions = versionLines(runtime.booted.map(({ plugin }) => plugin));
  return ["Plugins in boot order", ...plugins, "", "Routes", ...routes, "", "Events", ...events, ...versions].join(
    "\n",
  );
}
