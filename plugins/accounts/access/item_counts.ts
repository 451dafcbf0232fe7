/**
 * Counts of the items with each access list, for totals without counting rows and for finding unused lists. Statement-level
 * triggers update the counts in the transaction of the write, so they are correct for every way of writing. The triggers
 * are created at boot for each kind in the slot `content`; if the text of an installed trigger differs, it is replaced and
 * the table is counted again. Connections write to different shards, so that writers do not wait for each other.
 */
import type { ContentKind } from "lectern/contracts";
import { sql } from "lectern/core";
import { type Db, definerPath, rows } from "lectern/db";

const SHARDS = 8;

/** Adds the column `acl_id` and the counting triggers to the content tables that lack them; one query finds these. */
export async function ensureItemCounts(kinds: readonly ContentKind[], db: Db): Promise<void> {
  for (const kind of await uncounted(kinds, db)) {
    // Several processes may boot at once: the lock serializes them, and the second one finds the triggers installed.
    // A template: the builder has no word for locks of tables.
    await rows(db, sql`lock table ${sql.table(kind.table)} in share row exclusive mode`);
    if ((await uncounted([kind], db)).length > 0) await install(kind, db);
  }
}

/** Kinds whose table has no counting triggers, or others than it should have. */
async function uncounted(kinds: readonly ContentKind[], db: Db): Promise<ContentKind[]> {
  // Templates, here and below: system catalogs, locks and definitions of the tables of other plugins.
  const found = await rows<{ name: string; body: string }>(
    db,
    sql`select distinct proname as name, prosrc as body
      from unnest(${kinds.map(({ table }) => table)}::text[], ${kinds.map(functionOf)}::text[]) as wanted("table", name)
      join pg_trigger on tgrelid = wanted."table"::regclass
      join pg_proc on pg_proc.oid = tgfoid and proname = wanted.name where prosecdef`,
  );
  return kinds.filter((kind) => !found.some(({ name, body }) => name === functionOf(kind) && body === bodyOf(kind)));
}

function functionOf({ kind }: ContentKind): string {
  return `acl_counted_${kind}`;
}

async function install(kind: ContentKind, db: Db): Promise<void> {
  const name = functionOf(kind);
  const table = `"${kind.table}"`;
  const trigger = (event: string, tables: string) =>
    `create or replace trigger acl_counted_${event} after ${event} on ${table} ${tables} execute function "${name}"();`;
  const text = `
    alter table ${table} add column if not exists acl_id integer not null default 0;
    create or replace function "${name}"() returns trigger language plpgsql security definer
      set search_path = ${await definerPath(db)} as $counted$${bodyOf(kind)}$counted$;
    ${trigger("insert", "referencing new table as fresh for each statement")}
    ${trigger("update", "referencing old table as stale new table as fresh for each statement")}
    ${trigger("delete", "referencing old table as stale for each statement")}
    ${trigger("truncate", "for each statement")}
    delete from acl_count where kind = '${kind.kind}';
    insert into acl_count (kind, acl_id, shard, n, held) ${tally(kind, kind.table, "")};`;
  await rows(db, sql.raw(text));
}

/** A counter that differs from its items: the numbers of present and of all items, as "3 of 4". */
export interface DifferingCount {
  readonly acl_id: number;
  readonly stored: string;
  readonly counted: string;
}

/** Counters of a kind that differ from a recount. None is ever expected: one means that rows were written without the triggers. */
export function differingCounts(kind: ContentKind, db: Db): Promise<DifferingCount[]> {
  return rows<DifferingCount>(
    db,
    sql`with counted as (${sql.raw(tally(kind, kind.table, ""))}),
        stored as (select acl_id, sum(n)::bigint as n, sum(held)::bigint as held from acl_count
          where kind = ${kind.kind}::text group by acl_id)
      select acl_id, coalesce(stored.n, 0) || ' of ' || coalesce(stored.held, 0) as stored,
        coalesce(counted.n, 0) || ' of ' || coalesce(counted.held, 0) as counted
      from stored full join counted using (acl_id)
      where (coalesce(stored.n, 0), coalesce(stored.held, 0)) <> (coalesce(counted.n, 0), coalesce(counted.held, 0))
      order by acl_id`,
  );
}

/** Counts the items of a kind again. Writers of the kind wait for it. */
export function correctItemCounts(kind: ContentKind, db: Db): Promise<void> {
  return db.transaction().execute(async (tx) => {
    await rows(tx, sql`lock table ${sql.table(kind.table)} in share row exclusive mode`);
    await tx.deleteFrom("acl_count").where("kind", "=", kind.kind).execute();
    await rows(tx, sql`insert into acl_count (kind, acl_id, shard, n, held) ${sql.raw(tally(kind, kind.table, ""))}`);
  });
}

/** The body of the trigger function. The names in it come from plugins, never from requests. */
function bodyOf(kind: ContentKind): string {
  const add = (source: string) => `
    insert into acl_count as counted (kind, acl_id, shard, n, held)
    select kind, acl_id, pg_backend_pid() % ${SHARDS}, sum(n), sum(held) from (${source}) moved
    group by kind, acl_id having sum(n) <> 0 or sum(held) <> 0 order by acl_id
    on conflict (kind, acl_id, shard) do update set n = counted.n + excluded.n, held = counted.held + excluded.held;`;
  const added = tally(kind, "fresh", "");
  const removed = tally(kind, "stale", "-");
  return `
  begin
    if tg_op = 'INSERT' then ${add(added)}
    elsif tg_op = 'UPDATE' then ${add(`${added} union all ${removed}`)}
    elsif tg_op = 'DELETE' then ${add(removed)}
    else delete from acl_count where kind = '${kind.kind}';
    end if;
    return null;
  end `;
}

/** SQL that counts the rows of a source by access list; with the sign "-" the counts are negative. */
function tally({ kind, ownOnly }: ContentKind, source: string, sign: "" | "-"): string {
  const counted = `deleted_at is null${ownOnly === undefined ? "" : ` and not "${ownOnly}"`}`;
  return `select '${kind}' as kind, acl_id, 0 as shard, ${sign}count(*) filter (where ${counted}) as n,
    ${sign}count(*) as held from "${source}" group by acl_id`;
}
