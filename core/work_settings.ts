import { Type as t } from "@sinclair/typebox";

/** Settings of parsing and rendering: the child processes that do what is large, and what a user may have done. */
export const workSettings = {
  cpuSecondsPerMinute: t.Integer({
    default: 0,
    minimum: 0,
    maximum: 100_000_000,
    constant: true,
    description:
      "Processor seconds that parsing and rendering for one user may take in a minute (429 beyond), for one address twice as many; a quarter of a second for each of API_REQUESTS_PER_MIN if 0, as a request that is not cached takes less",
  }),
  children: t.Integer({
    default: 2,
    minimum: 1,
    maximum: 64,
    env: "CHILD_PROCESSES",
    unit: "processes",
    description: "Child processes that parse, render and compare large content; started when needed",
  }),
  childQueueBytes: t.Integer({
    default: 268_435_456,
    minimum: 1,
    constant: true,
    description:
      "Bytes of what waits for a child process, which are in memory meanwhile (503 beyond); a user may have half of them. However many wait, each waits as long as it may run at most",
  }),
};
