/**
 * What plugins would share, although each has an Elysia instance of its own: global hooks, schemas of guards, wrappers, headers, and the names
 * of decorators, states and models. The boot refuses a plugin whose part would apply to others.
 */
import type { AnyElysia } from "elysia";
import { modelsOf, sharesHeaders, sharesSchemas, sharesWrappers } from "./elysia_internals.ts";

/** Hooks that Elysia has for a whole server alone. */
const OF_SERVERS = ["start", "request", "stop"];

/** What of an app would apply to the routes of other plugins, as the text of an error; undefined if there is nothing. */
export function leakOf(app: AnyElysia, root: AnyElysia): string | undefined {
  for (const kind of ["decorator", "store"] as const) {
    const [own, taken] = [app[kind], root[kind]] as readonly Record<string, unknown>[];
    const name = Object.keys(own ?? {}).find((key) => taken && key in taken && taken[key] !== own?.[key]);
    if (name !== undefined)
      return `its "${name}" would be that of another plugin; names of decorate() and state() are shared`;
  }
  const [models, known] = [modelsOf(app), modelsOf(root)];
  const model = Object.keys(models).find((name) => name in known && !Bun.deepEquals(models[name], known[name]));
  if (model !== undefined) return `its model "${model}" would be that of another plugin; names of model() are shared`;
  const leaked = sharedPart(app);
  return leaked && `its "${leaked}" would apply to the routes of other plugins; hooks must be local`;
}

/** The kind of the first part of an app that is not for its own routes alone. */
function sharedPart(app: AnyElysia): string | undefined {
  for (const [kind, hooks = []] of Object.entries(app.event) as [string, readonly { readonly scope?: string }[]][])
    if (hooks.length > 0 && (OF_SERVERS.includes(kind) || hooks.some(({ scope = "local" }) => scope !== "local")))
      return kind;
  if (sharesSchemas(app)) return "guard";
  if (sharesWrappers(app)) return "wrap";
  return sharesHeaders(app) ? "headers" : undefined;
}
