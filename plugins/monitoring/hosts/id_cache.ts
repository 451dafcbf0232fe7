/**
 * Caches ids of package names and repositories. Rows of both are only added, so a cached id stays valid. They are added before
 * the transaction of the report, in the order of their keys, so that concurrent reports cannot deadlock. A row left over from a
 * report that failed counts nowhere.
 */
import { sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { RepositoryEntry } from "./contract.ts";

type Reader = Pick<Db, "executeQuery">;

/** Cached keys beyond which the cache is cleared. */
const MAX_CACHED = 200_000;

/** Ids of packages by name, and of repositories by `repositoryKey`. */
export class IdCache {
  readonly #db: Reader;
  readonly #packages = new Map<string, number>();
  readonly #repositories = new Map<string, number>();

  constructor(db: Reader) {
    this.#db = db;
  }

  /** Ids of package names; unknown names are added. */
  packages(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return cachedIds(this.#packages, names, async (missing) => {
      await rows(
        this.#db,
        sql`insert into packages (name) select name from unnest(${missing}::text[]) as sent (name)
          where not exists (select from packages where packages.name = sent.name)
          order by name collate "C" on conflict do nothing`,
      );
      return rows<Found>(this.#db, sql`select name as key, id from packages where name = any(${missing}::text[])`);
    });
  }

  /** Ids of repositories by `repositoryKey`; unknown ones are added. */
  async repositories(entries: readonly RepositoryEntry[]): Promise<ReadonlyMap<string, number>> {
    const byKey = new Map(entries.map((entry) => [repositoryKey(entry), entry]));
    return cachedIds(this.#repositories, [...byKey.keys()], async (unknown) => {
      const missing = JSON.stringify(unknown.map((key) => ({ ...byKey.get(key), key })));
      const sent = sql`jsonb_to_recordset(${missing}::text::jsonb) as sent (key text, name text, url text,
        distribution text, components text, repo_type text, is_secure boolean)`;
      const same = sql`md5(r.url) = md5(sent.url) and md5(r.distribution) = md5(sent.distribution)
        and md5(r.components) = md5(sent.components)`;
      await rows(
        this.#db,
        sql`insert into repositories (name, url, distribution, components, repo_type, is_secure)
          select name, url, distribution, components, repo_type, is_secure from ${sent}
          where not exists (select from repositories as r where ${same})
          order by md5(url), md5(distribution), md5(components) on conflict do nothing`,
      );
      return rows<Found>(this.#db, sql`select sent.key, r.id from ${sent} join repositories as r on ${same}`);
    });
  }
}

interface Found {
  readonly key: string;
  readonly id: number;
}

/** The key by which two repositories are the same. */
export function repositoryKey({ url, distribution, components }: RepositoryEntry): string {
  return [url, distribution, components].join("\t");
}

async function cachedIds(
  cache: Map<string, number>,
  keys: readonly string[],
  read: (missing: string[]) => Promise<Found[]>,
): Promise<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>();
  const missing: string[] = [];
  for (const key of keys) {
    const id = cache.get(key);
    if (id === undefined) missing.push(key);
    else ids.set(key, id);
  }
  if (missing.length === 0) return ids;
  if (cache.size + missing.length > MAX_CACHED) cache.clear();
  for (const { key, id } of await read(missing)) {
    cache.set(key, id);
    ids.set(key, id);
  }
  return ids;
}
