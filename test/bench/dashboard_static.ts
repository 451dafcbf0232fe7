/**
 * The lower bound for an empty answer: bare Elysia routes that answer the same constant body to anybody. `/plain` has no
 * further headers; `/with-headers` has those that the contract wants on every answer.
 */
import { Elysia } from "elysia";

const BODY = JSON.stringify({ total_hosts: 100_000, hosts_needing_updates: 0, filler: "x".repeat(520) });
const PLAIN = { "content-type": "application/json" };
const HEADERS = {
  ...PLAIN,
  etag: 'W/"abcdefghijk"',
  "cache-control": "private, no-cache",
  vary: "Authorization, Accept-Encoding",
  "x-content-type-options": "nosniff",
  "ratelimit-policy": "100;w=900",
  "ratelimit-limit": "100",
  "ratelimit-remaining": "99",
  "ratelimit-reset": "900",
};

new Elysia()
  .get("/plain", () => new Response(BODY, { headers: PLAIN }))
  .get("/with-headers", () => new Response(BODY, { headers: HEADERS }))
  .listen({ port: Number(process.env.PORT), hostname: "127.0.0.1" });
