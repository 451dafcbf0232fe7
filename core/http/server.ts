/**
 * The path of a request: authentication, limit, size and body, then Elysia's router and the plugin's route, last errors and the
 * default headers. These checks come before the router, so that unknown paths are limited too. Failed credentials are answered by
 * the `permit` of the route, so that an unknown path is a 404 for every client (content-api 1.3-1.5, platform 1.1). A body is
 * read only for authenticated clients and public routes; its files are on disk until the answer.
 */
import { Elysia } from "elysia";
import type { Children } from "../children/pool.ts";
import { ApiError, BootError, errorBody, localizedError } from "../errors.ts";
import type { Texts } from "../i18n/catalogue.ts";
import { chosenLanguage } from "../i18n/languages.ts";
import {
  type InputLimits,
  type InputObject,
  merge,
  methodOverride,
  parseBody,
  queryOf,
} from "../input/body_parsing.ts";
import { type BodyPace, bodyError, rejectLargeBody, setPace, TOO_SLOW } from "../input/body_stream.ts";
import { parserFor } from "../input/large_bodies.ts";
import type { RequestFiles, Spool } from "../input/upload_spool.ts";
import type { Log } from "../log.ts";
import { GUEST, type Viewer } from "../viewer.ts";
import { clientAddress, type Networks } from "./client_address.ts";
import { withDefaultHeaders } from "./default_headers.ts";
import { asGet, withoutBody } from "./head.ts";
import { languageOf, type PluginApp, type RequestState, refusalOf, remember, type SiteApp } from "./plugin_app.ts";
import type { Allowance, Limiter } from "./rate_limit.ts";
import { withRequest } from "./request_context.ts";
import { type Authenticate, type RouteScope, RouteScopes } from "./route_scope.ts";
import {
  hooksOf,
  isPublicAt,
  methodsAt,
  pathOf,
  type RouteInfo,
  routesOf,
  takesLongAt,
  withRoutePath,
} from "./routes.ts";
import type { Watch } from "./running_requests.ts";
import { unexpectedError } from "./unexpected_error.ts";

/** Options of a call within the process. */
export interface CallOptions {
  /** The input that a body would hold. */
  readonly input?: InputObject;
  /** The address of the client on whose behalf the call is made. */
  readonly address?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The parts of the runtime that the server uses. */
export interface HttpServerParts {
  readonly log: Log;
  readonly limiter: Limiter;
  readonly proxies: Networks;
  readonly inputLimits: InputLimits;
  readonly texts: Texts;
  /** The language of messages for viewers without a preference. */
  readonly language: string;
  /** The path of APP_URL without a final slash; "" for none. */
  readonly root: string;
  /** Holds the files of a request until it is answered. */
  readonly spool: Spool;
  /** The minimum pace of bodies. */
  readonly pace: BodyPace;
  readonly children: Children;
}

const NO_CREDENTIALS = new ApiError(401, "No authorization token found on the request");

/** The HTTP side of one runtime. */
export class HttpServer {
  readonly #parts: HttpServerParts;
  readonly #authenticators: Authenticate[] = [];
  readonly #scopes = new RouteScopes();
  readonly #root = new Elysia({ handler: { standardHostname: false } });
  #routes: RouteInfo[] = [];

  constructor(parts: HttpServerParts) {
    this.#parts = parts;
    this.#root.onError({ as: "global" }, ({ error, request, code }) =>
      this.#errorResponse(
        request,
        code === "NOT_FOUND" && !(error instanceof ApiError) ? this.#noRouteError(request) : error,
      ),
    );
  }

  /** Adds an authenticator; they are called in the order in which they were added. */
  auth(authenticate: Authenticate): void {
    this.#authenticators.push(authenticate);
  }

  /** Adds a route scope; `prefix` is below /api unless `outside` is set. */
  routeScope(prefix: string, spec: RouteScope): void {
    this.#scopes.add(prefix, spec);
  }

  /** Mounts the routes of a plugin and returns them. Throws BootError for hooks that would apply to routes of other plugins. */
  mount(app: PluginApp | SiteApp): readonly RouteInfo[] {
    const own = routesOf(app);
    const before = hooksOf(this.#root);
    this.#root.use(app as unknown as Elysia);
    const leaked = hooksOf(this.#root).find(
      ({ name, count }) => count > (before.find((one) => one.name === name)?.count ?? 0),
    );
    if (leaked)
      throw new BootError(`its "${leaked.name}" would apply to the routes of other plugins; hooks must be local`);
    this.#routes.push(...own);
    return own;
  }

  /** Compiles the router now instead of at the first request. Throws if routes conflict. */
  compile(): void {
    this.#root.compile();
  }

  /** All routes mounted so far. */
  routes(): readonly RouteInfo[] {
    return this.#routes;
  }

  /** Answers one request; `peer` is the address of the other end of the connection. Never throws. */
  async handle(given: Request, peer: string, watch?: Watch): Promise<Response> {
    const request = withRoutePath(given, this.#parts.root);
    const response = await this.#answerInScope(request, peer, watch);
    return request.method === "HEAD" ? withoutBody(response) : response;
  }

  /** The answer to a request that failed with an error. */
  refuse(given: Request, error: ApiError): Response {
    return withDefaultHeaders(this.#errorResponse(withRoutePath(given, this.#parts.root), error));
  }

  /** Whether the route of a request says `takes: "long"`. */
  takesLong(given: Request): boolean {
    return takesLongAt(this.#routes, pathOf(withRoutePath(given, this.#parts.root).url));
  }

  async #answerInScope(request: Request, peer: string, watch: Watch | undefined): Promise<Response> {
    const address = clientAddress(peer, request.headers.get("x-forwarded-for"), this.#parts.proxies);
    const scope = this.#scopes.at(pathOf(request.url));
    const next = () => this.#pipeline(request, address, scope, watch);
    if (!scope?.intercept) return next();
    try {
      return withDefaultHeaders(await scope.intercept(request, address, next));
    } catch (error) {
      return withDefaultHeaders(this.#errorResponse(request, error));
    }
  }

  /**
   * Calls a route on a viewer's behalf, within this process: without credentials, limit and body parsing, with everything that
   * follows them. Never throws; errors are answered as over HTTP.
   */
  async callAs(viewer: Viewer, method: string, path: string, options: CallOptions = {}): Promise<Response> {
    const { input = {}, address = "", headers = {} } = options;
    const request = new Request(`http://localhost${path}`, { method, headers });
    let query: InputObject;
    try {
      query = queryOf(path);
    } catch (error) {
      return this.#errorResponse(request, error);
    }
    const refusal = viewer === GUEST ? NO_CREDENTIALS : undefined;
    remember(request, {
      viewer,
      input: merge(query, input),
      query,
      address,
      refusal,
      bodyError: undefined,
    });
    const answer = async () => this.#root.fetch(request);
    return method === "GET" ? answer() : withRequest({ address, language: viewer.language }, answer);
  }

  /** Answers a request within its scope. */
  async #pipeline(request: Request, address: string, scope?: RouteScope, watch?: Watch): Promise<Response> {
    if (request.method !== "GET") setPace(request, this.#parts.pace);
    const query = queryOf(request.url);
    const state: RequestState = {
      viewer: GUEST,
      input: {},
      query,
      address,
      refusal: undefined,
      bodyError: undefined,
    };
    let allowance: Allowance | undefined;
    let final = request;
    let response: Response;
    const files = this.#parts.spool.forRequest();
    try {
      await this.#authenticate(request, state, scope);
      allowance = await this.#limiter(scope, request)?.take(
        state.refusal ? `address ${address}` : `viewer ${state.viewer.via === "guest" ? address : state.viewer.id}`,
      );
      if (allowance?.exceeded) throw new ApiError(429, "Too Many Attempts.");
      if (scope?.ownBodies) state.input = query;
      else {
        watch?.readingBody(true);
        final = await this.#read(request, state, files);
        watch?.readingBody(false);
      }
      remember(final, state);
      response = final.method === "OPTIONS" ? this.#options(final) : await this.#route(final, state);
    } catch (error) {
      response = this.#errorResponse(final, error);
    }
    if (files.isUsed()) await files.clear();
    return withDefaultHeaders(response, allowance);
  }

  async #route(request: Request, state: RequestState): Promise<Response> {
    if (request.method === "GET") return this.#root.fetch(request);
    if (request.method === "HEAD") {
      const full = asGet(request);
      remember(full, state);
      return this.#root.fetch(full);
    }
    return withRequest({ address: state.address, language: this.#languageOf(request) }, () =>
      this.#root.fetch(request),
    );
  }

  async #authenticate(request: Request, state: RequestState, scope: RouteScope | undefined): Promise<void> {
    for (const authenticate of scope?.authenticate
      ? [scope.authenticate, ...this.#authenticators]
      : this.#authenticators) {
      const pending = authenticate(request, state.address);
      const found = pending instanceof Promise ? await pending : pending;
      if (found === undefined) continue;
      if (found instanceof ApiError) state.refusal = found;
      else state.viewer = found;
      return;
    }
    state.refusal = NO_CREDENTIALS;
  }

  /** The limiter of a request. Outside the API, one with an `Authorization` header is limited even in a scope without a limit. */
  #limiter(scope: RouteScope | undefined, { headers }: Request): Limiter | null {
    const isOpen = scope?.limiter === null && scope.outside === true && headers.has("authorization");
    return scope?.limiter === undefined || isOpen ? this.#parts.limiter : scope.limiter;
  }

  /**
   * Reads the body and applies a method override. A body that cannot be read is an error after the permit, except that one
   * that arrived too slowly ends the request at once.
   */
  async #read(request: Request, state: RequestState, files: RequestFiles): Promise<Request> {
    state.input = state.query;
    await rejectLargeBody(request, this.#parts.inputLimits.maxBytes, !state.refusal);
    const method = request.method;
    if (method === "GET" || method === "HEAD" || method === "OPTIONS") return request;
    let body: InputObject = {};
    if (!state.refusal || isPublicAt(this.#routes, request)) {
      try {
        body = await parseBody(request, this.#parts.inputLimits, files.keep, parserFor(this.#parts.children, state));
      } catch (error) {
        state.bodyError = bodyError(error);
        if (state.bodyError.status === TOO_SLOW) throw state.bodyError;
      }
    }
    state.input = merge(state.query, body);
    const override = methodOverride(request, body, state.query);
    return override === undefined ? request : new Request(request.url, { method: override, headers: request.headers });
  }

  #options(request: Request): Response {
    const methods = methodsAt(this.#routes, pathOf(request.url));
    return methods.length === 0
      ? this.#errorResponse(request, this.#noRouteError(request))
      : new Response(null, { status: 200, headers: { allow: methods.join(", ") } });
  }

  #noRouteError(request: Request): ApiError {
    const path = pathOf(request.url);
    const shown = path.replace(/^\/+|\/+$/g, "") || "/";
    const methods = methodsAt(this.#routes, path);
    if (methods.length === 0) return localizedError(404, "The route :route could not be found.", { route: shown });
    const refused = request.method === "POST" && request.headers.has("content-type") ? refusalOf(request) : undefined;
    // The body was not read and may override the method: the answer is the failed authentication.
    if (refused) return refused;
    const allow = methods.join(", ");
    const text = "The :method method is not supported for route :route. Supported methods: :methods.";
    return localizedError(405, text, { method: request.method, route: shown, methods: allow }, { headers: { allow } });
  }

  /** The answer to whatever was thrown. */
  #errorResponse(request: Request, thrown: unknown): Response {
    const about = { method: request.method, path: pathOf(request.url) };
    const error = thrown instanceof ApiError ? thrown : unexpectedError(this.#parts.log, thrown, about);
    // The wire contract has refusals with status 500.
    if (thrown === error && error.status >= 500) this.#parts.log.warn("Refused a request", { reason: error.message });
    const shape = this.#scopes.at(pathOf(request.url))?.formatError;
    const [text, params] = error.details.text ?? [error.message, {}];
    const message = this.#translate(text, params, this.#languageOf(request) ?? this.#parts.language);
    const body = shape ? shape(error.status, message, error) : errorBody(error, message);
    return Response.json(body, { status: error.status, headers: { ...error.details.headers } });
  }

  /** Translates a message and the values of its placeholders, such as "Book" in ":noun not found". */
  #translate(text: string, params: Readonly<Record<string, string>>, language: string): string {
    const { texts } = this.#parts;
    const translated = Object.entries(params).map(([name, value]) => [name, texts.say(value, {}, language)]);
    return texts.say(text, Object.fromEntries(translated), language);
  }

  #languageOf(request: Request): string | undefined {
    return chosenLanguage(languageOf(request), request.headers.get("accept-language"), this.#parts.texts.languages());
  }
}
