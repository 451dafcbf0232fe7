/**
 * A store that is stalled or gone: every request is answered in time and in its own error shape, and the store is used again
 * when it is back.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Cluster, startCluster, systemBinaries } from "../support/harness/cluster.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { dataFolder, type Program, startProgram } from "../support/harness/program.ts";
import { embeddedPid, whileStalled } from "../support/harness/stall.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(scaled(120_000));
const DATABASE_TIMEOUT_MS = scaled(600);
/** Distinguishes the deadline from hanging: far more than any answer takes, far less than a client waits. */
const ANSWERED_WITHIN_MS = scaled(15_000);
const AWAY = "The database is not available at the moment. Please try again later.";

interface Kind {
  readonly name: string;
  readonly onServer: boolean;
}

const KINDS: readonly Kind[] = [
  { name: "embedded", onServer: false },
  ...(systemBinaries() ? [{ name: "on a server", onServer: true }] : []),
];

for (const { name, onServer } of KINDS) {
  describe(`a store that does not answer, ${name}`, () => {
    const folder = dataFolder(onServer ? "empty" : "ready");
    let cluster: Cluster | undefined;
    let program: Program;
    let page: number;
    let cookie: string;
    beforeAll(async () => {
      cluster = onServer ? await startCluster() : undefined;
      program = await startProgram(folder.path, {
        DATABASE_URL: cluster?.url ?? "",
        DATABASE_TIMEOUT_MS: String(DATABASE_TIMEOUT_MS),
        ADMIN_PASSWORD: "correct horse battery",
      });
      const form = new URLSearchParams({ email: "admin@example.com", password: "correct horse battery" });
      const login = `http://127.0.0.1:${program.port}/login`;
      const signedIn = await fetch(login, { method: "POST", body: form, redirect: "manual" });
      cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
      const book = await program.ask("POST", "/api/books", { name: "Runbooks" });
      const made = await program.ask("POST", "/api/pages", { book_id: book.body.id, name: "One", html: "<p>1</p>" });
      page = made.body.id as number;
    });
    afterAll(async () => {
      program.signal("SIGTERM");
      const code = await program.ended;
      await cluster?.stop();
      folder.remove();
      expect([code, program.output()]).toEqual([0, expect.any(String)]);
    });

    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(`http://127.0.0.1:${program.port}${path}`, {
        headers,
        redirect: "manual",
        signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
      });
    const api = (method: string, path: string, body?: unknown) =>
      fetch(`http://127.0.0.1:${program.port}${path}`, {
        method,
        headers: { authorization: program.authorization, "content-type": "application/json" },
        signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const pid = () => cluster?.pid() ?? embeddedPid(folder.path);

    async function expectRefused(): Promise<void> {
      const asked = [
        ...Array.from({ length: 20 }, () => api("GET", `/api/pages/${page}`)),
        api("GET", "/api/books"),
        api("GET", "/api/pages?filter[name:like]=%25one%25"),
        api("GET", "/api/search?query=one"),
        api("GET", `/api/pages/${page}/export/html`),
        api("POST", "/api/books", { name: "While away" }),
        api("PUT", `/api/pages/${page}`, { name: "While away" }),
      ];
      for (const answer of await Promise.all(asked)) {
        expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
        expect(await answer.json()).toEqual({ error: { code: 503, message: AWAY } });
      }
      const numbers = await get("/api/v1/dashboard/stats", { authorization: `Basic ${btoa("key:secret")}` });
      expect([numbers.status, numbers.headers.get("retry-after")]).toEqual([503, "5"]);
      expect(await numbers.json()).toEqual({ error: "Service temporarily unavailable" });
      const screen = await get("/books", { accept: "text/html", cookie });
      expect([screen.status, screen.headers.get("retry-after")]).toEqual([503, "5"]);
      expect(screen.headers.get("content-type")).toContain("text/html");
      expect(await screen.text()).toContain(AWAY);
    }

    async function expectServed(): Promise<void> {
      await until(async () => {
        const tried = [
          api("GET", `/api/pages/${page}`),
          api("GET", "/api/search?query=one"),
          api("POST", "/api/books", { name: "Back" }),
        ];
        return (await Promise.all(tried)).every(({ status }) => status === 200);
      });
      // Every connection of every kind has come back.
      for (let n = 0; n < 10; n++) {
        expect((await api("GET", `/api/pages/${page}`)).status).toBe(200);
        expect((await api("GET", "/api/search?query=one")).status).toBe(200);
        expect((await api("POST", "/api/books", { name: `Back ${n}` })).status).toBe(200);
      }
      expect((await get("/login", { accept: "text/html" })).status).toBe(200);
      const books = await program.ask("GET", "/api/books?filter[name]=While away");
      expect(books.body.total).toBe(0);
    }

    test("while it is stalled requests are answered 503 in time, and served again when it resumes", async () => {
      await whileStalled(pid(), async () => {
        await expectRefused();
        // And again, on connections that were made while it was stalled.
        await expectRefused();
        // Signing in needs the store, the form does not.
        expect((await get("/login", { accept: "text/html" })).status).toBe(200);
        const form = new URLSearchParams({ email: "admin@example.com", password: "correct horse battery" });
        const url = `http://127.0.0.1:${program.port}/login`;
        const refused = await fetch(url, { method: "POST", body: form, headers: { accept: "text/html" } });
        expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining(AWAY)]);
        expect(refused.headers.get("retry-after")).toBe("5");
      });
      await expectServed();
    });

    test("while it is gone requests are answered 503, and served again when it is back", async () => {
      if (cluster) {
        await cluster.kill();
        // What is cached is answered until the server reads that its connections were closed.
        await until(async () => (await get("/ready")).status === 503);
        await expectRefused();
        await cluster.restart();
      } else process.kill(pid(), "SIGQUIT");
      await expectServed();
    });

    test("what works in the background goes on", async () => {
      const sent = await program.ask("POST", "/api/books", { name: "After all" });
      expect((await program.ask("DELETE", `/api/books/${sent.body.id}`)).status).toBe(204);
      expect(program.output()).not.toMatch(/unhandled|Uncaught/i);
      // No job has used up its tries meanwhile.
      const { body } = await program.ask("GET", "/api/system/jobs");
      expect(body.data).toEqual([]);
    });
  });
}

for (const { name } of KINDS.filter(({ onServer }) => onServer))
  test(`told to stop while its store is stalled, ${name}, the program ends`, async () => {
    const folder = dataFolder();
    const cluster = await startCluster();
    if (!cluster) throw new Error("Cannot find PostgreSQL");
    const program = await startProgram(folder.path, { DATABASE_URL: cluster.url, STOP_TIMEOUT_MS: "2000" });
    try {
      await whileStalled(cluster.pid(), async () => {
        program.signal("SIGTERM");
        expect(await Promise.race([program.ended, Bun.sleep(scaled(60_000)).then(() => "still there")])).toBe(0);
      });
    } finally {
      program.signal("SIGTERM");
      await cluster.stop();
      folder.remove();
    }
  });
