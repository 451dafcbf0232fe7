/**
 * The HTTP side of a runtime: one Elysia server, whose hooks are named in this file alone. In order: `handle` attaches the state
 * of a request, rewrites its URL and method, and admits it (`admission.ts`), for unknown paths too; Elysia routes;
 * `transform` checks the permit, before schemas are; the handler; `mapResponse` adds the default headers; `onError` answers
 * whatever was thrown. `handle` stands before Elysia and not in `wrap`: it knows the peer and the time of the body, and
 * encloses the `intercept` of a scope, whose answers are no answers of a route. Where nothing is waited for it returns the answer and no
 * promise of it: promises were half of what a small request cost.
 */
import { type DocumentDecoration, Elysia } from "elysia";
import { ApiError, BootError } from "../errors.ts";
import type { CallOptions } from "../events/call_options.ts";
import { type InputObject, merge, OVERRIDES, queryOf, withEmptyAsNull } from "../input/body_parsing.ts";
import type { RoutePermit } from "../registry.ts";
import { type MaybePromise, whenReady } from "../std/when_ready.ts";
import type { Tracing } from "../tracing.ts";
import { frozenViewer, GUEST, type Viewer } from "../viewer.ts";
import { Admission, type AdmissionParts, NO_CREDENTIALS } from "./admission.ts";
import type { JudgeAnswer } from "./answer_judge.ts";
import { AnswerObservers } from "./answer_observers.ts";
import { clientAddress, type Networks, requestIdOf } from "./client_address.ts";
import { compressed } from "./compression.ts";
import { addDefaultHeaders, applyDefaultHeaders } from "./default_headers.ts";
import { answerOfError, type ErrorContext, knownError } from "./elysia_errors.ts";
import { type ErrorResponseParts, ErrorResponses } from "./error_response.ts";
import { traceOf, withRequestSpan } from "./http_spans.ts";
import { type AnyPluginApp, addRoutes, recordingRoutes } from "./plugin_app.ts";
import { attachState, currentRequestId, currentState, RequestState, stateOf, withRequest } from "./request_context.ts";
import { MEMBERS } from "./request_members.ts";
import { malformedHead, overrideMethod, pathOf, rewriteUrl, withoutBody } from "./request_rewrite.ts";
import { type Authenticate, type RouteScope, RouteScopes } from "./route_scope.ts";
import { noRouteError, permitDetail, type RouteInfo, RouteTable, routesOf } from "./route_table.ts";
import type { Watch } from "./running_requests.ts";
import { leakOf } from "./shared_hooks.ts";
import { beginAwayReads, beginStoreSession, currentStoreSession } from "./store_session.ts";
import type { WorkBudget } from "./work_budget.ts";

/** Dependencies of `HttpServer`. */
export interface HttpServerParts extends ErrorResponseParts, Omit<AdmissionParts, "routeOf"> {
  readonly proxies: Networks;
  readonly tracing: Tracing;
  /** What the work of requests is charged to. */
  readonly budget: WorkBudget;
  /** The path of APP_URL without a final slash; "" for none. */
  readonly root: string;
  /** Whether replicas of the store may serve reads. */
  readonly readsReplicas?: boolean;
}

/**
 * An Elysia instance for one plugin. `judge` checks its answers. Options of a route are `permit` and `emptyAsNull`, the fields
 * of an urlencoded body whose empty text means null.
 */
export function appBelow<Prefix extends string>(prefix: Prefix, judge?: JudgeAnswer) {
  // The root answers its routes: no answer to a constant is made here.
  return (
    recordingRoutes(new Elysia({ prefix, nativeStaticResponse: false }), judge)
      .decorate(MEMBERS)
      // A type assertion, since Elysia's type has no OpenAPI extensions (x-…). The permits in the documentation are what is checked.
      .macro("permit", (permit: RoutePermit) => ({ detail: permitDetail(permit) as DocumentDecoration }))
      .macro("emptyAsNull", (fields: readonly string[]) => ({
        transform(context: { request: Request; input?: InputObject }) {
          const { input, nestedQuery } = stateOf(context.request);
          context.input = withEmptyAsNull(context.request, { input, query: nestedQuery }, fields);
        },
      }))
  );
}

/** The HTTP side of one runtime. */
export class HttpServer {
  /** Listeners to the answers of its listener. */
  readonly observers: AnswerObservers = new AnswerObservers();
  readonly #parts: HttpServerParts;
  readonly #scopes = new RouteScopes();
  readonly #errors: ErrorResponses;
  readonly #admission: Admission;
  readonly #app = this.#lifecycle();
  /** Routes that get no credentials, and what takes these from their requests. */
  readonly #strips: { readonly route: RouteInfo; readonly strip: (request: Request) => void }[] = [];
  #stripOf: ReadonlyMap<RouteInfo, (request: Request) => void> = new Map();
  #routes: RouteInfo[] = [];
  #table: RouteTable | undefined;

  constructor(parts: HttpServerParts) {
    this.#parts = parts;
    this.#errors = new ErrorResponses(parts);
    this.#admission = new Admission({ ...parts, routeOf: (method, path) => this.#table?.find(method, path) });
  }

  /**
   * Elysia's compiler reads the source of these functions. The context is not passed on, or each request would parse its headers and cookies;
   * no function returns a call, or the compiler would take it for asynchronous, and make a promise of each answer.
   */
  #lifecycle() {
    return new Elysia({ handler: { standardHostname: false } })
      .decorate(MEMBERS)
      .onRequest((context) => {
        const state = stateOf(context.request);
        if (state.failure) throw state.failure.error;
        if (this.#stripOf.size > 0) this.#strip(context.request);
        context.viewer = state.viewer;
        context.input = state.input;
        context.nestedQuery = state.nestedQuery;
        context.address = state.address;
        context.requestId = state.requestId;
      })
      .mapResponse({ as: "global" }, ({ request, responseValue, route, set }) => {
        // An error is answered alike if a handler returns it.
        if (responseValue instanceof Error) throw responseValue;
        const state = stateOf(request);
        state.route = route;
        const answer = applyDefaultHeaders(responseValue, state, set);
        if (answer) return answer;
        return undefined;
      });
  }

  /** Answers what is thrown: the last error handler of each route, and that of requests without one. */
  readonly #onError = ({ code, error, request, set }: ErrorContext) => {
    const state = stateOf(request);
    const isMissing = code === "NOT_FOUND" && !(error instanceof ApiError);
    const thrown = isMissing
      ? this.#noRouteError(request)
      : knownError(error, { status: set.status, isJudged: state.isJudged });
    // The status of the answer is that of the error, whatever the handler has set.
    set.status = 200;
    return answerOfError(thrown) ?? this.#errors.of(request, state, thrown);
  };

  /** Adds an authenticator; they are called in the order in which they were added. */
  auth(authenticate: Authenticate): void {
    this.#admission.addAuthenticator(authenticate);
  }

  /** Adds a route scope; `prefix` is below /api unless `outside` is set. `guest` is the plugin, where it does not ship. */
  routeScope(prefix: string, spec: RouteScope, guest?: string): void {
    this.#scopes.add(prefix, spec, guest);
  }

  /**
   * Mounts the routes of a plugin and returns them; `strip` takes the credentials from their requests, once these are admitted. Throws
   * BootError for what would apply to routes of other plugins.
   */
  mount(app: AnyPluginApp, strip?: (request: Request) => void): readonly RouteInfo[] {
    const own = routesOf(app);
    const leak = leakOf(app, this.#app);
    if (leak) throw new BootError(leak);
    addRoutes(app, this.#app, own, this.#onError);
    this.#routes.push(...own);
    if (strip) this.#strips.push(...own.map((route) => ({ route, strip })));
    return own;
  }

  /** Checks route scopes, and compiles the router now instead of at the first request. Throws if routes conflict. */
  compile(): void {
    this.#scopes.check(this.#routes.filter((route) => !this.#strips.some((guest) => guest.route === route)));
    // Now, and not before the routes: an error handler applies to those that follow it.
    this.#app.onError(this.#onError).compile();
    this.#table = new RouteTable(this.#app, this.#routes);
    this.#stripOf = new Map(this.#strips.map(({ route, strip }) => [route, strip]));
  }

  /** Whether a route serves a method and path; complete after boot. */
  serves(method: string, path: string): boolean {
    return this.#table?.serves(method, path) ?? false;
  }

  /** All routes mounted so far. */
  routes(): readonly RouteInfo[] {
    return this.#routes.map((route) => ({ ...route, ownBody: this.#scopes.at(route.path)?.ownBodies === true }));
  }

  /**
   * Answers one request; `peer` is the address of the other end of the connection. A promise only where something is waited for. Never
   * throws.
   */
  handle(request: Request, peer: string, watch?: Watch): MaybePromise<Response> {
    const { proxies, root } = this.#parts;
    const { headers } = request;
    const isHead = request.method === "HEAD";
    const address = clientAddress(peer, headers.get("x-forwarded-for"), proxies);
    const requestId = requestIdOf(peer, headers, proxies) ?? crypto.randomUUID();
    const malformed = malformedHead(request);
    if (malformed) {
      const refused = this.#refuseUnrouted(request, { requestId, address }, malformed);
      return isHead ? withoutBody(refused) : refused;
    }
    rewriteUrl(request, root);
    const state = new RequestState({ requestId, address, scope: this.#scopes.at(pathOf(request.url)), watch });
    state.work = { budget: this.#parts.budget, hasBegun: false };
    if (this.#parts.readsReplicas) beginAwayReads(request, state);
    attachState(request, state);
    const answer = whenReady(this.#answer(request, state, peer), (whole) => compressed(request, whole));
    return isHead ? whenReady(answer, withoutBody) : answer;
  }

  /** Answers a request that has its state, and ends it. */
  #answer(request: Request, state: RequestState, peer: string): MaybePromise<Response> {
    const ended = (response: Response) => whenReady(state.end(), () => response);
    // Elysia cannot answer, such as an error whose answer would have an invalid header.
    const failed = (error: unknown) => ended(this.#errors.of(request, state, error));
    let answer: MaybePromise<Response>;
    try {
      answer = withRequest(state, () =>
        this.#parts.tracing.isOn ? this.#traced(request, state, peer) : this.#run(request, state),
      );
    } catch (error) {
      return failed(error);
    }
    return answer instanceof Promise ? answer.then(ended, failed) : ended(answer);
  }

  #traced(request: Request, state: RequestState, peer: string): Promise<Response> {
    const { proxies, tracing } = this.#parts;
    const { requestId } = state;
    const parent = traceOf(peer, request.headers, proxies);
    const traced = { request, requestId, parent, route: () => this.routePath(request) };
    return withRequestSpan(tracing, traced, async () => this.#run(request, state));
  }

  /** Answers before anything has read the path: neither a route scope nor a limit is looked up. */
  #refuseUnrouted(request: Request, from: Pick<RequestState, "requestId" | "address">, error: ApiError): Response {
    const state = new RequestState({ ...from, scope: undefined });
    state.route = "";
    attachState(request, state);
    return this.#errors.of(request, state, error);
  }

  /** The answer to a request that failed with an error. */
  refuse(request: Request, error: ApiError): Response {
    return this.#errors.of(request, stateOf(request), error);
  }

  /** The path of the route of a request, such as "/api/books/:id"; "" where there is none. */
  routePath(request: Request): string {
    return stateOf(request).route ?? this.#table?.find(request.method, pathOf(request.url))?.path ?? "";
  }

  /** Whether the route of a request says `takes: "long"`. */
  takesLong({ method, url }: Request): boolean {
    return this.#table?.find(method, pathOf(url))?.detail["x-takes"] === "long";
  }

  /**
   * Calls a route on a viewer's behalf, within this process: without credentials, limit and body parsing, with everything that
   * follows them. Never throws; errors are answered as over HTTP.
   */
  async callAs(viewer: Viewer, method: string, path: string, options: CallOptions = {}): Promise<Response> {
    const { input = {}, address = "", headers = {} } = options;
    const request = new Request(`http://localhost${path}`, { method, headers });
    const requestId = currentRequestId() ?? crypto.randomUUID();
    const scope = this.#scopes.at(pathOf(request.url));
    const state = new RequestState({ requestId, address, scope, isInternal: true });
    attachState(request, state);
    state.viewer = frozenViewer(viewer);
    state.work = currentState()?.work;
    if (viewer === GUEST) state.refusal = NO_CREDENTIALS;
    state.body = input;
    state.nestedQuery = queryOf(path);
    state.input = merge(state.nestedQuery, input);
    state.language = viewer.language;
    if (this.#parts.readsReplicas && method !== "GET") {
      currentStoreSession()?.pin();
      beginStoreSession(request, state);
    }
    const run = async () => this.#app.fetch(request);
    try {
      return await (method === "GET" ? run() : withRequest(state, run));
    } catch (error) {
      return this.#errors.of(request, state, error);
    }
  }

  #run(request: Request, state: RequestState): MaybePromise<Response> {
    const intercept = state.scope?.intercept;
    return intercept ? this.#intercepted(request, state, intercept) : this.#admitted(request, state);
  }

  async #intercepted(
    request: Request,
    state: RequestState,
    intercept: NonNullable<RouteScope["intercept"]>,
  ): Promise<Response> {
    // It may wait before and after the route, such as for the document of an error.
    state.hasWaited = true;
    try {
      const next = async () => this.#admitted(request, state);
      return addDefaultHeaders(await intercept(request, state.address, next), state);
    } catch (error) {
      return this.#errors.of(request, state, error);
    }
  }

  /** Admits a request and routes it. */
  #admitted(request: Request, state: RequestState): MaybePromise<Response> {
    // An `intercept` may try again.
    state.failure = undefined;
    const routed = (early: Response | undefined) => early ?? this.#routed(request, state);
    const failed = (error: unknown) => {
      state.failure = { error };
      return this.#routed(request, state);
    };
    let early: MaybePromise<Response | undefined>;
    try {
      early = this.#admit(request, state);
    } catch (error) {
      return failed(error);
    }
    return early instanceof Promise ? early.then(routed, failed) : routed(early);
  }

  #routed(request: Request, state: RequestState): MaybePromise<Response> {
    const answer = this.#app.fetch(request);
    if (answer instanceof Promise) state.turn?.run();
    return answer;
  }

  /** Completes the state of a request. Returns an answer to a request that is not routed. Throws ApiError. */
  #admit(request: Request, state: RequestState): MaybePromise<Response | undefined> {
    const { method } = request;
    return whenReady(this.#admission.admit(request, state), (early) => {
      if (early) return addDefaultHeaders(early, state);
      // Not routed: the router has routes under names that are no methods, such as those of WebSockets.
      if (request.method !== method && !OVERRIDES.has(request.method)) throw this.#noRouteError(request);
      // Only now: authenticators may accept a credential for GET and not for HEAD.
      if (request.method === "HEAD") overrideMethod(request, "GET");
      if (request.method !== "GET") state.language = this.#errors.languageOf(request, state);
      if (request.method === "OPTIONS") return addDefaultHeaders(this.#options(request, state), state);
      if (this.#parts.readsReplicas) beginStoreSession(request, state);
      return undefined;
    });
  }

  #strip(request: Request): void {
    const route = this.#table?.find(request.method, pathOf(request.url));
    if (route) this.#stripOf.get(route)?.(request);
  }

  #options(request: Request, state: RequestState): Response {
    const methods = this.#table?.methods(pathOf(request.url)) ?? [];
    return methods.length === 0
      ? this.#errors.of(request, state, this.#noRouteError(request))
      : new Response(null, { status: 200, headers: { allow: methods.join(", ") } });
  }

  /** The error of a request that the router has no route for. */
  #noRouteError(request: Request): ApiError {
    return noRouteError(request, this.#table?.methods(pathOf(request.url)) ?? [], stateOf(request).refusal);
  }
}
