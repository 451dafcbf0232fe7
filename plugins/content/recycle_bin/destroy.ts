import type { ContentKind, Dependents } from "lectern/contracts";
import { type EventTransaction, sql } from "lectern/core";
import { rows } from "lectern/db";
import type { NamedDeletion } from "./contract.ts";
import { type FindKind, itemsBelow } from "./kinds.ts";

/** What destroying needs to know of the runtime. */
export interface DestroyParts {
  readonly kinds: readonly ContentKind[];
  readonly find: FindKind;
  readonly dependents: readonly Dependents[];
}

/**
 * Removes an entry's item for good, with all below it and all that hangs on them (platform 7.4), and answers how many
 * items that were: none where the item is gone already. What lies deepest goes first.
 */
export async function destroy(
  { kinds, find, dependents }: DestroyParts,
  entry: NamedDeletion,
  tx: EventTransaction,
): Promise<number> {
  const { db } = tx;
  const kind = find(entry.deletable_type);
  await rows(db, sql`delete from deletions where id = ${entry.id}::integer`);
  if (!kind || entry.name === null) return 0;
  const items = [
    ...(await itemsBelow(db, kinds, { kind, id: entry.deletable_id })),
    { kind, ids: [entry.deletable_id] },
  ];
  for (const { kind: own, ids } of items) {
    if (ids.length === 0) continue;
    for (const part of dependents)
      if (part.kind === undefined || part.kind === own.kind) await part.destroy(ids, tx, own.kind);
    await rows(
      db,
      sql`delete from deletions where deletable_type = ${own.kind} and deletable_id = any(${[...ids]}::integer[])`,
    );
    await rows(db, sql`delete from ${sql.table(own.table)} where id = any(${[...ids]}::integer[])`);
  }
  return items.reduce((sum, { ids }) => sum + ids.length, 0);
}
