/**
 * One queue of test files: a `bun test --parallel` whose workers take the next file when they have ended one, and keep their
 * modules from file to file. A run that prints nothing for some minutes hangs: Bun then names the files that run, and is ended.
 */
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { machineSlowness, SLOWNESS_VARIABLE, scaled } from "../harness/machine_speed.ts";
import { inOrder, readTimings, type Timings, writeTimings } from "./order.ts";
import { ROOT } from "./test_files.ts";
import { type Counts, readTestOutput } from "./test_output.ts";

/** Of each test on an idle machine; on a busy one it is longer. */
export const TEST_TIMEOUT_MS = 60_000;
/** By this variable a run names the file to which its workers append each file that has ended (at_end.ts). */
export const ENDED_FILES_VARIABLE = "TEST_ENDED_FILES";
/** How long no test may end beyond the limit of one: some have a limit of their own, and hooks. */
const SILENCE_MAX_MS = 300_000;
const LOOK_MS = 1_000;

/** The files of a queue, and how they run. */
export interface Queue {
  readonly title: string;
  readonly files: readonly string[];
  /** Processes; at least two, as Bun starts none for a single one. */
  readonly workers: number;
  readonly env: Readonly<Record<string, string>>;
  /** Arguments of `bun test` besides. */
  readonly args: readonly string[];
  /** What was measured before, by path; the order depends on it and on the seed. */
  readonly timings: Timings;
  readonly seed: number;
  /** A folder for files of this queue alone. */
  readonly folder: string;
  show(text: string): void;
  repeatOf(path: string, title?: string): string;
}

/** A queue that runs. */
export interface RunningQueue {
  readonly counts: Readonly<Counts>;
  readonly files: readonly string[];
  readonly workers: number;
  /** The files that have ended. */
  ended(): ReadonlySet<string>;
  /** Resolves to what each file took in milliseconds, when all have ended. A run that fails as a whole counts as a failure. */
  readonly done: Promise<{ counts: Counts; measured: Timings }>;
  /** Ends its processes, and with them those that they started and that have no session of their own. */
  kill(): void;
}

/** Starts a queue. */
export function startQueue(queue: Queue): RunningQueue {
  const { files, folder, workers, show, title } = queue;
  const endedFile = join(folder, "ended");
  const orderFile = join(folder, "order.json");
  // Bun begins with the files that took longest, so the wanted order is given to it as times.
  const order = inOrder(files, queue.timings, queue.seed);
  writeTimings(orderFile, Object.fromEntries(order.map((path, at) => [path, (order.length - at) * 1000])));
  const timeoutMs = scaled(TEST_TIMEOUT_MS);
  const silenceMs = SILENCE_MAX_MS + timeoutMs;
  const options = [`--parallel=${Math.max(workers, 2)}`, "--no-isolate", "--timeout", `${timeoutMs}`];
  const child = Bun.spawn(
    [
      process.execPath,
      "test",
      ...options,
      `--timings=${orderFile}`,
      "--update-timings",
      ...queue.args,
      ...files.map((path) => `./${path}`),
    ],
    {
      cwd: ROOT,
      env: {
        ...process.env,
        ...queue.env,
        [ENDED_FILES_VARIABLE]: endedFile,
        [SLOWNESS_VARIABLE]: String(machineSlowness()),
      },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
      // A process group of its own can be ended as a whole.
      detached: true,
    },
  );
  const output = readTestOutput({ ...queue, root: ROOT });
  const { counts } = output;
  const results = () => counts.passed + counts.failed + counts.skipped;
  let heard = 0;
  let heardAt = performance.now();
  let isKilled = false;
  const watch = setInterval(() => {
    // What a test prints is no result: one that hangs may go on to print.
    if (results() !== heard) [heard, heardAt] = [results(), performance.now()];
    if (performance.now() - heardAt < silenceMs) return;
    heardAt = performance.now();
    show(`${title}: no result for ${Math.round(silenceMs / 60_000)} minutes\n`);
    // Bun names what runs at the first signal.
    child.kill(child.killed ? "SIGKILL" : "SIGINT");
  }, LOOK_MS);
  async function finish() {
    await read(child.stderr, child.exited, (text) => output.push(text));
    const code = await child.exited;
    clearInterval(watch);
    if (isKilled) return { counts, measured: {} };
    output.end();
    const all = { ...counts };
    const ended = linesOf(endedFile);
    // Also where all has passed: of a single file Bun starts no worker, and the file may end the process with 0.
    const unended = files.filter((path) => !ended.has(path) && !output.crashed.has(path));
    for (const path of unended) show(`${path}\n(fail) has not run to its end\n  again: ${queue.repeatOf(path)}\n`);
    all.failed += unended.length;
    if (code !== 0 && counts.failed === 0) {
      show(
        `${title}: bun test ended with ${child.signalCode ?? code}; its last lines:\n${output.lastLines.join("\n")}\n`,
      );
      all.failed = Math.max(all.failed, 1);
    }
    const measured = readTimings(orderFile);
    rmSync(orderFile);
    return { counts: all, measured };
  }
  const kill = () => {
    isKilled = true;
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, "SIGKILL");
  };
  return { counts, files, workers, ended: () => linesOf(endedFile), done: finish(), kill };
}

function linesOf(file: string): ReadonlySet<string> {
  if (!statSync(file, { throwIfNoEntry: false })) return new Set();
  return new Set(readFileSync(file, "utf8").trim().split("\n"));
}

/** Reads a stream until a second after the process's end: a server left behind may hold its other end. */
async function read(
  stream: ReadableStream<Uint8Array>,
  exited: Promise<number>,
  use: (text: string) => void,
): Promise<void> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let timer: Timer | undefined;
  void exited.then(() => {
    timer = setTimeout(() => void reader.cancel(), 1000);
  });
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read())
    use(decoder.decode(value, { stream: true }));
  await exited;
  clearTimeout(timer);
}
