/**
 * The Elysia instances that plugins add their routes to, with what handlers get and the options of routes. The state of a
 * request is kept beside it from the gates to its route. A `permit` is checked before the handler runs; nothing is parsed
 * here.
 */
import { type DocumentDecoration, Elysia } from "elysia";
import { type ApiError, denied } from "../errors.ts";
import { type InputObject, withEmptyAsNull } from "../input/body_parsing.ts";
import type { Permit } from "../runtime/registry.ts";
import { hasPermission, type Viewer } from "../viewer.ts";
import type { JudgeAnswer } from "./answer_judge.ts";
import { withoutResponse } from "./answer_schemas.ts";

/** A request as it reaches its route. */
export interface Asked {
  viewer: Viewer;
  /** Query string and body merged, strings trimmed; the body takes precedence. */
  input: InputObject;
  readonly query: InputObject;
  readonly address: string;
  /** Why the client was not authenticated. */
  refusal: ApiError | undefined;
  /** Why the body could not be read. */
  fault: ApiError | undefined;
}

const ASKED = new WeakMap<Request, Asked>();

/** Stores the state of a request for the route that will answer it. */
export function remember(request: Request, asked: Asked): void {
  ASKED.set(request, asked);
}

/** The preferred language of the viewer of a request; undefined without a viewer or a preference. */
export function languageOf(request: Request): string | undefined {
  return ASKED.get(request)?.viewer.language;
}

/** Why the client of a request was not authenticated, so that its body was not read; undefined if it was. */
export function refusalOf(request: Request): ApiError | undefined {
  return ASKED.get(request)?.refusal;
}

/**
 * An Elysia instance for one plugin: `viewer`, `input`, `asked` (the query) and `address` in handlers; options of a route are
 * `permit` and `emptyAsNull`, the fields of an urlencoded body whose empty text means null.
 */
export function appBelow<Prefix extends string>(prefix: Prefix, judge?: JudgeAnswer) {
  return recordingDuplicates(new Elysia({ prefix }), { prefix, judge })
    .derive(({ request }) => {
      const { viewer, input, query, address } = askedOf(request);
      return { viewer, input, asked: query, address };
    })
    .macro("permit", (permit: Permit) => ({
      // The body has been read by the gates.
      parse: () => ({}),
      // A type assertion, since Elysia's type has no OpenAPI extensions (x-…).
      detail: { "x-permission": permit } as DocumentDecoration,
      transform({ request, params }: { request: Request; params: Record<string, string | null> }) {
        checkPermit(askedOf(request), permit);
        // A segment that cannot be decoded is null here; handlers expect text.
        for (const name in params) params[name] ??= "";
      },
    }))
    .macro("emptyAsNull", (fields: readonly string[]) => ({
      transform(context: { request: Request; input?: InputObject }) {
        context.input = withEmptyAsNull(context.request, askedOf(context.request), fields);
      },
    }));
}

const DUPLICATES = new WeakMap<object, string[]>();

/** Routes that an app registered more than once, as method and path; Elysia silently keeps the last one. */
export function duplicateRoutes(app: object): readonly string[] {
  return DUPLICATES.get(app) ?? [];
}

/** Changes how routes are added: duplicates are recorded, and schemas of answers are taken from their options. */
function recordingDuplicates<App extends object>(
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

/** A plugin's routes below /api. */
export type PluginApp = ReturnType<typeof appBelow<"/api">>;
/** A plugin's routes outside /api, such as those of files. */
export type SiteApp = ReturnType<typeof appBelow<"">>;

function checkPermit(asked: Asked, permit: Permit): void {
  if (permit !== "public" && asked.refusal) throw asked.refusal;
  if (permit !== "public" && permit !== "access-api" && !hasPermission(asked.viewer, permit)) throw denied();
  if (asked.fault) throw asked.fault;
}

function askedOf(request: Request): Asked {
  const asked = ASKED.get(request);
  if (!asked) throw new Error("Cannot answer a request that did not pass through the gates");
  return asked;
}
