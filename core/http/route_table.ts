/**
 * The routes of plugins as data, and the table that finds them by method and path as Elysia routes: it is Elysia's own router,
 * read once at boot. It answers what the router itself does not: the methods of a path, and what the route of a request declares.
 */
import type { AnyElysia } from "elysia";
import { type ApiError, localizedError } from "../errors.ts";
import { trimChars } from "../std/trim_chars.ts";
import { type AnswerSchemas, answersOf } from "./answer_schemas.ts";
import { modelsOf, storedRoute } from "./elysia_internals.ts";
import { type InputSchemas, inputSchemasOf } from "./input_schemas.ts";
import { pathOf } from "./request_rewrite.ts";

/** A route. */
export interface RouteInfo {
  readonly method: string;
  /** With parameters as `:name`, such as `/api/books/:id`. */
  readonly path: string;
  /** The narrowest of those of the route and of the guards around it. */
  readonly permit: string | undefined;
  readonly detail: Readonly<Record<string, unknown>>;
  /** Schemas of success answers by status; undefined where the route names none. */
  readonly response: AnswerSchemas | undefined;
  readonly input: InputSchemas;
  /** Whether it reads bodies itself (`ownBodies` of its scope); known of the routes of a runtime alone. */
  readonly ownBody?: boolean;
}

/** The routes of a plugin's app, with their permit and documentation. Throws for schemas that name no model of the app. */
export function routesOf(app: AnyElysia): RouteInfo[] {
  const models = modelsOf(app);
  return app.routes.map(({ method, path, hooks = {} }) => {
    const { detail = {} } = hooks as { detail?: Record<string, unknown> };
    const input = inputSchemasOf(hooks, models);
    return { method, path, detail, input, response: answersOf(hooks, models), permit: permitsOf(detail)[0] };
  });
}

const PERMIT = "x-permit:";

/** The documentation that keeps a permit. Each has a key of its own, since Elysia merges the details of guards and their routes. */
export function permitDetail(permit: string): object {
  return { [PERMIT + permit]: true };
}

/** What a route and the guards around it permit, all of which is checked: permissions first, "public" last. */
export function permitsOf(detail: object): string[] {
  const permits = Object.keys(detail).flatMap((key) => (key.startsWith(PERMIT) ? [key.slice(PERMIT.length)] : []));
  const width = (permit: string) => ["access-api", "public"].indexOf(permit);
  return permits.sort((one, other) => width(one) - width(other));
}

/** Methods in the order in which `Allow` lists them. */
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/**
 * The error of a request that the router has no route for, or whose route threw Elysia's error of that case: 404, or 405 where its path has other
 * methods. `refusal` is its failed authentication.
 */
export function noRouteError(
  { headers, method, url }: Pick<Request, "headers" | "method" | "url">,
  methods: readonly string[],
  refusal: ApiError | undefined,
): ApiError {
  const shown = trimChars(pathOf(url), "/") || "/";
  if (methods.length === 0 || methods.includes(method))
    return localizedError(404, "The route :route could not be found.", { route: shown });
  // The body was not read and may override the method: the answer is the failed authentication.
  if (refusal && method === "POST" && headers.has("content-type")) return refusal;
  const allow = methods.join(", ");
  const text = "The :method method is not supported for route :route. Supported methods: :methods.";
  return localizedError(405, text, { method, route: shown, methods: allow }, { headers: { allow } });
}

/** Answers of `serves` that are remembered; paths have slugs in them. */
const MAX_SERVED = 5_000;

/** Finds routes as Elysia does. */
export class RouteTable {
  readonly #app: AnyElysia;
  /** Routes by what the router stores for them. */
  readonly #routes = new Map<unknown, RouteInfo>();
  readonly #served = new Map<string, boolean>();

  /** `routes` are those that were added to the app. */
  constructor(app: AnyElysia, routes: readonly RouteInfo[]) {
    this.#app = app;
    for (const route of routes) this.#routes.set(this.#stored(route.method, route.path), route);
  }

  /** The route of a request; undefined if there is none. */
  find(method: string, path: string): RouteInfo | undefined {
    return this.#routes.get(this.#stored(method, path) ?? this.#stored("ALL", path));
  }

  /** Whether there is a route. The answer is remembered: a screen has dozens of links that are left out where there is none. */
  serves(method: string, path: string): boolean {
    const key = `${method} ${path}`;
    const known = this.#served.get(key);
    if (known !== undefined) return known;
    const isServed = this.find(method, path) !== undefined;
    if (this.#served.size >= MAX_SERVED) this.#served.clear();
    this.#served.set(key, isServed);
    return isServed;
  }

  /** The methods of a path, in their usual order. */
  methods(path: string): string[] {
    const methods = METHODS.filter((method) => this.find(method, path) !== undefined);
    return methods[0] === "GET" ? ["GET", "HEAD", ...methods.slice(1)] : methods;
  }

  #stored(method: string, path: string): unknown {
    return storedRoute(this.#app, method, path);
  }
}
