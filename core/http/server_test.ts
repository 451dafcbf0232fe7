import { expect, test } from "bun:test";
import { createTexts } from "../i18n/catalogue.ts";
import { defaultInputLimits } from "../input/body_parsing.ts";
import { Tracing } from "../tracing.ts";
import { SYSTEM } from "../viewer.ts";
import type { PluginApp } from "./plugin_app.ts";
import { memoryLimiter } from "./rate_limit.ts";
import { appBelow, HttpServer, type HttpServerParts } from "./server.ts";

/** A server whose routes need nothing else of a runtime. */
function serverOf(limit: number, addTo?: (app: PluginApp) => void): HttpServer {
  const parts: Partial<HttpServerParts> = {
    limiter: memoryLimiter(limit),
    inputLimits: defaultInputLimits,
    tracing: new Tracing(),
    proxies: "none",
    root: "",
    texts: createTexts(),
  };
  const server = new HttpServer(parts as HttpServerParts);
  const app = appBelow("/api");
  app.get("/at-once", () => ({ roses: 3 }), { permit: "public" });
  app.get("/roses/:id", ({ params, address, requestId }) => [params.id, address, requestId], { permit: "public" });
  app.get(
    "/later",
    async () => {
      await Promise.resolve();
      return { roses: 4 };
    },
    { permit: "public" },
  );
  addTo?.(app);
  server.mount(app);
  server.compile();
  return server;
}

/** Asks in a turn of the event loop of its own, in which no other request has taken time. */
async function ask(server: HttpServer, path: string): Promise<{ readonly answer: Response | Promise<Response> }> {
  await new Promise((resolve) => setImmediate(resolve));
  return { answer: server.handle(new Request(`http://localhost${path}`), "192.0.2.1") };
}

test("a read that waits for nothing is answered at once, with the headers and facts of any other", async () => {
  const server = serverOf(3);
  const asked = [await ask(server, "/api/at-once"), await ask(server, "/api/roses/7"), await ask(server, "/api/later")];
  expect(asked.map(({ answer }) => answer instanceof Response)).toEqual([true, true, false]);
  const answers = await Promise.all(asked.map(({ answer }) => answer));
  const bodies = await Promise.all(answers.map((answer) => answer.json()));
  const ids = answers.map(({ headers }) => headers.get("x-request-id"));
  expect(bodies).toEqual([{ roses: 3 }, ["7", "192.0.2.1", ids[1]], { roses: 4 }]);
  expect(new Set(ids).size).toBe(3);
  for (const [at, { headers }] of answers.entries())
    expect(Object.fromEntries(headers)).toEqual({
      "cache-control": "no-cache, no-store, private",
      "content-type": "application/json",
      expires: "Sun, 12 Jul 2015 19:01:00 GMT",
      "x-content-type-options": "nosniff",
      "x-ratelimit-limit": "3",
      "x-ratelimit-remaining": String(2 - at),
      "x-request-id": ids[at] as string,
    });
});

test("answers of servers with limits of their own have these, and keep their headers when others are answered", async () => {
  const [small, large] = [serverOf(5), serverOf(7)];
  const answers: Response[] = [];
  for (const server of [small, large, small]) answers.push(await (await ask(server, "/api/at-once")).answer);
  const shown = answers.map(({ headers }) => ["limit", "remaining"].map((name) => headers.get(`x-ratelimit-${name}`)));
  expect(shown).toEqual([
    ["5", "4"],
    ["7", "6"],
    ["5", "3"],
  ]);
});

/** Notes how many calls run at a time. */
function counted(): { readonly running: { most: number }; call(): Promise<void> } {
  const running = { now: 0, most: 0 };
  const call = async () => {
    running.now += 1;
    running.most = Math.max(running.most, running.now);
    await new Promise((resolve) => setImmediate(resolve));
    running.now -= 1;
  };
  return { running, call };
}

const many = (server: HttpServer, path: string) =>
  Array.from({ length: 30 }, () => server.handle(new Request(`http://localhost${path}`), "192.0.2.1"));

test("of the requests of one user that wait for the same, eight run at a time", async () => {
  const { running, call } = counted();
  const server = serverOf(100, (app) =>
    app.get("/slow", async () => call().then(() => ({ roses: 5 })), { permit: "public" }),
  );
  const known = Promise.withResolvers<void>();
  server.auth(async () => {
    await known.promise;
    return { ...SYSTEM, id: 5, via: "token" };
  });
  const asked = many(server, "/api/slow");
  known.resolve();
  const answers = await Promise.all(asked);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(running.most).toBe(8);
});

test("what a scope does after a route that was answered at once counts as a part of the request", async () => {
  const { running, call } = counted();
  const server = serverOf(100);
  server.routeScope("/at-once", {
    async intercept(_request, _address, next) {
      const answer = await next();
      await call();
      return answer;
    },
  });
  const answers = await Promise.all(many(server, "/api/at-once"));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(running.most).toBe(8);
});

test("the time for an answer begins after a body that is refused, too", async () => {
  const server = serverOf(100);
  const reading: boolean[] = [];
  const large = new Request("http://localhost/api/at-once", {
    method: "POST",
    headers: { "content-length": String(defaultInputLimits.maxBytes * 3), "content-type": "application/json" },
    body: "{}",
  });
  await server.handle(large, "192.0.2.1", { readingBody: (isReading) => void reading.push(isReading) });
  expect(reading).toEqual([true, false]);
});
