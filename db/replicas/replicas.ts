/**
 * Reads from replicas. The reads of a request go to a replica that has replayed what the request's user may have seen and
 * written (`horizon.ts`); all else goes to the primary, as do reads that a replica failed to answer. A loop looks after the
 * replicas: one that is away, frozen, promoted or too far behind is left out until it is back.
 */
import { answerTimeoutFor, currentSlowQuery } from "../connection/limits.ts";
import type {
  AwayReads,
  CommitMark,
  ReadCounts,
  ReplicaReads,
  ReplicaStatus,
  ReplicaTarget,
} from "../connection/replica_reads.ts";
import type { SingleStatementPools } from "../connection/single_statements.ts";
import { isForPrimary, isRead } from "../connection/statement_kind.ts";
import type { StoreEventObserver } from "../connection/store_events.ts";
import { isOnPrimary, type StoreSession } from "../connection/store_session.ts";
import { inTime } from "../connection/time.ts";
import { type AwayOptions, AwayRoute, awayFailure } from "./away_reads.ts";
import { Horizon } from "./horizon.ts";
import { Lag } from "./lag.ts";
import type { Replica } from "./replica.ts";
import { EVERYONE, markFor } from "./schema.ts";

/** Limits of reads from replicas; times in milliseconds. */
export interface ReplicaLimits {
  /** How far a replica in use may be behind. */
  readonly maxLagMs: number;
  /** Between two looks at the replicas, and the limit of each. */
  readonly checkMs: number;
}

/** What the reads need of the store. */
export interface ReplicasOptions extends ReplicaLimits, AwayOptions {
  readonly replicas: readonly Replica[];
  readonly primary: SingleStatementPools;
  limitMs(): number;
  /** Is shown when a replica serves no reads any more, and when it does again. */
  show: StoreEventObserver;
}

/** A replica in use, over the connections that it had when it was noted as such. */
interface InUse {
  readonly replica: Replica;
  readonly target: ReplicaTarget;
}

const PRUNE_MS = 10_000;

/** The replicas of a store. */
export class Replicas implements ReplicaReads {
  readonly counts: ReadCounts = { primary: 0, repeated: 0 };
  readonly #options: ReplicasOptions;
  readonly #horizon: Horizon;
  readonly #lag = new Lag();
  readonly #away: AwayRoute;
  #inUse: readonly InUse[] = [];
  /** Counts changes of those in use. */
  #version = 0;
  #turn = 0;
  /** Replicas that were shown as out of use. */
  readonly #shownOut = new Set<Replica>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #checking: Promise<void> | undefined;
  #prunedAt = performance.now();
  #isEnded = false;
  #sessionOf: () => StoreSession | undefined = () => undefined;

  constructor(options: ReplicasOptions) {
    this.#options = options;
    this.#horizon = new Horizon(async (text, parameters) => options.primary.statements.send(text, parameters));
    this.#away = new AwayRoute(options, options.replicas, this.#horizon);
  }

  /**
   * `current` returns the session of the current request; without one every statement goes to the primary. `away` returns its reads
   * that a replica may answer while the primary is away, also before its user is known.
   */
  sessionBy(current: () => StoreSession | undefined, away: () => AwayReads | undefined = () => undefined): void {
    this.#sessionOf = current;
    this.#away.requestOf = away;
  }

  /** Looks after the replicas from now on. Resolves after the first look. */
  async start(): Promise<void> {
    await this.#away.start();
    await this.check();
    this.#showChanges();
    this.#schedule();
  }

  /** Looks once; for commands, which read from the primary. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** The replicas in the order of the setting. */
  status(): readonly ReplicaStatus[] {
    return this.#options.replicas.map(({ name, isIn, reason, lagMs, lsn, statements }) => ({
      ...{ name, isInUse: isIn, reason, lagMs, statements },
      lagBytes: lsn === 0 ? 0 : Math.max(0, this.#horizon.lsn - lsn),
    }));
  }

  /** Runs a statement outside of transactions, on a replica or the primary. */
  async send<T>(text: string, run: (pools: SingleStatementPools) => Promise<T>): Promise<T> {
    const { primary } = this.#options;
    const session = this.#sessionOf();
    const away = this.#away.target(text, session?.user ?? 0);
    if (away) return this.#readAway(away, text, run);
    if (!session) return run(primary);
    if (!isRead(text)) return this.#write(session, run);
    if (session.isPinned || isOnPrimary()) return this.#readPrimary(session, run);
    session.choice ??= this.#choose(session);
    const target = await session.choice;
    if (!target?.isOpen || session.isPinned) return this.#readPrimary(session, run);
    return this.#readReplica(session, target, text, run);
  }

  /**
   * What the open transaction notes before its commit: a user whose reads wait for it, or all of them; undefined for nothing.
   * `hasWritten` says whether it changed rows, and `forAll` whether it changes who may see what.
   */
  markOf(hasWritten: boolean, forAll: boolean): CommitMark | undefined {
    const session = this.#sessionOf();
    if (session && hasWritten) session.pin();
    if (session) this.#saw(session);
    if (forAll) return this.#mark(EVERYONE);
    return session && hasWritten ? this.#mark(userOf(session)) : undefined;
  }

  /** Ends the connections to replicas after their statements, at most `timeoutMs` later. */
  async end(timeoutMs: number): Promise<void> {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    await Promise.all(this.#options.replicas.map((replica) => replica.end(timeoutMs)));
  }

  /** What a replica does not answer and the primary would be asked is refused, as the primary is away. */
  async #readAway<T>(target: ReplicaTarget, text: string, run: (pools: ReplicaTarget) => Promise<T>): Promise<T> {
    const isForOther = this.#failureAt(target, text);
    try {
      return await this.#counted(target, run);
    } catch (error) {
      throw isForOther(error) ? awayFailure(error) : error;
    }
  }

  async #readReplica<T>(
    session: StoreSession,
    target: ReplicaTarget,
    text: string,
    run: (pools: SingleStatementPools) => Promise<T>,
  ): Promise<T> {
    const isForOther = this.#failureAt(target, text);
    try {
      return await this.#counted(target, run);
    } catch (error) {
      if (!isForOther(error)) throw error;
    }
    this.counts.repeated += 1;
    session.pin();
    return this.#readPrimary(session, run);
  }

  async #counted<T>(target: ReplicaTarget, run: (pools: ReplicaTarget) => Promise<T>): Promise<T> {
    const answer = await run(target);
    const replica = this.#options.replicas.find((one) => one.restingTarget === target);
    if (replica) replica.statements += 1;
    return answer;
  }

  /** A statement begins at a replica; the returned function says of its error whether the primary may answer it. */
  #failureAt(target: ReplicaTarget, text: string): (error: unknown) => boolean {
    const slow = currentSlowQuery();
    const began = performance.now();
    return (error) => {
      const { isOpen } = target;
      const limitMs = slow?.limitMs ?? this.#options.limitMs();
      const isAborted = slow?.signal?.aborted ?? false;
      return isForPrimary({ text, error, ms: performance.now() - began, limitMs, isAborted, isOpen });
    };
  }

  async #readPrimary<T>(session: StoreSession, run: (pools: SingleStatementPools) => Promise<T>): Promise<T> {
    this.counts.primary += 1;
    const answer = await run(this.#options.primary);
    this.#saw(session);
    return answer;
  }

  /** The note follows the write and precedes its answer: a reader that knows of the write comes later than the note. */
  async #write<T>(session: StoreSession, run: (pools: SingleStatementPools) => Promise<T>): Promise<T> {
    const { primary } = this.#options;
    session.pin();
    const write = async () => {
      const answer = await run(primary);
      const { sql, parameters } = markFor(userOf(session));
      await primary.statements.send(sql, parameters);
      return answer;
    };
    const writing = write();
    this.#mark(userOf(session)).commits(writing);
    return writing;
  }

  /** The note of a user's write; `EVERYONE` for one that all readers wait for. */
  #mark(user: number): CommitMark {
    return {
      statement: markFor(user),
      commits: (ending) => {
        if (user === EVERYONE) this.#horizon.changesAccess(ending);
      },
    };
  }

  /** Guests are many people: none of them is promised to see at least what another one saw. */
  #saw({ user }: StoreSession): void {
    if (user > 0) this.#horizon.saw(user);
  }

  /** The place of a request's reads; undefined for the primary, which also answers where it cannot be asked. */
  async #choose({ user }: StoreSession): Promise<ReplicaTarget | undefined> {
    const version = this.#version;
    const chosen = this.#replicaOf(user);
    if (!chosen) return undefined;
    const { replica, target } = chosen;
    try {
      await this.#horizon.confirm();
      // Where the replicas in use changed meanwhile, the answer may not cover what this user saw on another one.
      if (version !== this.#version) return undefined;
      if (replica.lsn < this.#horizon.needOf(user)) await replica.refresh();
    } catch {
      return undefined;
    }
    const isSame = version === this.#version && replica.target === target;
    return isSame && replica.lsn >= this.#horizon.needOf(user) ? target : undefined;
  }

  /** A user stays with a replica, which only moves forward; guests take turns. */
  #replicaOf(user: number): InUse | undefined {
    return this.#inUse[(user > 0 ? user : this.#turn++) % this.#inUse.length];
  }

  #schedule(): void {
    if (this.#isEnded) return;
    this.#timer = setTimeout(() => void this.#lookAgain(), this.#options.checkMs);
    this.#timer.unref();
  }

  async #lookAgain(): Promise<void> {
    await this.check().finally(() => this.#schedule());
    this.#showChanges();
  }

  #showChanges(): void {
    if (this.#isEnded) return;
    for (const replica of this.#options.replicas) {
      const { name: host, isIn, reason: cause } = replica;
      if (isIn !== this.#shownOut.has(replica)) continue;
      if (isIn) this.#shownOut.delete(replica);
      else this.#shownOut.add(replica);
      this.#options.show(isIn ? { kind: "replica_found", host } : { kind: "replica_lost", host, cause });
    }
  }

  async #check(): Promise<void> {
    const { replicas, checkMs } = this.#options;
    const asked = performance.now();
    // A primary that does not answer does not keep replicas from being looked at: its reads fail on their own.
    const isConfirmed = await within(checkMs, this.#horizon.confirm());
    if (isConfirmed) this.#lag.add(asked, this.#horizon.lsn);
    await Promise.all(replicas.map((replica) => this.#look(replica)));
    if (this.#isEnded) return;
    this.#change();
    if (this.#inUse.length > 0) this.#horizon.forgetUpTo(Math.min(...this.#inUse.map(({ replica }) => replica.lsn)));
    if (!isConfirmed || performance.now() - this.#prunedAt < PRUNE_MS) return;
    this.#prunedAt = performance.now();
    await this.#horizon.prune().catch(() => {
      // The next time removes these rows too.
    });
  }

  async #look(replica: Replica): Promise<void> {
    const { checkMs, maxLagMs } = this.#options;
    const isAnswering = await within(answerTimeoutFor(checkMs), replica.refresh());
    if (this.#isEnded) return;
    if (!isAnswering) {
      if (replica.lsn > 0) replica.leave("it does not answer");
      return;
    }
    replica.lagMs = this.#lag.of(replica.lsn);
    const unfit = replica.unfitFor(this.#horizon.epoch);
    if (unfit !== undefined) return replica.rest(unfit);
    if (replica.lagMs > maxLagMs) return replica.rest(`it is ${Math.round(replica.lagMs)} ms behind`);
    if (!replica.isIn) replica.join();
  }

  /** Notes which replicas are in use. A user who moves to another one must not see an older state there. */
  #change(): void {
    const inUse = this.#options.replicas.flatMap((replica) =>
      replica.target ? [{ replica, target: replica.target }] : [],
    );
    if (inUse.length === this.#inUse.length && inUse.every(({ target }, at) => target === this.#inUse[at]?.target))
      return;
    this.#inUse = inUse;
    this.#version += 1;
    this.#horizon.allSaw();
  }
}

function userOf({ user, writesForAll }: StoreSession): number {
  return writesForAll ? EVERYONE : user;
}

/** Whether a promise is fulfilled in time. */
async function within(ms: number, work: Promise<void>): Promise<boolean> {
  const done = work.then(
    () => true,
    () => false,
  );
  return (await inTime(ms, done)) ?? false;
}
