import { afterAll, expect, jest, test } from "bun:test";
import type { ApiError } from "../errors.ts";
import { type Answerer, RunningRequests, type Watch } from "./running_requests.ts";

/** Answers when the test resolves it, and records the requests. */
function manual(): Answerer & { answers: Map<string, (response: Response) => void>; watches: Map<string, Watch> } {
  const answers = new Map<string, (response: Response) => void>();
  const watches = new Map<string, Watch>();
  return {
    answers,
    watches,
    handle: ({ url }, _peer, watch) => {
      if (watch) watches.set(new URL(url).pathname, watch);
      return new Promise((resolve) => answers.set(new URL(url).pathname, resolve));
    },
    refuse: (_request, error: ApiError) => new Response(error.message, { status: error.status }),
    takesLong: ({ url }) => url.includes("export"),
  };
}

const request = (path: string) => new Request(`http://x${path}`);

jest.useFakeTimers();
afterAll(() => void jest.useRealTimers());

test("late requests are answered 503, long routes have more time, and the time of a body does not count", async () => {
  const server = manual();
  const requests = new RunningRequests(server, { usualMs: 5_000, longMs: 60_000 });
  const statuses: Record<string, number> = {};
  for (const path of ["/slow", "/export", "/body", "/quick"])
    void Promise.resolve(requests.answer(request(path), "")).then(({ status }) => {
      statuses[path] = status;
    });
  server.watches.get("/body")?.readingBody(true);
  server.answers.get("/quick")?.(new Response());
  const pass = async (ms: number) => {
    jest.advanceTimersByTime(ms);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  await pass(7_000);
  expect(statuses).toEqual({ "/quick": 200, "/slow": 503 });
  server.watches.get("/body")?.readingBody(false);
  await pass(4_000);
  expect(statuses["/body"]).toBeUndefined();
  await pass(3_000);
  expect(statuses["/body"]).toBe(503);
  await pass(60_000);
  expect(statuses["/export"]).toBe(503);
  requests.close();
});
