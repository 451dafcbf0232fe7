/**
 * Writing overrides: those of the item itself as they were asked for, then the lists of it and of all below it. The item
 * and what holds it are locked first, from the top, so that no list is made of what changes meanwhile. Who may do this
 * is asked by the routes; the contract is for whoever brings items in and asks nobody.
 */
import type { ContentKind, Overrides } from "lectern/contracts";
import { type EventTransaction, notFound, sql } from "lectern/core";
import { rows } from "lectern/db";
import type { Entry, Item, PermissionsDraft } from "./contract.ts";
import { type Kinds, parentsOf, relist } from "./relist.ts";

/** Attempts to lock an item that is moved again and again. */
const MAX_ATTEMPTS = 5;

/** Changes what the draft names, and the lists of the item and all below it. Throws 404 where the item went meanwhile. */
export async function changePermissions(
  kinds: Kinds,
  { kind, item, draft }: { kind: ContentKind; item: Item; draft: PermissionsDraft },
  tx: EventTransaction,
): Promise<Item> {
  await lockWithParents(kinds, kind, item.id, tx);
  if (draft.roles) await replace(item, draft.roles, sql`role_id <> 0`, tx);
  if (draft.fallback !== undefined) {
    await replace(item, draft.fallback ? [{ role_id: 0, ...draft.fallback }] : [], sql`role_id = 0`, tx);
  }
  if (draft.owner_id !== undefined) await handOver(kind, item.id, draft.owner_id, tx);
  if (draft.roles || draft.fallback !== undefined) await relist(kinds, kind, item.id, tx);
  const [changed] = await rows<Omit<Item, "kind">>(
    tx.db,
    sql`select id, name, owned_by, acl_id from ${sql.table(kind.table)} where id = ${item.id}::integer`,
  );
  return { ...(changed as Omit<Item, "kind">), kind: kind.kind };
}

/** The contract `overrides`. */
export function overrides(kinds: () => Kinds): Overrides {
  return {
    async replace(name, id, entries, tx) {
      const kind = kinds().find((known) => known.kind === name);
      if (!kind) throw new Error(`Cannot set permissions of a "${name}": it is no kind of content`);
      const [item] = await rows<Omit<Item, "kind">>(
        tx.db,
        sql`select id, name, owned_by, acl_id from ${sql.table(kind.table)} where id = ${id}::integer`,
      );
      if (!item) throw notFound("Item");
      const fallback = entries.find(({ role_id }) => role_id === 0) ?? null;
      const roles = entries.filter(({ role_id }) => role_id !== 0);
      await tx.perform(
        "permissions_update",
        { item: { ...item, kind: name }, draft: { roles, fallback } },
        (final, inner) => changePermissions(kinds(), { ...final, kind }, inner),
      );
    },
  };
}

/** Keeps what holds the item as it is, from the top, and then the item itself: the order of all who lock several. */
async function lockWithParents(kinds: Kinds, kind: ContentKind, id: number, { db }: EventTransaction): Promise<void> {
  const parents = parentsOf(kinds, kind);
  const columns = sql.join([sql`id`, ...parents.map(({ column }) => sql.ref(column))]);
  const read = async (lock = sql``) => {
    const [row] = await rows<Record<string, number | null>>(
      db,
      sql`select ${columns} from ${sql.table(kind.table)} where id = ${id}::integer and deleted_at is null ${lock}`,
    );
    if (!row) throw notFound("Item");
    return row;
  };
  for (let attempt = 1; ; attempt++) {
    const before = await read();
    for (const { table, column } of parents.toReversed()) {
      await rows(db, sql`select from ${sql.table(table)} where id = ${before[column] ?? 0}::integer for share`);
    }
    const locked = await read(sql`for no key update`);
    if (parents.every(({ column }) => locked[column] === before[column])) return;
    if (attempt === MAX_ATTEMPTS) throw new Error(`Cannot lock ${kind.kind} ${id}: it is being moved again and again`);
  }
}

/** A role that was deleted meanwhile gets no entry; one that is there stays until the commit. */
async function replace(
  item: Item,
  entries: readonly Entry[],
  which: ReturnType<typeof sql>,
  { db }: EventTransaction,
): Promise<void> {
  await rows(
    db,
    sql`delete from entity_permissions where kind = ${item.kind} and item_id = ${item.id}::integer and ${which}`,
  );
  if (entries.length === 0) return;
  const ids = entries.map(({ role_id }) => role_id);
  const there = await rows<{ id: number }>(
    db,
    sql`select id from roles where id = any(${ids}::integer[]) order by id for key share`,
  );
  const known = new Set([0, ...there.map(({ id }) => id)]);
  const kept = JSON.stringify(entries.filter(({ role_id }) => known.has(role_id)));
  await rows(
    db,
    sql`insert into entity_permissions (kind, item_id, role_id, view, "create", update, delete)
    select ${item.kind}, ${item.id}::integer, (entry->>'role_id')::integer, (entry->>'view')::boolean,
      (entry->>'create')::boolean, (entry->>'update')::boolean, (entry->>'delete')::boolean
    from jsonb_array_elements(${kept}::text::jsonb) with ordinality as given(entry, place) order by place`,
  );
}

/** Somebody who does not exist is nobody to give an item to: then it stays with its owner (platform 3). */
async function handOver(kind: ContentKind, id: number, owner: number, { db }: EventTransaction): Promise<void> {
  await rows(
    db,
    sql`update ${sql.table(kind.table)} as item set owned_by = users.id, updated_at = clock_timestamp()
    from users where users.id = ${owner}::integer and item.id = ${id}::integer
      and item.owned_by is distinct from users.id`,
  );
}
