/**
 * The routes of plugins as data, and the paths of requests. Elysia's router finds the handler of a request; what stands here
 * answers what it does not: which methods a path has, whether it lets everybody in, how long its answer may take. These are
 * asked seldom, so that a walk over all routes is good enough.
 */
import type { PluginApp, SiteApp } from "./plugin_app.ts";

/** A route as the documentation shows it. */
export interface RouteInfo {
  readonly method: string;
  /** With parameters as `:name`, such as `/api/books/:id`. */
  readonly path: string;
  readonly permit: string | undefined;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** The routes of a plugin's app, with what each permits and how it describes itself. */
export function routesOf(app: PluginApp | SiteApp): RouteInfo[] {
  return app.routes.map(({ method, path, hooks }) => {
    const detail = ((hooks as { detail?: Record<string, unknown> } | undefined)?.detail ?? {}) as Record<
      string,
      unknown
    >;
    const permit = detail["x-permission"];
    return { method, path, detail, permit: typeof permit === "string" ? permit : undefined };
  });
}

/** What an app asks of every route below it, by its kind: hooks, judgements of input, and what wraps its handlers. */
export function hooksOf(app: object): { readonly name: string; readonly count: number }[] {
  const { event, validator, extender } = app as {
    event: Readonly<Record<string, unknown>>;
    validator: { readonly global?: object | null; readonly scoped?: object | null };
    extender: { readonly higherOrderFunctions: readonly unknown[] };
  };
  const hooks = Object.entries(event).map(([name, list]) => ({ name, count: Array.isArray(list) ? list.length : 0 }));
  const judged = [validator.global, validator.scoped].flatMap((schema) => Object.keys(schema ?? {}));
  return [
    ...hooks,
    { name: "guard", count: judged.length },
    { name: "wrap", count: extender.higherOrderFunctions.length },
  ];
}

const PATTERNS = new Map<string, RegExp>();

/** A route's path as a pattern over request paths; a final slash is tolerated. */
function patternOf(path: string): RegExp {
  let pattern = PATTERNS.get(path);
  if (!pattern) {
    const source = path
      .split("/")
      .map((part) =>
        part.startsWith(":") ? "[^/]+" : part === "*" ? ".*" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"),
      );
    pattern = new RegExp(`^${source.join("/")}/?$`);
    PATTERNS.set(path, pattern);
  }
  return pattern;
}

/** The methods that are served at a path, in their usual order. */
export function methodsAt(routes: readonly RouteInfo[], path: string): string[] {
  const methods = new Set(routes.filter((route) => patternOf(route.path).test(path)).map(({ method }) => method));
  if (methods.has("GET")) methods.add("HEAD");
  return ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].filter((method) => methods.has(method));
}

/** Whether the route of a request lets everybody in. */
export function isPublicAt(routes: readonly RouteInfo[], request: Request): boolean {
  const path = pathOf(request.url);
  return routes.some(
    (route) => route.permit === "public" && route.method === request.method && patternOf(route.path).test(path),
  );
}

/** Whether a route at a path says `takes: "long"`. */
export function takesLongAt(routes: readonly RouteInfo[], path: string): boolean {
  return routes.some((route) => route.detail["x-takes"] === "long" && patternOf(route.path).test(path));
}

/** The path of a request's URL, without parsing the rest of it. */
export function pathOf(url: string): string {
  const start = pathStart(url);
  if (start < 0) return "/";
  const end = url.indexOf("?", start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

/**
 * The request under a URL that can be parsed, and without `root`, the path of APP_URL, where that comes first. Bun makes the URL of what the client sent as Host, unread: it may be no
 * host at all, or be missing, and then nothing but the path is left. Nothing of ours looks at the host.
 */
export function addressed(request: Request, root = ""): Request {
  const { url } = request;
  const start = pathStart(url);
  const path = url.slice(start);
  // A proxy in front may leave the path of APP_URL on, or take it off: both lead to the same routes.
  const isBelow = root !== "" && path.startsWith(root) && /^(?:[/?]|$)/.test(path.slice(root.length));
  const own = isBelow ? path.slice(root.length) : path;
  if (!isBelow && URL.canParse(url)) return request;
  const origin = URL.canParse(url) ? url.slice(0, start) : "http://localhost";
  return new Request(`${origin}${own.startsWith("/") ? own : `/${own}`}`, request);
}

function pathStart(url: string): number {
  return url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);
}
