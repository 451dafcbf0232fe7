import { describe, expect, test } from "bun:test";
import { type Db, StoreError } from "../../db/mod.ts";
import { ApiError } from "../errors.ts";
import { Faults } from "../faults.ts";
import { createLog } from "../log.ts";
import { SYSTEM } from "../viewer.ts";
import { EventBus } from "./event_bus.ts";
import { PartGuard } from "./part_guard.ts";

declare module "lectern/core" {
  interface Events {
    test_act: { draft: { text: string }; result: { text: string } };
    test_inner: { draft: { text: string }; result: { text: string } };
  }
}

/** A store that only counts transactions; `fails` errors are thrown by the first commits. */
function fakeDb(fails: unknown[] = []): { db: Db; count: () => number } {
  let count = 0;
  const db = {
    transaction: () => ({
      execute: async (run: (db: unknown) => Promise<unknown>) => {
        count += 1;
        const result = await run({});
        const failure = fails.shift();
        if (failure) throw failure;
        return result;
      },
    }),
  };
  return { db: db as unknown as Db, count: () => count };
}

const LIMITS = { quietMs: 5_000, attendedMs: 5_000, handlerMs: 5_000, longMs: 5_000, callMs: 5_000 };

function busOver(db: Db, lines: string[] = []): EventBus {
  const log = createLog("debug", (line) => void lines.push(line));
  return new EventBus({
    request: () => ({ address: undefined, requestId: undefined }),
    ...{ db, log, bootLimits: LIMITS, isShipped: () => true },
    jobs: { enqueue: async () => {} },
    callAs: () => Promise.reject(new Error("No routes here")),
    guard: new PartGuard(new Faults(log, LIMITS.quietMs), LIMITS),
  });
}

describe("perform()", () => {
  test("runs filters, vetoes, the action and inTransaction in order and returns the result", async () => {
    const seen: string[] = [];
    const bus = busOver(fakeDb().db);
    bus.on("test_act", {
      filter: (draft) => ({ text: `${draft.text}!` }),
      inTransaction: (result) => void seen.push(`join ${result.text}`),
    });
    bus.on("test_act", { veto: (draft) => void seen.push(`veto ${draft.text}`) as undefined });
    bus.onAny({ inTransaction: ({ name }) => void seen.push(`any ${name}`) });
    const result = await bus.perform("test_act", SYSTEM, { text: "a" }, async (draft) => ({
      text: draft.text.toUpperCase(),
    }));
    expect(result).toEqual({ text: "A!" });
    expect(seen).toEqual(["veto a!", "join A!", "any test_act"]);
  });

  test("runs beforeTransaction before the transaction, once, and never within another event", async () => {
    const seen: string[] = [];
    const { db, count } = fakeDb([Object.assign(new Error("race"), { code: "40001" })]);
    const bus = busOver(db);
    bus.on("test_act", {
      beforeTransaction: async ({ text }, { id }) => void seen.push(`prepare ${text} of ${id} at ${count()}`),
    });
    bus.on("test_inner", { beforeTransaction: () => void seen.push("prepare within") });
    const draft = { text: "a" };
    await bus.perform("test_act", SYSTEM, draft, async (_, tx) => tx.perform("test_inner", draft, async () => draft));
    expect(seen).toEqual([`prepare a of ${SYSTEM.id} at 0`]);
    bus.on("test_act", {
      beforeTransaction() {
        throw new ApiError(422, "Unreadable");
      },
    });
    await expect(bus.perform("test_act", SYSTEM, draft, async () => draft)).rejects.toThrow("Unreadable");
    expect(count()).toBe(2);
  });

  test("answers a veto with 403 and its reason, and does not run the action", async () => {
    const bus = busOver(fakeDb().db);
    let acted = false;
    bus.on("test_act", { veto: () => "Give it a name" });
    const run = bus.perform("test_act", SYSTEM, { text: "" }, async (draft) => {
      acted = true;
      return draft;
    });
    expect(await run.catch((error: unknown) => error)).toEqual(new ApiError(403, "Give it a name"));
    expect(acted).toBe(false);
  });

  test("takes a veto of null for none, as one of undefined", async () => {
    const bus = busOver(fakeDb().db);
    bus.on("test_act", { veto: () => null });
    expect(await bus.perform("test_act", SYSTEM, { text: "a" }, async (draft) => draft)).toEqual({ text: "a" });
  });

  test("runs notify after the commit only, and logs what it throws", async () => {
    const lines: string[] = [];
    const heard: string[] = [];
    const { db } = fakeDb([new Error("commit failed")]);
    const bus = busOver(db, lines);
    bus.on("test_act", { notify: (result) => void heard.push(result.text) });
    bus.onAny({ notify: () => Promise.reject(new Error("receiver is down")) }, "mails");
    const action = async (draft: { text: string }) => draft;
    await expect(bus.perform("test_act", SYSTEM, { text: "lost" }, action)).rejects.toThrow("stopped answering");
    await bus.perform("test_act", SYSTEM, { text: "kept" }, action);
    await bus.settle();
    expect(heard).toEqual(["kept"]);
    expect(lines.join()).toContain("receiver is down");
    expect(lines.join()).toContain('"plugin":"mails"');
  });

  test("retries a transaction after a conflict, and no other error", async () => {
    const raced = fakeDb([Object.assign(new Error("deadlock"), { code: "40P01" })]);
    expect(await busOver(raced.db).perform("test_act", SYSTEM, { text: "x" }, async (draft) => draft)).toEqual({
      text: "x",
    });
    expect(raced.count()).toBe(2);
    const broken = fakeDb([Object.assign(new Error("syntax"), { code: "42601" })]);
    await expect(busOver(broken.db).perform("test_act", SYSTEM, { text: "x" }, async (draft) => draft)).rejects.toThrow(
      "syntax",
    );
    expect(broken.count()).toBe(1);
  });

  test("performs an inner event in the same transaction and runs notify for both after it", async () => {
    const heard: string[] = [];
    const { db, count } = fakeDb();
    const bus = busOver(db);
    bus.onAny({ notify: ({ name }) => void heard.push(name) });
    await bus.perform("test_act", SYSTEM, { text: "outer" }, async (draft, tx) => {
      await tx.perform("test_inner", { text: "inner" }, async (inner) => inner);
      return draft;
    });
    await bus.settle();
    expect(heard).toEqual(["test_inner", "test_act"]);
    expect(count()).toBe(1);
  });
});

test("on() and onAny() throw after close()", () => {
  const bus = busOver(fakeDb().db);
  bus.close();
  expect(() => bus.on("test_act", {})).toThrow("handlers are registered before the runtime has booted");
  expect(() => bus.onAny({})).toThrow("handlers are registered before the runtime has booted");
});

describe("onRollback() and afterCommit()", () => {
  test("work outside the store is undone after a rollback, last first, and before a retry", async () => {
    const seen: string[] = [];
    const bus = busOver(fakeDb([Object.assign(new Error("race"), { code: "40001" })]).db);
    const draft = { text: "x" };
    await bus.perform("test_act", SYSTEM, draft, async (_, tx) => {
      seen.push("act");
      tx.onRollback(() => void seen.push("first"));
      tx.onRollback(async () => void seen.push("second"));
      tx.afterCommit(async () => void seen.push("after"));
      return draft;
    });
    expect(seen).toEqual(["act", "second", "first", "act", "after"]);
  });

  test("nothing is undone where the connection broke before the commit was answered", async () => {
    for (const [error, takenBack] of [
      [Object.assign(new Error("write CONNECTION_CLOSED"), { code: "CONNECTION_CLOSED" }), false],
      [Object.assign(new Error("write"), { code: "EPIPE" }), false],
      [Object.assign(new Error("terminating connection"), { code: "57P01" }), false],
      [Object.assign(new Error("deferred"), { code: "23503" }), true],
      [Object.assign(new Error("canceling statement due to statement timeout"), { code: "57014" }), true],
      [new StoreError("Cannot commit: a statement of the transaction failed"), true],
    ] as const) {
      const undone: string[] = [];
      const run = busOver(fakeDb([error]).db).perform("test_act", SYSTEM, { text: "x" }, async (draft, tx) => {
        tx.onRollback(() => void undone.push("file"));
        return draft;
      });
      // It may have been committed: the answer must not say that it failed, nor ask for a retry.
      if (takenBack) await expect(run).rejects.toBe(error);
      else await expect(run).rejects.toMatchObject({ status: 503, details: {} });
      expect([error.message, undone.length > 0]).toEqual([error.message, takenBack]);
    }
  });

  test("a failure is logged and never answered", async () => {
    const lines: string[] = [];
    const bus = busOver(fakeDb().db, lines);
    const fail = () => Promise.reject(new Error("disk"));
    const done = await bus.perform("test_act", SYSTEM, { text: "x" }, async (draft, tx) => {
      tx.afterCommit(fail);
      return draft;
    });
    expect(done).toEqual({ text: "x" });
    const refused = bus.perform("test_act", SYSTEM, { text: "x" }, async (_, tx) => {
      tx.onRollback(fail);
      throw new ApiError(404, "Page not found");
    });
    await expect(refused).rejects.toThrow("Page not found");
    expect(lines.map((line) => (JSON.parse(line) as { message: string }).message)).toEqual([
      'Cannot finish "test_act" after its commit',
      'Cannot undo "test_act" after its rollback',
    ]);
  });
});

test("events that are handled and that nobody performs are named, but for those of the runtime", () => {
  const bus = busOver(fakeDb().db);
  bus.on("test_act", {}, "mails");
  bus.on("test_inner", {});
  bus.on("app_boot", {});
  expect(bus.withoutPerformer(["test_inner", "test_unheard"])).toEqual([{ event: "test_act", plugins: ["mails"] }]);
  expect(bus.withoutPerformer(["test_inner", "test_act"])).toEqual([]);
});
