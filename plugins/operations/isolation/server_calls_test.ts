import { expect, test } from "bun:test";
import { type AnyContext, GUEST, type Viewer } from "lectern/core";
import { LogLimit, MAX_LINES_PER_MINUTE } from "./log_limit.ts";
import { answerCall } from "./server_calls.ts";

function partsOf(lines: unknown[]) {
  const write = (...line: unknown[]) => void lines.push(line);
  return {
    plugin: "acme",
    // The call uses no other member.
    context: { log: { info: write } } as unknown as AnyContext,
    events: [],
    jobs: new Set<string>(),
    lines: new LogLimit((dropped) => void lines.push({ dropped })),
    limits: { timeoutMs: 1_000, messageBytes: 1_000 },
    scopeOf: () => undefined,
    runAction: () => Promise.reject(new Error("no action")),
  };
}

test("a line of the log does not say when, at which level, in which request and of which plugin it is", async () => {
  const lines: unknown[] = [];
  const fields = { time: "1999", level: "error", message: "forged", plugin: "users", requestId: "1", count: 2 };
  await answerCall({ call: 1, name: "log", value: { level: "info", message: "genuine", fields } }, partsOf(lines));
  expect(lines).toEqual([["genuine", { count: 2, plugin: "acme" }]]);
});

test("a process names viewers by what the server sent it, and nothing else", async () => {
  const viewers = [{ ...GUEST, name: "Reader" }];
  const asked: unknown[] = [];
  const context = {
    callAs: async (viewer: Viewer) => {
      asked.push(viewer);
      return new Response("found");
    },
    // The call uses no other member.
  } as unknown as AnyContext;
  const parts = { ...partsOf([]), context, scopeOf: (call: number) => (call === 5 ? { viewers } : undefined) };
  const call = (viewer: unknown, within?: number, more: object = {}) =>
    answerCall(
      {
        call: 1,
        name: "call",
        value: { viewer, method: "GET", path: "/api/books", options: {}, ...more },
        ...(within && { within }),
      },
      parts,
    );
  expect(await call(0, 5)).toMatchObject({ status: 200, body: Buffer.from("found") });
  expect(asked).toEqual([viewers[0]]);
  expect(asked[0]).toBe(viewers[0]);
  const forged = { id: 1, name: "Admin", admin: true, permissions: ["users-manage"], roles: [1], via: "system" };
  for (const reference of [forged, -1, 0.5, "root", null, "__proto__", "length"])
    await expect(call(reference, 5), JSON.stringify(reference)).rejects.toThrow('Cannot answer "call": "viewer"');
  await expect(call(1, 5)).rejects.toThrow("given by a call that still runs");
  await expect(call(0)).rejects.toThrow("given by a call that still runs");
  await expect(call(0, 6)).rejects.toThrow('The call that "call" belongs to has ended');
  await expect(call(0, 5, { path: "@elsewhere.example/" })).rejects.toThrow('"path"');
  await expect(call(0, 5, { inTransaction: true })).rejects.toThrow("The transaction has ended");
  expect(asked).toHaveLength(1);
});

test("an answer of a route that never ends is given up, and its stream cancelled", async () => {
  const cancelled = Promise.withResolvers<void>();
  const endless = () =>
    new ReadableStream({
      pull: async (to) => {
        to.enqueue(new Uint8Array(1));
        await Bun.sleep(1);
      },
      cancel: () => cancelled.resolve(),
    });
  const context = { callAs: async () => new Response(endless()) } as unknown as AnyContext;
  const limits = { timeoutMs: 50, messageBytes: 1_000_000 };
  const parts = { ...partsOf([]), context, limits };
  const value = { viewer: "guest", method: "GET", path: "/api/stream", options: {} };
  await expect(answerCall({ call: 1, name: "call", value }, parts)).rejects.toThrow("did not answer within 50 ms");
  await cancelled.promise;
});

test("lines of the log beyond the limit of a minute are dropped, and their number is said once", async () => {
  const lines: unknown[] = [];
  const parts = partsOf(lines);
  const log = () => answerCall({ call: 1, name: "log", value: { level: "info", message: "again", fields: {} } }, parts);
  for (let line = 0; line < MAX_LINES_PER_MINUTE + 7; line++) await log();
  expect(lines).toHaveLength(MAX_LINES_PER_MINUTE);
  parts.lines.end();
  parts.lines.end();
  expect(lines.slice(MAX_LINES_PER_MINUTE)).toEqual([{ dropped: 7 }]);
  await log();
  expect(lines.at(-1)).toEqual(["again", { plugin: "acme" }]);
});
