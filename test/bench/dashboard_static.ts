/**
 * The lower bound for an empty answer: bare Elysia routes that answer the same constant body to anybody. `/plain` has no
 * further headers; `/with-headers` has those that the contract wants on every answer; `/statement` is an empty answer after
 * the statement of a poll, which reads the numbers only after writes, as the plugin "hosts" does.
 */
import { Elysia } from "elysia";
import postgres from "postgres";
import { pollSql } from "../../plugins/monitoring/hosts/numbers.ts";

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

const sql = postgres(process.env.DATABASE_URL ?? "", { max: 2, onnotice: () => {} });
const POLL = pollSql({ snapshot: "$1", until: "$2::text" });
let known = { snapshot: "", until: "-infinity" };

async function poll(): Promise<Response> {
  const [row] = await sql.unsafe(POLL, [known.snapshot, known.until], { prepare: true });
  if (row?.numbers) known = { snapshot: row.snapshot, until: row.numbers.holds_until ?? "infinity" };
  return new Response(null, { status: 304, headers: HEADERS });
}

new Elysia()
  .get("/statement", poll)
  .get("/plain", () => new Response(BODY, { headers: PLAIN }))
  .get("/with-headers", () => new Response(BODY, { headers: HEADERS }))
  .listen({ port: Number(process.env.PORT), hostname: "127.0.0.1" });
