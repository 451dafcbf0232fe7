/**
 * What precedes routing, in the order of the wire contract (content-api 1.3-1.5, platform 1.1): the route scope's own checks,
 * authentication, limit, size, body. It applies to unknown paths too. Failed credentials are kept, and answered by the `permit`
 * of the route, so that an unknown path is a 404 for every client. A body is read only for authenticated clients and public routes.
 */
import type { Children } from "../children/pool.ts";
import { ApiError, localizedError } from "../errors.ts";
import { type InputLimits, merge, methodOverride, parseBody, queryOf, STRANGER_LIMITS } from "../input/body_parsing.ts";
import { type BodyPace, bodyError, rejectLargeBody, setPace, TOO_SLOW } from "../input/body_stream.ts";
import type { Spool } from "../input/upload_spool.ts";
import { trimChars } from "../std/trim_chars.ts";
import { frozenViewer } from "../viewer.ts";
import { parserFor } from "./large_bodies.ts";
import type { Limiter } from "./rate_limit.ts";
import type { RequestState } from "./request_context.ts";
import { overrideMethod, pathOf } from "./request_rewrite.ts";
import { isStranger, ownerOf, RequestTurns } from "./request_turns.ts";
import { type Authenticate, allowOf, preflight, type RouteScope, scopeHeaders } from "./route_scope.ts";
import type { RouteInfo } from "./route_table.ts";
import { timedWork } from "./work_budget.ts";

/** Dependencies of `Admission`. */
export interface AdmissionParts {
  readonly limiter: Limiter;
  readonly inputLimits: InputLimits;
  /** Holds the files of a request until it is answered. */
  readonly spool: Spool;
  /** The minimum pace of bodies. */
  readonly pace: BodyPace;
  readonly children: Children;
  /** The route of a request. */
  routeOf(method: string, path: string): RouteInfo | undefined;
}

/** The refusal of a request without credentials. */
export const NO_CREDENTIALS: ApiError = new ApiError(401, "No authorization token found on the request");

/** An override of a POST that the router may see; no method that is served has a longer name. */
const METHOD_NAME = /^[A-Z]{1,20}$/;
const NO_METHOD = new ApiError(400, "The method that overrides POST is not the name of a method.");

/** Admits requests to the router. */
export class Admission {
  readonly #parts: AdmissionParts;
  readonly #authenticators: Authenticate[] = [];
  readonly #turns = new RequestTurns();

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  /** Adds an authenticator; they are called in the order in which they were added. */
  addAuthenticator(authenticate: Authenticate): void {
    this.#authenticators.push(authenticate);
  }

  /** Completes the state of a request. Returns an answer to a request that is not routed. Throws ApiError. */
  async admit(request: Request, state: RequestState): Promise<Response | undefined> {
    const { scope } = state;
    const early = scope && this.#beginScope(request, state, scope);
    if (early) return early;
    if (scope?.addressLimit) await countAddress(state, scope.addressLimit);
    const method = request.method === "HEAD" ? "GET" : request.method;
    if (scope?.methods && !scope.methods.includes(method)) throw methodError(request, scope);
    await this.#authenticate(request, state);
    const allowance = this.#count(request, state);
    state.allowance = allowance instanceof Promise ? await allowance : allowance;
    if (state.allowance?.exceeded) throw new ApiError(429, "Too Many Attempts.");
    if (scope?.notModified && !state.refusal && request.headers.get("if-none-match") !== null) {
      const unchanged = await scope.notModified(request);
      if (unchanged) return unchanged;
    }
    const owner = ownerOf(state);
    if (scope?.ownBodies) {
      setPace(request, this.#parts.pace);
      // Nor does it count as one that runs, since it may wait for its body.
      await this.#turns.pause(owner);
      state.nestedQuery = state.input = queryOf(request.url);
      return undefined;
    }
    await this.#readBody(request, state);
    const begun = this.#turns.begin(owner);
    state.leave = begun instanceof Promise ? await begun : begun;
    takeInput(request, state);
    return undefined;
  }

  /** Sets the headers of the scope. Returns the answer to OPTIONS in a scope with CORS. */
  #beginScope(request: Request, state: RequestState, scope: RouteScope): Response | undefined {
    if (!scope.cors && !scope.headers) return undefined;
    const { headers, isAllowed } = scopeHeaders(scope, request);
    state.scopeHeaders = headers;
    return scope.cors && request.method === "OPTIONS" ? preflight(scope, isAllowed) : undefined;
  }

  async #authenticate(request: Request, state: RequestState): Promise<void> {
    const own = state.scope?.authenticate;
    for (const authenticate of own ? [own, ...this.#authenticators] : this.#authenticators) {
      const pending = authenticate(request, state.address);
      const found = pending instanceof Promise ? await pending : pending;
      if (found === undefined) continue;
      if (found instanceof ApiError) state.refusal = found;
      else state.viewer = frozenViewer(found);
      return;
    }
    state.refusal = NO_CREDENTIALS;
  }

  #count(request: Request, { address, refusal, scope, viewer }: RequestState): ReturnType<Limiter["take"]> | undefined {
    const limiter = this.#limiterOf(request, scope);
    return limiter?.take(refusal ? `address ${address}` : `viewer ${viewer.via === "guest" ? address : viewer.id}`);
  }

  /** The limiter of a request. Outside the API, one with an `Authorization` header is limited even in a scope without a limit. */
  #limiterOf({ headers }: Request, scope: RouteScope | undefined): Limiter | null {
    const isOpen = scope?.limiter === null && scope.outside === true && headers.has("authorization");
    return scope?.limiter === undefined || isOpen ? this.#parts.limiter : scope.limiter;
  }

  /** Reads the body. One that cannot be read is an error after the permit, except that one that arrived too slowly ends the request at once. */
  async #readBody(request: Request, state: RequestState): Promise<void> {
    const { children, inputLimits, pace, spool } = this.#parts;
    const { method } = request;
    const announced = request.headers.get("content-length");
    const isRead = method === "GET" || method === "HEAD";
    if (isRead && announced === null) return;
    setPace(request, pace);
    state.watch?.readingBody(true);
    await rejectLargeBody(request, inputLimits.maxBytes, !state.refusal);
    if (isRead || method === "OPTIONS") return state.watch?.readingBody(false);
    if (!state.refusal || this.#parts.routeOf(method, pathOf(request.url))?.permit === "public") {
      state.files = spool.forRequest();
      try {
        const owner = ownerOf(state);
        const pause = () => this.#turns.pause(owner);
        const limits = isStranger(state) ? { ...inputLimits, ...STRANGER_LIMITS } : inputLimits;
        const parse = parserFor(children, owner, pause);
        state.body = await parseBody(request, limits, { keep: state.files.keep, parse, pause, timed: timedWork });
      } catch (error) {
        state.bodyError = bodyError(error);
        if (state.bodyError.status === TOO_SLOW) throw state.bodyError;
      }
    }
    // To parse a large body is work, but not yet what the request asks for.
    if (state.work) state.work.hasBegun = false;
    state.watch?.readingBody(false);
  }
}

/** Reads the query string, merges it with the body and applies a method override. */
function takeInput(request: Request, state: RequestState): void {
  const { body } = state;
  state.nestedQuery = queryOf(request.url);
  state.input = body ? merge(state.nestedQuery, body) : state.nestedQuery;
  const override = methodOverride(request, body ?? {}, state.nestedQuery);
  if (override !== undefined && METHOD_NAME.test(override)) overrideMethod(request, override);
  else if (override !== undefined) state.bodyError ??= NO_METHOD;
}

async function countAddress(state: RequestState, limit: NonNullable<RouteScope["addressLimit"]>): Promise<void> {
  const taken = limit.take(state.address);
  const allowance = taken instanceof Promise ? await taken : taken;
  state.scopeHeaders = { ...state.scopeHeaders, ...limit.headers(allowance) };
  if (allowance.exceeded) throw limit.exceeded(allowance);
}

function methodError({ method, url }: Request, { methods }: RouteScope): ApiError {
  const allow = allowOf(methods) ?? "";
  const route = trimChars(pathOf(url), "/");
  const text = "The :method method is not supported for route :route. Supported methods: :methods.";
  return localizedError(405, text, { method, route, methods: allow }, { headers: { allow } });
}
