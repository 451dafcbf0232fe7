import type { Store } from "lectern/db";

/** Tables that change without a request: the next runs of schedules, counts of attempts, views and leases, which timers write. */
const BOOKKEEPING: ReadonlySet<string> = new Set(["schedules", "throttles", "item_views", "running_servers"]);
/** Columns that reading changes. */
const LAST_USE = ["last_used_at", "last_used_ip", "last_seen_at"];

/** One value for the whole content of the store: count and sum of the hashes of each table's rows, which needs no sorting. */
export async function storeHash({ sql }: Pick<Store, "sql">): Promise<string> {
  const tables = await sql`select relname as tablename, exists (
      select from pg_attribute where attrelid = tables.oid and attname = any(${LAST_USE})) as used
    from pg_class as tables where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`;
  const parts = tables
    .map(({ tablename, used }) => ({ name: String(tablename), used: used === true }))
    .filter(({ name }) => !BOOKKEEPING.has(name))
    .map(({ name, used }) => {
      const row = used ? `(to_jsonb(t) - '{${LAST_USE.join()}}'::text[])::text` : "t::text";
      return `select '${name}' as name, count(*) || ' ' || coalesce(sum(hashtextextended(${row}, 0)), 0) as sum from "${name}" as t`;
    });
  const sums = await sql.unsafe(`${parts.join(" union all ")} order by 1`);
  return sums.map(({ name, sum }) => `${name} ${sum}`).join("\n");
}
