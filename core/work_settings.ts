import { Type as t } from "@sinclair/typebox";

/** Settings of parsing and rendering: the child processes that do what is large, and what a user may have done. */
export const workSettings = {
  cpuSecondsPerMinute: t.Integer({
    default: 0,
    minimum: 0,
    maximum: 100_000_000,
    env: "API_CPU_SECONDS_PER_MIN",
    description:
      "Processor seconds that parsing and rendering for one user may take in a minute (429 beyond), for one address twice as many; a quarter of a second for each of API_REQUESTS_PER_MIN if 0",
  }),
  children: t.Integer({
    default: 2,
    minimum: 1,
    maximum: 64,
    env: "CHILD_PROCESSES",
    description: "Child processes that parse, render and compare large content; started when needed",
  }),
  childSeconds: t.Integer({
    default: 30,
    minimum: 1,
    env: "CHILD_TIMEOUT",
    description: "Seconds that one task of a child process may take",
  }),
  childMegabytes: t.Integer({
    default: 1024,
    minimum: 128,
    env: "CHILD_MEMORY",
    description: "Megabytes that a child process may take",
  }),
  childQueue: t.Integer({
    default: 64,
    minimum: 1,
    env: "CHILD_QUEUE",
    description: "Tasks that may wait for a child process; a user may have half of them",
  }),
};
