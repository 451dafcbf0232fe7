import { expect, test } from "bun:test";
import { progressLine, showProgress } from "./progress.ts";
import type { RunningQueue } from "./queue.ts";

function queue(files: string[], ended: string[], failed = 0): RunningQueue {
  return {
    files,
    workers: 2,
    counts: { passed: 0, failed, skipped: 0 },
    ended: () => new Set(ended),
    done: new Promise(() => {}),
    kill: () => {},
  };
}

test("the progress counts the files of all queues, and the time left goes by the pace so far", () => {
  const timings = { "a_test.ts": 10_000, "b_test.ts": 30_000 };
  const half = queue(["a_test.ts", "b_test.ts"], ["a_test.ts"], 1);
  expect(progressLine([half, queue(["c_test.ts"], ["c_test.ts"])], timings, 25_000)).toBe(
    "2 of 3 files, 1 failed, about 1:15 left",
  );
  expect(progressLine([queue(["a_test.ts", "b_test.ts"], [])], timings, 5_000)).toBe("0 of 2 files, about 0:15 left");
});

test("on a terminal a failure is shown above the line, which is drawn again", () => {
  const written: string[] = [];
  const out = { isTTY: true, write: (text: string) => written.push(text) > 0 };
  const progress = showProgress([queue(["a_test.ts"], [])], { "a_test.ts": 8_000 }, out);
  progress.show("a failure\n");
  progress.end();
  expect(written.join("")).toBe("\r\x1b[2Ka failure\n\r\x1b[2K0 of 1 files, about 0:04 left\r\x1b[2K");
});
