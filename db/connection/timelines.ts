/**
 * The timelines of PostgreSQL clusters. A promotion begins a new one, so of two servers of a cluster that accept writes, the one of
 * the older timeline is a former leader: what is written there is lost to the others. The newest timeline of each cluster is
 * remembered, since the leader may be away when a former one comes back; clusters are told apart by their system identifier.
 */
import type postgres from "postgres";
import { codeOf } from "../query/unknown_values.ts";

/** A server that accepts writes: its cluster and timeline. */
export interface Leader {
  /** The system identifier of the cluster; "" where the account may not read it, and nothing is remembered. */
  readonly system: string;
  readonly timeline: number;
}

/** Timelines by system identifier. */
export type KnownTimelines = Readonly<Record<string, number>>;

/** What a server says of itself. */
export interface ServerState {
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
  /** Undefined on a standby. */
  readonly leader: Leader | undefined;
}

const STATE = `select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as read_only,
  case when not pg_is_in_recovery() then substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end as timeline`;
/** Apart from the state: the account may lack the right to call the function. */
const SYSTEM = "select system_identifier::text as system from pg_control_system()";

interface StateRow {
  readonly standby: boolean;
  readonly read_only: boolean;
  /** Hexadecimal; null on a standby. */
  readonly timeline: string | null;
}

/** SQLSTATEs of a server that is hosted and does not say what it is: a missing right, function or feature. */
const UNSUPPORTED: ReadonlySet<unknown> = new Set(["42501", "42883", "0A000"]);

/** Whether a server can never say what it is, as some that are hosted. */
export function isUnsupported(error: unknown): boolean {
  return UNSUPPORTED.has(codeOf(error));
}

/** Asks a server what it is. */
export async function serverState(sql: postgres.Sql): Promise<ServerState> {
  const unknown: { system: string }[] = [];
  const [[state], [own]] = await Promise.all([
    sql.unsafe<StateRow[]>(STATE),
    sql.unsafe<{ system: string }[]>(SYSTEM).catch((error: { code?: unknown }) => {
      // Others pass, such as of a file that is just written; without the cluster a former leader would not be known as one.
      if (isUnsupported(error)) return unknown;
      throw error;
    }),
  ]);
  const { standby = true, read_only = true, timeline = null } = state ?? {};
  const leader = timeline === null ? undefined : { system: own?.system ?? "", timeline: Number.parseInt(timeline, 16) };
  return { isStandby: standby, isReadOnly: read_only, leader };
}

/** Why a former leader is not used; follows its place. */
export function formerLeader({ timeline }: Leader, newest: number): string {
  return (
    `is a former leader (its timeline is ${timeline}, that of its cluster ${newest}), and what is written there would be lost; ` +
    `after a restore or a move, "lectern leader accept" makes it the leader`
  );
}

/**
 * The newest timelines that this process knows. `learn` reads those that others have noted, such as in the marker of the file store.
 * @example
 * const timelines = new Timelines({ "7412345678901234567": 3 });
 */
export class Timelines {
  readonly #newest: Map<string, number>;
  /** Reads what others know, before a leader is chosen; a failure is that of nothing known. */
  learn: () => Promise<KnownTimelines>;
  /** Is called when a leader of a newer timeline is used than before. */
  onNewer: () => void = () => {};

  constructor(known: KnownTimelines = {}, learn: () => Promise<KnownTimelines> = async () => ({})) {
    this.#newest = new Map(Object.entries(known));
    this.learn = learn;
  }

  /** All that is known. */
  get known(): KnownTimelines {
    return Object.fromEntries(this.#newest);
  }

  /** The newest timeline of the cluster of a former leader; undefined for the leader. */
  newerThan({ system, timeline }: Leader): number | undefined {
    const newest = this.#newest.get(system) ?? 0;
    return newest > timeline ? newest : undefined;
  }

  /** Notes a server that accepts writes. */
  saw({ system, timeline }: Leader): void {
    if (system === "" || (this.#newest.get(system) ?? 0) >= timeline) return;
    this.#newest.set(system, timeline);
    this.onNewer();
  }

  /** Notes what others know. */
  async refresh(): Promise<void> {
    const known = await this.learn().catch(() => ({}));
    for (const [system, timeline] of Object.entries(known))
      if ((this.#newest.get(system) ?? 0) < timeline) this.#newest.set(system, timeline);
  }
}
