import { expect, test } from "bun:test";
import { createLog } from "../log.ts";
import type { AnyContext } from "../runtime/plugin.ts";
import { answerCall } from "./server_calls.ts";

test("a line of the log says itself when, at which level and of which plugin it is", async () => {
  const lines: string[] = [];
  const parts = {
    plugin: "acme",
    // The call uses no other member.
    context: { log: createLog("info", (line) => void lines.push(line)) } as unknown as AnyContext,
    events: [],
    jobs: new Set<string>(),
    limits: { timeoutMs: 1_000, messageBytes: 1_000 },
    scopeOf: () => undefined,
    runAction: () => Promise.reject(new Error("no action")),
  };
  const fields = { time: "1999", level: "error", message: "forged", plugin: "users", requestId: "1", count: 2 };
  await answerCall({ call: 1, name: "log", value: { level: "info", message: "genuine", fields } }, parts);
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    time: expect.stringMatching(/^20/),
    level: "info",
    message: "genuine",
    count: 2,
    plugin: "acme",
  });
});
