/**
 * The entry of a thread that computes slow hashes (`slow_hashes.ts`), one at a time, each for one message. Its priority is below
 * that of the server, on Linux, where it is that of a thread.
 */
import { parentPort } from "node:worker_threads";
import { lowerPriority } from "../children/process_limits.ts";
import type { HashAnswer, HashTask } from "./slow_hashes.ts";

/** On a busy machine it gets about half the CPU time of the server. */
const NICE = 3;
const THIS_THREAD = 0;

function answerTo(task: HashTask): HashAnswer {
  if (!("hash" in task)) return { hash: Bun.password.hashSync(task.secret, task.cost) };
  try {
    return { matches: Bun.password.verifySync(task.secret, task.hash) };
  } catch {
    // A hash that cannot be read, such as one truncated by an import, matches nothing; it is not an error of the request.
    return { matches: false };
  }
}

if (process.platform === "linux") lowerPriority(THIS_THREAD, NICE);
parentPort?.on("message", (task: HashTask) => parentPort?.postMessage(answerTo(task)));
