/**
 * Writes overrides: the entries of the item itself, then the access lists of the item and everything below it. The item and
 * its parents are locked first, from the top down, so that lists are derived from rows that cannot change meanwhile.
 * Statements over the tables of content are templates, since no grant names these tables. Permissions are checked by the routes and by
 * the contract `overrides`.
 */
import type { Access, ContentKind, Override, Overrides } from "lectern/contracts";
import { type EventTransaction, type ItemTable, notFound, sql } from "lectern/core";
import { changesAccess, type Executor, prepared, refs, rows } from "lectern/db";
import type { Entry, Item, PermissionsDraft } from "./contract.ts";
import { type Kinds, parentsOf, updateAccessLists } from "./propagation.ts";
import { itemColumn, itemColumns } from "./queries.ts";

/** The item of entries. */
type EntryKey = Pick<Item, "kind" | "id">;

/** Attempts to lock an item that is moved concurrently. */
const MAX_ATTEMPTS = 5;

const removeEntriesOfRoles = prepared("content_permissions.removeEntriesOfRoles", (db, p: EntryKey) =>
  db
    .deleteFrom("entity_permissions")
    .where("kind", "=", p.kind)
    .where("item_id", "=", p.id)
    .where("role_id", "<>", sql.lit(0)),
);

const removeFallback = prepared("content_permissions.removeFallback", (db, p: EntryKey) =>
  db
    .deleteFrom("entity_permissions")
    .where("kind", "=", p.kind)
    .where("item_id", "=", p.id)
    .where("role_id", "=", sql.lit(0)),
);

/** Locks roles against deletion. */
const lockRoles = prepared("content_permissions.lockRoles", (db, p: { ids: readonly number[] }) =>
  db
    .selectFrom("roles")
    .select("id")
    .where("id", "=", sql<number>`any(${p.ids}::integer[])`)
    .orderBy("id")
    .forKeyShare(),
);

/** `entries` is a JSON array of `Entry`. */
const insert = prepared("content_permissions.insertEntries", (db, p: EntryKey & { entries: string }) =>
  db
    .insertInto("entity_permissions")
    .columns(["kind", "item_id", "role_id", "view", "create", "update", "delete"])
    .expression((eb) =>
      eb
        .selectFrom(
          sql<{
            entry: Entry;
            place: number;
          }>`jsonb_array_elements(${p.entries}::text::jsonb) with ordinality`.as<"given">(sql`given(entry, place)`),
        )
        .select(({ ref }) => {
          const member = (name: keyof Entry) => sql`${ref("given.entry")}->>${sql.lit(name)}`;
          return [
            sql<string>`${p.kind}`.as("kind"),
            sql<number>`${p.id}::integer`.as("item_id"),
            sql<number>`(${member("role_id")})::integer`.as("role_id"),
            sql<boolean>`(${member("view")})::boolean`.as("view"),
            sql<boolean>`(${member("create")})::boolean`.as("create"),
            sql<boolean>`(${member("update")})::boolean`.as("update"),
            sql<boolean>`(${member("delete")})::boolean`.as("delete"),
          ];
        })
        .orderBy("given.place"),
    ),
);

/** Applies the draft and updates the access lists of the item and everything below it. Throws 404 if the item was deleted. */
export async function changePermissions(
  kinds: Kinds,
  { kind, item, draft }: { kind: ContentKind; item: Item; draft: PermissionsDraft },
  tx: EventTransaction,
): Promise<Item> {
  await changesAccess(tx.db);
  await lockWithParents(kinds, kind, item.id, tx);
  if (draft.roles) {
    await removeEntriesOfRoles.execute(tx.db, item);
    await insertEntries(item, draft.roles, tx);
  }
  if (draft.fallback !== undefined) {
    await removeFallback.execute(tx.db, item);
    if (draft.fallback) await insertEntries(item, [{ role_id: 0, ...draft.fallback }], tx);
  }
  if (draft.owner_id !== undefined) await changeOwner(kind, item.id, draft.owner_id, tx);
  if (draft.roles || draft.fallback !== undefined) await updateAccessLists(kinds, kind, item.id, tx);
  const changed = await readItem(kind, item.id, tx);
  if (!changed) throw notFound("Item");
  return changed;
}

/** The entries that are set on items, in their order. `items` is a JSON array of `EntryKey`. */
export const entriesOf = prepared("content_permissions.entriesOf", (db, p: { items: string }) =>
  db
    .selectFrom("entity_permissions as entry")
    .innerJoin(
      sql<EntryKey>`jsonb_to_recordset(${p.items}::text::jsonb)`.as<"item">(sql`item(kind text, id integer)`),
      (join) => join.onRef("entry.kind", "=", "item.kind").onRef("entry.item_id", "=", "item.id"),
    )
    .select([
      "entry.kind",
      "entry.item_id",
      "entry.role_id",
      "entry.view",
      "entry.create",
      "entry.update",
      "entry.delete",
    ])
    .orderBy("entry.id"),
);

const anyEntry = prepared("content_permissions.anyEntry", (db, p: EntryKey) =>
  db.selectFrom("entity_permissions").select("id").where("kind", "=", p.kind).where("item_id", "=", p.id).limit(1),
);

/** Whether overrides are set on an item itself. */
export async function areSetOn(db: Executor, item: EntryKey): Promise<boolean> {
  return (await anyEntry.executeTakeFirst(db, item)) !== undefined;
}

/** Replaces all entries of an item by those that are given, or were read of another one, as the event of a change. */
export async function replaceEntries(
  kinds: Kinds,
  { kind, item }: { readonly kind: ContentKind; readonly item: Item },
  given: readonly Override[],
  tx: EventTransaction,
): Promise<void> {
  const entries = given.map(({ role_id, view, create, update, delete: remove }) => {
    return { role_id, view, create, update, delete: remove };
  });
  const fallback = entries.find(({ role_id }) => role_id === 0) ?? null;
  const roles = entries.filter(({ role_id }) => role_id !== 0);
  await tx.perform("permissions_update", { item, draft: { roles, fallback } }, (final, inner) =>
    changePermissions(kinds, { ...final, kind }, inner),
  );
}

/** Implements what the contract `overrides` changes. */
export function createOverrides(kinds: () => Kinds, access: Access): Omit<Overrides, "areSet"> {
  const itemFor = async (name: string, id: number, tx: EventTransaction) => {
    const kind = kinds().find((known) => known.kind === name);
    if (!kind) throw new Error(`Cannot set permissions of a "${name}": it is not a kind of content`);
    const item = await readItem(kind, id, tx);
    if (!item) throw notFound("Item");
    return { kind, item };
  };
  return {
    async replace(name, id, entries, tx) {
      const found = await itemFor(name, id, tx);
      await access.need(tx.viewer, "restrictions-manage", found.item);
      await replaceEntries(kinds(), found, entries, tx);
    },
    async copy(pairs, tx, { ifManaged = false } = {}) {
      const items = JSON.stringify(pairs.map(({ from: { kind, id } }) => ({ kind, id })));
      const entries = Map.groupBy(
        await entriesOf.execute(tx.db, { items }),
        ({ kind, item_id }) => `${kind} ${item_id}`,
      );
      let count = 0;
      for (const { from, to } of pairs) {
        const own = entries.get(`${from.kind} ${from.id}`);
        if (!own) continue;
        const target = await itemFor(to.kind, to.id, tx);
        const isManaged = async (item: Item) => access.may(tx.viewer, "restrictions-manage", item);
        if (
          ifManaged &&
          !((await isManaged((await itemFor(from.kind, from.id, tx)).item)) && (await isManaged(target.item)))
        )
          continue;
        await replaceEntries(kinds(), target, own, tx);
        count += 1;
      }
      return count;
    },
  };
}

/** Reads an item, also a deleted one; undefined if there is none. */
async function readItem({ kind, table }: ContentKind, id: number, { db }: EventTransaction): Promise<Item | undefined> {
  const [item] = await rows<Omit<Item, "kind">>(
    db,
    sql`select ${itemColumns(table)} from ${sql.table(table)} where ${itemColumn(table, "id")} = ${id}::integer`,
  );
  return item && { ...item, kind };
}

/** Locks the parents of an item from the top down, then the item: the order in which all writers lock several items. */
async function lockWithParents(kinds: Kinds, kind: ContentKind, id: number, { db }: EventTransaction): Promise<void> {
  const parents = parentsOf(kinds, kind);
  const own = itemColumn(kind.table, "id");
  const isPresent = sql`${itemColumn(kind.table, "deleted_at")} is null`;
  const columns = sql.join([own, ...parents.map(({ column }) => sql.ref(column))]);
  const read = async (lock = sql``) => {
    const [row] = await rows<Record<string, number | null>>(
      db,
      sql`select ${columns} from ${sql.table(kind.table)} where ${own} = ${id}::integer and ${isPresent} ${lock}`,
    );
    if (!row) throw notFound("Item");
    return row;
  };
  for (let attempt = 1; ; attempt++) {
    const before = await read();
    for (const { table, column } of parents.toReversed()) {
      const parent = itemColumn(table, "id");
      // Templates, here and below: the tables are those of contributed kinds, which the types of the builder do not know.
      await rows(db, sql`select from ${sql.table(table)} where ${parent} = ${before[column] ?? 0}::integer for share`);
    }
    const locked = await read(sql`for no key update`);
    if (parents.every(({ column }) => locked[column] === before[column])) return;
    if (attempt === MAX_ATTEMPTS) throw new Error(`Cannot lock ${kind.kind} ${id}: it is moved by other requests`);
  }
}

/** Inserts entries. Roles that were deleted meanwhile get none; the others are locked against deletion until the commit. */
async function insertEntries(item: EntryKey, entries: readonly Entry[], { db }: EventTransaction): Promise<void> {
  if (entries.length === 0) return;
  const ids = entries.map(({ role_id }) => role_id);
  const existing = await lockRoles.execute(db, { ids });
  const known = new Set([0, ...existing.map(({ id }) => id)]);
  const present = JSON.stringify(entries.filter(({ role_id }) => known.has(role_id)));
  await insert.execute(db, { kind: item.kind, id: item.id, entries: present });
}

/** Sets the owner of an item. If there is no user with that id, the owner stays (platform 3). */
async function changeOwner(kind: ContentKind, id: number, owner: number, { db }: EventTransaction): Promise<void> {
  const user = refs("users.id");
  await rows(
    db,
    sql`update ${sql.table(kind.table)} as item
    set ${sql.id("owned_by" satisfies keyof ItemTable)} = ${user}, ${sql.id("updated_at" satisfies keyof ItemTable)} = clock_timestamp()
    from users where ${user} = ${owner}::integer and ${itemColumn("item", "id")} = ${id}::integer
      and ${itemColumn("item", "owned_by")} is distinct from ${user}`,
  );
}
