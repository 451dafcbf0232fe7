/**
 * How many jobs of each group run at a time. A group begins with one; each job that is done permits one more, up to `perGroup`. While
 * its last job failed it has one, of a quarter of the limit that all such groups share, so that those which hang do not take all. Jobs
 * of no group, "", have the limit alone.
 */

/** The part of the limit that groups share whose last job failed. */
const FAILING_SHARE = 4;

/** The groups of the jobs of one name. */
export class JobGroups {
  readonly #limit: number;
  readonly #perGroup: number;
  /** Running jobs by group. */
  readonly #running = new Map<string, number>();
  /** Jobs that a group may run; 0 while its last one failed. Those that failed longest ago come first. */
  readonly #permitted = new Map<string, number>();
  #runningInAll = 0;

  constructor(limit: number, perGroup: number) {
    this.#limit = limit;
    this.#perGroup = perGroup;
  }

  /** The jobs that may be claimed now, of the given groups or of all that are known; of others it is one each. */
  frees(given?: ReadonlySet<string>): { readonly groups: string[]; readonly frees: number[] } {
    let failing = Math.max(1, Math.floor(this.#limit / FAILING_SHARE));
    for (const group of this.#running.keys()) if (this.#permitted.get(group) === 0) failing -= 1;
    // Beyond half of the limit each group has one, so that many slow ones leave room.
    const isCrowded = this.#runningInAll >= this.#limit / 2;
    const groups = [""];
    const frees = [this.#limit - this.#runningInAll];
    for (const group of given ?? new Set([...this.#permitted.keys(), ...this.#running.keys()])) {
      const permitted = this.#permitted.get(group) ?? 1;
      const running = this.#running.get(group) ?? 0;
      groups.push(group);
      if (permitted > 0) frees.push(Math.max(0, (isCrowded ? 1 : permitted) - running));
      else frees.push(running === 0 && failing-- > 0 ? 1 : 0);
    }
    return { groups, frees };
  }

  /** A job of a group begins. */
  begin(group: string): void {
    this.#runningInAll += 1;
    if (group === "") return;
    this.#running.set(group, (this.#running.get(group) ?? 0) + 1);
  }

  /** A job of a group has ended. */
  end(group: string, isDone: boolean): void {
    this.#runningInAll -= 1;
    if (group === "") return;
    const running = (this.#running.get(group) ?? 0) - 1;
    if (running > 0) this.#running.set(group, running);
    else this.#running.delete(group);
    const permitted = isDone ? Math.min(this.#perGroup, (this.#permitted.get(group) ?? 1) + 1) : 0;
    this.#permitted.delete(group);
    this.#permitted.set(group, permitted);
  }

  /** Nothing is due: what groups have earned is forgotten, so that those which come no more take no memory. */
  rest(): void {
    if (this.#runningInAll > 0) return;
    for (const [group, permitted] of this.#permitted) if (permitted > 0) this.#permitted.delete(group);
  }
}
