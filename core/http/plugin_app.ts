/**
 * The Elysia instances that plugins add their routes to: their types, the check of a `permit`, and how their routes get to the root.
 * `server.ts` makes them, `hook_order.ts` arranges their hooks, `shared_hooks.ts` keeps them apart.
 */
import type { AnyElysia } from "elysia";
import { type ApiError, denied } from "../errors.ts";
import { hasPermission } from "../viewer.ts";
import type { JudgeAnswer } from "./answer_judge.ts";
import { judging, keepAnswers, withoutAnswers } from "./answer_schemas.ts";
import { modelsOf, observeRoutes, parserOf } from "./elysia_internals.ts";
import { arrangedHooks, type Hook, type RouteHooks, type RuntimeHooks } from "./hook_order.ts";
import { type RequestState, stateOf } from "./request_context.ts";
import { permitsOf, type RouteInfo } from "./route_table.ts";
import type { appBelow } from "./server.ts";

/** A plugin's routes below /api. */
export type PluginApp = ReturnType<typeof appBelow<"/api">>;
/** A plugin's routes outside /api, such as those of files. */
export type SiteApp = ReturnType<typeof appBelow<"">>;
/** Either of them. */
export type AnyPluginApp = PluginApp | SiteApp;

/** The error of a viewer who may not call a route, else that of a body that could not be read. */
function permitError({ bodyError, refusal, viewer }: RequestState, permits: readonly string[]): ApiError | undefined {
  for (const permit of permits) {
    if (permit === "public") continue;
    if (refusal) return refusal;
    if (permit !== "access-api" && !hasPermission(viewer, permit)) return denied();
  }
  return bodyError;
}

/**
 * The body that a route finds, if it was read before routing or must not be read: parsers run before the check of the permit.
 * Undefined leaves it to the parsers of the plugin.
 */
function bodyBeforeParsers(request: Request, permits: readonly string[]): object | undefined {
  const state = stateOf(request);
  return state.isInternal || request.bodyUsed || permitError(state, permits) ? (state.body ?? {}) : undefined;
}

/** Throws the error of a viewer who may not call a route, else that of a body that could not be read. */
function checkPermits(request: Request, permits: readonly string[]): void {
  const error = permitError(stateOf(request), permits);
  if (error) throw error;
}

/** What is kept of an app beside its routes. */
interface AppRecord {
  /** Routes that were registered more than once, as method and path. */
  readonly duplicates: string[];
  readonly judge: JudgeAnswer | undefined;
  /** Errors of routes that were promised. */
  readonly failures: unknown[];
}

const RECORDS = new WeakMap<object, AppRecord>();

/** Records which routes of an app replace others, the schemas of answers as the routes name them, and what cannot be loaded. */
export function recordingRoutes<App extends AnyElysia>(app: App, judge: JudgeAnswer | undefined): App {
  const record: AppRecord = { duplicates: [], judge, failures: [] };
  RECORDS.set(app, record);
  app.modules.onError = (error) => record.failures.push(error);
  return observeRoutes(app, { options: keepAnswers, replaced: (route) => void record.duplicates.push(route) });
}

/** Routes that an app registered more than once, as method and path; Elysia silently keeps the last one. */
export function duplicateRoutes(app: AnyPluginApp): readonly string[] {
  return RECORDS.get(app)?.duplicates ?? [];
}

/** Waits for the routes that an app gets by `use` of a promise or an async function. Throws what they throw. */
export async function lazyRoutesOf(app: AnyPluginApp): Promise<void> {
  await app.modules;
  const [failure] = RECORDS.get(app)?.failures ?? [];
  if (failure !== undefined) throw failure;
}

/**
 * Adds the routes of a plugin to the root, each with the hooks of the runtime around its own. What else `use` would hand on applies to other
 * plugins too: only names that its own routes refer to are added. `onError` answers what the plugin's error handlers do not.
 */
export function addRoutes(app: AnyPluginApp, root: AnyElysia, routes: readonly RouteInfo[], onError: Hook): void {
  const { judge } = RECORDS.get(app) ?? {};
  root.decorate(app.decorator).state(app.store).model(modelsOf(app));
  for (const [index, { handler, hooks }] of app.routes.entries()) {
    const route = routes[index] as RouteInfo;
    const own = withParsers(app, withoutAnswers(hooks));
    const keepsValue = (own.afterResponse ?? []).length > 0;
    const isRead = (route.method === "GET" || route.method === "HEAD") && !isGenerator(handler);
    const arranged = arrangedHooks(own, { ...runtimeHooks(route, { judge, keepsValue, isRead }), lastError: onError });
    // The plugin's compiler has checked the route against the type of its own app, which the root's does not know.
    root.route(route.method, route.path, handlerOf(handler) as never, { ...own, ...arranged } as never);
  }
}

/** Elysia answers a constant with one Response for all requests, whose copies have no content type. */
function handlerOf(handler: unknown): unknown {
  return typeof handler === "function" || handler instanceof Response ? handler : () => handler;
}

/** Elysia waits for the first part of a stream only where it has parsers: what that throws is answered by the error handlers of the route. */
function isGenerator(handler: unknown): boolean {
  return typeof handler === "function" && handler.constructor.name.endsWith("GeneratorFunction");
}

interface RouteFacts extends Pick<RuntimeHooks, "isRead"> {
  readonly judge: JudgeAnswer | undefined;
  readonly keepsValue: boolean;
}

function runtimeHooks(route: RouteInfo, { judge, keepsValue, isRead }: RouteFacts): Omit<RuntimeHooks, "lastError"> {
  const permits = permitsOf(route.detail);
  return {
    firstParser: ({ request }: { request: Request }) => bodyBeforeParsers(request, permits),
    firstTransform({ request, params }: { request: Request; params: Record<string, string | null> }) {
      checkPermits(request, permits);
      if (keepsValue) stateOf(request).keepsValue = true;
      // A segment that cannot be decoded is null here; handlers expect text.
      for (const name in params) params[name] ??= "";
    },
    lastAfterHandle: judge && judging(route, judge),
    isRead,
    hasSchemas: Object.values(route.input).some((schemas) => schemas.length > 0),
  };
}

/** Hooks with the parsers that the plugin has given names: on the root, those of other plugins might have the same. */
function withParsers(app: AnyPluginApp, hooks: RouteHooks): RouteHooks {
  const { parse } = hooks;
  const named = (hook: Hook): Hook => {
    const name = typeof hook === "function" ? undefined : hook.fn;
    const parser = typeof name === "string" ? parserOf(app, name) : undefined;
    return parser === undefined ? hook : { fn: parser };
  };
  return parse ? { ...hooks, parse: parse.map(named) } : hooks;
}
