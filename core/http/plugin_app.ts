/**
 * The Elysia instances that plugins add their routes to: their types, the check of a `permit`, and what the boot checks of them.
 * `server.ts` makes them.
 */
import type { AnyElysia } from "elysia";
import { type ApiError, denied } from "../errors.ts";
import type { Permit } from "../runtime/registry.ts";
import { hasPermission } from "../viewer.ts";
import type { JudgeAnswer } from "./answer_judge.ts";
import { type AnswerSchemas, withoutResponse } from "./answer_schemas.ts";
import { setJsonType } from "./default_headers.ts";
import { type RequestState, stateOf } from "./request_context.ts";
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

const FIRST = new WeakSet<object>();
const LAST = new WeakSet<object>();

/** Marks a hook of the runtime as one that runs before those of a plugin. */
export function runsFirst<Hook extends object>(hook: Hook): Hook {
  FIRST.add(hook);
  return hook;
}

/** Marks a hook of the runtime as one that runs after those of a plugin. */
export function runsLast<Hook extends object>(hook: Hook): Hook {
  LAST.add(hook);
  return hook;
}

interface HookEntry {
  readonly fn: object;
}

type MapResponse = (context: HookContext) => unknown;

interface RouteHooks {
  readonly parse?: HookEntry[];
  readonly transform?: HookEntry[];
  readonly mapResponse?: HookEntry[];
  readonly error?: HookEntry[];
}

/** Lists that were arranged; routes may share them. */
const ARRANGED = new WeakSet<object>();

/**
 * Arranges the hooks of a plugin's routes. The check of the permit moves before the plugin's own hooks, since Elysia runs those of
 * the app, such as `derive`, before those of the route: a client without permission reads 401 or 403, whatever they would answer.
 * Where `mapResponse` makes the Response, it does not take the content type of JSON from the headers that Elysia adds. It is not
 * called for errors, whose answers it would replace.
 */
export function arrangeHooks(app: AnyElysia): void {
  for (const { hooks } of app.routes) {
    const { mapResponse, parse, transform } = hooks as RouteHooks;
    moveFirst(transform);
    if (parse) arrangeParsers(parse);
    if (!mapResponse?.length || ARRANGED.has(mapResponse)) continue;
    ARRANGED.add(mapResponse);
    mapResponse.splice(
      0,
      mapResponse.length,
      { fn: ({ set }: HookContext) => void delete set.headers["content-type"] },
      ...mapResponse.map((entry) => ({ ...entry, fn: exceptErrors(entry.fn as MapResponse) })),
      { fn: ({ responseValue, set }: HookContext) => setJsonType(responseValue, set) },
    );
  }
}

/** Moves the error handler of the root after those of a plugin, for the routes of the root. */
export function arrangeErrorHandlers(root: AnyElysia): void {
  for (const { hooks } of root.routes) {
    const { error } = hooks as RouteHooks;
    const at = error?.findIndex(({ fn }) => LAST.has(fn)) ?? -1;
    if (error && at >= 0 && at < error.length - 1) error.push(...error.splice(at, 1));
  }
}

/** The parsers of a plugin, between those of the runtime. Without a result of any Elysia would read the body. */
function arrangeParsers(parsers: HookEntry[]): void {
  if (ARRANGED.has(parsers)) return;
  ARRANGED.add(parsers);
  moveFirst(parsers);
  if (parsers.length === 1) parsers.pop();
  parsers.push({ fn: ({ request }: { request: Request }) => stateOf(request).body ?? {} });
}

function moveFirst(hooks: HookEntry[] | undefined): void {
  const at = hooks?.findIndex(({ fn }) => FIRST.has(fn)) ?? 0;
  if (hooks && at > 0) hooks.unshift(...hooks.splice(at, 1));
}

/** Elysia awaits hooks that are declared async. */
function exceptErrors(map: MapResponse): MapResponse {
  return map.constructor.name === "AsyncFunction"
    ? async (context) => (context.error === undefined ? map(context) : undefined)
    : (context) => (context.error === undefined ? map(context) : undefined);
}

interface HookContext {
  readonly error?: unknown;
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
  const [models, known] = [modelsOf(app), modelsOf(root)];
  const model = Object.keys(models).find((name) => name in known && !Bun.deepEquals(models[name], known[name]));
  if (model !== undefined) return `its model "${model}" would be that of another plugin; names of model() are shared`;
  const before = sharedParts(root);
  mount();
  const leaked = sharedParts(root).find(
    ({ name, count }) => count > (before.find((one) => one.name === name)?.count ?? 0),
  );
  return leaked && `its "${leaked.name}" would apply to the routes of other plugins; hooks must be local`;
}

function modelsOf(app: object): Readonly<Record<string, unknown>> {
  return (app as { definitions: { type: Record<string, unknown> } }).definitions.type;
}

/** The global hooks, schemas, wrappers and headers of an app, counted by kind. */
function sharedParts(app: object): { readonly name: string; readonly count: number }[] {
  const { event, validator, standaloneValidator, extender, setHeaders } = app as {
    event: Readonly<Record<string, unknown>>;
    validator: GuardSchemas<object>;
    standaloneValidator: GuardSchemas<readonly object[]>;
    extender: { readonly higherOrderFunctions: readonly unknown[] };
    setHeaders?: object;
  };
  const hooks = Object.entries(event).map(([name, list]) => ({ name, count: Array.isArray(list) ? list.length : 0 }));
  // The root has no schemas of its own: local ones are the scoped ones of a plugin.
  const schemas = [validator.global, validator.scoped, validator.local].flatMap((schema) =>
    Object.values(schema ?? {}).filter((part) => part !== undefined),
  );
  const standalone = [standaloneValidator.global, standaloneValidator.scoped, standaloneValidator.local].flat();
  return [
    ...hooks,
    { name: "guard", count: schemas.length + standalone.filter((schema) => schema).length },
    { name: "wrap", count: extender.higherOrderFunctions.length },
    { name: "headers", count: Object.keys(setHeaders ?? {}).length },
  ];
}

interface GuardSchemas<Schema> {
  readonly global?: Schema | null;
  readonly scoped?: Schema | null;
  readonly local?: Schema | null;
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
  const hook = parse === undefined ? rest : { ...rest, parse: [parse].flat() };
  return Object.fromEntries(Object.entries(hook).map(([name, part]) => [name, Array.isArray(part) ? [...part] : part]));
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
  const { promisedModules, validator } = app as unknown as ElysiaParts;
  const failures: unknown[] = [];
  promisedModules.onError = (error) => failures.push(error);
  LOADING.set(app, async () => {
    await promisedModules;
    if (failures.length > 0) throw failures[0];
  });
  let guarded: AnswerSchemas | undefined;
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
      { method, path: prefix + own, judge },
    );
    return add.call(this, method, path, handler, options, ...rest);
  };
  DUPLICATES.set(app, duplicates);
  return Object.assign(app, { add: recording });
}
