/**
 * Transactions and streams that code of plugins which do not ship holds open or goes on with for ever: their connections are free in
 * time, and faults name the plugin.
 */
import { afterAll, afterEach, beforeAll, expect, type Mock, setDefaultTimeout, spyOn, test } from "bun:test";
import { definePlugin, GUEST, sql } from "lectern/core";
import { findCommand } from "../../core/cli/commands.ts";
import { WITH_BOOKS } from "../support/harness/few_plugins.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { dataFolder } from "../support/harness/program.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(120_000);

declare module "lectern/core" {
  interface Events {
    held_act: { draft: { id: number }; result: { id: number } };
  }
  interface Jobs {
    held_job: Record<string, never>;
  }
}

const LIMIT_MS = scaled(100);

/** What code that hangs waits for; it goes on when the test ends. */
let held = Promise.withResolvers<void>();
/** How many wait for it. */
let waiting = 0;
const hang = async () => {
  waiting += 1;
  await held.promise;
};

const holder = definePlugin({
  name: "holder",
  events: ["held_act"],
  grants: { read: ["books"] },
  setup({ app, db, jobs, on, perform }) {
    /** Sends statement after statement until the test ends it. */
    const endless = (onBegun = () => {}) =>
      db.transaction().execute(async (tx) => {
        onBegun();
        while (!isOver) await tx.selectFrom("books").select("id").execute();
        return {};
      });
    jobs.handle("held_job", async () => {
      await endless(() => {
        waiting += 1;
      });
      jobsDone += 1;
    });
    app.post("/held/endless", () => endless(), { permit: "public" });
    app.post("/held/job", () => jobs.enqueue("held_job", {}).then(() => ({})), { permit: "public" });
    app.post(
      "/held/slowly",
      async () => {
        // More rows than anybody reads in the time of the test, each a while after the one before.
        const many = db.selectFrom("books").select(sql<number>`generate_series(1, 100000)`.as("n"));
        for await (const _ of many.stream(1)) {
          if (isOver) break;
          await db.selectFrom("books").select("id").execute();
        }
        return {};
      },
      { permit: "public" },
    );
    on("book_update", {
      async veto({ draft }, tx) {
        if (draft.name !== "Streamed") return undefined;
        for await (const _ of tx.db.selectFrom("books").select("id").stream(1)) await hang();
        return undefined;
      },
    });
    app.post(
      "/held/transaction",
      () =>
        db.transaction().execute(async (tx) => {
          await tx.selectFrom("books").select("id").execute();
          await hang();
          return { ids: (await tx.selectFrom("books").select("id").execute()).length };
        }),
      { permit: "public" },
    );
    app.post(
      "/held/stream",
      async () => {
        let ids = 0;
        for await (const _ of db.selectFrom("books").select("id").stream(1)) {
          ids += 1;
          await hang();
        }
        return { ids };
      },
      { permit: "public" },
    );
    app.post(
      "/held/loop",
      () =>
        perform("held_act", GUEST, { id: 1 }, async (draft, tx) => {
          while (!isOver) await tx.db.selectFrom("books").select(sql<number>`1`.as("one")).execute();
          return draft;
        }),
      { permit: "public" },
    );
  },
});
let isOver = false;
let jobsDone = 0;

/** The environment of every runtime of this file. */
const ENV = {
  LOG_LEVEL: "warn",
  // A connection is free before any limit of statements ends what it waits for.
  DATABASE_TIMEOUT_MS: "110000",
};
/** The constants of every runtime of this file. */
const LIMITS = { partTimeoutMs: LIMIT_MS, answerTimeoutMs: LIMIT_MS * 2, writeTimeoutMs: 30_000 };

let runtime: TestRuntime;
let logged: Mock<typeof process.stderr.write>;
let book = 0;

beforeAll(async () => {
  logged = spyOn(process.stderr, "write").mockImplementation(() => true);
  runtime = await bootTestRuntime({
    only: WITH_BOOKS,
    extra: [holder],
    env: ENV,
    constants: { core: LIMITS },
  });
  await runtime.runtime.start();
  book = (await runtime.ask("POST", "/api/books", { body: { name: "One" } })).body.id;
});
afterEach(() => {
  isOver = true;
  held.resolve();
  held = Promise.withResolvers();
  waiting = 0;
});
afterAll(async () => {
  held.resolve();
  await runtime.stop();
  logged.mockRestore();
});

const busy = () => runtime.store.load().transactions.busy;
const faultsAt = (place: string) =>
  runtime.contexts
    .get("holder")
    ?.runtime.faults()
    .filter((fault) => fault.place === place) ?? [];
const LATE = { error: { code: 503, message: 'The plugin "holder" did not answer in time.' } };
const AWAY = {
  error: { code: 503, message: 'The plugin "holder" does not run at the moment; try again in a moment.' },
};

test("transactions that routes begin and never end free their connections; after three running the plugin gets none for a minute", async () => {
  const hanging: Promise<{ status: number }>[] = [];
  for (let count = 1; count <= 3; count++) {
    hanging.push(runtime.ask("POST", "/api/held/transaction"));
    await until(() => waiting === count);
    expect((await runtime.ask("POST", "/api/books", { body: { name: "Of somebody else" } })).status).toBe(200);
    await until(() => busy() === 0);
  }
  const [fault] = faultsAt("db.transaction()");
  expect(fault).toMatchObject({ count: 3, message: expect.stringMatching(/^Nothing happened in it for \d+ ms$/) });
  expect((await runtime.ask("POST", "/api/held/transaction")).body).toEqual(AWAY);
  // Code that goes on afterwards gets nothing more of its transaction.
  held.resolve();
  for (const { status } of await Promise.all(hanging)) expect(status).toBe(503);
});

test("streams that their reader leaves open free their connections; after three running the plugin gets none for a minute", async () => {
  const hanging: Promise<{ status: number }>[] = [];
  for (let count = 1; count <= 3; count++) {
    hanging.push(runtime.ask("POST", "/api/held/stream"));
    await until(() => waiting === count);
    await until(() => busy() === 0);
  }
  expect(faultsAt("stream() of db")).toMatchObject([{ count: 3 }]);
  expect((await runtime.ask("POST", "/api/held/stream")).body).toEqual(AWAY);
  held.resolve();
  for (const { status } of await Promise.all(hanging)) expect(status).toBe(503);
});

test("a veto that hangs while it reads a stream frees its connection at once", async () => {
  const { status, body } = await runtime.ask("PUT", `/api/books/${book}`, { body: { name: "Streamed" } });
  expect([status, body]).toEqual([503, LATE]);
  expect(busy()).toBe(0);
});

test("an action that sends statement after statement ends with the limit of an answer", async () => {
  isOver = false;
  expect((await runtime.ask("POST", "/api/held/loop")).body).toEqual(LATE);
  expect(faultsAt("action of held_act")).toMatchObject([{ message: `It did not end within ${LIMIT_MS * 2} ms` }]);
  expect(busy()).toBe(0);
});

test("where PostgreSQL enforces no grants, transactions and streams of a plugin are limited too", async () => {
  const open = await bootTestRuntime({
    only: WITH_BOOKS,
    extra: [holder],
    env: { ...ENV, PLUGIN_ROLES: "off" },
    constants: { core: LIMITS },
  });
  await open.ask("POST", "/api/books", { body: { name: "One" } });
  const hanging: Promise<{ status: number }>[] = [];
  for (const [at, path] of ["transaction", "stream"].entries()) {
    hanging.push(open.ask("POST", `/api/held/${path}`));
    await until(() => waiting === at + 1);
    await until(() => open.store.load().transactions.busy === 0);
  }
  held.resolve();
  for (const { status } of await Promise.all(hanging)) expect(status).toBe(503);
  await open.stop();
});

test("a transaction or stream of a plugin that goes on and on ends with the limit of a long answer, that of a job with its lease", async () => {
  const longMs = LIMIT_MS * 10;
  const brief = await bootTestRuntime({
    only: WITH_BOOKS,
    extra: [holder],
    env: { ...ENV, LONG_ANSWER_TIMEOUT_MS: String(longMs) },
    constants: { core: { ...LIMITS, answerTimeoutMs: longMs } },
  });
  await brief.runtime.start();
  await brief.ask("POST", "/api/books", { body: { name: "One" } });
  isOver = false;
  await brief.ask("POST", "/api/held/job");
  await until(() => waiting === 1);
  // Of ordinary requests, which end before the job does, though they began after it.
  expect((await brief.ask("POST", "/api/held/endless")).status).toBe(503);
  expect((await brief.ask("POST", "/api/held/slowly")).status).toBe(503);
  const message = `It did not end within ${longMs} ms`;
  expect(brief.contexts.get("holder")?.runtime.faults()).toMatchObject([
    { plugin: "holder", place: "stream() of db", message, count: 1 },
    { plugin: "holder", place: "db.transaction()", message, count: 1 },
  ]);
  await until(() => brief.store.load().transactions.busy === 1);
  isOver = true;
  await until(() => jobsDone === 1);
  await brief.stop();
});

test("a transaction of a command has as long as it takes", async () => {
  const folder = dataFolder();
  const longMs = LIMIT_MS * 10;
  const clerk = definePlugin({
    name: "clerk",
    setup() {},
    commands: {
      count: {
        summary: "counts for longer than a request may take",
        usage: "",
        store: true,
        async run(_args, io, context) {
          const begun = Date.now();
          await context?.db.transaction().execute(async (tx) => {
            while (Date.now() - begun < longMs + 1_000) await sql`select 1`.execute(tx);
          });
          io.out("counted");
          return 0;
        },
      },
    },
  });
  const lines: string[] = [];
  const out = (line: string) => void lines.push(line);
  const env = { DATA_DIR: folder.path, LONG_ANSWER_TIMEOUT_MS: String(longMs) };
  const command = findCommand("count", [clerk]);
  expect(await command?.run([], { out, err: out, env, columns: 80, tty: false })).toBe(0);
  expect(lines).toEqual(["counted"]);
  folder.remove();
});
