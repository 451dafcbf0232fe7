/** The removal of jobs that are done, by few statements. */
import type { Store } from "../../db/mod.ts";
import { removeJobs, removeOrdered } from "../job_store.ts";
import type { ClaimedJob } from "./job_pool.ts";

/** Milliseconds for which jobs of groups are collected that are removed by one statement. */
const GATHER_MS = 10;

/** Removes jobs that are done: those that end while a statement runs by the next one. */
export class JobRemovals {
  readonly #store: Store;
  #waiting: ClaimedJob[] = [];
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Removes a job, with others that end at the same time. */
  remove(job: ClaimedJob): Promise<void> {
    this.#waiting.push(job);
    this.#next ??= this.#last
      .catch(() => {})
      .then(() => (job.group_key === "" ? undefined : Bun.sleep(GATHER_MS)))
      .then(() => this.#removeWaiting());
    return this.#next;
  }

  #removeWaiting(): Promise<void> {
    const jobs = this.#waiting;
    this.#waiting = [];
    this.#next = undefined;
    const statement = jobs.some(({ order_key }) => order_key !== null) ? removeOrdered : removeJobs;
    const removal = statement.execute(this.#store.db, { ids: jobs.map(({ id }) => id) }).then(() => {});
    this.#last = removal;
    return removal;
  }
}
