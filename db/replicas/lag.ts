/** How far replicas are behind, in milliseconds of this process: no clock of another machine is compared. */

interface Sample {
  readonly at: number;
  readonly lsn: number;
}

/** Positions that are kept: with one a second, a lag of up to half an hour is told from a longer one. */
const MAX_SAMPLES = 1_800;

/** Positions of the primary over time. */
export class Lag {
  readonly #samples: Sample[] = [];

  /** Adds the position of the primary at a time of `performance.now()`. */
  add(at: number, lsn: number): void {
    const last = this.#samples.at(-1);
    // Another primary counts anew.
    if (last && last.lsn > lsn) this.#samples.length = 0;
    if (last?.lsn === lsn) return;
    this.#samples.push({ at, lsn });
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
  }

  /** How long ago the primary was first seen beyond a position; 0 if it was not. */
  of(lsn: number): number {
    const beyond = this.#samples.find((sample) => sample.lsn > lsn);
    return beyond ? performance.now() - beyond.at : 0;
  }
}
