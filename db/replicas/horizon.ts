/**
 * Up to where a replica must have replayed the log before it may serve a user. Each request asks the primary, by a statement
 * that is sent after the request began and that all requests share which wait at that time. The answer names the users whose
 * transactions were committed since the previous one, on whatever server, and a position of the log behind all of them. So a
 * write that was answered before a request began is known to it: no notice is waited for, and no clock is compared.
 */
import { Batch } from "./batch.ts";
import { BEGIN_EPOCH, EVERYONE, NO_SNAPSHOT, POLL, PRUNE } from "./schema.ts";

/** Sends a statement to the primary. */
export type SendToPrimary = (text: string, parameters: readonly unknown[]) => Promise<readonly object[]>;

interface Poll {
  readonly lsn: number;
  readonly snapshot: string;
  readonly epoch: string | null;
  readonly missed: boolean;
  readonly users: readonly number[];
}

/** Users that are kept; beyond, all readers wait for the latest position. */
const MAX_USERS = 100_000;
/** Attempts to begin an epoch before the primary serves the reads. */
const MAX_ATTEMPTS = 3;

/** The positions that readers need; all of them are bytes of the log. */
export class Horizon {
  readonly #send: SendToPrimary;
  readonly #batch = new Batch(() => this.#poll());
  readonly #needs = new Map<number, number>();
  /** What all readers need. */
  #everyone = 0;
  /** The highest need that was forgotten: of a user without one, it may be this. */
  #forgotten = 0;
  /** Users who have read from the primary since the last poll was sent, and whether all readers count as such. */
  #seen = new Set<number>();
  #isAllSeen = false;
  #snapshot = NO_SNAPSHOT;
  #prunable: string | undefined;
  #epoch: string | undefined;
  #lsn = 0;
  /** A position behind all changes of who may see what that were found. */
  #access = 0;
  /** Such commits of this process that are not answered, and whether there was one since the last poll was sent. */
  #openAccess = 0;
  #isAccessNewer = false;

  constructor(send: SendToPrimary) {
    this.#send = send;
  }

  /** The name of the primary's history that replicas must have; undefined before the first answer. */
  get epoch(): string | undefined {
    return this.#epoch;
  }

  /** The position of the primary as of its last answer. */
  get lsn(): number {
    return this.#lsn;
  }

  /** Learns what was committed until now. Rejects where the primary does not answer. */
  confirm(): Promise<void> {
    return this.#batch.run();
  }

  /** The position that a replica needs for a user; call it after `confirm`. */
  needOf(user: number): number {
    return Math.max(this.#everyone, this.#forgotten, this.#needs.get(user) ?? 0);
  }

  /** A change of who may see what is being committed; `ending` is the answer, which may be lost. */
  changesAccess(ending: Promise<unknown>): void {
    this.#openAccess += 1;
    const end = () => {
      this.#openAccess -= 1;
      this.#isAccessNewer = true;
    };
    ending.then(end, end);
  }

  /** A change of who may see what was committed, or may have been, whose position the next poll finds. */
  accessChanged(): void {
    this.#isAccessNewer = true;
  }

  /** A position behind all known changes of who may see what; undefined while that of one is not known. */
  get accessNeed(): number | undefined {
    const isKnown = this.#epoch !== undefined && this.#openAccess === 0 && !this.#isAccessNewer;
    return isKnown ? this.#access : undefined;
  }

  /** A user has read from the primary: a replica must not show an older state afterwards. */
  saw(user: number): void {
    this.#seen.add(user);
  }

  /** The same for all users, as where they move to other replicas. */
  allSaw(): void {
    this.#isAllSeen = true;
  }

  /** Forgets needs that all replicas in use fulfil. */
  forgetUpTo(lsn: number): void {
    for (const [user, need] of this.#needs) {
      if (need > lsn) continue;
      this.#needs.delete(user);
      this.#forgotten = Math.max(this.#forgotten, need);
    }
  }

  /** The number of users who have a need of their own. */
  get size(): number {
    return this.#needs.size;
  }

  /** Removes rows that were seen before the previous call; other servers notice where they missed one. */
  async prune(): Promise<void> {
    const before = this.#prunable;
    this.#prunable = this.#snapshot;
    if (before !== undefined && before !== NO_SNAPSHOT) await this.#send(PRUNE, [before]);
  }

  async #poll(): Promise<void> {
    const seen = this.#seen;
    const isAllSeen = this.#isAllSeen;
    const isAccessNewer = this.#isAccessNewer;
    this.#isAccessNewer = false;
    this.#seen = new Set();
    this.#isAllSeen = false;
    try {
      const found = await this.#ask();
      this.#learn(found);
      if (isAllSeen) this.#everyone = found.lsn;
      for (const user of seen) this.#needs.set(user, found.lsn);
      if (this.#needs.size > MAX_USERS) this.#forgetAll(found.lsn);
    } catch (error) {
      for (const user of seen) this.#seen.add(user);
      this.#isAllSeen ||= isAllSeen;
      this.#isAccessNewer ||= isAccessNewer;
      throw error;
    }
  }

  async #ask(): Promise<Poll & { readonly epoch: string }> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const [found] = (await this.#send(POLL, [this.#snapshot])) as readonly Poll[];
      if (found && found.epoch !== null) return { ...found, epoch: found.epoch };
      await this.#send(BEGIN_EPOCH, [crypto.randomUUID()]);
    }
    throw new Error("Cannot begin an epoch of reads from replicas: the primary lost it again");
  }

  #learn({ lsn, snapshot, epoch, missed, users }: Poll & { readonly epoch: string }): void {
    this.#lsn = lsn;
    this.#snapshot = snapshot;
    if (epoch !== this.#epoch || missed) {
      if (epoch !== this.#epoch) this.#prunable = undefined;
      // The first answer, another primary, or one that was not asked for long: of the writers before, nothing is known.
      this.#epoch = epoch;
      this.#access = lsn;
      this.#forgetAll(lsn);
      return;
    }
    for (const user of users)
      if (user === EVERYONE) this.#everyone = this.#access = lsn;
      else this.#needs.set(user, lsn);
  }

  #forgetAll(lsn: number): void {
    this.#needs.clear();
    this.#forgotten = 0;
    this.#everyone = lsn;
  }
}
