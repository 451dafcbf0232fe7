/**
 * Keeps the `acl_id` of every item at the access list that follows from the overrides set on it and on its parents. A
 * change to one item is propagated to the items below it, and to no others, in the same transaction. Deleted items are
 * included, since they may be restored. Statements are templates, since no grant names the tables of content. An item without entries shares its parent's list, so one update covers most items.
 *
 * Races: a transaction that changes the list of an item holds a lock on it and at least a shared lock on each of its
 * parents, taken from the top down. So the levels above cannot change until the commit, and a transaction that adds an item
 * to a parent either waits for a change that reaches the parent or its item is visible to that change.
 */
import type { Selectable } from "kysely";
import type { ContentKind } from "lectern/contracts";
import { type EventTransaction, type ItemTable, type RawBuilder, sql } from "lectern/core";
import { changesAccess, rows } from "lectern/db";
import { deriveAccessList } from "./access_list.ts";
import type { EntityPermissionsTable } from "./contract.ts";
import { findOrCreateLists, readLists } from "./list_store.ts";
import { entryColumn, itemColumn } from "./queries.ts";

const ITEM = { id: itemColumn("item", "id"), list: itemColumn("item", "acl_id") };
const ACL_ID = sql.id("acl_id" satisfies keyof ItemTable);

/** The kinds of content (slot `content`). */
export type Kinds = readonly ContentKind[];

/** Sorts kinds so that each comes after its possible parents: a parent has fewer kinds above it. */
export function parentsFirst(kinds: Kinds): Kinds {
  return [...kinds].sort((a, b) => a.parents.length - b.parents.length);
}

/** Updates the access lists of an item and everything below it. The caller has locked the item and its parents. */
export async function updateAccessLists(
  kinds: Kinds,
  kind: ContentKind,
  id: number,
  tx: EventTransaction,
): Promise<void> {
  await changesAccess(tx.db);
  const changed = await updateWhere(kinds, kind, sql`${itemColumn(kind.table, "id")} = ${id}::integer`, tx);
  // Items below depend on this item's access list alone.
  if (changed) await updateBelow(kinds, kind, id, tx);
}

/** Updates the access lists of all items, for entries written directly to the store. No other transaction may write meanwhile. */
export async function updateAllAccessLists(kinds: Kinds, tx: EventTransaction): Promise<void> {
  for (const kind of parentsFirst(kinds)) await updateWhere(kinds, kind, sql`true`, tx);
}

async function updateBelow(kinds: Kinds, kind: ContentKind, id: number, tx: EventTransaction): Promise<void> {
  for (const below of parentsFirst(kinds)) {
    const link = below.parents.find((parent) => parent.kind === kind.kind);
    if (!link) continue;
    const scope = sql`${sql.ref(`${below.table}.${link.column}`)} = ${id}::integer`;
    // Templates, here and below: the tables are those of contributed kinds, which the types of the builder do not know.
    await rows(
      tx.db,
      sql`select from ${sql.table(below.table)} where ${scope} order by ${itemColumn(below.table, "id")} for no key update`,
    );
    await updateWhere(kinds, below, scope, tx);
  }
}

/** Gives a new item its parent's access list, unless it has overrides of its own. Returns the new `acl_id` if it changed. */
export async function inheritAccessList(
  kinds: Kinds,
  kind: ContentKind,
  id: number,
  tx: EventTransaction,
): Promise<number | undefined> {
  if (kind.parents.length === 0) return undefined;
  const [item] = await shareParentList(kinds, kind, sql`${itemColumn(kind.table, "id")} = ${id}::integer`, tx);
  return item?.acl_id;
}

/** Updates the items in scope, which are locked. Returns whether any of them got another list. */
async function updateWhere(
  kinds: Kinds,
  kind: ContentKind,
  scope: RawBuilder<unknown>,
  tx: EventTransaction,
): Promise<boolean> {
  const id = itemColumn(kind.table, "id");
  const own = await rows<{ id: number; above: number; entries: Selectable<EntityPermissionsTable>[] }>(
    tx.db,
    sql`select ${id}, ${parentList(kinds, kind)} as above, json_agg(entry) as entries
    from ${withParents(kinds, kind)} join entity_permissions as entry
      on ${entryColumn("kind")} = ${kind.kind} and ${entryColumn("item_id")} = ${id}
    where ${scope} group by 1, 2`,
  );
  const above = await readLists(
    own.map((item) => item.above),
    tx,
  );
  const lists = own.map((item) => {
    const list = above.get(item.above);
    if (!list) throw new Error(`Cannot find the access list ${item.above} above ${kind.kind} ${item.id}`);
    return deriveAccessList(item.entries, list);
  });
  const assigned = await assignLists(
    kind,
    own.map((item) => item.id),
    await findOrCreateLists(lists, tx),
    tx,
  );
  const shared = await shareParentList(kinds, kind, scope, tx);
  return assigned.length + shared.length > 0;
}

function assignLists(
  kind: ContentKind,
  ids: readonly number[],
  lists: readonly number[],
  { db }: EventTransaction,
): Promise<unknown[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return rows(
    db,
    sql`update ${sql.table(kind.table)} as item set ${ACL_ID} = given.acl_id
    from unnest(${ids}::integer[], ${lists}::integer[]) as given(id, acl_id)
    where ${ITEM.id} = given.id and ${ITEM.list} <> given.acl_id returning ${ITEM.id}`,
  );
}

/** Gives items in scope without entries the list of their direct parent. Returns those that changed. */
function shareParentList(
  kinds: Kinds,
  kind: ContentKind,
  scope: RawBuilder<unknown>,
  { db }: EventTransaction,
): Promise<{ id: number; acl_id: number }[]> {
  const id = itemColumn(kind.table, "id");
  return rows(
    db,
    sql`update ${sql.table(kind.table)} as item set ${ACL_ID} = above.acl_id
    from (select ${id}, ${parentList(kinds, kind)} as acl_id from ${withParents(kinds, kind)}
      where ${scope} and not exists (
        select from entity_permissions as entry
        where ${entryColumn("kind")} = ${kind.kind} and ${entryColumn("item_id")} = ${id})) as above
    where ${ITEM.id} = above.id and ${ITEM.list} <> above.acl_id returning ${ITEM.id}, ${ITEM.list}`,
  );
}

/** SQL for the list of the nearest parent, in a statement over `withParents`; 0 at the top. */
function parentList(kinds: Kinds, kind: ContentKind): RawBuilder<unknown> {
  const levels = parentsOf(kinds, kind).map(({ alias }) => itemColumn(alias, "acl_id"));
  return sql`coalesce(${sql.join([...levels, sql`0`])})`;
}

/** SQL for the table of a kind joined with the tables of its possible parents. */
function withParents(kinds: Kinds, kind: ContentKind): RawBuilder<unknown> {
  const joins = parentsOf(kinds, kind).map(
    ({ table, alias, column }) => sql`left join ${sql.table(table)} as ${sql.id(alias)}
      on ${itemColumn(alias, "id")} = ${sql.ref(`${kind.table}.${column}`)}`,
  );
  return sql`${sql.table(kind.table)} ${sql.join(joins, sql` `)}`;
}

/** The possible parents of a kind, nearest first; kinds that are not installed are left out. */
export function parentsOf(kinds: Kinds, kind: ContentKind) {
  return kind.parents.flatMap(({ kind: name, column }) => {
    const parent = kinds.find((known) => known.kind === name);
    return parent ? [{ table: parent.table, alias: `above_${name}`, column }] : [];
  });
}
