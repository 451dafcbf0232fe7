import { type EventTransaction, sql } from "lectern/core";
import { rows } from "lectern/db";
import type { RepositoryEntry } from "./contract.ts";
import { repositoryKey } from "./id_cache.ts";

/** Replaces a host's repositories with those of a report; `ids` come from `IdCache`. The caller has locked the row of the host. */
export async function storeRepositories(
  hostId: number,
  entries: readonly RepositoryEntry[],
  ids: ReadonlyMap<string, number>,
  db: EventTransaction["db"],
): Promise<void> {
  const wanted = new Map(entries.map((entry) => [ids.get(repositoryKey(entry)) as number, entry.is_enabled]));
  const had = await rows<{ id: number; is_enabled: boolean }>(
    db,
    sql`select repository_id as id, is_enabled from host_repositories where host_id = ${hostId}`,
  );
  const kept = new Set(had.filter(({ id, is_enabled }) => wanted.get(id) === is_enabled).map(({ id }) => id));
  const gone = had.filter(({ id }) => !wanted.has(id)).map(({ id }) => id);
  const changed = [...wanted].filter(([id]) => !kept.has(id));
  const known = new Set(had.map(({ id }) => id));
  const fresh = changed.filter(([id]) => !known.has(id));
  // Removed and added repositories are locked in one statement: in two, concurrent reports could deadlock.
  if (gone.length > 0 && fresh.length > 0)
    await rows(
      db,
      sql`select from repositories where id = any(${[...gone, ...fresh.map(([id]) => id)]}::integer[])
        order by id for no key update`,
    );
  if (gone.length > 0)
    await rows(
      db,
      sql`delete from host_repositories where host_id = ${hostId} and repository_id = any(${gone}::integer[])`,
    );
  for (const [id, isEnabled] of changed.filter(([id]) => known.has(id)))
    await rows(
      db,
      sql`update host_repositories set is_enabled = ${isEnabled} where host_id = ${hostId} and repository_id = ${id}`,
    );
  if (fresh.length > 0)
    await rows(
      db,
      sql`insert into host_repositories (host_id, repository_id, is_enabled)
        select ${hostId}, id, enabled = 1 from unnest(${fresh.map(([id]) => id)}::integer[],
          ${fresh.map(([, isEnabled]) => Number(isEnabled))}::integer[]) as sent (id, enabled)`,
    );
}
