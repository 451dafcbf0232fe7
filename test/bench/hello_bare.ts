/** What the core is compared with: `Bun.serve` alone, or with HELLO_ON=elysia one route of Elysia, without anything beside it. */
import { Elysia } from "elysia";

const place = { port: Number(process.env.PORT), hostname: "127.0.0.1" };
if (process.env.HELLO_ON === "elysia") new Elysia().get("/api/hello", () => ({ hello: "world" })).listen(place);
else Bun.serve({ ...place, fetch: () => Response.json({ hello: "world" }) });
