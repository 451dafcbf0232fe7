import type { Runtime } from "../runtime/boot.ts";
import { variablesOf } from "../runtime/operator_choices.ts";
import type { AnyPlugin, Grants } from "../runtime/plugin.ts";
import type { Enforcement } from "../runtime/plugin_roles.ts";
import { versionLines } from "../runtime/versions.ts";
import type { Choices } from "./load.ts";

/**
 * The line of a plugin: its name and grants, with those that the operator denied marked, and where PostgreSQL does not enforce
 * the tables of a plugin that it should, the reason.
 */
export function grantsOf(plugin: AnyPlugin, denied: readonly (keyof Grants)[], enforcement?: Enforcement): string {
  const permissions: Grants = {
    ...plugin.permissions,
    env: variablesOf(plugin),
  };
  const parts = (["read", "write", "net", "env", "files"] as const).flatMap((kind) => {
    const grant = permissions[kind];
    if (grant === undefined || grant === false || (Array.isArray(grant) && grant.length === 0)) return [];
    const shown = grant === true ? kind : `${kind}=${Array.isArray(grant) ? grant.join(",") : grant}`;
    return [denied.includes(kind) ? `${shown} (denied)` : shown];
  });
  const isolation = plugin.isolation === undefined ? "" : ` ${plugin.isolation}`;
  return `${plugin.name.padEnd(16)} ${parts.join(" ") || "nothing"}${isolation}${enforcementNote(enforcement)}`;
}

function enforcementNote(enforcement: Enforcement | undefined): string {
  if (enforcement === undefined || !enforcement.isWanted) return "";
  return enforcement.reason === undefined ? "" : `  not enforced: ${enforcement.reason}`;
}

/** The boot plan as text: order, grants, pending migrations, boot times, routes and events. */
export function planOf(
  runtime: Runtime,
  pending: ReadonlyMap<string, readonly string[]>,
  denied: Choices["denied"] = {},
): string {
  const plugins = runtime.booted.map(({ plugin, ms }) => {
    const steps = pending.get(plugin.name) ?? [];
    const migrations = steps.length === 0 ? "" : `  was waiting: ${steps.join(", ")}`;
    return `  ${grantsOf(plugin, denied[plugin.name] ?? [], runtime.roles.enforcementOf(plugin.name))}  ${ms.toFixed(1)} ms${migrations}`;
  });
  const routes = runtime.http.routes().map(({ method, path, permit }) => `  ${method.padEnd(7)} ${path}  (${permit})`);
  const events = runtime.booted.flatMap(({ plugin }) => plugin.events.map((event) => `  ${event}  (${plugin.name})`));
  const versions = versionLines(runtime.booted.map(({ plugin }) => plugin));
  return ["Plugins in boot order", ...plugins, "", "Routes", ...routes, "", "Events", ...events, ...versions].join(
    "\n",
  );
}
