/**
 * The order of hooks on the routes of plugins: Elysia runs those of an app before those of its routes and those of the root, while
 * some of the runtime's own have to come first or last.
 */
import type { AnyElysia } from "elysia";
import { setJsonType } from "./default_headers.ts";
import { stateOf } from "./request_context.ts";

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
  // A guard and its route each have a permit.
  hooks?.sort((one, other) => Number(FIRST.has(other.fn)) - Number(FIRST.has(one.fn)));
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
