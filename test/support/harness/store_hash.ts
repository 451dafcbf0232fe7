import type { Store } from "lectern/db";

/** Tables that users see nothing of: the next runs of schedules, counts of attempts. */
const BOOKKEEPING: ReadonlySet<string> = new Set(["schedules", "throttles"]);
const NEVER = "'{last_used_at,last_used_ip,last_seen_at}'";

/** One value for the whole content of the store. */
export async function storeHash({ sql }: Pick<Store, "sql">): Promise<string> {
  const tables = await sql`select tablename from pg_tables where schemaname = 'public' order by 1`;
  const parts = tables
    .map(({ tablename }) => String(tablename))
    .filter((name) => !BOOKKEEPING.has(name))
    .map((name) => {
      const row = `(to_jsonb("${name}") - ${NEVER}::text[])::text`;
      return `select '${name}' as name, md5(coalesce(string_agg(${row}, ',' order by ${row}), '')) as sum from "${name}"`;
    });
  const sums = await sql.unsafe(`${parts.join(" union all ")} order by 1`);
  return sums.map(({ name, sum }) => `${name} ${sum}`).join("\n");
}
