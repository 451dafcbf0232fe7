/** Slow reads: nobody else waits behind them, users take turns, and what exceeds its limit is answered with a clear error. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { definePlugin, sql } from "lectern/core";
import { rows } from "lectern/db";
import { scaled } from "../support/harness/machine_speed.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

/**
 * How long a statement of a search, a listing or a write may take, and how long one waits for a connection. Longer than the second for
 * which a user's further requests wait behind eight of their own.
 */
const LIMIT_MS = scaled(1_600);
const WAIT_MS = scaled(3_400);
/** Several fit into the wait, but not those of all requests of a user. */
const NAP_MS = scaled(900);
const VIEWS = ["access-api", "book-view-all", "chapter-view-all", "page-view-all"];
const SEARCH_TOO_LONG = "This search takes too long. Look for more or rarer words, or for one kind of content.";
const LISTING_TOO_LONG = "This listing takes too long. Ask for it with other filters or a smaller offset.";
const ENDED = "This took longer than it may, and was ended. Please try again later.";
const BUSY = "The server is too busy for this at the moment. Please try again later.";

/** Serves a read that takes so many milliseconds. */
const sleeper = definePlugin({
  name: "sleeper",
  setup({ app, db, pools }) {
    app.get(
      "/sleep/:ms",
      ({ viewer, params, request }) =>
        pools.slow({ viewer, limitMs: 60_000, signal: request.signal }, async () => {
          await rows(db, sql`select pg_sleep(${Number(params.ms) / 1000}::float8)`);
          return {};
        }),
      { permit: "access-api" },
    );
  },
});

let runtime: TestRuntime;
let page: number;
let ann: string;
let bob: string;
beforeAll(async () => {
  runtime = await bootTestRuntime({
    extra: [sleeper],
    env: { DATABASE_WAIT_MS: String(WAIT_MS) },
    constants: {
      core: { listingTimeoutMs: LIMIT_MS, writeTimeoutMs: LIMIT_MS },
      search: { timeoutMs: LIMIT_MS },
    },
  });
  await runtime.runtime.start();
  const book = await runtime.ask("POST", "/api/books", { body: { name: "Runbooks" } });
  const made = await runtime.ask("POST", "/api/pages", {
    body: { book_id: book.body.id, name: "One", html: "<p>1</p>" },
  });
  page = made.body.id;
  ann = (await runtime.person("ann", VIEWS)).token;
  bob = (await runtime.person("bob", VIEWS)).token;
  // Their statements are described once for the roles of their plugins, which takes longer than reading.
  for (const path of [`/api/pages/${page}`, "/api/books"]) await runtime.ask("GET", path, { as: ann });
}, 120_000);
afterAll(() => runtime.stop());

/** Holds a table against every reader while `run` goes on. */
async function whileLocked<T>(table: string, run: () => Promise<T>): Promise<T> {
  return runtime.store.sql.begin(async (work) => {
    await work.unsafe(`lock table ${table} in access exclusive mode`);
    return await run();
  }) as Promise<T>;
}

/** How many statements of this database are in a state. */
const statements = async (state: ReturnType<typeof sql<boolean>>) =>
  (
    await rows<{ n: number }>(
      runtime.db,
      sql`select count(*)::integer as n from pg_stat_activity where datname = current_database() and ${state}`,
    )
  )[0]?.n ?? 0;
const waiting = () => statements(sql<boolean>`wait_event_type = 'Lock'`);
const sleeping = () => statements(sql<boolean>`wait_event = 'PgSleep'`);

const refused = (status: number, message: string) => ({ status, body: { error: { code: status, message } } });

test("pages are read while searches and filtered listings hang", async () => {
  await whileLocked("search_index, attachments", async () => {
    const slow = [
      ...Array.from({ length: 10 }, () => runtime.ask("GET", "/api/search?query=one", { as: ann })),
      ...Array.from({ length: 10 }, () =>
        runtime.ask("GET", "/api/attachments?filter[name:like]=%25zzz%25", { as: bob }),
      ),
    ];
    let ended = 0;
    for (const one of slow) void one.then(() => ended++);
    await until(waiting, (n) => n >= 4);
    for (let n = 0; n < 20; n++) expect((await runtime.ask("GET", `/api/pages/${page}`)).status).toBe(200);
    expect((await runtime.ask("GET", "/api/books", { as: ann })).status).toBe(200);
    expect(ended).toBe(0);
    for (const { status } of await Promise.all(slow)) expect([422, 503]).toContain(status);
  });
}, 120_000);

test("a search or a listing that takes too long is answered with how to narrow it, and its connection stays usable", async () => {
  await whileLocked("search_index, attachments", async () => {
    const [search, listing] = await Promise.all([
      runtime.ask("GET", "/api/search?query=one", { as: ann }),
      runtime.ask("GET", "/api/attachments?filter[name:like]=%25zzz%25", { as: bob }),
    ]);
    expect(search).toMatchObject(refused(422, SEARCH_TOO_LONG));
    expect(listing).toMatchObject(refused(422, LISTING_TOO_LONG));
  });
  expect((await runtime.ask("GET", "/api/search?query=one", { as: ann })).body.total).toBe(1);
  expect((await runtime.ask("GET", "/api/attachments?filter[name:like]=%25zzz%25", { as: bob })).body.total).toBe(0);
}, 120_000);

test("a user with many slow reads starves nobody, and waits no longer than the limit", async () => {
  let ended = 0;
  const many = Array.from({ length: 20 }, async () => {
    const answer = await runtime.ask("GET", `/api/sleep/${NAP_MS}`, { as: ann });
    ended += 1;
    return answer;
  });
  await until(sleeping, (n) => n > 0);
  expect((await runtime.ask("GET", "/api/sleep/1", { as: bob })).status).toBe(200);
  expect(ended).toBe(0);
  const answers = await Promise.all(many);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  const late = answers.filter(({ status }) => status !== 200);
  expect(late.length).toBeGreaterThan(0);
  for (const answer of late) {
    expect(answer).toMatchObject(refused(503, BUSY));
    expect(answer.headers.get("retry-after")).toBe("5");
  }
}, 120_000);

test("a client that disconnects frees its connection", async () => {
  const gone = new AbortController();
  const asked = Array.from({ length: 4 }, () =>
    runtime.runtime.http.handle(
      new Request(`${runtime.baseUrl}/api/sleep/60000`, {
        headers: { authorization: `Token ${ann}` },
        signal: gone.signal,
      }),
      "127.0.0.1",
    ),
  );
  await until(sleeping, (n) => n > 0);
  gone.abort();
  await Promise.all(asked);
  expect((await runtime.ask("GET", "/api/sleep/1", { as: ann })).status).toBe(200);
}, 120_000);

test("a write that takes too long is ended by the store, and nothing of it is stored", async () => {
  await whileLocked("tags", async () => {
    const answer = await runtime.ask("POST", "/api/books", {
      body: { name: "Never", tags: [{ name: "a", value: "b" }] },
    });
    expect(answer).toMatchObject(refused(503, ENDED));
    expect(answer.headers.get("retry-after")).toBe("5");
  });
  expect((await runtime.ask("GET", "/api/books?filter[name]=Never")).body.total).toBe(0);
  expect((await runtime.ask("POST", "/api/books", { body: { name: "Now" } })).status).toBe(200);
}, 120_000);

test("a write for which no connection becomes free is answered 503", async () => {
  const done = Promise.withResolvers<void>();
  const holding = Array.from({ length: 3 }, () => runtime.store.db.transaction().execute(() => done.promise));
  const answer = await runtime.ask("POST", "/api/books", { body: { name: "Too many" } });
  done.resolve();
  await Promise.all(holding);
  expect(answer).toMatchObject(refused(503, BUSY));
  expect((await runtime.ask("POST", "/api/books", { body: { name: "Now" } })).status).toBe(200);
}, 120_000);
