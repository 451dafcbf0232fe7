/**
 * A request's way into Lectern and out of it: size, who asks, how often, body, then Elysia's router and the plugin's
 * route, and one place that makes errors and the headers every answer carries. The gates stand before the router, so
 * unknown paths are limited too; a failed credential is answered by the route's `permit`, so that an unknown path is a
 * 404 for everybody (content-api 1.3-1.5, platform 1.1). Only the body of a recognised viewer is read; files in it lie on
 * disk until the answer and are gone with it.
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
import type { Spool, SpoolVisit } from "../input/upload_spool.ts";
import type { Log } from "../log.ts";
import { GUEST, type Viewer } from "../viewer.ts";
import { type AreaSpec, Areas, type Authenticate } from "./areas.ts";
import { askedFrom } from "./asking.ts";
import { clientAddress, type Networks } from "./client_address.ts";
import { withDefaultHeaders } from "./default_headers.ts";
import { asGet, withoutBody } from "./head.ts";
import { type Asked, languageOf, type PluginApp, refusalOf, remember, type SiteApp } from "./plugin_app.ts";
import type { Allowance, Limiter } from "./rate_limit.ts";
import { addressed, hooksOf, isPublicAt, methodsAt, pathOf, type RouteInfo, routesOf, takesLongAt } from "./routes.ts";
import type { Watch } from "./running_requests.ts";
import { unexpectedError } from "./unexpected_error.ts";

/** What is asked along with a route's path. */
export interface Asking {
  /** What a body would hold. */
  readonly input?: InputObject;
  /** Where whoever is behind it asks from. */
  readonly address?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the gates need of the runtime. */
export interface GateParts {
  readonly log: Log;
  readonly limiter: Limiter;
  readonly proxies: Networks;
  readonly inputLimits: InputLimits;
  readonly texts: Texts;
  /** Language of messages for viewers who wish none. */
  readonly language: string;
  /** The path of APP_URL without a final slash; "" for none. */
  readonly root: string;
  /** Where files of a request lie while it is answered. */
  readonly spool: Spool;
  /** How fast bodies have to come. */
  readonly pace: BodyPace;
  readonly children: Children;
}

const NO_CREDENTIALS = new ApiError(401, "No authorization token found on the request");

/** The HTTP side of one runtime. */
export class Gates {
  readonly #parts: GateParts;
  readonly #resolvers: Authenticate[] = [];
  readonly #areas = new Areas();
  readonly #root = new Elysia({ handler: { standardHostname: false } });
  #routes: RouteInfo[] = [];

  constructor(parts: GateParts) {
    this.#parts = parts;
    this.#root.onError({ as: "global" }, ({ error, request, code }) =>
      this.#fault(request, code === "NOT_FOUND" && !(error instanceof ApiError) ? this.#unrouted(request) : error),
    );
  }

  /** Adds a resolver of credentials. */
  auth(authenticate: Authenticate): void {
    this.#resolvers.push(authenticate);
  }

  /** Adds an area; `prefix` is below /api, such as `/v1/dashboard`, unless the area lies outside. */
  area(prefix: string, spec: AreaSpec): void {
    this.#areas.add(prefix, spec);
  }

  /** Mounts a plugin's routes and returns them. Throws BootError where it brings hooks for the routes of others. */
  mount(app: PluginApp | SiteApp): readonly RouteInfo[] {
    const own = routesOf(app);
    const before = hooksOf(this.#root);
    this.#root.use(app as unknown as Elysia);
    const leaked = hooksOf(this.#root).find(
      ({ name, count }) => count > (before.find((one) => one.name === name)?.count ?? 0),
    );
    if (leaked)
      throw new BootError(`its "${leaked.name}" would take part in the routes of others; hooks are for its own`);
    this.#routes.push(...own);
    return own;
  }

  /** Builds the router now instead of with the first request. Throws where routes contradict each other. */
  compile(): void {
    this.#root.compile();
  }

  /** All routes mounted so far. */
  routes(): readonly RouteInfo[] {
    return this.#routes;
  }

  /** Answers one request; `peer` is the address of the other end of the connection. Never throws. */
  async answer(given: Request, peer: string, watch?: Watch): Promise<Response> {
    const request = addressed(given, this.#parts.root);
    const response = await this.#answered(request, peer, watch);
    return request.method === "HEAD" ? withoutBody(response) : response;
  }

  /** An error as a request would be answered with it. */
  refuse(given: Request, error: ApiError): Response {
    return withDefaultHeaders(this.#fault(addressed(given, this.#parts.root), error));
  }

  /** Whether the route at a request's path says `takes: "long"`. */
  takesLong(given: Request): boolean {
    return takesLongAt(this.#routes, pathOf(addressed(given, this.#parts.root).url));
  }

  async #answered(request: Request, peer: string, watch: Watch | undefined): Promise<Response> {
    const address = clientAddress(peer, request.headers.get("x-forwarded-for"), this.#parts.proxies);
    const area = this.#areas.at(pathOf(request.url));
    const next = () => this.#passed(request, address, area, watch);
    if (!area?.around) return next();
    try {
      return withDefaultHeaders(await area.around(request, address, next));
    } catch (error) {
      return withDefaultHeaders(this.#fault(request, error));
    }
  }

  /**
   * Asks a route of the runtime on a viewer's behalf, within this process: past credentials, limits of requests and the
   * reading of bodies, and through everything behind them. Never throws; faults are answered as they would be outside.
   */
  async ask(viewer: Viewer, method: string, path: string, asking: Asking = {}): Promise<Response> {
    const { input = {}, address = "", headers = {} } = asking;
    const request = new Request(`http://localhost${path}`, { method, headers });
    let query: InputObject;
    try {
      query = queryOf(path);
    } catch (error) {
      return this.#fault(request, error);
    }
    const refusal = viewer === GUEST ? NO_CREDENTIALS : undefined;
    remember(request, {
      viewer,
      input: merge(query, input),
      query,
      address,
      refusal,
      fault: undefined,
    });
    const answer = async () => this.#root.fetch(request);
    return method === "GET" ? answer() : askedFrom({ address, language: viewer.language }, answer);
  }

  /** What comes of a request behind whatever stands around its area. */
  async #passed(request: Request, address: string, area?: AreaSpec, watch?: Watch): Promise<Response> {
    if (request.method !== "GET") setPace(request, this.#parts.pace);
    const query = queryOf(request.url);
    const asked: Asked = {
      viewer: GUEST,
      input: {},
      query,
      address,
      refusal: undefined,
      fault: undefined,
    };
    let allowance: Allowance | undefined;
    let final = request;
    let response: Response;
    const spooled = this.#parts.spool.visit();
    try {
      await this.#recognise(request, asked, area);
      allowance = await this.#limiter(area, request)?.take(
        asked.refusal ? `address ${address}` : `viewer ${asked.viewer.via === "guest" ? address : asked.viewer.id}`,
      );
      if (allowance?.exceeded) throw new ApiError(429, "Too Many Attempts.");
      if (area?.ownBodies) asked.input = query;
      else {
        watch?.readingBody(true);
        final = await this.#read(request, asked, spooled);
        watch?.readingBody(false);
      }
      remember(final, asked);
      response = final.method === "OPTIONS" ? this.#options(final) : await this.#routed(final, asked);
    } catch (error) {
      response = this.#fault(final, error);
    }
    if (spooled.isUsed()) await spooled.clear();
    return withDefaultHeaders(response, allowance);
  }

  async #routed(request: Request, asked: Asked): Promise<Response> {
    if (request.method === "GET") return this.#root.fetch(request);
    if (request.method === "HEAD") {
      const full = asGet(request);
      remember(full, asked);
      return this.#root.fetch(full);
    }
    return askedFrom({ address: asked.address, language: this.#wished(request) }, () => this.#root.fetch(request));
  }

  async #recognise(request: Request, asked: Asked, area: AreaSpec | undefined): Promise<void> {
    for (const authenticate of area?.authenticate ? [area.authenticate, ...this.#resolvers] : this.#resolvers) {
      const pending = authenticate(request, asked.address);
      const found = pending instanceof Promise ? await pending : pending;
      if (found === undefined) continue;
      if (found instanceof ApiError) asked.refusal = found;
      else asked.viewer = found;
      return;
    }
    asked.refusal = NO_CREDENTIALS;
  }

  /** Tokens are never tried without a limit, whatever an area says about those who come without one. */
  #limiter(area: AreaSpec | undefined, { headers }: Request): Limiter | null {
    const isOpen = area?.limiter === null && area.outside === true && headers.has("authorization");
    return area?.limiter === undefined || isOpen ? this.#parts.limiter : area.limiter;
  }

  /**
   * Reads the body of a recognised viewer and applies a disguised method. A faulty body is kept for after the permit, unless
   * it came too slowly to be read to its end.
   */
  async #read(request: Request, asked: Asked, spooled: SpoolVisit): Promise<Request> {
    asked.input = asked.query;
    await rejectLargeBody(request, this.#parts.inputLimits.maxBytes, !asked.refusal);
    const method = request.method;
    if (method === "GET" || method === "HEAD" || method === "OPTIONS") return request;
    let body: InputObject = {};
    if (!asked.refusal || isPublicAt(this.#routes, request)) {
      try {
        body = await parseBody(request, this.#parts.inputLimits, spooled.keep, parserFor(this.#parts.children, asked));
      } catch (error) {
        asked.fault = bodyError(error);
        if (asked.fault.status === TOO_SLOW) throw asked.fault;
      }
    }
    asked.input = merge(asked.query, body);
    const override = methodOverride(request, body, asked.query);
    return override === undefined ? request : new Request(request.url, { method: override, headers: request.headers });
  }

  #options(request: Request): Response {
    const methods = methodsAt(this.#routes, pathOf(request.url));
    return methods.length === 0
      ? this.#fault(request, this.#unrouted(request))
      : new Response(null, { status: 200, headers: { allow: methods.join(", ") } });
  }

  #unrouted(request: Request): ApiError {
    const path = pathOf(request.url);
    const shown = path.replace(/^\/+|\/+$/g, "") || "/";
    const methods = methodsAt(this.#routes, path);
    if (methods.length === 0) return localizedError(404, "The route :route could not be found.", { route: shown });
    const refused = request.method === "POST" && request.headers.has("content-type") ? refusalOf(request) : undefined;
    // The body may say which of the other methods this POST stands for; unread as it is, the refusal is what is known.
    if (refused) return refused;
    const allow = methods.join(", ");
    const text = "The :method method is not supported for route :route. Supported methods: :methods.";
    return localizedError(405, text, { method: request.method, route: shown, methods: allow }, { headers: { allow } });
  }

  /** The one place that turns what was thrown into an answer. */
  #fault(request: Request, thrown: unknown): Response {
    const asked = { method: request.method, path: pathOf(request.url) };
    const error = thrown instanceof ApiError ? thrown : unexpectedError(this.#parts.log, thrown, asked);
    // Some refusals of the wire contract are answered with 500; they are no crash, and still worth a line.
    if (thrown === error && error.status >= 500) this.#parts.log.warn("Refused a request", { reason: error.message });
    const shape = this.#areas.at(pathOf(request.url))?.fault;
    const [text, params] = error.details.text ?? [error.message, {}];
    const message = this.#said(text, params, this.#wished(request) ?? this.#parts.language);
    const body = shape ? shape(error.status, message, error) : errorBody(error, message);
    return Response.json(body, { status: error.status, headers: { ...error.details.headers } });
  }

  /** A message with what fills its places, such as "Book" in ":noun not found", in one language. */
  #said(text: string, params: Readonly<Record<string, string>>, language: string): string {
    const { texts } = this.#parts;
    const told = Object.entries(params).map(([name, value]) => [name, texts.say(value, {}, language)]);
    return texts.say(text, Object.fromEntries(told), language);
  }

  #wished(request: Request): string | undefined {
    return chosenLanguage(languageOf(request), request.headers.get("accept-language"), this.#parts.texts.languages());
  }
}
