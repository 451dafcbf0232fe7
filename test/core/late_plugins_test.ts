/**
 * Parts of plugins that never end: each is given up in time, what it took part in is answered 503 and rolled back, others go on, and
 * administrators read which part it was. The plugin here hangs where a test tells it to.
 */
import {
  afterAll,
  afterEach,
  beforeAll,
  expect,
  type Mock,
  setDefaultTimeout,
  setSystemTime,
  spyOn,
  test,
} from "bun:test";
import { definePlugin, GUEST, sql } from "lectern/core";
import { rows } from "lectern/db";
import { LEFT_OUT_MS } from "../../core/std/failure_streaks.ts";
import { FEW, WITH_BOOKS } from "../support/harness/few_plugins.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(120_000);

declare module "lectern/core" {
  interface Events {
    late_act: { draft: { id: number }; result: { id: number } };
  }
  interface Contracts {
    late_service: { wait(): Promise<string> };
  }
  interface Slots {
    late_slot: { ask(): Promise<string> };
  }
}

/** Three steps of the timer that counts: a busy moment before the part that hangs begins would else be blamed on the one around it. */
const LIMIT_MS = scaled(300);
const STUCK = "stuck";

/** The place that hangs, by the name in its faults. */
let hanging = "";
/** Called in place of hanging, with the transaction where there is one. */
let instead: ((tx?: unknown) => Promise<unknown>) | undefined;
/** Places that were reached. */
const reached: string[] = [];

async function at(place: string, tx?: unknown): Promise<undefined> {
  reached.push(place);
  if (hanging !== place) return undefined;
  if (instead) await instead(tx);
  else await new Promise<never>(() => {});
  return undefined;
}

const ofBooks = (name: string) => name.startsWith(STUCK);

const provider = definePlugin({
  name: "late",
  provides: ["late_service"],
  events: ["late_act"],
  grants: { read: ["books"], write: ["books"], auth: true },
  setup({ auth, contribute, on, perform, provide, app }) {
    auth(async ({ headers }) => (headers.has("x-late") ? at("auth") : undefined));
    on("book_update", {
      beforeTransaction: ({ draft }) =>
        ofBooks(draft.name ?? "") ? at("beforeTransaction of book_update") : undefined,
      filter: ({ draft }, tx) => (ofBooks(draft.name ?? "") ? at("filter of book_update", tx) : undefined),
      veto: ({ draft }, tx) => (ofBooks(draft.name ?? "") ? at("veto of book_update", tx) : undefined),
      async inTransaction({ name }, tx) {
        if (!ofBooks(name)) return;
        tx.afterCommit(() => at("afterCommit of inTransaction of book_update"));
        tx.onRollback(() => at("onRollback of inTransaction of book_update"));
        await at("inTransaction of book_update", tx);
      },
      notify: ({ name }) => (ofBooks(name) ? at("notify of book_update") : undefined),
    });
    provide("late_service", { wait: async () => (await at("contract late_service.wait")) ?? "waited" });
    contribute("late_slot", { ask: async () => (await at("slot late_slot.ask")) ?? "asked" });
    app.post(
      "/late/act",
      ({ viewer }) =>
        perform("late_act", viewer, { id: 1 }, async (draft, tx) => {
          await at("action of late_act", tx);
          return draft;
        }),
      { permit: "public" },
    );
  },
});

const caller = definePlugin({
  name: "caller",
  requires: ["late_service"],
  events: ["late_act"],
  setup({ app, contracts, perform, slot }) {
    app.get("/caller/contract", () => contracts.late_service.wait(), { permit: "public" });
    app.get("/caller/slot", async () => (await slot("late_slot")[0]?.ask()) ?? "", { permit: "public" });
    app.post(
      "/caller/within",
      () =>
        perform("late_act", GUEST, { id: 1 }, async (draft) => {
          await contracts.late_service.wait();
          return draft;
        }),
      { permit: "public" },
    );
  },
});

let runtime: TestRuntime;
let logged: Mock<typeof process.stderr.write>;
const books: number[] = [];
const rejections: unknown[] = [];
const noteRejection = (reason: unknown) => void rejections.push(reason);

beforeAll(async () => {
  process.on("unhandledRejection", noteRejection);
  logged = spyOn(process.stderr, "write").mockImplementation(() => true);
  runtime = await bootTestRuntime({
    only: [...WITH_BOOKS, "health"],
    extra: [provider, caller],
    env: { LOG_LEVEL: "warn" },
    constants: {
      core: {
        partTimeoutMs: LIMIT_MS,
        // Of calls outside of transactions, half of it.
        answerTimeoutMs: LIMIT_MS * 2,
        writeTimeoutMs: LIMIT_MS * 4,
      },
    },
  });
  await runtime.runtime.start();
  for (const name of ["One", "Two", "Three", "Four"])
    books.push((await runtime.ask("POST", "/api/books", { body: { name } })).body.id);
});
afterEach(async () => {
  hanging = "";
  instead = undefined;
  reached.splice(0);
  // Each test begins without streaks: what hung answers again.
  setSystemTime(Date.now() + LEFT_OUT_MS + 1_000);
  await update(0, `${STUCK} no more`);
  await act();
  await runtime.ask("GET", "/api/caller/contract");
  await runtime.ask("GET", "/api/caller/slot");
  await lateCredentials();
  setSystemTime();
  reached.splice(0);
});
afterAll(async () => {
  await runtime.stop();
  logged.mockRestore();
  process.off("unhandledRejection", noteRejection);
  expect(rejections).toEqual([]);
});

const update = (book: number, name: string) => runtime.ask("PUT", `/api/books/${books[book]}`, { body: { name } });
const act = () => runtime.ask("POST", "/api/late/act");
const lateCredentials = () => runtime.ask("GET", "/api/books", { as: null, headers: { "x-late": "1" } });
const ready = async () => (await runtime.ask("GET", "/ready", { as: null })).body.status;
const busy = () => runtime.store.load().transactions.busy;
const faultsAt = (place: string) =>
  runtime.contexts
    .get("late")
    ?.runtime.faults()
    .filter((fault) => fault.plugin === "late" && fault.place === place) ?? [];
const linesAt = (place: string) =>
  logged.mock.calls.filter(([line]) => String(line).includes('"plugin":"late"') && String(line).includes(`"${place}"`));
const REFUSED = { error: { code: 503, message: 'The plugin "late" did not answer in time.' } };
const AWAY = { error: { code: 503, message: 'The plugin "late" does not run at the moment; try again in a moment.' } };

test("three updates under a veto that never ends are answered 503, and all other writes go on", async () => {
  hanging = "veto of book_update";
  const stuck = [0, 1, 2].map((book) => update(book, STUCK));
  await until(() => reached.filter((place) => place === hanging).length === 3);
  // All connections for transactions are taken now; the next one waits for one of them.
  const other = await runtime.ask("POST", "/api/books", { body: { name: "Of somebody else" } });
  expect(other.status).toBe(200);
  for (const { status, body, headers } of await Promise.all(stuck)) {
    expect([status, body]).toEqual([503, REFUSED]);
    expect(headers.get("retry-after")).toBe("5");
  }
  expect(busy()).toBe(0);
  expect((await runtime.ask("GET", `/api/books/${books[0]}`)).body.name).not.toBe(STUCK);
  expect(faultsAt(hanging)).toMatchObject([{ count: 3, message: `Nothing happened in it for ${LIMIT_MS} ms` }]);
  expect(linesAt(hanging)).toHaveLength(1);
  const listed = (await runtime.ask("GET", "/api/system/faults")).body.data;
  expect(listed[0]).toMatchObject({ plugin: "late", place: hanging });
  expect(await ready()).toBe("degraded");
});

test("a veto that did not end three times running refuses at once for a minute, and is tried once then", async () => {
  hanging = "veto of book_update";
  for (let time = 0; time < 3; time++) expect((await update(0, STUCK)).body).toEqual(REFUSED);
  reached.splice(0);
  // It is missing, and nothing is stored without it.
  for (let time = 0; time < 3; time++) {
    const { status, body } = await update(0, STUCK);
    expect([status, body]).toEqual([503, AWAY]);
  }
  expect(reached).not.toContain(hanging);
  // What it does not take part in goes on.
  expect((await runtime.ask("POST", "/api/books", { body: { name: "Beside" } })).status).toBe(200);
  const started = Date.now();
  setSystemTime(started + LEFT_OUT_MS + 1_000);
  expect((await update(0, STUCK)).body).toEqual(REFUSED);
  expect((await update(0, STUCK)).body).toEqual(AWAY);
  expect(await ready()).toBe("degraded");
  hanging = "";
  setSystemTime(started + 2 * LEFT_OUT_MS + 2_000);
  expect((await update(0, `${STUCK} once`)).status).toBe(200);
  setSystemTime(started + 4 * LEFT_OUT_MS);
  expect(await ready()).toBe("pass");
});

const REFUSALS: readonly [place: string, ask: () => Promise<{ status: number; body: unknown }>][] = [
  ["beforeTransaction of book_update", () => update(0, STUCK)],
  ["filter of book_update", () => update(0, STUCK)],
  ["inTransaction of book_update", () => update(0, STUCK)],
  ["action of late_act", act],
  ["contract late_service.wait", () => runtime.ask("GET", "/api/caller/contract")],
  ["contract late_service.wait", () => runtime.ask("POST", "/api/caller/within")],
  ["slot late_slot.ask", () => runtime.ask("GET", "/api/caller/slot")],
  ["auth", lateCredentials],
];

test.each(REFUSALS)("%s that never ends is answered 503, rolled back and named", async (place, ask) => {
  hanging = place;
  const before = faultsAt(place)[0]?.count ?? 0;
  for (let time = 0; time < 3; time++) {
    const { status, body } = await ask();
    expect([status, body]).toEqual([503, REFUSED]);
  }
  reached.splice(0);
  expect((await ask()).body).toEqual(AWAY);
  expect(reached).not.toContain(place);
  expect(busy()).toBe(0);
  expect(faultsAt(place)[0]?.count).toBe(before + 3);
  expect(linesAt(place).length).toBeGreaterThan(0);
  expect((await runtime.ask("GET", `/api/books/${books[0]}`)).body.name).not.toBe(STUCK);
});

test.each(["afterCommit of inTransaction of book_update", "notify of book_update"])(
  "%s that never ends does not undo what is stored, and is named",
  async (place) => {
    hanging = place;
    const { status, body } = await update(0, `${STUCK} ${place}`);
    expect([status, body.name]).toEqual([200, `${STUCK} ${place}`]);
    await until(() => faultsAt(place).length > 0);
    expect(busy()).toBe(0);
  },
);

test("steps after a rollback run though one of them never ends", async () => {
  hanging = "inTransaction of book_update";
  instead = async () => {
    hanging = "onRollback of inTransaction of book_update";
    instead = undefined;
    throw new Error("broken");
  };
  expect((await update(0, STUCK)).status).toBe(500);
  expect(faultsAt("onRollback of inTransaction of book_update")).toHaveLength(1);
});

test("a handler that goes on past its limit reaches the transaction no more, and undoes what it did outside", async () => {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const outcomes: unknown[] = [];
  let undone = 0;
  hanging = "veto of book_update";
  instead = async (given) => {
    const tx = given as Parameters<Parameters<typeof runtime.runtime.bus.perform>[3]>[1];
    await over;
    const renamed = () => rows(tx.db, sql`update books set name = 'From afar' where id = ${books[1]}`);
    outcomes.push(await renamed().catch((error: unknown) => String(error)));
    tx.onRollback(() => void undone++);
    throw new Error("late and failing");
  };
  expect((await update(0, STUCK)).body).toEqual(REFUSED);
  resolve();
  await until(() => undone === 1);
  expect(outcomes).toEqual([expect.stringMatching(/rolled back|has ended/)]);
  expect((await runtime.ask("GET", `/api/books/${books[1]}`)).body.name).not.toBe("From afar");
});

test("a statement that still runs is cancelled, and its connection is free at once", async () => {
  hanging = "veto of book_update";
  const sleeping = () =>
    runtime.store.sql`select 1 from pg_stat_activity where query like '%late_plugins_sleep%' and state = 'active'
      and pid <> pg_backend_pid()`;
  let ended = 0;
  instead = async (given) => {
    const { db } = given as { db: Parameters<typeof rows>[0] };
    // Statement after statement: each of them is a sign of life.
    for (;;) await rows(db, sql`select pg_sleep(0.2) as late_plugins_sleep`).finally(() => void ended++);
  };
  expect((await update(0, STUCK)).body).toEqual(REFUSED);
  expect(ended).toBeGreaterThan(1);
  await until(async () => (await sleeping()).length === 0);
  expect(busy()).toBe(0);
  expect(faultsAt(hanging)[0]?.message).toBe(`It did not end within ${LIMIT_MS * 4} ms`);
  // Its locks are gone, too.
  expect((await update(0, "Free again")).status).toBe(200);
});

test("a handler that waits for a lock of another transaction is not late", async () => {
  const { promise: held, resolve: hold } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const blocker = runtime.store.sql.begin(async (tx) => {
    await tx`select 1 from books where id = ${books[3] ?? 0} for update`;
    hold();
    await released;
  });
  await held;
  const waiting = update(3, "Waited for a lock");
  await Bun.sleep(LIMIT_MS * 2);
  release();
  await blocker;
  expect((await waiting).status).toBe(200);
});

test("a migration whose statement runs longer than the limit between two statements is no late one", async () => {
  const slow = definePlugin({
    name: "slow",
    migrations: { "0001_slow": async (db) => void (await sql`select pg_sleep(${(LIMIT_MS * 4) / 1_000})`.execute(db)) },
    setup: () => {},
  });
  const limits = { env: { LOG_LEVEL: "warn" }, constants: { core: { setupTimeoutMs: LIMIT_MS * 2 } } };
  const booted = await bootTestRuntime({ ...limits, extra: [slow], beside: runtime, only: FEW });
  await booted.stop();
  const lines = logged.mock.calls
    .map(([line]) => String(line))
    .filter((line) => line.includes('"migration 0001_slow"'));
  expect(lines[0]).toContain('"plugin":"slow"');
});
