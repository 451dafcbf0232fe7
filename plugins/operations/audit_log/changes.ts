import type { Activity, ContentKind } from "lectern/contracts";
import { type EventTransaction, sql } from "lectern/core";
import { rows, write } from "lectern/db";

/** Writes a row in the transaction of its event. `ip` is the address, masked to the configured precision. */
export async function insertActivity(
  { type, detail, item }: Activity,
  { kinds, ip }: { readonly kinds: readonly ContentKind[]; readonly ip: string },
  { db, viewer }: EventTransaction,
): Promise<void> {
  // Anonymous visitors are recorded as the guest user (platform 6.1).
  const userId =
    viewer.via === "guest" && viewer.id === 0
      ? sql`coalesce((select id from users where system_name = 'public'), 0)`
      : sql`${viewer.id}::integer`;
  const kind = kinds.find((one) => one.kind === item?.kind);
  const id = kind && item ? item.id : null;
  const named = kind && sql`(select '(' || id || ') ' || name from ${sql.table(kind.table)} where id = ${id}::integer)`;
  await write(
    db,
    sql`insert into activities (type, detail, user_id, loggable_type, loggable_id, ip)
      values (${type}, ${detail ?? sql`coalesce(${named ?? null}, '')`}, ${userId}, ${kind?.kind ?? null}, ${id}::integer,
        ${ip})`,
  );
}

/** Replaces the references to items that are deleted permanently by their names. */
export async function detachItems(
  { kind, table }: ContentKind,
  ids: readonly number[],
  { db }: EventTransaction,
): Promise<void> {
  await rows(
    db,
    sql`update activities set detail = item.name, loggable_type = null, loggable_id = null
      from ${sql.table(table)} as item
      where loggable_type = ${kind} and loggable_id = item.id and item.id = any(${[...ids]}::integer[])`,
  );
}
