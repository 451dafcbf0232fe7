/**
 * Mounting of plugins' routes: each route is served once and names a permission that some plugin adds. All of it is checked at
 * boot, since Elysia keeps the last of two equal routes in silence, and a route without a permit would answer everybody.
 */

import { BootError } from "../errors.ts";
import { type AnyPluginApp, duplicateRoutes } from "../http/plugin_app.ts";
import { permitsOf, type RouteInfo } from "../http/route_table.ts";
import type { HttpServer } from "../http/server.ts";
import { didYouMean } from "../std/closest_match.ts";
import { permissionHint, type ShippedPlugins } from "./left_out.ts";
import { permissionsOf } from "./path_patterns.ts";
import type { AnyPlugin } from "./plugin.ts";

/** Methods whose routes would never be called. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  HEAD: "a HEAD is answered as the GET is",
  OPTIONS: "OPTIONS is answered with the methods of the path, or by a route scope",
  WS: "a route is a WebSocket if it answers with acceptWebSocket()",
};

interface MountedRoute {
  readonly plugin: string;
  readonly path: string;
}

/** Mounted routes by method and path. */
const OWNERS = new WeakMap<HttpServer, Map<string, MountedRoute>>();

/** Mounts the routes of a plugin and returns them; `strip` is that of `HttpServer.mount`. Throws BootError for a route that is served twice, names no permit, or has global hooks. */
export function mountPlugin(
  plugin: AnyPlugin,
  app: AnyPluginApp,
  http: HttpServer,
  strip?: (request: Request) => void,
): readonly RouteInfo[] {
  const owners = OWNERS.get(http) ?? new Map<string, MountedRoute>();
  OWNERS.set(http, owners);
  const who = `The plugin "${plugin.name}"${plugin.source === undefined ? "" : ` ("${plugin.source}")`}`;
  const [duplicate] = duplicateRoutes(app);
  if (duplicate !== undefined) throw new BootError(`${who} serves ${duplicate} twice`);
  for (const { method, path } of app.routes)
    if (method in UNREACHABLE)
      throw new BootError(`${who} serves ${method} ${path}, which would never be called: ${UNREACHABLE[method]}`);
  const mounted = orBootError(`Cannot mount the routes of the plugin "${plugin.name}"`, () => http.mount(app, strip));
  for (const { method, path, permit, detail } of mounted) {
    const route = routeKey(method, path);
    const owner = owners.get(route)?.plugin;
    if (owner !== undefined)
      throw new BootError(`${who} serves ${method} ${path}, which the plugin "${owner}" serves already`);
    owners.set(route, { plugin: plugin.name, path });
    const [, second] = permitsOf(detail).filter((name) => name !== "access-api" && name !== "public");
    if (second !== undefined)
      throw new BootError(
        `${who} serves ${method} ${path} by two permissions, "${permit}" and "${second}"; a route and its guards name one`,
      );
    if (permit === undefined) throw new BootError(`${who} serves ${method} ${path} without saying what it permits`);
  }
  return mounted;
}

/** Checks route scopes and compiles the router: one that cannot be compiled would fail every request. Throws BootError. */
export function compileRoutes(http: HttpServer): void {
  orBootError("Cannot compile the routes of the plugins", () => {
    try {
      http.compile();
    } catch (cause) {
      const sides = conflictIn(cause, [...(OWNERS.get(http)?.values() ?? [])]);
      if (sides === undefined || !(cause instanceof Error)) throw cause;
      throw new Error(`${cause.message}: ${sides}`, { cause });
    }
  });
}

/** The two routes whose parameters have different names at the same place, with their plugins. */
function conflictIn(cause: unknown, routes: readonly MountedRoute[]): string | undefined {
  const path = cause instanceof Error ? /Cannot create route "([^"]+)"/.exec(cause.message)?.[1] : undefined;
  const late = routes.findLast((route) => route.path === path);
  const early = routes.find((route) => late !== undefined && namesDiffer(route.path, late.path));
  return late && early && `"${early.plugin}" serves ${early.path}, "${late.plugin}" serves ${late.path}`;
}

/** Whether two paths are alike up to a parameter that they name differently. */
function namesDiffer(one: string, other: string): boolean {
  const others = other.split("/");
  const at = one.split("/").findIndex((segment, index) => segment !== others[index]);
  return [one.split("/")[at], others[at]].every((segment) => segment?.startsWith(":"));
}

/** Checks that some plugin adds each permission of routes and screens: any other would refuse every viewer. Throws BootError. */
export function checkPermits(plugins: readonly AnyPlugin[], http: HttpServer, shipped: ShippedPlugins = []): void {
  const known = new Set<string>(["public", "access-api", ...plugins.flatMap(({ permissions }) => permissions)]);
  const owners = OWNERS.get(http);
  for (const { method, path, permit, detail } of http.routes())
    for (const name of [`${permit}`, ...permissionsOf(detail["x-screen"])]) {
      if (known.has(name)) continue;
      const absent = permissionHint(name, plugins, shipped);
      // A screen of what is left out is there for nobody.
      if (absent !== "" && name !== permit) continue;
      const owner = owners?.get(routeKey(method, path))?.plugin;
      const hint = absent || didYouMean(name, [...known]);
      throw new BootError(
        `${method} ${path}${owner === undefined ? "" : ` of the plugin "${owner}"`} needs the permission "${name}", which no plugin adds${hint}`,
      );
    }
}

/** The key of a route in `OWNERS`. Elysia serves a path with and without a slash at its end. */
function routeKey(method: string, path: string): string {
  return `${method} ${path.replace(/(?<=.)\/$/, "")}`;
}

function orBootError<Result>(what: string, run: () => Result): Result {
  try {
    return run();
  } catch (cause) {
    throw new BootError(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
