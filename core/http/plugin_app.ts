/**
 * The Elysia instances that plugins add their routes to: their types, the check of a `permit`, and what the boot checks of them.
 * `server.ts` makes them.
 */
import type { AnyElysia } from "elysia";
import { denied } from "../errors.ts";
import type { Permit } from "../runtime/registry.ts";
import { hasPermission } from "../viewer.ts";
import type { JudgeAnswer } from "./answer_judge.ts";
import { withoutResponse } from "./answer_schemas.ts";
import { setJsonType } from "./default_headers.ts";
import type { RequestState } from "./request_context.ts";
import type { appBelow } from "./server.ts";

/** A plugin's routes below /api. */
export type PluginApp = ReturnType<typeof appBelow<"/api">>;
/** A plugin's routes outside /api, such as those of files. */
export type SiteApp = ReturnType<typeof appBelow<"">>;
/** Either of them. */
export type AnyPluginApp = PluginApp | SiteApp;

/** Throws the error of a viewer who may not call a route, else that of a body that could not be read. */
export function checkPermit({ bodyError, refusal, viewer }: RequestState, permit: Permit): void {
  if (permit !== "public" && refusal) throw refusal;
  if (permit !== "public" && permit !== "access-api" && !hasPermission(viewer, permit)) throw denied();
  if (bodyError) throw bodyError;
}

const CHECKS = new WeakSet<object>();

/** Marks a hook as the check of a permit. */
export function checkedFirst<Check extends object>(check: Check): Check {
  CHECKS.add(check);
  return check;
}

interface RouteHooks {
  readonly transform?: { readonly fn: object }[];
  readonly mapResponse?: { readonly fn: object }[];
}

/**
 * Arranges the hooks of a plugin's routes. The check of the permit moves before the plugin's own hooks, since Elysia runs those of
 * the app, such as `derive`, before those of the route: a client without permission reads 401 or 403, whatever they would answer.
 * Where `mapResponse` makes the Response, it does not take the content type of JSON from the headers that Elysia adds.
 */
export function arrangeHooks(app: AnyElysia): void {
  for (const { hooks } of app.routes) {
    const { mapResponse, transform } = hooks as RouteHooks;
    const at = transform?.findIndex(({ fn }) => CHECKS.has(fn)) ?? 0;
    if (transform && at > 0) transform.unshift(...transform.splice(at, 1));
    if (!mapResponse?.length) continue;
    mapResponse.unshift({ fn: ({ set }: HookContext) => void delete set.headers["content-type"] });
    mapResponse.push({ fn: ({ responseValue, set }: HookContext) => setJsonType(responseValue, set) });
  }
}

interface HookContext {
  readonly responseValue: unknown;
  readonly set: { readonly headers: Record<string, unknown> };
}

/**
 * Runs `mount`, which adds an app to the root. Returns what would apply to the routes of other plugins, as the text of an error;
 * undefined if there is nothing.
 */
export function leakOf(app: AnyElysia, root: AnyElysia, mount: () => void): string | undefined {
  for (const kind of ["decorator", "store"] as const) {
    const [own, taken] = [app[kind], root[kind]] as readonly Record<string, unknown>[];
    const name = Object.keys(own ?? {}).find((key) => taken && key in taken && taken[key] !== own?.[key]);
    if (name !== undefined)
      return `its "${name}" would be that of another plugin; names of decorate() and state() are shared`;
  }
  const before = sharedParts(root);
  mount();
  const leaked = sharedParts(root).find(
    ({ name, count }) => count > (before.find((one) => one.name === name)?.count ?? 0),
  );
  return leaked && `its "${leaked.name}" would apply to the routes of other plugins; hooks must be local`;
}

/** The global hooks, schemas, wrappers and headers of an app, counted by kind. */
function sharedParts(app: object): { readonly name: string; readonly count: number }[] {
  const { event, validator, extender, setHeaders } = app as {
    event: Readonly<Record<string, unknown>>;
    validator: { readonly global?: object | null; readonly scoped?: object | null };
    extender: { readonly higherOrderFunctions: readonly unknown[] };
    setHeaders?: object;
  };
  const hooks = Object.entries(event).map(([name, list]) => ({ name, count: Array.isArray(list) ? list.length : 0 }));
  const schemas = [validator.global, validator.scoped].flatMap((schema) => Object.keys(schema ?? {}));
  return [
    ...hooks,
    { name: "guard", count: schemas.length },
    { name: "wrap", count: extender.higherOrderFunctions.length },
    { name: "headers", count: Object.keys(setHeaders ?? {}).length },
  ];
}

const DUPLICATES = new WeakMap<object, string[]>();

/** Routes that an app registered more than once, as method and path; Elysia silently keeps the last one. */
export function duplicateRoutes(app: object): readonly string[] {
  return DUPLICATES.get(app) ?? [];
}

/** Changes how routes are added: duplicates are recorded, and schemas of answers are taken from their options. */
export function recordingDuplicates<App extends object>(
  app: App,
  { prefix, judge }: { readonly prefix: string; readonly judge: JudgeAnswer | undefined },
): App {
  const seen = new Set<string>();
  const duplicates: string[] = [];
  const { add } = app as unknown as {
    add(method: string, path: string, handler: unknown, hook?: object, ...rest: unknown[]): unknown;
  };
  const recording: typeof add = function (this: unknown, method, path, handler, hook, ...rest) {
    const own = path.startsWith("/") ? path : `/${path}`;
    const route = `${method} ${own}`;
    if (seen.has(route)) duplicates.push(route);
    seen.add(route);
    const options = withoutResponse(hook ?? {}, { method, path: prefix + own, judge });
    return add.call(this, method, path, handler, options, ...rest);
  };
  DUPLICATES.set(app, duplicates);
  return Object.assign(app, { add: recording });
}
