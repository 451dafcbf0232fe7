import { type DocumentDecoration, Elysia } from "elysia";
import { type ApiError, denied } from "../errors.ts";
import { type InputObject, withEmptyAsNull } from "../input/body_parsing.ts";
import type { Permit } from "../runtime/registry.ts";
import { hasPermission, type Viewer } from "../viewer.ts";

/** What is known of a request before it reaches its route. */
export interface Asked {
  viewer: Viewer;
  /** Query string and body together, strings trimmed; the body wins. */
  input: InputObject;
  readonly query: InputObject;
  readonly address: string;
  refusal: ApiError | undefined;
  fault: ApiError | undefined;
}

const ASKED = new WeakMap<Request, Asked>();

/** Keeps what the gates found out about a request for the route that will answer it. */
export function remember(request: Request, asked: Asked): void {
  ASKED.set(request, asked);
}

/** The language the viewer of a request wishes, where it is known who asks and they wish one. */
export function languageOf(request: Request): string | undefined {
  return ASKED.get(request)?.viewer.language;
}

/** Why the sender of a request was not let in, so that its body was not read; undefined where it was. */
export function refusalOf(request: Request): ApiError | undefined {
  return ASKED.get(request)?.refusal;
}

/**
 * An Elysia instance for one plugin: `viewer`, `input`, `asked` (the query) and `address` in handlers; options of a route are
 * `permit` and `emptyAsNull`, the fields of an urlencoded body whose empty text means null.
 */
export function appBelow<Prefix extends string>(prefix: Prefix) {
  return noting(new Elysia({ prefix }))
    .derive(({ request }) => {
      const { viewer, input, query, address } = askedOf(request);
      return { viewer, input, asked: query, address };
    })
    .macro("permit", (permit: Permit) => ({
      // The gates have read the body; Elysia must not try to read it again.
      parse: () => ({}),
      // The document's types know no extensions; the key is what OpenAPI reserves for them.
      detail: { "x-permission": permit } as DocumentDecoration,
      transform({ request, params }: { request: Request; params: Record<string, string | null> }) {
        admit(askedOf(request), permit);
        // What cannot be decoded arrives as null, which handlers would take for the text they were promised.
        for (const name in params) params[name] ??= "";
      },
    }))
    .macro("emptyAsNull", (fields: readonly string[]) => ({
      transform(context: { request: Request; input?: InputObject }) {
        context.input = withEmptyAsNull(context.request, askedOf(context.request), fields);
      },
    }));
}

const DOUBLED = new WeakMap<object, string[]>();

/** Routes that an app registered more than once, each as its method and path; the router keeps the last one alone. */
export function doubledIn(app: object): readonly string[] {
  return DOUBLED.get(app) ?? [];
}

/** Elysia itself says nothing of a route that takes the place of another. */
function noting<App extends object>(app: App): App {
  const seen = new Set<string>();
  const doubled: string[] = [];
  const { add } = app as unknown as { add(method: string, path: string, ...rest: unknown[]): unknown };
  const noted = function (this: unknown, method: string, path: string, ...rest: unknown[]): unknown {
    const route = `${method} ${path.startsWith("/") ? path : `/${path}`}`;
    if (seen.has(route)) doubled.push(route);
    seen.add(route);
    return add.call(this, method, path, ...rest);
  };
  DOUBLED.set(app, doubled);
  return Object.assign(app, { add: noted });
}

/** A plugin's routes below /api. */
export type PluginApp = ReturnType<typeof appBelow<"/api">>;
/** A plugin's routes outside /api, such as addresses of files that stand in pages. */
export type SiteApp = ReturnType<typeof appBelow<"">>;

function admit(asked: Asked, permit: Permit): void {
  if (permit !== "public" && asked.refusal) throw asked.refusal;
  if (permit !== "public" && permit !== "access-api" && !hasPermission(asked.viewer, permit)) throw denied();
  if (asked.fault) throw asked.fault;
}

function askedOf(request: Request): Asked {
  const asked = ASKED.get(request);
  if (!asked) throw new Error("Cannot answer a request that did not come through the gates");
  return asked;
}
