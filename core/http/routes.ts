/**
 * The routes of plugins as data, and the paths of requests. Elysia's router finds the handler of a request. The functions here
 * answer what it does not: the methods of a path, whether a route is public, whether it takes long. They are called rarely and
 * search all routes.
 */
import { type AnswerSchemas, answersOf } from "./answer_schemas.ts";
import type { PluginApp, SiteApp } from "./plugin_app.ts";

/** A route. */
export interface RouteInfo {
  readonly method: string;
  /** With parameters as `:name`, such as `/api/books/:id`. */
  readonly path: string;
  readonly permit: string | undefined;
  readonly detail: Readonly<Record<string, unknown>>;
  /** Schemas of success answers by status; undefined where the route names none. */
  readonly response: AnswerSchemas | undefined;
}

/** The routes of a plugin's app, with their permit and documentation. */
export function routesOf(app: PluginApp | SiteApp): RouteInfo[] {
  return app.routes.map(({ method, path, hooks }) => {
    const detail = ((hooks as { detail?: Record<string, unknown> } | undefined)?.detail ?? {}) as Record<
      string,
      unknown
    >;
    const permit = detail["x-permission"];
    return { method, path, detail, response: answersOf(detail), permit: typeof permit === "string" ? permit : undefined };
  });
}

/** The global hooks, schemas and wrappers of an app, counted by kind. */
export function hooksOf(app: object): { readonly name: string; readonly count: number }[] {
  const { event, validator, extender } = app as {
    event: Readonly<Record<string, unknown>>;
    validator: { readonly global?: object | null; readonly scoped?: object | null };
    extender: { readonly higherOrderFunctions: readonly unknown[] };
  };
  const hooks = Object.entries(event).map(([name, list]) => ({ name, count: Array.isArray(list) ? list.length : 0 }));
  const schemas = [validator.global, validator.scoped].flatMap((schema) => Object.keys(schema ?? {}));
  return [
    ...hooks,
    { name: "guard", count: schemas.length },
    { name: "wrap", count: extender.higherOrderFunctions.length },
  ];
}

const PATTERNS = new Map<string, RegExp>();

/** The pattern of a route's path; a final slash is allowed. */
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

/** The methods of a path, in their usual order. */
export function methodsAt(routes: readonly RouteInfo[], path: string): string[] {
  const methods = new Set(routes.filter((route) => patternOf(route.path).test(path)).map(({ method }) => method));
  if (methods.has("GET")) methods.add("HEAD");
  return ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].filter((method) => methods.has(method));
}

/** Whether the route of a request is public. */
export function isPublicAt(routes: readonly RouteInfo[], request: Request): boolean {
  const path = pathOf(request.url);
  return routes.some(
    (route) => route.permit === "public" && route.method === request.method && patternOf(route.path).test(path),
  );
}

/** Whether a route of a path says `takes: "long"`. */
export function takesLongAt(routes: readonly RouteInfo[], path: string): boolean {
  return routes.some((route) => route.detail["x-takes"] === "long" && patternOf(route.path).test(path));
}

/** The path of a URL, without parsing the URL. */
export function pathOf(url: string): string {
  const start = pathStart(url);
  if (start < 0) return "/";
  const end = url.indexOf("?", start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

/**
 * The request with a valid URL and without `root`, the path of APP_URL, at its beginning. Bun takes the host of the URL from
 * the client's `Host` header, unchecked: it may be invalid or missing, and is then replaced. The host is not used.
 */
export function withRoutePath(request: Request, root = ""): Request {
  const { url } = request;
  const start = pathStart(url);
  const path = url.slice(start);
  // A proxy may keep or remove the path of APP_URL; both lead to the same routes.
  const isBelow = root !== "" && path.startsWith(root) && /^(?:[/?]|$)/.test(path.slice(root.length));
  const own = isBelow ? path.slice(root.length) : path;
  if (!isBelow && URL.canParse(url)) return request;
  const origin = URL.canParse(url) ? url.slice(0, start) : "http://localhost";
  return new Request(`${origin}${own.startsWith("/") ? own : `/${own}`}`, request);
}

function pathStart(url: string): number {
  return url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);
}
