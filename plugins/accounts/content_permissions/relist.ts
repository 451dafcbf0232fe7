/**
 * Keeps every item's `acl_id` at the list that follows from the overrides on it and above it. Whatever changes at one
 * item is carried on to the items below it and to no others, in the same transaction, deleted ones included: they may
 * come back. An item without entries of its own shares the list of what holds it, so most items are one update.
 *
 * Races: whoever gives an item another list holds it locked, and holds everything above it at least shared, taken from
 * the top. So what was read of the levels above cannot change until the commit, and who adds an item to a parent either
 * waits for a change that reaches the parent or is seen by it.
 */
import type { ContentKind } from "lectern/contracts";
import { type EventTransaction, type RawBuilder, sql } from "lectern/core";
import { rows } from "lectern/db";
import { combine } from "./combine.ts";
import type { Entry } from "./contract.ts";
import { keepLists, readLists } from "./lists.ts";

/** The kinds of content, parents before what they hold. */
export type Kinds = readonly ContentKind[];

/** Kinds in an order in which lists can be made: whatever holds a kind has fewer kinds above itself. */
export function fromTheTop(kinds: Kinds): Kinds {
  return [...kinds].sort((a, b) => a.parents.length - b.parents.length);
}

/** Gives an item and all below it their lists anew. The item and what holds it are locked by the caller. */
export async function relist(kinds: Kinds, kind: ContentKind, id: number, tx: EventTransaction): Promise<void> {
  const changed = await relistWhere(kinds, kind, sql`${sql.ref(`${kind.table}.id`)} = ${id}::integer`, tx);
  // What lies below depends on this item's list and on nothing else of it.
  if (changed) await relistBelow(kinds, kind, id, tx);
}

/** Gives every item its list anew, for entries that were written past the API. Nobody else may write meanwhile. */
export async function relistAll(kinds: Kinds, tx: EventTransaction): Promise<void> {
  for (const kind of fromTheTop(kinds)) await relistWhere(kinds, kind, sql`true`, tx);
}

async function relistBelow(kinds: Kinds, kind: ContentKind, id: number, tx: EventTransaction): Promise<void> {
  for (const below of fromTheTop(kinds)) {
    const held = below.parents.find((parent) => parent.kind === kind.kind);
    if (!held) continue;
    const scope = sql`${sql.ref(`${below.table}.${held.column}`)} = ${id}::integer`;
    await rows(
      tx.db,
      sql`select from ${sql.table(below.table)} where ${scope} order by ${sql.ref(`${below.table}.id`)} for no key update`,
    );
    await relistWhere(kinds, below, scope, tx);
  }
}

/** Gives a new item the list of what holds it, unless it has overrides of its own. Answers it where it is another one. */
export async function inherit(
  kinds: Kinds,
  kind: ContentKind,
  id: number,
  tx: EventTransaction,
): Promise<number | undefined> {
  if (kind.parents.length === 0) return undefined;
  const [item] = await share(kinds, kind, sql`${sql.ref(`${kind.table}.id`)} = ${id}::integer`, tx);
  return item?.acl_id;
}

/** Whether any item in scope got another list. All are locked. */
async function relistWhere(
  kinds: Kinds,
  kind: ContentKind,
  scope: RawBuilder<unknown>,
  tx: EventTransaction,
): Promise<boolean> {
  const own = await rows<{ id: number; above: number; entries: Entry[] }>(
    tx.db,
    sql`select ${sql.ref(`${kind.table}.id`)}, ${listAbove(kinds, kind)} as above, json_agg(entry) as entries
    from ${withParents(kinds, kind)} join entity_permissions entry
      on entry.kind = ${kind.kind} and entry.item_id = ${sql.ref(`${kind.table}.id`)}
    where ${scope} group by 1, 2`,
  );
  const above = await readLists(
    own.map((item) => item.above),
    tx,
  );
  const lists = own.map((item) => {
    const list = above.get(item.above);
    if (!list) throw new Error(`Cannot find the access list ${item.above} above ${kind.kind} ${item.id}`);
    return combine(item.entries, list);
  });
  const given = await give(
    kind,
    own.map(({ id }) => id),
    await keepLists(lists, tx),
    tx,
  );
  const shared = await share(kinds, kind, scope, tx);
  return given.length + shared.length > 0;
}

function give(
  kind: ContentKind,
  ids: readonly number[],
  lists: readonly number[],
  { db }: EventTransaction,
): Promise<unknown[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return rows(
    db,
    sql`update ${sql.table(kind.table)} as item set acl_id = given.acl_id
    from unnest(${ids}::integer[], ${lists}::integer[]) as given(id, acl_id)
    where item.id = given.id and item.acl_id <> given.acl_id returning item.id`,
  );
}

/** Items in scope without entries share the list of what directly holds them; those that change are answered. */
function share(
  kinds: Kinds,
  kind: ContentKind,
  scope: RawBuilder<unknown>,
  { db }: EventTransaction,
): Promise<{ id: number; acl_id: number }[]> {
  const id = sql.ref(`${kind.table}.id`);
  return rows(
    db,
    sql`update ${sql.table(kind.table)} as item set acl_id = above.acl_id
    from (select ${id}, ${listAbove(kinds, kind)} as acl_id from ${withParents(kinds, kind)}
      where ${scope} and not exists (
        select from entity_permissions entry where entry.kind = ${kind.kind} and entry.item_id = ${id})) as above
    where item.id = above.id and item.acl_id <> above.acl_id returning item.id, item.acl_id`,
  );
}

/** The list of the nearest level above, in a statement over `withParents`; 0 at the top. */
function listAbove(kinds: Kinds, kind: ContentKind): RawBuilder<unknown> {
  const levels = parentsOf(kinds, kind).map(({ alias }) => sql`${sql.ref(`${alias}.acl_id`)}`);
  return sql`coalesce(${sql.join([...levels, sql`0`])})`;
}

function withParents(kinds: Kinds, kind: ContentKind): RawBuilder<unknown> {
  const joins = parentsOf(kinds, kind).map(
    ({ table, alias, column }) => sql`left join ${sql.table(table)} as ${sql.id(alias)}
      on ${sql.ref(`${alias}.id`)} = ${sql.ref(`${kind.table}.${column}`)}`,
  );
  return sql`${sql.table(kind.table)} ${sql.join(joins, sql` `)}`;
}

/** Whatever may hold a kind, nearest first. A kind that is not installed holds nothing. */
export function parentsOf(kinds: Kinds, kind: ContentKind) {
  return kind.parents.flatMap(({ kind: name, column }) => {
    const parent = kinds.find((known) => known.kind === name);
    return parent ? [{ table: parent.table, alias: `above_${name}`, column }] : [];
  });
}
