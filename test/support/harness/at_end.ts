/**
 * Ends what several test files of one process share, such as a browser. bunfig.toml preloads this module: Bun runs an `afterAll`
 * of a preloaded module after the last file, and emits no `exit` event at the end of tests. In a worker of `bun test --parallel`
 * it runs after each file: there what is shared ends with the process or the run, and the file is reported as ended.
 */
import { afterAll } from "bun:test";
import { appendFileSync } from "node:fs";
import { relative } from "node:path";

const TIMEOUT_MS = 60_000;
const ROOT = `${import.meta.dir}/../../..`;
const ends: (() => Promise<void>)[] = [];

/** Calls a function after the last test file of this process; those added later are called first. Not called in a worker. */
export function atEnd(end: () => Promise<void>): void {
  ends.push(end);
}

afterAll(async () => {
  if (process.env.BUN_TEST_WORKER_ID === undefined) for (const end of ends.toReversed()) await end();
  const ended = process.env.TEST_ENDED_FILES;
  if (ended !== undefined) appendFileSync(ended, `${relative(ROOT, Bun.main)}\n`);
}, TIMEOUT_MS);
