/**
 * What an empty answer is measured against: bare Elysia routes that say the same constant body again and again, to
 * anybody. `/plain` says it and nothing else; `/dressed` carries the headers that the contract wants on every answer.
 */
import { Elysia } from "elysia";

const BODY = JSON.stringify({ total_hosts: 100_000, hosts_needing_updates: 0, filler: "x".repeat(520) });
const PLAIN = { "content-type": "application/json" };
const DRESSED = {
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
  .get("/dressed", () => new Response(BODY, { headers: DRESSED }))
  .listen({ port: Number(process.env.PORT), hostname: "127.0.0.1" });
