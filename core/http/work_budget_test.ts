import { expect, setSystemTime, test } from "bun:test";
import { ApiError } from "../errors.ts";
import { createLog } from "../log.ts";
import { GUEST, type Viewer } from "../viewer.ts";
import { memoryLimiter } from "./rate_limit.ts";
import { RequestState, withRequest } from "./request_context.ts";
import { beginWork, chargeWork, timedWork, WorkBudget } from "./work_budget.ts";

function budgetOf(config: { cpuSecondsPerMinute?: number; requestsPerMinute?: number } = {}): WorkBudget {
  return new WorkBudget({
    makeLimiter: (_name, limit, windowMs) => memoryLimiter(limit, windowMs),
    log: createLog("silent"),
    config: { cpuSecondsPerMinute: 1, requestsPerMinute: 180, maxLimitKeys: 1_000, ...config },
  });
}

/** A request of a user, or of a guest without an id; every call makes another one. */
function asks(budget: WorkBudget, address: string, id?: number): RequestState {
  const state = new RequestState({ requestId: "1", address, scope: undefined });
  state.work = { budget, hasBegun: false };
  state.viewer = id === undefined ? GUEST : ({ ...GUEST, id, via: "token" } as Viewer);
  return state;
}

/** Begins work and charges it. Returns the status and Retry-After of a refusal. */
function work(state: RequestState, ms: number): unknown {
  return withRequest(state, () => {
    try {
      beginWork();
      chargeWork(ms);
      return "done";
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return [error.status, error.details.headers?.["retry-after"]];
    }
  });
}

test("a user past the budget is refused until the minute has ended, wherever they are", () => {
  const budget = budgetOf();
  setSystemTime(new Date("2030-01-01T00:00:00Z"));
  try {
    expect([work(asks(budget, "192.0.2.1", 7), 900), work(asks(budget, "192.0.2.2", 7), 90)]).toEqual(["done", "done"]);
    // Less than is charged at once; the next takes it along.
    expect([work(asks(budget, "192.0.2.3", 7), 90), work(asks(budget, "192.0.2.3", 8), 90)]).toEqual(["done", "done"]);
    expect(work(asks(budget, "192.0.2.4", 7), 1)).toEqual([429, "60"]);
    setSystemTime(new Date("2030-01-01T00:00:59Z"));
    expect(work(asks(budget, "192.0.2.4", 7), 1)).toEqual([429, "1"]);
    setSystemTime(new Date("2030-01-01T00:01:00Z"));
    expect(work(asks(budget, "192.0.2.4", 7), 1)).toBe("done");
  } finally {
    setSystemTime();
  }
});

test("an address has twice the budget of a user; guests are one user by address, and IPv6 networks one address", () => {
  const budget = budgetOf();
  for (const id of [1, 2, 3]) expect(work(asks(budget, "192.0.2.1", id), 700)).toBe("done");
  expect(work(asks(budget, "192.0.2.1", 4), 1)).toMatchObject([429, expect.any(String)]);
  expect(work(asks(budget, "192.0.2.2", 4), 1)).toBe("done");
  expect(work(asks(budget, "2001:db8::1"), 1_100)).toBe("done");
  expect(work(asks(budget, "2001:db8::2"), 1)).toMatchObject([429, expect.any(String)]);
  expect(work(asks(budget, "2001:db8::2", 5), 1)).toBe("done");
});

test("work that has begun is never refused in the middle, in its calls within the process either", () => {
  const budget = budgetOf();
  const long = asks(budget, "192.0.2.1", 1);
  expect([work(long, 5_000), work(long, 5_000)]).toEqual(["done", "done"]);
  const within = asks(budget, "", 1);
  within.work = long.work;
  expect(work(within, 1)).toBe("done");
  expect(work(asks(budget, "192.0.2.1", 1), 1)).toMatchObject([429, expect.any(String)]);
});

test("without a setting the budget is a quarter of a second for each request", () => {
  const budget = budgetOf({ cpuSecondsPerMinute: 0, requestsPerMinute: 4 });
  expect([work(asks(budget, "a", 1), 1_000), work(asks(budget, "b", 1), 200)]).toEqual(["done", "done"]);
  expect(work(asks(budget, "c", 1), 1)).toMatchObject([429, expect.any(String)]);
});

test("the time of what runs in the process is charged, also if it fails, and outside of requests nothing is", async () => {
  const budget = budgetOf({ cpuSecondsPerMinute: 0, requestsPerMinute: 1 });
  const slow = async () => {
    for (const until = performance.now() + 300; performance.now() < until; );
    throw new Error("failed");
  };
  await withRequest(asks(budget, "a", 1), () => expect(timedWork(slow)).rejects.toThrow("failed"));
  expect(work(asks(budget, "b", 1), 1)).toMatchObject([429, expect.any(String)]);
  beginWork();
  chargeWork(1e9);
});
