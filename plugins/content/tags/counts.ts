/**
 * Counts of tags by kind, access list, name and value as they are spelt, for the listings of names and values: reading these takes as long as
 * there are different names, not as long as there are items. Counted are the tags of items that are neither deleted nor visible to their owner
 * alone; who sees such an item is decided by its list. Statement-level triggers on the tags and on the tables of their items keep the
 * counts in the transaction of the write, whoever writes.
 *
 * A write only adds rows to `tag_change`, so writers never wait for each other; a count is the sum of its row in `tag_count` and of
 * its changes, which are merged into the former now and then (merge.ts). A trigger of tags locks their items first: an item that is
 * moved to another list meanwhile is moved before its tags are counted, or with them.
 */
import type { ContentKind } from "lectern/contracts";
import { sql } from "lectern/core";
import { type Db, definerPath, rows } from "lectern/db";
import { lockMerges } from "./merge.ts";

/** Names of the columns that count the uses of a tag, by kind of item. */
export const COUNTS = {
  page: "page_count",
  chapter: "chapter_count",
  book: "book_count",
  bookshelf: "shelf_count",
} as const;

/** A kind whose tags are counted. */
export type TaggedKind = Pick<ContentKind, "kind" | "table" | "ownOnly">;

/** The kinds of the slot `content` whose tags are counted. */
export function taggedKinds(kinds: readonly ContentKind[]): TaggedKind[] {
  return kinds.filter(({ kind }) => Object.hasOwn(COUNTS, kind));
}

/** Creates the triggers that are missing, or differ, and then counts all tags. */
export async function ensureTagCounts(kinds: readonly TaggedKind[], db: Db): Promise<void> {
  if (kinds.length === 0 || (await areInstalled(kinds, db))) return;
  // Several processes may boot at once: the lock serializes them, and the second one finds the triggers installed.
  await lock(kinds, db);
  if (await areInstalled(kinds, db)) return;
  const path = await definerPath(db);
  const define = (
    name: string,
    body: string,
  ) => `create or replace function "${name}"() returns trigger language plpgsql
    security definer set search_path = ${path} as $counted$${body}$counted$;`;
  await rows(db, sql.raw(define(TAGS_FUNCTION, bodyOfTags(kinds)) + triggersOn("tags", TAGS_FUNCTION)));
  for (const kind of kinds)
    await rows(db, sql.raw(define(functionOf(kind), bodyOf(kind)) + triggersOn(kind.table, functionOf(kind))));
  await count(kinds, db);
  // Plans of the first listings depend on it.
  // Templates, here and below: the builder has no words for statistics and locks, and the recount is the text that the triggers hold.
  await rows(db, sql`analyze tag_count, tag_name_count`);
}

/** Counts all tags again. Writers of tags and of their items wait for it. */
export function correctTagCounts(kinds: readonly TaggedKind[], db: Db): Promise<void> {
  return db.transaction().execute(async (tx) => {
    await lock(kinds, tx);
    await count(kinds, tx);
  });
}

/** A count that differs from a recount. */
export interface DifferingTagCount {
  readonly kind: string;
  readonly acl_id: number;
  readonly name: string;
  /** Null for the count of a name: its uses, and its values that are used with this kind and list alone. */
  readonly value: string | null;
  readonly stored: string;
  readonly counted: string;
}

/** Counts that differ from a recount, a hundred at most. None is ever expected: one means that rows were written without the triggers. */
export function differingTagCounts(kinds: readonly TaggedKind[], db: Db): Promise<DifferingTagCount[]> {
  // A template, as the recount is the text that the triggers hold.
  return rows<DifferingTagCount>(
    db,
    sql`select kind, acl_id, name, value, coalesce(sum(n) filter (where stored), 0)::text as stored,
        coalesce(sum(n) filter (where not stored), 0)::text as counted
      from (select true as stored, * from (${sql.raw(CURRENT)}) as now union all select false, * from (${sql.raw(recount(kinds))}) as again) as each
      group by 1, 2, 3, 4 having sum(case when stored then n else -n end) <> 0
      union all select kind, acl_id, name, null, coalesce(stored.usages || ' of ' || stored.own_values, '') as stored,
        coalesce(counted.usages || ' of ' || counted.own_values, '') as counted
      from (select kind, acl_id, name, sum(n) as usages, count(*) filter (where places = 1) as own_values
        from (select *, count(*) over (partition by name_key, value_key) as places from tag_count) as placed group by 1, 2, 3) as counted
      full join tag_name_count as stored using (kind, acl_id, name)
      where (stored.usages, stored.own_values) is distinct from (counted.usages, counted.own_values)
      order by kind, acl_id, name, value limit 100`,
  );
}

const TAGS_FUNCTION = "tag_counted";

function functionOf({ kind }: TaggedKind): string {
  return `tag_counted_${kind}`;
}

/** Locks the items before the tags, as writers do. */
async function lock(kinds: readonly TaggedKind[], db: Db): Promise<void> {
  const tables = sql.join([...kinds.map(({ table }) => sql.table(table)), sql.table("tags")]);
  await rows(db, sql`lock table ${tables} in share row exclusive mode`);
  await lockMerges(db);
}

async function count(kinds: readonly TaggedKind[], db: Db): Promise<void> {
  for (const table of ["tag_change", "tag_count", "tag_name_count"] as const) await db.deleteFrom(table).execute();
  await rows(
    db,
    sql`insert into tag_count (kind, acl_id, name, value, n, is_shared)
      select kind, acl_id, name, value, n, count(*) over (partition by text_key(name), text_key(value)) > 1
      from (${sql.raw(recount(kinds))}) as each`,
  );
  await db
    .insertInto("tag_name_count")
    .columns(["kind", "acl_id", "name", "usages", "own_values"])
    .expression((eb) =>
      eb
        .selectFrom("tag_count")
        .select(({ fn }) => [
          "kind",
          "acl_id",
          "name",
          fn.sum<number>("n").as("usages"),
          fn.countAll<number>().filterWhere("is_shared", "is", sql.lit(false)).as("own_values"),
        ])
        .groupBy(["kind", "acl_id", "name"]),
    )
    .execute();
}

function recount(kinds: readonly TaggedKind[]): string {
  return kinds
    .map(
      (kind) => `select tags.kind, acl_id, tags.name, tags.value, count(*)::integer as n from tags
      join "${kind.table}" on "${kind.table}".id = item_id and tags.kind = '${kind.kind}' where ${isCounted(kind)} group by 1, 2, 3, 4`,
    )
    .join(" union all ");
}

/** Whether the functions are as they should be, with a trigger each. */
async function areInstalled(kinds: readonly TaggedKind[], db: Db): Promise<boolean> {
  const wanted = [
    { name: TAGS_FUNCTION, table: "tags", body: bodyOfTags(kinds) },
    ...kinds.map((kind) => ({ name: functionOf(kind), table: kind.table, body: bodyOf(kind) })),
  ];
  // A template: system catalogs.
  const found = await rows<{ name: string; body: string }>(
    db,
    sql`select distinct proname as name, prosrc as body
      from unnest(${wanted.map(({ table }) => table)}::text[], ${wanted.map(({ name }) => name)}::text[]) as wanted("table", name)
      join pg_trigger on tgrelid = wanted."table"::regclass
      join pg_proc on pg_proc.oid = tgfoid and proname = wanted.name where prosecdef`,
  );
  return wanted.every(({ name, body }) => found.some((one) => one.name === name && one.body === body));
}

function triggersOn(table: string, run: string): string {
  const trigger = (event: string, tables: string) =>
    `create or replace trigger tag_counted_${event} after ${event} on "${table}" ${tables} execute function "${run}"();`;
  return [
    trigger("insert", "referencing new table as fresh for each statement"),
    trigger("update", "referencing old table as stale new table as fresh for each statement"),
    trigger("delete", "referencing old table as stale for each statement"),
    trigger("truncate", "for each statement"),
  ].join("\n");
}

// The names in the texts below come from plugins, never from requests.

function isCounted({ ownOnly }: TaggedKind): string {
  return `deleted_at is null${ownOnly === undefined ? "" : ` and not "${ownOnly}"`}`;
}

/** The function of the triggers on tags. All items are locked before one is left out, as another transaction may be restoring it. */
function bodyOfTags(kinds: readonly TaggedKind[]): string {
  const items = kinds.map(
    (kind) => `${kind.kind}_item as (select '${kind.kind}'::text as kind, id, acl_id, ${isCounted(kind)} as counted
      from "${kind.table}" where id = any(array(select item_id from changed where kind = '${kind.kind}')) for share)`,
  );
  const all = kinds.map(({ kind }) => `select * from ${kind}_item`).join(" union all ");
  const apply = (source: string) => `
    with changed as materialized (select kind, item_id, name, value, sum(n) as n from (${source}) each
      group by 1, 2, 3, 4 having sum(n) <> 0),
    ${items.join(",\n")},
    delta as materialized (select kind, acl_id, name, value, sum(n) as n from changed join (${all}) item using (kind)
      where item.id = changed.item_id and counted group by 1, 2, 3, 4 having sum(n) <> 0)
    ${NOTE}`;
  const rowsOf = (table: string, sign: string) => `select kind, item_id, name, value, ${sign}1 as n from ${table}`;
  return triggerBody(apply, { added: rowsOf("fresh", ""), removed: rowsOf("stale", "-"), emptied: "true" });
}

/** The function of the triggers on the items of a kind. Items that stay in their list, as most do, have no tags read. */
function bodyOf(kind: TaggedKind): string {
  const apply = (source: string) => `
    with moved as materialized (select id, acl_id, sum(n) as n from (${source}) each group by 1, 2 having sum(n) <> 0),
    tagged as materialized (select * from tags where kind = '${kind.kind}' and item_id = any(array(select id from moved))),
    delta as materialized (select kind, acl_id, name, value, sum(n) as n from moved join tagged on item_id = id
      group by 1, 2, 3, 4 having sum(n) <> 0)
    ${NOTE}`;
  const rowsOf = (table: string, sign: string) =>
    `select id, acl_id, ${sign}1 as n from ${table} where ${isCounted(kind)}`;
  const emptied = `kind = '${kind.kind}'`;
  return triggerBody(apply, { added: rowsOf("fresh", ""), removed: rowsOf("stale", "-"), emptied });
}

const NOTE = "insert into tag_change (kind, acl_id, name, value, n) select kind, acl_id, name, value, n from delta;";

/** All counts, of which several rows sum up. */
const CURRENT = `select kind, acl_id, name, value, n from tag_count
  union all select kind, acl_id, name, value, n from tag_change`;

function triggerBody(
  apply: (source: string) => string,
  { added, removed, emptied }: Readonly<Record<"added" | "removed" | "emptied", string>>,
): string {
  return `
  begin
    if tg_op = 'INSERT' then ${apply(added)}
    elsif tg_op = 'UPDATE' then ${apply(`${added} union all ${removed}`)}
    elsif tg_op = 'DELETE' then ${apply(removed)}
    else insert into tag_change (kind, acl_id, name, value, n)
      select kind, acl_id, name, value, -sum(n) from (${CURRENT}) each where ${emptied} group by 1, 2, 3, 4 having sum(n) <> 0;
    end if;
    return null;
  end `;
}
