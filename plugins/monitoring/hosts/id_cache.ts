/**
 * Caches ids of package names and repositories. Rows of both are only added, so a cached id stays valid. They are added before
 * the transaction of the report, in the order of their keys, so that concurrent reports cannot deadlock. A row left over from a
 * report that failed counts nowhere.
 */
import { sql } from "lectern/core";
import { type Executor, outsideTransaction, prepared } from "lectern/db";
import type { RepositoryEntry } from "./contract.ts";

/** Cached keys beyond which the cache is cleared. */
const MAX_CACHED = 200_000;

const addPackages = prepared("hosts.addPackages", (db, p: { names: readonly string[] }) =>
  db
    .insertInto("packages")
    .columns(["name"])
    .expression((eb) =>
      eb
        .selectFrom(sql<{ name: string }>`unnest(${p.names}::text[])`.as<"sent">(sql`sent (name)`))
        .select("name")
        .where(({ exists, not, selectFrom }) =>
          not(exists(selectFrom("packages").whereRef("packages.name", "=", "sent.name"))),
        )
        .orderBy("name", (order) => order.collate("C")),
    )
    .onConflict((conflict) => conflict.doNothing()),
);
const findPackages = prepared("hosts.findPackages", (db, p: { names: readonly string[] }) =>
  db.selectFrom("packages").select(["name as key", "id"]).where("name", "=", sql<string>`any(${p.names}::text[])`),
);

/** Repositories with their keys, from JSON: a list of RepositoryEntry, each with `key`. */
const sentRepositories = (json: string) =>
  sql<RepositoryEntry & { key: string }>`jsonb_to_recordset(${json}::text::jsonb)`.as<"sent">(
    sql`sent (key text, name text, url text, distribution text, components text, repo_type text, is_secure boolean)`,
  );
/** The columns of the unique index of repositories, which has their MD5. */
const UNIQUE = ["url", "distribution", "components"] as const;

const addRepositories = prepared("hosts.addRepositories", (db, p: { sent: string }) =>
  db
    .insertInto("repositories")
    .columns(["name", "url", "distribution", "components", "repo_type", "is_secure"])
    .expression((eb) =>
      eb
        .selectFrom(sentRepositories(p.sent))
        .select(["name", "url", "distribution", "components", "repo_type", "is_secure"])
        .where(({ exists, not, selectFrom }) =>
          not(
            exists(
              selectFrom("repositories as r").where((eb) =>
                eb.and(UNIQUE.map((name) => eb(eb.fn("md5", [`r.${name}`]), "=", eb.fn("md5", [`sent.${name}`])))),
              ),
            ),
          ),
        )
        .orderBy((eb) => eb.fn("md5", ["url"]))
        .orderBy((eb) => eb.fn("md5", ["distribution"]))
        .orderBy((eb) => eb.fn("md5", ["components"])),
    )
    .onConflict((conflict) => conflict.doNothing()),
);
const findRepositories = prepared("hosts.findRepositories", (db, p: { sent: string }) =>
  db
    .selectFrom(sentRepositories(p.sent))
    .innerJoin("repositories as r", (join) =>
      join.on((eb) =>
        eb.and(UNIQUE.map((name) => eb(eb.fn("md5", [`r.${name}`]), "=", eb.fn("md5", [`sent.${name}`])))),
      ),
    )
    .select(["sent.key", "r.id"]),
);

/** Ids of packages by name, and of repositories by `repositoryKey`. */
export class IdCache {
  readonly #db: Executor;
  readonly #packages = new Map<string, number>();
  readonly #repositories = new Map<string, number>();

  constructor(db: Executor) {
    this.#db = db;
  }

  /** Ids of package names; unknown names are added. */
  packages(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return cachedIds(this.#packages, names, async (missing) => {
      await addPackages.execute(this.#db, { names: missing });
      return findPackages.execute(this.#db, { names: missing });
    });
  }

  /** Ids of repositories by `repositoryKey`; unknown ones are added. */
  async repositories(entries: readonly RepositoryEntry[]): Promise<ReadonlyMap<string, number>> {
    const byKey = new Map(entries.map((entry) => [repositoryKey(entry), entry]));
    return cachedIds(this.#repositories, [...byKey.keys()], async (unknown) => {
      const sent = JSON.stringify(unknown.map((key) => ({ ...byKey.get(key), key })));
      await addRepositories.execute(this.#db, { sent });
      return findRepositories.execute(this.#db, { sent });
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
  // A kept id is of a row that is committed.
  for (const { key, id } of await outsideTransaction(() => read(missing))) {
    cache.set(key, id);
    ids.set(key, id);
  }
  return ids;
}
