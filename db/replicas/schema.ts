/**
 * What servers share about reads from replicas, in the schema `lectern_replicas` of the primary. `writes` has a row for each
 * transaction that a reader may wait for: who wrote, and in which transaction. It is unlogged, as only the primary reads it; a
 * crash or a promotion empties it, and with it `state`. Then a new epoch begins: its name is in `state` and, logged, in
 * `epoch`. So a replica that has this name has replayed a commit of this history, and one that follows another has not.
 */
import { CompiledQuery } from "kysely";
import type postgres from "postgres";
import { StoreError } from "../query/errors.ts";
import { messageOf } from "../query/unknown_values.ts";

/** The schema of these tables; it is made by the first server that reads from replicas. */
export const REPLICAS_SCHEMA = "lectern_replicas";
/** In the column `user_id`: all readers wait for the transaction. */
export const EVERYONE = -1;
/** A snapshot in which no transaction is visible. */
export const NO_SNAPSHOT = "1:1:";

/** Rows before autovacuum looks at the table: rows are removed soon after they were written. */
const VACUUM_ROWS = 2_000;
const LOCK = "lectern_replicas";
/** The channel on which servers hear that a change of who may see what was committed. */
export const ACCESS_CHANNEL = "lectern_access";

const CREATE = `
  create schema if not exists ${REPLICAS_SCHEMA};
  create unlogged table if not exists ${REPLICAS_SCHEMA}.writes (
    xid xid8 not null default pg_current_xact_id(), user_id integer not null)
    with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = ${VACUUM_ROWS});
  create index if not exists writes_xid on ${REPLICAS_SCHEMA}.writes (xid);
  create unlogged table if not exists ${REPLICAS_SCHEMA}.state (
    one boolean primary key default true check (one), epoch text not null, pruned xid8 not null);
  create table if not exists ${REPLICAS_SCHEMA}.epoch (
    one boolean primary key default true check (one), epoch text not null)`;

/** Creates the tables where they are missing. Throws StoreError. */
export async function createReplicaTables(sql: postgres.Sql): Promise<void> {
  try {
    const [found] = await sql`select to_regclass(${`${REPLICAS_SCHEMA}.epoch`}) is not null as ready`;
    if (found?.ready === true) return;
    await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtext(${LOCK}))`;
      await tx.unsafe(CREATE);
    });
  } catch (cause) {
    throw new StoreError(
      `Cannot read from replicas: the schema "${REPLICAS_SCHEMA}" cannot be created: ${messageOf(cause)}`,
      { cause },
    );
  }
}

const NOTE_WRITER = `insert into ${REPLICAS_SCHEMA}.writes (user_id) values ($1::integer)`;
/** The same for all readers; the other servers learn of it at once, as the primary may be lost before they ask it. */
const NOTE_ACCESS = `${NOTE_WRITER} returning pg_notify('${ACCESS_CHANNEL}', '')::text`;

/** Notes the writer of the open transaction, or of statements before. */
export function markFor(user: number): CompiledQuery {
  return CompiledQuery.raw(user === EVERYONE ? NOTE_ACCESS : NOTE_WRITER, [user]);
}

/**
 * What was committed since a snapshot, and a position of the log behind all of it. The functions run after the statement's
 * snapshot was taken; a commit that it sees was flushed before, unless commits do not wait for that at all. Rows below the
 * snapshot's oldest transaction were seen before; where `pruned` is beyond it, unseen ones may have been removed.
 */
export const POLL = `select ((case when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
      else pg_current_wal_flush_lsn() end) - '0/0'::pg_lsn)::int8 as lsn,
    pg_current_snapshot()::text as snapshot, s.epoch,
    coalesce(s.pruned > pg_snapshot_xmin($1::text::pg_snapshot), true) as missed,
    array(select distinct w.user_id from ${REPLICAS_SCHEMA}.writes w
      where w.xid >= pg_snapshot_xmin($1::text::pg_snapshot)
        and not pg_visible_in_snapshot(w.xid, $1::text::pg_snapshot)) as users
  from (select) one left join ${REPLICAS_SCHEMA}.state s on true`;

/** Begins an epoch where none is; one of several servers does. */
export const BEGIN_EPOCH = `with begun as (
    insert into ${REPLICAS_SCHEMA}.state (epoch, pruned) values ($1::text, pg_snapshot_xmin(pg_current_snapshot()))
    on conflict do nothing returning epoch)
  insert into ${REPLICAS_SCHEMA}.epoch (epoch) select epoch from begun
  on conflict (one) do update set epoch = excluded.epoch`;

/** Removes rows of transactions that were over before a snapshot was taken, and notes up to where. */
export const PRUNE = `with gone as (
    delete from ${REPLICAS_SCHEMA}.writes where xid < pg_snapshot_xmin($1::text::pg_snapshot))
  update ${REPLICAS_SCHEMA}.state set pruned = greatest(pruned, pg_snapshot_xmin($1::text::pg_snapshot))`;

/** The state of a replica. Its position is read after the statement's snapshot, so later statements see all before it. */
export const REPLICA_STATE = `select pg_is_in_recovery() as standby, pg_postmaster_start_time()::text as started,
    coalesce((pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::int8, 0) as lsn,
    (select epoch from ${REPLICAS_SCHEMA}.epoch) as epoch`;

/** When the server of a connection started: positions of an earlier run of it may not hold any more. */
export const STARTED = "select pg_postmaster_start_time()::text as started";
