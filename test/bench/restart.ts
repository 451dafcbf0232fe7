/**
 * `bun test/bench/restart.ts [seconds before]`: page screens of a user at 16 connections in the first three seconds after a start, and later,
 * once the server has been ready for some seconds (0, 5 and 30 by default), in which screens are drawn in the background. Before the start the same pages were read.
 */
import { openBenchServers, SERVE, TOKEN } from "./bench_servers.ts";
import { load, type Shot } from "./load.ts";
import { record } from "./record.ts";

const PASSWORD = "bench password";
const PORT = 18_095;
const PAGES = 200;
const CONNECTIONS = 16;
const FIRST_SECONDS = 3;
/** Until the later rate is measured. */
const LATER_MS = 10_000;
/** Views are written some seconds after they were made. */
const WRITTEN_MS = 6_000;
const HTML = `<h2>Failover</h2>${"<p>Call the <strong>DBA</strong> on duty, at any hour, and say which node is down.</p>".repeat(20)}`;
const waits = process.argv.slice(2).map(Number);

const servers = await openBenchServers();
const env = { ...servers.env, ADMIN_PASSWORD: PASSWORD, PORT: String(PORT) };
const start = () => servers.start([process.execPath, ...SERVE], env, PORT);
const post = (path: string, body: unknown) =>
  fetch(`http://127.0.0.1:${PORT}${path}`, {
    method: "POST",
    headers: { authorization: `Token ${TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

try {
  let server = await start();
  for (let n = 0; n < PAGES; n++) {
    const book = (await (await post("/api/books", { name: `Book ${n}` })).json()) as { id: number };
    await post("/api/pages", { book_id: book.id, name: `Page ${n}`, html: HTML });
  }
  const signedIn = await post("/api/session", { email: "admin@example.com", password: PASSWORD });
  const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
  const screen = (n: number): Shot => ({
    method: "GET",
    path: `/books/book-${n % PAGES}/page/page-${n % PAGES}`,
    headers: { cookie, accept: "text/html" },
  });
  await load(PORT, CONNECTIONS, FIRST_SECONDS, screen);
  await Bun.sleep(WRITTEN_MS);
  for (const wait of waits.length > 0 ? waits : [0, 5, 30]) {
    server.kill("SIGTERM");
    await server.exited;
    server = await start();
    await Bun.sleep(wait * 1_000);
    const first = await load(PORT, CONNECTIONS, FIRST_SECONDS, screen);
    await load(PORT, CONNECTIONS, LATER_MS / 1_000, screen);
    const later = await load(PORT, CONNECTIONS, FIRST_SECONDS, screen);
    record("Page screens after a start, at 16 connections", {
      "seconds since it was ready": wait,
      "/s in the first 3 s": Math.round(first.perSecond),
      "p99 ms": first.p99.toFixed(1),
      "/s later": Math.round(later.perSecond),
      "p99 ms later": later.p99.toFixed(1),
      ratio: (first.perSecond / later.perSecond).toFixed(2),
      refused: first.refused + later.refused,
    });
  }
} finally {
  await servers.stop();
}
