import type { ContentKind } from "lectern/contracts";
import { authorOf, type EventTransaction, notFound, sql } from "lectern/core";
import { rows } from "lectern/db";
import type { Deletion, NamedDeletion } from "./contract.ts";

/** Makes the entry of an item that was deleted just now. */
export async function putIn(
  kind: ContentKind,
  item: { readonly id: number; readonly name: string },
  { db, viewer }: EventTransaction,
): Promise<NamedDeletion> {
  const [entry] = await rows<Deletion>(
    db,
    sql`insert into deletions (deletable_type, deletable_id, deleted_by)
      values (${kind.kind}, ${item.id}::integer, ${authorOf(viewer)}::integer)
      on conflict (deletable_type, deletable_id) do update set deleted_by = excluded.deleted_by,
        created_at = now(), updated_at = now()
      returning *`,
  );
  return { ...(entry as Deletion), name: item.name };
}

/** An entry and its item as they are now, kept so until the transaction ends. Throws 404 where the entry is gone. */
export async function lockEntry(
  kinds: readonly ContentKind[],
  id: number,
  { db }: EventTransaction,
): Promise<NamedDeletion> {
  const [entry] = await rows<Deletion>(db, sql`select * from deletions where id = ${id}::integer for update`);
  if (!entry) throw notFound("Deletion");
  const kind = kinds.find((one) => one.kind === entry.deletable_type);
  const [item] = kind
    ? await rows<{ name: string }>(
        db,
        sql`select name from ${sql.table(kind.table)} where id = ${entry.deletable_id}::integer for update`,
      )
    : [];
  return { ...entry, name: item?.name ?? null };
}
