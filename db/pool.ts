/** Lines that everybody shares for single statements, which are sent on without waiting for the answers before them. */
import { StoreError } from "./errors.ts";
import type { Answered, Line } from "./line.ts";

/** What a pool is made of; times in milliseconds. */
export interface PoolOptions {
  readonly size: number;
  readonly maxAgeMs: number;
  /** For what runs on a line that grew old. */
  readonly closeTimeoutMs: number;
  open(): Line;
}

/** A few lines, opened as they are needed. */
export class Pool {
  readonly #options: PoolOptions;
  readonly #lines: Line[] = [];
  #ended = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Sends one statement over the line on which the fewest wait. Throws as `Line.ask` does, and when the store is closed. */
  async send(text: string, parameters: readonly unknown[]): Promise<Answered> {
    if (this.#ended) throw new StoreError("Cannot ask the store: it is closed");
    return await this.#line().ask(text, parameters);
  }

  /** Ends every line, letting what runs finish for `timeoutMs`. */
  async end(timeoutMs: number): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#lines.map((line) => line.end(timeoutMs)));
  }

  #line(): Line {
    const { size, maxAgeMs, closeTimeoutMs, open } = this.#options;
    const oldest = performance.now() - maxAgeMs;
    let free: Line | undefined;
    for (let at = this.#lines.length - 1; at >= 0; at--) {
      const line = this.#lines[at] as Line;
      if (line.isLost || line.openedAt < oldest) {
        this.#lines.splice(at, 1);
        if (!line.isLost) void line.end(closeTimeoutMs);
      } else if (!free || line.load < free.load) free = line;
    }
    if (free && (free.load === 0 || this.#lines.length >= size)) return free;
    const line = open();
    this.#lines.push(line);
    return line;
  }
}
