/** The ceiling for an empty answer: a bare Elysia route that says the same body again and again, to anybody. */
import { Elysia } from "elysia";

const BODY = JSON.stringify({ total_hosts: 100_000, hosts_needing_updates: 0, filler: "x".repeat(520) });

new Elysia()
  .get("/stats", () => new Response(BODY, { headers: { "content-type": "application/json" } }))
  .listen({ port: Number(process.env.PORT), hostname: "127.0.0.1" });
