/**
 * How many jobs of each group run at a time. A group begins with one; each job that is done permits one more, up to `perGroup`. While
 * its last job failed it has one, of a quarter of the limit that all such groups share, so that those which hang do not take all. Groups
 * whose last job took long share half of it, and jobs that have just begun have half of what those leave that run for long: so groups
 * of which nothing is known yet do not take all either. Jobs of no group, "", have the limit alone.
 */

/** The part of the limit that groups share whose last job failed. */
const FAILING_SHARE = 4;
/** The part of the limit that groups share whose last job took long, and of what is left that of jobs that have just begun. */
const SLOW_SHARE = 2;
/** Milliseconds from which on a job takes long. */
const SLOW_MS = 1_000;

/** The share that groups have whose last job failed, and of those whose last job took long. */
const SHARES = { none: 0, failing: 1, slow: 2 } as const;

/** What may be claimed now. */
export interface Frees {
  readonly groups: string[];
  /** Jobs of each of these groups. */
  readonly frees: number[];
  /** The number of each group's share, 0 for none. */
  readonly shares: number[];
  /** Jobs of the groups of each share. */
  readonly rooms: number[];
}

/** The place of a job that runs. */
export interface Place {
  readonly group: string;
  readonly begunAt: number;
}

/** The groups of the jobs of one name. */
export class JobGroups {
  readonly #limit: number;
  readonly #perGroup: number;
  /** In the order of their begin. */
  readonly #places = new Set<Place>();
  /** Running jobs by group. */
  readonly #running = new Map<string, number>();
  /** Jobs that a group may run; 0 while its last one failed. Those that ended longest ago come first. */
  readonly #permitted = new Map<string, number>();
  /** Groups whose last job took long. */
  readonly #slow = new Set<string>();

  constructor(limit: number, perGroup: number) {
    this.#limit = limit;
    this.#perGroup = perGroup;
  }

  /** Jobs that may begin now in all. */
  get room(): number {
    const fresh = this.#fresh();
    const long = this.#places.size - fresh.length;
    const left = Math.max(this.#perGroup, Math.ceil((this.#limit - long) / SLOW_SHARE));
    return Math.min(this.#limit - this.#places.size, left - fresh.length);
  }

  /** Milliseconds until a job that has just begun counts as one that runs for long. */
  get roomInMs(): number {
    const [oldest] = this.#fresh();
    return oldest ? oldest.begunAt + SLOW_MS - performance.now() : 0;
  }

  /** The jobs that may be claimed now, of the given groups or of all that are known; of others it is one each. */
  frees(given?: ReadonlySet<string>): Frees {
    const now = performance.now();
    const slow = new Set(this.#slow);
    for (const { group, begunAt } of this.#places) if (now - begunAt >= SLOW_MS) slow.add(group);
    const rooms = [Math.max(1, Math.floor(this.#limit / FAILING_SHARE)), Math.ceil(this.#limit / SLOW_SHARE)];
    const shareOf = (group: string) =>
      this.#permitted.get(group) === 0 ? SHARES.failing : slow.has(group) ? SHARES.slow : SHARES.none;
    for (const [group, running] of this.#running) {
      const share = shareOf(group);
      if (share !== SHARES.none) rooms[share - 1] = Math.max(0, (rooms[share - 1] ?? 0) - running);
    }
    // Beyond half of the limit each group has one, so that many slow ones leave room.
    const isCrowded = this.#places.size >= this.#limit / 2;
    const groups = [""];
    const frees = [this.#limit - this.#places.size];
    const shares: number[] = [SHARES.none];
    for (const group of given ?? new Set([...this.#permitted.keys(), ...this.#running.keys()])) {
      const permitted = this.#permitted.get(group) ?? 1;
      groups.push(group);
      frees.push(Math.max(0, (isCrowded ? 1 : Math.max(1, permitted)) - (this.#running.get(group) ?? 0)));
      shares.push(shareOf(group));
    }
    return { groups, frees, shares, rooms };
  }

  /** A job of a group begins. */
  begin(group: string): Place {
    const place = { group, begunAt: performance.now() };
    this.#places.add(place);
    if (group !== "") this.#running.set(group, (this.#running.get(group) ?? 0) + 1);
    return place;
  }

  /** A job has ended. Returns whether its place may be that of any other group now. */
  end(place: Place, isDone: boolean): boolean {
    this.#places.delete(place);
    const { group, begunAt } = place;
    if (group === "") return false;
    const running = (this.#running.get(group) ?? 0) - 1;
    if (running > 0) this.#running.set(group, running);
    else this.#running.delete(group);
    const permitted = isDone ? Math.min(this.#perGroup, (this.#permitted.get(group) ?? 1) + 1) : 0;
    this.#permitted.delete(group);
    this.#permitted.set(group, permitted);
    const wasSlow = performance.now() - begunAt >= SLOW_MS;
    if (wasSlow) this.#slow.add(group);
    else this.#slow.delete(group);
    return wasSlow || !isDone;
  }

  /** Nothing is due: what groups have earned is forgotten, so that those which come no more take no memory. */
  rest(): void {
    if (this.#places.size > 0) return;
    for (const [group, permitted] of this.#permitted)
      if (permitted > 0 && !this.#slow.has(group)) this.#permitted.delete(group);
  }

  /** Jobs of groups that have just begun. */
  #fresh(): Place[] {
    const now = performance.now();
    return [...this.#places].filter(({ group, begunAt }) => group !== "" && now - begunAt < SLOW_MS);
  }
}
