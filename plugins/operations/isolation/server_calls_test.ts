import { expect, test } from "bun:test";
import type { AnyContext } from "lectern/core";
import { answerCall } from "./server_calls.ts";

test("a line of the log does not say when, at which level, in which request and of which plugin it is", async () => {
  const lines: unknown[] = [];
  const parts = {
    plugin: "acme",
    // The call uses no other member.
    context: { log: { info: (...line: unknown[]) => void lines.push(line) } } as unknown as AnyContext,
    events: [],
    jobs: new Set<string>(),
    limits: { timeoutMs: 1_000, messageBytes: 1_000 },
    scopeOf: () => undefined,
    runAction: () => Promise.reject(new Error("no action")),
  };
  const fields = { time: "1999", level: "error", message: "forged", plugin: "users", requestId: "1", count: 2 };
  await answerCall({ call: 1, name: "log", value: { level: "info", message: "genuine", fields } }, parts);
  expect(lines).toEqual([["genuine", { count: 2, plugin: "acme" }]]);
});
