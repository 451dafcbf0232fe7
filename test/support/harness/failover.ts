/**
 * Writes over the API of several servers while the leader of their cluster is killed: which writes were acknowledged, and for how
 * long none was. Used by a test with one kill and by `test/bench/ha.ts` with ten.
 */
import type { PatroniCluster } from "./patroni.ts";
import type { Program } from "./program.ts";
import { until } from "./until.ts";

/** Milliseconds between two writes of a writer. A client would wait as Retry-After says; this one measures. */
const PAUSE_MS = 50;
const ANSWER_MS = 60_000;
const RECOVERY_MS = 120_000;

/** How the writes of a load ended. */
export interface WriteCounts {
  acknowledged: number;
  /** 503 with Retry-After, in the one error shape: nothing was written. */
  unavailable: number;
  /** 503 without it: the commit was not confirmed, and the answer says so. */
  unknown: number;
  /** Any other answer, and no answer; each is a defect. */
  other: number;
}

/** What one kill cost, in milliseconds. */
export interface KillOutcome {
  readonly killed: string;
  /** By server: between the last acknowledged write before the kill and the first one that began after it. */
  readonly outageMs: readonly number[];
  /** Between the kill and the last moment when a server was not ready. */
  readonly readyMs: number;
}

/** Writers over servers; each creates pages of its own names in a book. */
export class WriteLoad {
  readonly counts: WriteCounts = { acknowledged: 0, unavailable: 0, unknown: 0, other: 0 };
  /** Answers that are none of the expected ones. */
  readonly defects: string[] = [];
  readonly #servers: readonly Program[];
  readonly #book: number;
  readonly #names: string[] = [];
  /** By server: when the last acknowledged write ended, and when it began. */
  readonly #last: { began: number; ended: number }[];
  #writers: Promise<void>[] = [];
  #isStopped = false;
  #number = 0;

  constructor(servers: readonly Program[], book: number) {
    this.#servers = servers;
    this.#book = book;
    this.#last = servers.map(() => ({ began: 0, ended: 0 }));
  }

  /** The names of the pages that were acknowledged. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** Starts this many writers on each server. */
  start(writers: number): void {
    this.#writers = this.#servers.flatMap((_, at) => Array.from({ length: writers }, () => this.#write(at)));
  }

  /** Stops after the running writes. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#writers);
  }

  /** Kills the leader, and waits until each server acknowledges writes again. */
  async kill(cluster: PatroniCluster): Promise<KillOutcome> {
    const killed = await cluster.killLeader();
    const at = performance.now();
    const before = this.#last.map(({ ended }) => ended);
    let isBack = false;
    const ready = this.#readyAgain(at, () => isBack);
    const outages = this.#servers.map(async (_, server) => {
      const back = await until(
        () => this.#last[server] as { began: number; ended: number },
        ({ began }) => began > at,
        RECOVERY_MS,
      );
      return back.ended - (before[server] ?? at);
    });
    const outageMs = await Promise.all(outages).finally(() => {
      isBack = true;
    });
    return { killed, outageMs, readyMs: await ready };
  }

  /** Milliseconds from `since` to the end of the last time in which a server was not ready; asks until writes are back. */
  async #readyAgain(since: number, isBack: () => boolean): Promise<number> {
    for (let readyMs = 0; ; await Bun.sleep(PAUSE_MS)) {
      const areReady = await this.#areReady();
      if (!areReady) readyMs = performance.now() - since;
      else if (isBack()) return readyMs;
    }
  }

  async #areReady(): Promise<boolean> {
    const asked = this.#servers.map(({ port }) =>
      fetch(`http://127.0.0.1:${port}/ready`, { signal: AbortSignal.timeout(ANSWER_MS) }).then(({ ok }) => ok),
    );
    return (await Promise.all(asked)).every(Boolean);
  }

  async #write(at: number): Promise<void> {
    while (!this.#isStopped) {
      const name = `Page ${at} ${++this.#number}`;
      const began = performance.now();
      await this.#ask(at, name).then(
        (kind) => {
          this.counts[kind] += 1;
          if (kind !== "acknowledged") return;
          this.#names.push(name);
          // Writes overlap: the one that began last counts.
          if (began > (this.#last[at]?.began ?? 0)) this.#last[at] = { began, ended: performance.now() };
        },
        (error: unknown) => {
          this.counts.other += 1;
          this.defects.push(String(error));
        },
      );
      await Bun.sleep(PAUSE_MS);
    }
  }

  async #ask(at: number, name: string): Promise<keyof WriteCounts> {
    const { port, authorization } = this.#servers[at] as Program;
    const answer = await fetch(`http://127.0.0.1:${port}/api/pages`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ book_id: this.#book, name, html: "<p>Call the DBA</p>" }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const text = await answer.text();
    if (answer.status === 200) return "acknowledged";
    const body = JSON.parse(text) as { error?: { code?: number } };
    const isShaped = answer.status === 503 && body.error?.code === 503;
    if (isShaped) return answer.headers.has("retry-after") ? "unavailable" : "unknown";
    this.defects.push(`${answer.status} ${text.slice(0, 200)}`);
    return "other";
  }
}
