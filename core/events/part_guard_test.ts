import { afterEach, expect, setSystemTime, test } from "bun:test";
import { Faults } from "../faults.ts";
import { createLog } from "../log.ts";
import { LEFT_OUT_MS } from "../std/failure_streaks.ts";
import { PartGuard } from "./part_guard.ts";

const LIMITS = { quietMs: 10, attendedMs: 10, handlerMs: 10, longMs: 10, callMs: 10 };
const PART = { plugin: "late", place: "contract late.act", limitMs: 10 };

afterEach(() => void setSystemTime());

test.each(["call", "guarded"] as const)(
  "%s(): a trial that throws at once ends the pause, as one that rejects does",
  async (how) => {
    const guard = new PartGuard(
      new Faults(
        createLog("error", () => {}),
        10,
      ),
      LIMITS,
    );
    let act: () => Promise<string> = () => new Promise(() => {});
    const run = () => act();
    const ask = how === "call" ? () => guard.call(PART, run) : guard.guarded(PART, run);
    const answer = async () => {
      try {
        return await ask();
      } catch (error) {
        return (error as Error).message;
      }
    };
    for (let time = 0; time < 3; time++) expect(await answer()).toContain("did not answer in time");
    expect(await answer()).toContain("does not run at the moment");
    setSystemTime(Date.now() + LEFT_OUT_MS + 1_000);
    act = () => {
      throw new Error("One user's bad input");
    };
    expect(await answer()).toBe("One user's bad input");
    act = async () => "answered";
    expect(await answer()).toBe("answered");
  },
);
