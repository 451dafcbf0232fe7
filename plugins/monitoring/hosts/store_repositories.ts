import { type EventTransaction, sql } from "lectern/core";
import { prepared } from "lectern/db";
import type { RepositoryEntry } from "./contract.ts";
import { repositoryKey } from "./id_cache.ts";

const listRepositories = prepared("hosts.listRepositories", (db, p: { host: number }) =>
  db.selectFrom("host_repositories").select(["repository_id as id", "is_enabled"]).where("host_id", "=", p.host),
);
const lockRepositories = prepared("hosts.lockRepositories", (db, p: { ids: readonly number[] }) =>
  db.selectFrom("repositories").where("id", "=", sql<number>`any(${p.ids}::integer[])`).orderBy("id").forNoKeyUpdate(),
);
const unlinkRepositories = prepared("hosts.unlinkRepositories", (db, p: { host: number; ids: readonly number[] }) =>
  db
    .deleteFrom("host_repositories")
    .where("host_id", "=", p.host)
    .where("repository_id", "=", sql<number>`any(${p.ids}::integer[])`),
);
const enableRepository = prepared("hosts.enableRepository", (db, p: { host: number; id: number; isEnabled: boolean }) =>
  db
    .updateTable("host_repositories")
    .set({ is_enabled: p.isEnabled })
    .where("host_id", "=", p.host)
    .where("repository_id", "=", p.id),
);
/** `enabled` holds 1 or 0 for each id: the driver has no arrays of booleans. */
const linkRepositories = prepared(
  "hosts.linkRepositories",
  (db, p: { host: number; ids: readonly number[]; enabled: readonly number[] }) =>
    db
      .insertInto("host_repositories")
      .columns(["host_id", "repository_id", "is_enabled"])
      .expression((eb) =>
        eb
          .selectFrom(
            sql<{ id: number; enabled: number }>`unnest(${p.ids}::integer[], ${p.enabled}::integer[])`.as<"sent">(
              sql`sent (id, enabled)`,
            ),
          )
          .select([sql<number>`${p.host}::integer`.as("host"), "id", sql<boolean>`enabled = 1`.as("enabled")]),
      ),
);

/** Replaces a host's repositories with those of a report; `ids` come from `IdCache`. The caller has locked the row of the host. */
export async function storeRepositories(
  host: number,
  entries: readonly RepositoryEntry[],
  ids: ReadonlyMap<string, number>,
  db: EventTransaction["db"],
): Promise<void> {
  const wanted = new Map(entries.map((entry) => [ids.get(repositoryKey(entry)) as number, entry.is_enabled]));
  const had = await listRepositories.execute(db, { host });
  const kept = new Set(had.filter(({ id, is_enabled }) => wanted.get(id) === is_enabled).map(({ id }) => id));
  const gone = had.filter(({ id }) => !wanted.has(id)).map(({ id }) => id);
  const changed = [...wanted].filter(([id]) => !kept.has(id));
  const known = new Set(had.map(({ id }) => id));
  const fresh = changed.filter(([id]) => !known.has(id));
  // Removed and added repositories are locked in one statement: in two, concurrent reports could deadlock.
  if (gone.length > 0 && fresh.length > 0)
    await lockRepositories.execute(db, { ids: [...gone, ...fresh.map(([id]) => id)] });
  if (gone.length > 0) await unlinkRepositories.execute(db, { host, ids: gone });
  for (const [id, isEnabled] of changed.filter(([id]) => known.has(id)))
    await enableRepository.execute(db, { host, id, isEnabled });
  if (fresh.length > 0)
    await linkRepositories.execute(db, {
      host,
      ids: fresh.map(([id]) => id),
      enabled: fresh.map(([, isEnabled]) => Number(isEnabled)),
    });
}
