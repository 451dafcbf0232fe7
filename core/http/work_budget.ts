/**
 * A budget of processor time beside the limit of requests: one request may cost a thousand times what another does. What the
 * tasks of a request take in child processes, and its parsers and renderers in this one, is charged to its user (to the address
 * for guests) and to its address. Past the budget, work that may take long is refused with 429 until the minute has ended.
 *
 * Work is charged once it is done, and refused before the first work of a request alone, so that a long export ends although it
 * takes more than the budget. The time of the store is not charged: statements have limits of their own. Commands, jobs and schedules
 * are no requests, and never charged.
 */
import type { Config } from "../config.ts";
import { localizedError } from "../errors.ts";
import type { Log } from "../log.ts";
import { ExpiringMap } from "../std/expiring_map.ts";
import { MINUTE_MS, SECOND_MS } from "../std/time.ts";
import { networkOf } from "./client_address.ts";
import type { Allowance, Limiter, MakeLimiter } from "./rate_limit.ts";
import { currentState, type RequestState } from "./request_context.ts";

/** The default budget of a user: so much for each request that API_REQUESTS_PER_MIN allows. */
const MS_PER_REQUEST = 250;
/** The budget of an address, as a multiple of that of a user; several users may share one. */
const ADDRESS_SHARE = 2;
const WINDOW_MS = MINUTE_MS;
/** Time that is charged at once, so that small amounts cost no statement each where servers share the counts. */
const CHARGED_MS = 100;
const SPENT = "Your requests have taken too much processor time; try again in :seconds seconds.";

/** The budgets of all users, or of all addresses. */
interface Tally {
  readonly limiter: Limiter;
  /** Whom it counts; undefined where that is not known. */
  keyOf(state: RequestState): string | undefined;
  /** Keys past the budget. */
  readonly spent: ExpiringMap<{ readonly endsAt: number }>;
  /** Time that is not charged yet, in milliseconds. */
  readonly owed: ExpiringMap<{ readonly ms: number; readonly endsAt: number }>;
}

/** Dependencies and settings of a budget. */
export interface WorkBudgetOptions {
  readonly makeLimiter: MakeLimiter;
  readonly log: Log;
  readonly config: Pick<Config, "cpuSecondsPerMinute" | "requestsPerMinute" | "maxLimitKeys">;
}

/** The budgets of users and addresses of one runtime. */
export class WorkBudget {
  readonly #tallies: readonly Tally[];
  readonly #log: Log;

  constructor({ makeLimiter, log, config }: WorkBudgetOptions) {
    const { cpuSecondsPerMinute: seconds, requestsPerMinute, maxLimitKeys } = config;
    const userMs = seconds > 0 ? seconds * SECOND_MS : requestsPerMinute * MS_PER_REQUEST;
    const tally = (name: string, limitMs: number, keyOf: Tally["keyOf"]): Tally => ({
      limiter: makeLimiter(name, limitMs, WINDOW_MS),
      keyOf,
      spent: new ExpiringMap(WINDOW_MS, maxLimitKeys),
      owed: new ExpiringMap(WINDOW_MS, maxLimitKeys),
    });
    this.#log = log;
    this.#tallies = [
      tally("work by user", userMs, ({ viewer, address }) =>
        viewer.via === "guest" ? addressKey(address) : `viewer ${viewer.id}`,
      ),
      tally("work by address", userMs * ADDRESS_SHARE, ({ address }) => addressKey(address)),
    ];
  }

  /** Throws ApiError 429 with Retry-After where the user or the address of a request is past its budget. */
  check(state: RequestState): void {
    for (const { keyOf, spent } of this.#tallies) {
      const key = keyOf(state);
      const found = key === undefined ? undefined : spent.get(key);
      if (!found) continue;
      const seconds = String(Math.max(1, Math.ceil((found.endsAt - Date.now()) / SECOND_MS)));
      throw localizedError(429, SPENT, { seconds }, { headers: { "retry-after": seconds } });
    }
  }

  /** Charges milliseconds to the user and the address of a request. */
  charge(state: RequestState, ms: number): void {
    for (const tally of this.#tallies) {
      const key = tally.keyOf(state);
      if (key !== undefined) this.#chargeTo(tally, key, ms);
    }
  }

  #chargeTo({ limiter, owed, spent }: Tally, key: string, added: number): void {
    const ms = (owed.get(key)?.ms ?? 0) + added;
    const isCharged = ms >= CHARGED_MS;
    owed.set(key, { ms: isCharged ? 0 : ms, endsAt: Date.now() + WINDOW_MS });
    if (!isCharged) return;
    const note = ({ exceeded, resetsAt }: Allowance) => {
      if (!exceeded) return;
      if (!spent.get(key)) this.#log.warn("A client is past its budget of processor time", { client: key });
      spent.set(key, { endsAt: resetsAt * SECOND_MS });
    };
    const taken = limiter.take(key, Math.round(ms));
    if (taken instanceof Promise)
      taken.then(note, (error: unknown) => this.#log.warn("Cannot charge processor time", { error }));
    else note(taken);
  }
}

function addressKey(address: string): string | undefined {
  return address === "" ? undefined : `address ${networkOf(address)}`;
}

/**
 * Begins work that may take long. Throws ApiError 429 where the user or the address of the current request is past the budget,
 * unless work of the request has begun before. Does nothing outside of requests.
 * @example
 * beginWork();
 * const child = Bun.spawn(["typst", "compile", "in.typ", "out.pdf"]);
 */
export function beginWork(): void {
  const state = currentState();
  if (!state?.work || state.work.hasBegun) return;
  state.work.budget.check(state);
  state.work.hasBegun = true;
}

/**
 * Charges milliseconds of processor time to the user and the address of the current request; see `beginWork`. Does nothing
 * outside of requests.
 * @example
 * const child = Bun.spawn(["typst", "compile", "in.typ", "out.pdf"]);
 * await child.exited;
 * chargeWork(Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000);
 */
export function chargeWork(ms: number): void {
  const state = currentState();
  state?.work?.budget.charge(state, ms);
}

/**
 * Runs something in this process and charges the time to its end; see `chargeWork`. For work that waits for nothing else.
 * @example
 * beginWork();
 * const words = await timedWork(async () => (input.text as string).split(/\s/).length);
 */
export async function timedWork<R>(run: () => Promise<R>): Promise<R> {
  const started = performance.now();
  try {
    return await run();
  } finally {
    chargeWork(performance.now() - started);
  }
}
