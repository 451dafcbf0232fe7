/** Who is counted together: a user over all addresses, guests by address, and which proxies may forward an address. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const PROXY = "10.0.0.1";
const BAD = "Token nobody:nothing";
const LIMIT = 5;

let runtime: TestRuntime;
let ann: string;
let ben: string;
beforeAll(async () => {
  runtime = await bootTestRuntime({ env: { API_REQUESTS_PER_MIN: String(LIMIT), APP_PROXIES: "10.0.0.0/8" } });
  // Each person takes two requests of the administrator's five.
  ann = `Token ${(await runtime.person("ann", ["access-api"])).token}`;
  ben = `Token ${(await runtime.person("ben", ["access-api"])).token}`;
});
afterAll(() => runtime.stop());

async function knock(authorization: string, peer: string, forwarded?: string, path = "/api/system") {
  const headers = { authorization, ...(forwarded === undefined ? {} : { "x-forwarded-for": forwarded }) };
  const response = await runtime.runtime.http.handle(new Request(`http://localhost${path}`, { headers }), peer);
  const left = response.headers.get("x-ratelimit-remaining");
  return { status: response.status, left: left === null ? null : Number(left), response };
}

test("a user has so many requests a minute, whatever the address, and errors count", async () => {
  const left: (number | null)[] = [];
  for (const [at, path] of ["/api/books", "/api/books/99", "/api/xyz", "/api/users", "/api/system"].entries())
    left.push((await knock(ann, `192.0.2.${at}`, undefined, path)).left);
  expect(left).toEqual([4, 3, 2, 1, 0]);
  const { status, response } = await knock(ann, "192.0.2.99");
  const { headers } = response;
  const now = Date.now() / 1000;
  expect([status, await response.json()]).toEqual([429, { error: { message: "Too Many Attempts.", code: 429 } }]);
  expect([headers.get("x-ratelimit-limit"), headers.get("x-ratelimit-remaining")]).toEqual([String(LIMIT), "0"]);
  expect(Number(headers.get("retry-after"))).toBeWithin(1, 62);
  expect(Number(headers.get("x-ratelimit-reset"))).toBeWithin(now, now + 62);
  expect(headers.get("content-type")).toBe("application/json");
});

test("one user's limit is nobody else's, from the same address", async () => {
  expect((await knock(ann, "192.0.2.1")).status).toBe(429);
  expect((await knock(ben, "192.0.2.1")).left).toBe(4);
  expect((await knock(BAD, "192.0.2.1")).left).toBe(4);
});

test("bad credentials of all kinds share the bucket of their address", async () => {
  const kinds = [BAD, "Bearer x", "", "Token adminid:wrong", "Token other:one"];
  const answers = [];
  for (const kind of kinds) answers.push(await knock(kind, "198.51.100.7"));
  expect(answers.map(({ left }) => left)).toEqual([4, 3, 2, 1, 0]);
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
  expect((await knock(BAD, "198.51.100.7")).status).toBe(429);
  expect((await knock(BAD, "198.51.100.8")).status).toBe(401);
  expect((await knock(ben, "198.51.100.7")).left).toBe(3);
});

test("only a trusted proxy says for whom it speaks", async () => {
  for (let at = 0; at < LIMIT; at++) expect((await knock(BAD, "203.0.113.5", `192.0.2.${100 + at}`)).left).toBe(4 - at);
  expect((await knock(BAD, "203.0.113.5", "192.0.2.222")).status).toBe(429);
  for (let at = 0; at < LIMIT + 1; at++) expect((await knock(BAD, PROXY, `203.0.113.${50 + at}`)).left).toBe(4);
});

test("of a chain of proxies the nearest untrusted one counts, and what it claims does not", async () => {
  for (let at = 0; at < LIMIT; at++)
    expect((await knock(BAD, PROXY, `192.0.2.${at}, 203.0.113.99, 10.2.3.4`)).left).toBe(4 - at);
  expect((await knock(BAD, PROXY, "203.0.113.99")).status).toBe(429);
  expect((await knock(BAD, "203.0.113.99")).status).toBe(429);
  expect((await knock(BAD, "::ffff:203.0.113.99")).status).toBe(429);
});

test("a forwarded address that is none leaves the proxy's own", async () => {
  const odd = ["", ",,,", "unknown", "'; drop table users", "1.2.3.4.5", "x".repeat(5_000)];
  const left = [];
  for (const text of odd) left.push((await knock(BAD, "10.9.9.9", text)).left);
  expect(left).toEqual([4, 3, 2, 1, 0, 0]);
});

test("tokens cannot be tried without a limit outside the API either", async () => {
  const tries = [];
  for (let at = 0; at < LIMIT + 1; at++)
    tries.push((await knock(BAD, "203.0.113.200", undefined, "/attachments/1")).status);
  expect(tries).toEqual([...Array(LIMIT).fill(401), 429]);
});

test("shared windows that a flood left behind go a few with each request, and those under way stay", async () => {
  const own = await bootTestRuntime({ env: { RATE_LIMITS_SHARED: "true" } });
  const left = async () => {
    const [found] = await rows<{ n: number }>(
      own.db,
      sql`select count(*)::integer as n from rate_windows where key like 'flood%'`,
    );
    return found?.n ?? 0;
  };
  await rows(
    own.db,
    sql`insert into rate_windows (key, count, ends_at) select 'flood ' || n, 1, now() - interval '1 second'
      from generate_series(1, 350) as n`,
  );
  await rows(
    own.db,
    sql`insert into rate_windows (key, count, ends_at) values ('flood on', 1, now() + interval '1 hour')`,
  );
  const counts: number[] = [];
  for (let request = 0; request < 5; request++) {
    await own.ask("GET", "/api/books");
    counts.push(await left());
  }
  expect(counts).toEqual([251, 151, 51, 1, 1]);
  await own.stop();
});
