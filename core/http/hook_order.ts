/**
 * The order of hooks on the routes of plugins: Elysia runs those of an app before those of its routes and those of the root, while
 * some of the runtime's own have to come first or last. So a plugin's routes are added to the root with lists that are made here.
 */
import { setJsonType } from "./default_headers.ts";
import { stateOf } from "./request_context.ts";

/** A hook: a function, or an object around one, as Elysia keeps it. A parser may be the name of one. */
export type Hook = ((context: never) => unknown) | { readonly fn: unknown };

/** The hooks of a route that others of the runtime stand around. */
export interface RouteHooks {
  readonly parse?: readonly Hook[];
  readonly transform?: readonly Hook[];
  readonly beforeHandle?: readonly Hook[];
  readonly afterHandle?: readonly Hook[];
  readonly mapResponse?: readonly Hook[];
  readonly afterResponse?: readonly Hook[];
  readonly error?: readonly Hook[];
}

/** The hooks of the runtime, by their place among those of a route. */
export interface RuntimeHooks {
  /** Before the parsers of a plugin; without these none is asked. */
  readonly firstParser: Hook;
  readonly firstTransform: Hook;
  readonly lastAfterHandle: Hook | undefined;
  readonly lastError: Hook;
  /** Whether schemas judge the input. */
  readonly hasSchemas: boolean;
  /** Whether requests to the route have no body, and its handler is none of a stream. */
  readonly isRead: boolean;
}

/**
 * The hooks of a route in their order. The check of the permit comes before the plugin's own hooks: a client without permission reads
 * 401 or 403, whatever they would answer. The error handler of the runtime comes after those of the plugin.
 */
export function arrangedHooks(hooks: RouteHooks, runtime: RuntimeHooks): RouteHooks {
  const { parse = [], transform = [], beforeHandle = [], afterHandle = [], mapResponse = [], error = [] } = hooks;
  const { firstParser, firstTransform, lastAfterHandle, lastError, hasSchemas, isRead } = runtime;
  // Without the result of a parser Elysia would read the body.
  const parsers = parse.length > 0 ? [firstParser, ...parse, bodyOfState] : [bodyOfState];
  return {
    // Elysia calls none for a read, but would make a promise of its answer.
    parse: isRead ? [] : parsers,
    transform: [firstTransform, ...transform, ...(hasSchemas ? [beginJudging] : [])],
    beforeHandle: hasSchemas ? [endJudging, ...beforeHandle] : beforeHandle,
    afterHandle: lastAfterHandle ? [...afterHandle, lastAfterHandle] : afterHandle,
    mapResponse: mapResponse.length > 0 ? [withoutType, ...mapResponse.map(exceptErrors), withJsonType] : [],
    error: [...error, lastError],
  };
}

function bodyOfState({ request }: { readonly request: Request }): object {
  return stateOf(request).body ?? {};
}

/** Schemas judge the input between `transform` and `beforeHandle`. */
function beginJudging({ request }: { readonly request: Request }): void {
  stateOf(request).isJudged = true;
}

function endJudging({ request }: { readonly request: Request }): void {
  stateOf(request).isJudged = false;
}

/** What makes a Response does not take the content type of JSON from the headers that Elysia adds. */
function withoutType({ set }: MapContext): void {
  delete set.headers["content-type"];
}

function withJsonType({ responseValue, set }: MapContext): void {
  setJsonType(responseValue, set);
}

/** A `mapResponse` that is not called for errors, whose answers it would replace. */
function exceptErrors(hook: Hook): Hook {
  // A hook of a plugin is not narrowed by its type, which names the context of its own routes.
  const map = (typeof hook === "function" ? hook : hook.fn) as (context: MapContext) => unknown;
  return async (context: MapContext) => (context.error === undefined ? map(context) : undefined);
}

interface MapContext {
  readonly error?: unknown;
  readonly responseValue: unknown;
  readonly set: { readonly headers: Record<string, unknown> };
}
