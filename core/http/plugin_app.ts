/**
 * The Elysia instances that plugins add their routes to: their types, the check of a `permit`, and what is recorded when
 * a route is added. `server.ts` makes them, `hook_order.ts` arranges their hooks, `shared_hooks.ts` keeps them apart.
 */
import { type ApiError, denied } from "../errors.ts";
import type { Permit } from "../registry.ts";
import { hasPermission } from "../viewer.ts";
import type { JudgeAnswer } from "./answer_judge.ts";
import { type AnswerSchemas, withoutResponse } from "./answer_schemas.ts";
import { modelsOf } from "./input_schemas.ts";
import type { RequestState } from "./request_context.ts";
import type { appBelow } from "./server.ts";

/** A plugin's routes below /api. */
export type PluginApp = ReturnType<typeof appBelow<"/api">>;
/** A plugin's routes outside /api, such as those of files. */
export type SiteApp = ReturnType<typeof appBelow<"">>;
/** Either of them. */
export type AnyPluginApp = PluginApp | SiteApp;

/** The error of a viewer who may not call a route, else that of a body that could not be read. */
function permitError({ bodyError, refusal, viewer }: RequestState, permit: Permit): ApiError | undefined {
  if (permit !== "public" && refusal) return refusal;
  if (permit !== "public" && permit !== "access-api" && !hasPermission(viewer, permit)) return denied();
  return bodyError;
}

/** Throws the error of a viewer who may not call a route, else that of a body that could not be read. */
export function checkPermit(state: RequestState, permit: Permit): void {
  const error = permitError(state, permit);
  if (error) throw error;
}

/**
 * The body that a route finds, if it was read before routing or must not be read: parsers run before the check of the permit.
 * Undefined leaves it to the parsers of the plugin.
 */
export function bodyBeforeParsers(request: Request, state: RequestState, permit: Permit): object | undefined {
  return state.isInternal || request.bodyUsed || permitError(state, permit) ? (state.body ?? {}) : undefined;
}

const DUPLICATES = new WeakMap<object, string[]>();

/** Routes that an app registered more than once, as method and path; Elysia silently keeps the last one. */
export function duplicateRoutes(app: object): readonly string[] {
  return DUPLICATES.get(app) ?? [];
}

const LOADING = new WeakMap<object, () => Promise<void>>();

/** Waits for the routes that an app gets by `use` of a promise or an async function. Throws what they throw. */
export async function lazyRoutesOf(app: object): Promise<void> {
  await LOADING.get(app)?.();
}

interface ElysiaParts {
  readonly promisedModules: PromiseLike<unknown> & { onError: (error: unknown) => void };
  readonly validator: { readonly local?: { response?: AnswerSchemas | undefined } | null };
}

/**
 * A copy of a route's options: the routes of another Elysia instance share their lists of hooks, which macros append to. A parser
 * that is named becomes a list too, since macros would skip it.
 */
function withOwnLists({ parse, ...rest }: { readonly parse?: unknown }): object {
  return withCopiedLists(parse === undefined ? rest : { ...rest, parse: [parse].flat() });
}

function withCopiedLists(hook: object): object {
  return Object.fromEntries(Object.entries(hook).map(([name, part]) => [name, Array.isArray(part) ? [...part] : part]));
}

type Chain = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Copies the options of guards, of groups, and of the routes within them: macros change the objects that they get, which a plugin
 * may share between its routes, such as `const open = { permit: "public" }`.
 */
function copyOptions(app: object): void {
  const { group, guard } = app as { readonly group: Chain; readonly guard: Chain };
  const copied = (part: unknown): unknown => {
    if (typeof part === "function") return (inner: object) => part(copyingRoutes(inner));
    return typeof part === "object" && part !== null ? withCopiedLists(part) : part;
  };
  const copying = (chain: Chain): Chain =>
    function (...args) {
      return chain.apply(this, args.map(copied));
    };
  Object.assign(app, { group: copying(group), guard: copying(guard) });
}

/** The instance within a guard or group; what Elysia creates for it does not have the changes of the app. */
function copyingRoutes<Inner extends object>(inner: Inner): Inner {
  copyOptions(inner);
  const { add } = inner as { readonly add: Chain };
  const adding: Chain = function (method, path, handler, hook, ...rest) {
    return add.call(this, method, path, handler, withOwnLists(hook ?? {}), ...rest);
  };
  return Object.assign(inner, { add: adding });
}

/** Changes how routes are added: duplicates are recorded, and schemas of answers are taken from their options. */
export function recordingDuplicates<App extends object>(
  app: App,
  { prefix, judge }: { readonly prefix: string; readonly judge: JudgeAnswer | undefined },
): App {
  const seen = new Set<string>();
  const duplicates: string[] = [];
  const { add } = app as {
    add(method: string, path: string, handler: unknown, hook?: object, ...rest: unknown[]): unknown;
  };
  const { promisedModules, validator } = app as ElysiaParts;
  const failures: unknown[] = [];
  promisedModules.onError = (error) => failures.push(error);
  LOADING.set(app, async () => {
    await promisedModules;
    if (failures.length > 0) throw failures[0];
  });
  let guarded: AnswerSchemas | undefined;
  copyOptions(app);
  const recording: typeof add = function (this: unknown, method, path, handler, hook, ...rest) {
    // The schema of answers of a `guard` for all routes that follow.
    if (validator.local?.response) {
      guarded = validator.local.response;
      validator.local.response = undefined;
    }
    const own = path.startsWith("/") ? path : `/${path}`;
    const route = `${method} ${own}`;
    if (seen.has(route)) duplicates.push(route);
    seen.add(route);
    const options = withoutResponse(
      { response: guarded, ...withOwnLists(hook ?? {}) },
      { method, path: prefix + own, judge, models: () => modelsOf(app) },
    );
    // Elysia answers a constant with one Response for all requests, whose copies have no content type.
    const isOwn = typeof handler === "function" || handler instanceof Response;
    return add.call(this, method, path, isOwn ? handler : () => handler, options, ...rest);
  };
  DUPLICATES.set(app, duplicates);
  return Object.assign(app, { add: recording });
}
