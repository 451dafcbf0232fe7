import { expect, test } from "bun:test";
import { Faults } from "../faults.ts";
import { createLog } from "../log.ts";
import { EventParts } from "./event_parts.ts";
import { EventSteps } from "./event_steps.ts";
import { PartGuard } from "./part_guard.ts";

const LIMITS = { quietMs: 5_000, attendedMs: 6_000, handlerMs: 7_000, longMs: 9_000, callMs: 5_000 };
const lines: string[] = [];
const log = createLog("debug", (line) => void lines.push(line));
const guard = new PartGuard(new Faults(log, LIMITS.quietMs), LIMITS);

test("steps run one after the other, also after one that fails, and the caller waits for them", async () => {
  const seen: string[] = [];
  const part = { plugin: "books", place: "afterCommit", limitMs: 1_000 };
  const step = (name: string, fails = false) => ({
    part,
    run: async () => {
      await Bun.sleep(1);
      seen.push(name);
      if (fails) throw new Error("disk full");
    },
  });
  await new EventSteps(guard, log).run([step("first", true), step("second")], "delete a file");
  expect(seen).toEqual(["first", "second"]);
  expect(lines.join("\n")).toContain("Cannot delete a file");
});

test("handlers of shipped plugins may take as long as the longest request, those of others not", () => {
  const parts = new EventParts({ guard, bootLimits: LIMITS, isShipped: (plugin) => plugin === "books" });
  const limitOf = (plugin: string) => parts.registered({}, plugin, "book_create").parts.veto.limitMs;
  expect([limitOf("books"), limitOf("slow")]).toEqual([LIMITS.longMs, LIMITS.handlerMs]);
});
