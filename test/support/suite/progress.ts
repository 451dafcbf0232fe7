/**
 * How far a run is: on a terminal one line that is drawn again and again below the failures, elsewhere a line each minute.
 */
import { expectedMs, type Timings } from "./order.ts";
import type { RunningQueue } from "./queue.ts";

const DRAW_MS = 1_000;
const LOG_MS = 60_000;
/** The part of all that has to have ended for a pace: the first files are those that take long. */
const ENOUGH = 0.2;
const CLEAR_LINE = "\r\x1b[2K";

/** The progress of a run. */
export interface Progress {
  /** Shows lines above the progress. */
  show(text: string): void;
  end(): void;
}

/** Shows the progress of queues, which may be added later. */
export function showProgress(
  queues: readonly RunningQueue[],
  timings: Timings,
  out: Pick<NodeJS.WriteStream, "write" | "isTTY"> = process.stdout,
): Progress {
  const started = performance.now();
  const draw = () => {
    const line = progressLine(queues, timings, performance.now() - started);
    if (line !== "") out.write(out.isTTY ? CLEAR_LINE + line : `${line}\n`);
  };
  const timer = setInterval(draw, out.isTTY ? DRAW_MS : LOG_MS);
  return {
    show(text) {
      out.write(out.isTTY ? CLEAR_LINE + text : text);
      if (out.isTTY) draw();
    },
    end() {
      clearInterval(timer);
      if (out.isTTY) out.write(CLEAR_LINE);
    },
  };
}

/** One line: files done of all, time left, tests failed. Empty before the first queue. */
export function progressLine(queues: readonly RunningQueue[], timings: Timings, elapsedMs: number): string {
  let files = 0;
  let done = 0;
  let failed = 0;
  let leftMs = 0;
  for (const queue of queues) {
    const ended = queue.ended();
    files += queue.files.length;
    done += ended.size;
    failed += queue.counts.failed;
    leftMs = Math.max(leftMs, timeLeft(queue, ended, timings, elapsedMs));
  }
  if (files === 0) return "";
  const failures = failed > 0 ? `, ${failed} failed` : "";
  return `${done} of ${files} files${failures}, about ${clock(leftMs)} left`;
}

/** By the timings, and once enough has ended by the pace so far, since machines differ from the one of the timings. */
function timeLeft(queue: RunningQueue, ended: ReadonlySet<string>, timings: Timings, elapsedMs: number): number {
  const sum = (paths: Iterable<string>) => [...paths].reduce((ms, path) => ms + expectedMs(path, timings), 0);
  const doneMs = sum(ended);
  const allMs = sum(queue.files);
  if (doneMs < ENOUGH * allMs) return Math.max(0, allMs / queue.workers - elapsedMs);
  return ((allMs - doneMs) / doneMs) * elapsedMs;
}

/** Minutes and seconds. */
function clock(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
