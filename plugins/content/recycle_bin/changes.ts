/**
 * Writes entries of the recycle bin (platform 7): adds one for each explicit delete, locks and takes it for a
 * restore, and removes its item permanently with everything below it and all dependents.
 */
import type { ContentKind } from "lectern/contracts";
import { type ApiError, authorOf, type EventTransaction, localizedError, notFound, sql } from "lectern/core";
import { codeOf, isObject, prepared, rows } from "lectern/db";
import type { NamedDeletion, RecycleBinContext } from "./contract.ts";
import { findKind, type ItemOfKind, type ItemsOfKind, itemWithContents } from "./hierarchy.ts";

/** The SQLSTATE of a delete that rows of another table refer to. */
const FOREIGN_KEY_VIOLATION = "23503";

const insert = prepared("recycle_bin.insert", (db, p: { kind: string; itemId: number; author: number | null }) =>
  db
    .insertInto("deletions")
    .values({ deletable_type: p.kind, deletable_id: p.itemId, deleted_by: p.author })
    .onConflict((conflict) =>
      conflict.columns(["deletable_type", "deletable_id"]).doUpdateSet((eb) => ({
        deleted_by: eb.ref("excluded.deleted_by"),
        created_at: eb.fn<string>("now"),
        updated_at: eb.fn<string>("now"),
      })),
    )
    .returning("id"),
);

const lock = prepared("recycle_bin.lock", (db, p: { id: number }) =>
  db.selectFrom("deletions").selectAll().where("id", "=", p.id).forUpdate(),
);

const deleteEntry = prepared("recycle_bin.delete", (db, p: { id: number }) =>
  db.deleteFrom("deletions").where("id", "=", p.id),
);

const deleteOf = prepared("recycle_bin.deleteOf", (db, p: { kind: string; itemIds: readonly number[] }) =>
  db
    .deleteFrom("deletions")
    .where("deletable_type", "=", p.kind)
    .where("deletable_id", "=", sql<number>`any(${p.itemIds}::integer[])`),
);

/** Adds the entry of an item that was just deleted, and returns its id. */
export async function addEntry(
  { kind }: ContentKind,
  itemId: number,
  { db, viewer }: EventTransaction,
): Promise<number> {
  const entry = await insert.executeTakeFirstOrThrow(db, { kind, itemId, author: authorOf(viewer) });
  return entry.id;
}

/**
 * An entry with the name of its item, both locked until the transaction ends. Throws 404 where the entry is gone, and 409 where
 * no plugin contributes its kind: what is below such an item and what depends on it is then unknown.
 */
export async function lockEntry(
  { slot }: Pick<RecycleBinContext, "slot">,
  id: number,
  { db }: EventTransaction,
): Promise<NamedDeletion> {
  const entry = await lock.executeTakeFirst(db, { id });
  if (!entry) throw notFound("Deletion");
  const kind = findKind(slot("content"), entry.deletable_type);
  if (!kind) throw kindMissing(entry.deletable_type);
  // A template, since the table is that of a contributed kind, which the grants of this plugin do not list.
  const [item] = await rows<{ name: string }>(
    db,
    sql`select name from ${sql.table(kind.table)} where id = ${entry.deletable_id}::integer for update`,
  );
  return { ...entry, name: item?.name ?? null };
}

/** The refusal of an entry whose kind no installed plugin contributes. */
function kindMissing(kind: string): ApiError {
  return localizedError(
    409,
    "The plugin of the kind “:kind” is not installed, so the item can be neither restored nor deleted.",
    {
      kind,
    },
  );
}

/** The refusal of a removal that rows of another table prevent, as those of a plugin that is not installed; else the error. */
function orStillReferred(error: unknown): unknown {
  if (!isObject(error) || codeOf(error) !== FOREIGN_KEY_VIOLATION) return error;
  return localizedError(
    409,
    "Rows of the table “:table” refer to the item, so it cannot be deleted. Is the plugin of that table installed?",
    {
      table: String(error.table_name),
    },
  );
}

/** Deletes a locked entry and returns its item; undefined where the item is gone. */
export async function takeItem(
  { slot }: Pick<RecycleBinContext, "slot">,
  { id, deletable_type, deletable_id, name }: NamedDeletion,
  { db }: EventTransaction,
): Promise<ItemOfKind | undefined> {
  await deleteEntry.execute(db, { id });
  const kind = findKind(slot("content"), deletable_type);
  return kind && name !== null ? { kind, id: deletable_id } : undefined;
}

/** Deletes the entries of items that have entries of their own. */
export async function deleteEntriesOf({ kind, ids }: ItemsOfKind, { db }: EventTransaction): Promise<void> {
  await deleteOf.execute(db, { kind: kind.kind, itemIds: [...ids] });
}

/**
 * Permanently removes the item of an entry, everything below it and all dependents (platform 7.4). Returns the number of
 * items removed: 0 where the item is gone already. The deepest items are removed first.
 */
export async function destroyEntry(
  context: Pick<RecycleBinContext, "slot">,
  entry: NamedDeletion,
  tx: EventTransaction,
): Promise<number> {
  const { db } = tx;
  const item = await takeItem(context, entry, tx);
  if (!item) return 0;
  const items = await itemWithContents(db, context.slot("content"), item);
  for (const ofKind of items) {
    const { ids } = ofKind;
    if (ids.length === 0) continue;
    const own = ofKind.kind.kind;
    for (const dependents of context.slot("dependents"))
      if (dependents.kind === undefined || dependents.kind === own) await dependents.destroy(ids, tx, own);
    await deleteEntriesOf(ofKind, tx);
    // A template, as in `lockEntry`.
    const removed = rows(db, sql`delete from ${sql.table(ofKind.kind.table)} where id = any(${[...ids]}::integer[])`);
    await removed.catch((error: unknown) => {
      throw orStillReferred(error);
    });
  }
  return items.reduce((sum, { ids }) => sum + ids.length, 0);
}
