/**
 * The state of a request. It is attached to the request by the listener's side of the server, completed by the hooks that
 * precede routing, and read by those that follow. Handlers read its public part on Elysia's context. While a request runs, its
 * state is also in an AsyncLocalStorage, for code that gets no context: events record the address, validation errors are
 * written in the language, log lines and calls of webhooks have the id. Commands, jobs and schedules have none.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { AwayReads, StoreSession } from "../../db/mod.ts";
import type { ApiError } from "../errors.ts";
import type { InputObject } from "../input/body_parsing.ts";
import type { RequestFiles } from "../input/upload_spool.ts";
import { currentLoopTurn } from "../std/one_write.ts";
import { GUEST, type Viewer } from "../viewer.ts";
import type { Allowance } from "./rate_limit.ts";
import type { Turn } from "./request_turns.ts";
import type { RouteScope } from "./route_scope.ts";
import type { Watch } from "./running_requests.ts";
import type { WorkBudget } from "./work_budget.ts";

const NO_INPUT: InputObject = Object.freeze({});

/** What is known of a request when it arrives. */
export interface RequestFacts {
  /** Made, or the `X-Request-Id` of a trusted proxy. */
  readonly requestId: string;
  /** The client's address; "" if unknown. */
  readonly address: string;
  readonly scope: RouteScope | undefined;
  /** Is called when the server begins to wait for the body, and when the body has arrived. */
  readonly watch?: Watch | undefined;
  /** Whether the request is a `callAs`, which has no credentials, limits and body. */
  readonly isInternal?: boolean;
}

/** The budget of a request's work, and whether work has begun: from then on none of the request is refused. */
export interface RequestWork {
  readonly budget: WorkBudget;
  hasBegun: boolean;
}

/** What is known of a request; a class, so that all have the same shape. */
export class RequestState implements RequestFacts {
  readonly requestId: string;
  readonly address: string;
  readonly scope: RouteScope | undefined;
  readonly watch: Watch | undefined;
  readonly isInternal: boolean;
  viewer: Viewer = GUEST;
  /** The query string with brackets as nested values, strings trimmed. */
  nestedQuery: InputObject = NO_INPUT;
  /** The parsed body; undefined if it was not read. */
  body: InputObject | undefined = undefined;
  /** Query string and body merged; the body takes precedence. */
  input: InputObject = NO_INPUT;
  /** The preferred language, such as "de", of a request that may change something; undefined without a preference. */
  language: string | undefined = undefined;
  /** Why the client was not authenticated. */
  refusal: ApiError | undefined = undefined;
  /** Why the body could not be read. */
  bodyError: ApiError | undefined = undefined;
  /** The state of the limit that the request was counted by. */
  allowance: Allowance | undefined = undefined;
  /** The path of the route that answered, such as "/api/books/:id"; undefined before, and where no route did. */
  route: string | undefined = undefined;
  /** Whether schemas are judging the input, between the hooks `transform` and `beforeHandle`. */
  isJudged = false;
  /** Whether hooks that follow the answer are to find what the handler returned, and not a Response made of it. */
  keepsValue = false;
  /** Headers that the route scope adds to the answer. */
  scopeHeaders: Readonly<Record<string, string>> | undefined = undefined;
  /** Files of the body, on disk until the answer. */
  files: RequestFiles | undefined = undefined;
  /** What its work is charged to, which a request shares with its calls within the process; undefined for those of jobs. */
  work: RequestWork | undefined = undefined;
  /** Its turn among those of its owner; undefined before it begins. */
  turn: Turn | undefined = undefined;
  /** Whether it counts as one that runs from its turn on: it has waited for something, such as its body, or its scope may wait. */
  hasWaited = false;
  /** The turn of the event loop in which it arrived. */
  readonly loopTurn = currentLoopTurn();
  /** What was thrown before the router, which answers it. */
  failure: { readonly error: unknown } | undefined = undefined;
  /** The reads and writes of the request, once its user is known, where replicas may serve reads. */
  store: StoreSession | undefined = undefined;
  /** Which replica answered its reads while the database was away; undefined where none may. */
  awayReads: AwayReads | undefined = undefined;

  constructor({ requestId, address, scope, watch, isInternal = false }: RequestFacts) {
    this.requestId = requestId;
    this.address = address;
    this.scope = scope;
    this.watch = watch;
    this.isInternal = isInternal;
  }

  /** The request is answered: others of its owner may begin, and its files are removed. A promise where there are any. */
  end(): Promise<void> | undefined {
    this.turn?.end();
    return this.files?.isUsed() ? this.files.clear() : undefined;
  }
}

const STATE = Symbol("state of the request");

/** Attaches the state to a request. A property: a WeakMap entry for each request would burden the garbage collector. */
export function attachState(request: Request, state: RequestState): void {
  (request as { [STATE]?: RequestState })[STATE] = state;
}

/** The state of a request that the server answers. */
export function stateOf(request: Request): RequestState {
  const state = (request as { [STATE]?: RequestState })[STATE];
  if (!state) throw new Error("Cannot answer a request that did not pass through the server");
  return state;
}

const RUNNING = new AsyncLocalStorage<RequestState>();

/** Runs a function as part of a request, asynchronous parts included. */
export function withRequest<R>(state: RequestState, run: () => R): R {
  return RUNNING.run(state, run);
}

/** The state of the current request; undefined outside of one. */
export function currentState(): RequestState | undefined {
  return RUNNING.getStore();
}

/** The current request waits for what has turns of its own: further requests of its owner begin meanwhile. */
export function leaveTurn(): void {
  RUNNING.getStore()?.turn?.end();
}

/** The client's address of the current request; undefined outside of one. */
export function currentAddress(): string | undefined {
  return RUNNING.getStore()?.address;
}

/** The preferred language of the current request; undefined outside of one, for reads, and without a preference. */
export function currentLanguage(): string | undefined {
  return RUNNING.getStore()?.language;
}

/**
 * The id of the current request; undefined outside of one, as in jobs.
 * @example
 * const isAsked = currentRequestId() !== undefined;
 */
export function currentRequestId(): string | undefined {
  return RUNNING.getStore()?.requestId;
}

/** The user of the current request; undefined outside of one. */
export function currentViewer(): Viewer | undefined {
  return RUNNING.getStore()?.viewer;
}
