import type { Activity, ContentKind } from "lectern/contracts";
import { type EventTransaction, sql } from "lectern/core";
import { write } from "lectern/db";

/** What rows say beside what happened. */
export interface Surroundings {
  readonly kinds: readonly ContentKind[];
  /** As precise as it is kept. */
  readonly ip: string;
}

/** Writes what happened, in the transaction it happened in. */
export async function writeActivity(
  { kinds, ip }: Surroundings,
  { type, detail, item }: Activity,
  { db, viewer }: EventTransaction,
): Promise<void> {
  // A visitor without an account acts as the guest, who is a user like others (platform 6.1).
  const by =
    viewer.via === "guest" && viewer.id === 0
      ? sql`coalesce((select id from users where system_name = 'public'), 0)`
      : sql`${viewer.id}::integer`;
  const kind = kinds.find((one) => one.kind === item?.kind);
  const id = kind && item ? item.id : null;
  const named = kind && sql`(select '(' || id || ') ' || name from ${sql.table(kind.table)} where id = ${id}::integer)`;
  await write(
    db,
    sql`insert into activities (type, detail, user_id, loggable_type, loggable_id, ip)
      values (${type}, ${detail ?? sql`coalesce(${named ?? null}, '')`}, ${by}, ${kind?.kind ?? null}, ${id}::integer,
        ${ip})`,
  );
}
