import { expect, test } from "bun:test";
import type { AnyContext } from "lectern/core";
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
