/**
 * Ends what several test files of one process share, such as a database server. bunfig.toml preloads this module: Bun runs an
 * `afterAll` of a preloaded module after the last file, and emits no `exit` event at the end of tests.
 */
import { afterAll } from "bun:test";

const TIMEOUT_MS = 60_000;
const ends: (() => Promise<void>)[] = [];

/** Calls a function after the last test file of this process; those added later are called first. */
export function atEnd(end: () => Promise<void>): void {
  ends.push(end);
}

afterAll(async () => {
  for (const end of ends.toReversed()) await end();
}, TIMEOUT_MS);
