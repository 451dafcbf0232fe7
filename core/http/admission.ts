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
import { type MaybePromise, whenReady } from "../std/when_ready.ts";
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

  /**
   * Completes the state of a request. Returns an answer to a request that is not routed; a promise only where something is waited for. Throws
   * ApiError.
   */
  admit(request: Request, state: RequestState): MaybePromise<Response | undefined> {
    const { scope } = state;
    // That of an earlier try.
    state.turn?.end();
    const early = scope && this.#beginScope(request, state, scope);
    if (early) return early;
    const counted = scope?.addressLimit && countAddress(state, scope.addressLimit);
    const admitted = whenReady(counted, () => this.#recognise(request, state));
    if (admitted instanceof Promise) state.hasWaited = true;
    return admitted;
  }

  #recognise(request: Request, state: RequestState): MaybePromise<Response | undefined> {
    const { scope } = state;
    const method = request.method === "HEAD" ? "GET" : request.method;
    if (scope?.methods && !scope.methods.includes(method)) throw methodError(request, scope);
    return whenReady(this.#authenticate(request, state), () =>
      whenReady(this.#count(request, state), (allowance) => {
        state.allowance = allowance;
        if (allowance?.exceeded) throw new ApiError(429, "Too Many Attempts.");
        return this.#begin(request, state);
      }),
    );
  }

  #begin(request: Request, state: RequestState): MaybePromise<Response | undefined> {
    const { refusal, scope } = state;
    if (scope?.notModified && !refusal && request.headers.get("if-none-match") !== null)
      return this.#beginChanged(request, state, scope.notModified);
    return this.#beginRead(request, state);
  }

  async #beginChanged(
    request: Request,
    state: RequestState,
    notModified: NonNullable<RouteScope["notModified"]>,
  ): Promise<Response | undefined> {
    return (await notModified(request)) ?? this.#beginRead(request, state);
  }

  /** Begins a request in its turn, with its body read. */
  #beginRead(request: Request, state: RequestState): MaybePromise<undefined> {
    const owner = ownerOf(state);
    if (state.scope?.ownBodies) {
      setPace(request, this.#parts.pace);
      // Nor does it count as one that runs, since it may wait for its body.
      return whenReady(this.#turns.pause(owner, request), () => {
        state.nestedQuery = state.input = queryOf(request.url);
        return undefined;
      });
    }
    return whenReady(this.#readBody(request, state, owner), () =>
      whenReady(this.#turns.begin(owner, request), (turn) => {
        state.turn = turn;
        // Others that have waited for the same, such as a token, begin before this one is routed.
        if (state.hasWaited) turn.run();
        takeInput(request, state);
        return undefined;
      }),
    );
  }

  /** Sets the headers of the scope. Returns the answer to OPTIONS in a scope with CORS. */
  #beginScope(request: Request, state: RequestState, scope: RouteScope): Response | undefined {
    if (!scope.cors && !scope.headers) return undefined;
    const { headers, isAllowed } = scopeHeaders(scope, request);
    state.scopeHeaders = headers;
    return scope.cors && request.method === "OPTIONS" ? preflight(scope, isAllowed) : undefined;
  }

  /** Asks the authenticators in their order, from the one at an index on. */
  #authenticate(request: Request, state: RequestState, first = 0): MaybePromise<void> {
    const own = state.scope?.authenticate;
    const all = own ? [own, ...this.#authenticators] : this.#authenticators;
    for (let at = first; at < all.length; at++) {
      const found = all[at]?.(request, state.address);
      if (found instanceof Promise)
        return found.then((late) => (isTaken(state, late) ? undefined : this.#authenticate(request, state, at + 1)));
      if (isTaken(state, found)) return;
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

  #readBody(request: Request, state: RequestState, owner: string): Promise<void> | undefined {
    const { method } = request;
    const isRead = method === "GET" || method === "HEAD";
    return isRead && request.headers.get("content-length") === null ? undefined : this.#readSent(request, state, owner);
  }

  /** Reads what was sent; the time for an answer begins once that has ended, however it did. */
  async #readSent(request: Request, state: RequestState, owner: string): Promise<void> {
    setPace(request, this.#parts.pace);
    state.watch?.readingBody(true);
    try {
      await this.#takeBody(request, state, owner);
    } finally {
      state.watch?.readingBody(false);
    }
  }

  /** Reads the body. One that cannot be read is an error after the permit, except that one that arrived too slowly ends the request at once. */
  async #takeBody(request: Request, state: RequestState, owner: string): Promise<void> {
    const { children, inputLimits, spool } = this.#parts;
    const { method } = request;
    await rejectLargeBody(request, inputLimits.maxBytes, !state.refusal);
    if (method === "GET" || method === "HEAD" || method === "OPTIONS") return;
    if (!state.refusal || this.#parts.routeOf(method, pathOf(request.url))?.permit === "public") {
      state.files = spool.forRequest();
      try {
        const pause = () => this.#turns.pause(owner, request);
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
  }
}

/** Notes what an authenticator found of a request; false where its credentials are of another kind. */
function isTaken(state: RequestState, found: Awaited<ReturnType<Authenticate>>): boolean {
  if (found === undefined) return false;
  if (found instanceof ApiError) state.refusal = found;
  else state.viewer = frozenViewer(found);
  return true;
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

function countAddress(state: RequestState, limit: NonNullable<RouteScope["addressLimit"]>): MaybePromise<void> {
  return whenReady(limit.take(state.address), (allowance) => {
    state.scopeHeaders = { ...state.scopeHeaders, ...limit.headers(allowance) };
    if (allowance.exceeded) throw limit.exceeded(allowance);
  });
}

function methodError({ method, url }: Request, { methods }: RouteScope): ApiError {
  const allow = allowOf(methods) ?? "";
  const route = trimChars(pathOf(url), "/");
  const text = "The :method method is not supported for route :route. Supported methods: :methods.";
  return localizedError(405, text, { method, route, methods: allow }, { headers: { allow } });
}
