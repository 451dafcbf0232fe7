/**
 * What Lectern reads and changes of Elysia that Elysia does not publish: all of it is here, and `test/core/elysia_internals_test.ts` has a test of
 * each assumption, so that a new version of Elysia fails there. Everything else of core uses its documented methods and exported types.
 */
import type { TSchema } from "@sinclair/typebox";
import type { AnyElysia } from "elysia";

/** Schemas by the name that `model` gave them; those of other libraries too, which none of TypeBox's members is read of before `isTypeBox`. */
export type Models = Readonly<Record<string, TSchema>>;

/** What an app does with the routes that it gets. */
export interface RouteObserver {
  /** Changes the options of a route; they are a copy. */
  options(options: object): object;
  /** A route has replaced one of the same method and path, which Elysia does in silence. */
  replaced(route: string): void;
}

type Chain = (this: unknown, ...args: unknown[]) => unknown;

interface Layers {
  readonly global?: unknown;
  readonly scoped?: unknown;
}

interface Internals {
  add: Chain;
  group: Chain;
  guard: Chain;
  readonly definitions: { readonly type: Models };
  readonly extender: { readonly higherOrderFunctions: readonly unknown[] };
  readonly setHeaders?: object;
  readonly validator: Layers;
  readonly standaloneValidator: Layers;
  readonly "~parser": Readonly<Record<string, unknown>>;
}

function internalsOf(app: object): Internals {
  // Private and protected members of the class.
  return app as Internals;
}

/** The models that an app has added. Elysia's `models` compiles each of them. */
export function modelsOf(app: object): Models {
  return internalsOf(app).definitions.type;
}

/** The parser that `app.parser` has given a name; undefined for one of Elysia's own, such as "json". */
export function parserOf(app: object, name: string): unknown {
  return internalsOf(app)["~parser"][name];
}

/** Whether an app has schemas for the routes of the apps that use it, as a `guard` that is scoped or global has. */
export function sharesSchemas(app: object): boolean {
  const { validator, standaloneValidator } = internalsOf(app);
  const layers = [validator.global, validator.scoped, standaloneValidator.global, standaloneValidator.scoped];
  return layers.some((layer) => Object.values(layer ?? {}).some((part) => part !== undefined));
}

/** Whether an app wraps the `fetch` of the apps that use it. */
export function sharesWrappers(app: object): boolean {
  return internalsOf(app).extender.higherOrderFunctions.length > 0;
}

/** Whether an app has headers for the answers of the apps that use it. */
export function sharesHeaders(app: object): boolean {
  return Object.keys(internalsOf(app).setHeaders ?? {}).length > 0;
}

/**
 * Finds what the router of an app has stored for a method and path: one value for each route, found for its own path, with parameters as
 * `:name`, and for those of requests. Undefined where there is no route.
 */
export function storedRoute({ router: { http, static: fixed } }: AnyElysia, method: string, path: string): unknown {
  const found = fixed[path]?.[method];
  if (found !== undefined) return found;
  // Elysia serves a path with and without a slash at its end.
  const other = path.endsWith("/") ? path.slice(0, -1) : `${path}/`;
  return fixed[other]?.[method] ?? http.find(method, path)?.store;
}

/**
 * Observes how an app gets its routes. Every method that adds one calls `add`: `get`, `route`, `use`, `group`, `guard`. Options of routes,
 * groups and guards are copied, since macros change the objects that they get, which a plugin may share between its routes, such as
 * `const open = { permit: "public" }`, and append to the lists of hooks that the routes of another instance share.
 */
export function observeRoutes<App extends AnyElysia>(app: App, observer: RouteObserver): App {
  copyOptions(
    app,
    (add) =>
      function (method, path, handler, options, ...rest) {
        const count = app.routes.length;
        const result = add.call(this, method, path, handler, observer.options(copied(options ?? {})), ...rest);
        // Elysia adds the slash that a path lacks.
        if (app.routes.length === count) observer.replaced(`${method} /${String(path).replace(/^\//, "")}`);
        return result;
      },
  );
  return app;
}

/** Changes how an app adds its routes, by `adding`, and how it makes guards and groups: the app within them is one that Elysia creates. */
function copyOptions(app: object, adding: (add: Chain) => Chain): void {
  const internals = internalsOf(app);
  internals.add = adding(internals.add);
  internals.group = copying(internals.group);
  internals.guard = copying(internals.guard);
}

function copying(chain: Chain): Chain {
  return function (...args) {
    return chain.apply(this, args.map(copiedPart));
  };
}

function copiedPart(part: unknown): unknown {
  if (typeof part === "function") return (inner: object) => part(copyingRoutes(inner));
  return typeof part === "object" && part !== null ? copied(part) : part;
}

function copyingRoutes(inner: object): object {
  copyOptions(
    inner,
    (add) =>
      function (method, path, handler, options, ...rest) {
        return add.call(this, method, path, handler, copied(options ?? {}), ...rest);
      },
  );
  return inner;
}

/** A copy of options with lists and documentation of its own. */
function copied(options: object): object {
  const parts = Object.entries(options).map(([name, part]) => {
    if (Array.isArray(part)) return [name, [...part]];
    return [name, name === "detail" ? { ...part } : part];
  });
  return Object.fromEntries(parts);
}
