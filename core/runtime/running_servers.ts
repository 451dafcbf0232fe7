/**
 * The runtimes that use one database now: servers, and commands while they run. Each has a row, which it renews while it runs
 * and ends at its stop; a row that is not renewed for `leaseSeconds` counts no more. A row says which version runs, which
 * rights of PostgreSQL roles it needs, so that a runtime with fewer plugins or of an older version takes none of them away, and
 * whether a file of the server is in its file store, so that servers over different file stores are found.
 */
import { hostname } from "node:os";
import { sql } from "kysely";
import { type Db, type Migrations, prepared, type RoleGrants } from "../../db/mod.ts";
import packaged from "../../package.json" with { type: "json" };
import type { FileStore } from "../files/file_store.ts";
import { serverKey } from "../files/instance_marker.ts";
import type { Log } from "../log.ts";
import { SECOND_MS } from "../std/time.ts";
import { withinTime } from "../std/within_time.ts";

/** Runtimes that use the database. */
export interface RunningServersTable {
  /** A UUID. */
  id: string;
  /** Host name and process id, such as "docs-1:4711". */
  place: string;
  version: string;
  /** The rights that the roles of its plugins need. */
  grants: RoleGrants[];
  /** Whether it wrote its file to its file store. */
  shows_file: boolean;
  started_at: string;
  seen_at: string;
}

declare module "../../db/query/tables.ts" {
  interface Tables {
    running_servers: RunningServersTable;
  }
}

/** The table of running servers. */
export const serverMigrations: Migrations = {
  async "0008_running_servers"(db) {
    await sql`create table running_servers (id uuid primary key, place text not null, version text not null,
      grants jsonb not null default '[]', shows_file boolean not null default false,
      started_at timestamptz not null default now(), seen_at timestamptz not null default now())`.execute(db);
  },
};

/** Another runtime that runs now. */
export type OtherServer = Pick<RunningServersTable, "id" | "place" | "version" | "grants" | "shows_file">;

/** SQL: rows that were renewed last before this time count no more. */
function longAgo(seconds: number) {
  return sql<string>`now() - make_interval(secs => ${seconds}::integer)`;
}

/**
 * Writes a row, and removes those of others that have ended: roles are then brought in line with those that are left. Rows of servers
 * that were killed and have a file are removed later, by a runtime that has a file store.
 */
const register = prepared(
  "servers.register",
  (db, p: { id: string; place: string; version: string; grants: string; seconds: number }) =>
    db
      .with("ended", (cte) =>
        cte
          .deleteFrom("running_servers")
          .where("id", "!=", p.id)
          .where("seen_at", "<", longAgo(p.seconds))
          .where(({ not, ref }) => not(ref("shows_file"))),
      )
      .insertInto("running_servers")
      .values({
        id: p.id,
        place: p.place,
        version: p.version,
        grants: sql<RoleGrants[]>`${p.grants}::text::jsonb`,
        seen_at: sql<string>`now()`,
        started_at: sql<string>`now()`,
        shows_file: sql.lit(false),
      })
      .onConflict((conflict) =>
        conflict.column("id").doUpdateSet((eb) => ({ grants: eb.ref("excluded.grants"), seen_at: sql<string>`now()` })),
      ),
);

/** What a renewal found: this row, unless it counted no more, rows that were removed, and the others that run. */
interface Renewed {
  readonly id: string;
  readonly shows_file: boolean;
  readonly state: "own" | "ended" | "other";
}

/** Renews the row and removes those that have ended; of servers that were killed with files only by a runtime that has a file store. */
const renew = prepared("servers.renew", (db, p: { id: string; seconds: number; withFiles: boolean }) =>
  db
    .with("renewed", (cte) =>
      cte
        .updateTable("running_servers")
        .set({ seen_at: sql<string>`now()` })
        .where("id", "=", p.id)
        .where("seen_at", ">=", longAgo(p.seconds))
        .returning(["id", "shows_file", sql<Renewed["state"]>`'own'`.as("state")]),
    )
    .with("ended", (cte) =>
      cte
        .deleteFrom("running_servers")
        .where("seen_at", "<", longAgo(p.seconds))
        .where(sql<boolean>`(not ${sql.ref("shows_file")} or ${p.withFiles}::boolean)`)
        .returning(["id", "shows_file", sql<Renewed["state"]>`'ended'`.as("state")]),
    )
    .selectFrom("renewed")
    .select(["id", "shows_file", "state"])
    .unionAll((eb) => eb.selectFrom("ended").select(["id", "shows_file", "state"]))
    .unionAll((eb) =>
      eb
        .selectFrom("running_servers")
        .select(["id", "shows_file", sql<Renewed["state"]>`'other'`.as("state")])
        .where("id", "!=", p.id)
        .where("seen_at", ">=", longAgo(p.seconds)),
    ),
);

const showFile = prepared("servers.showFile", (db, p: { id: string }) =>
  db
    .updateTable("running_servers")
    .set({ shows_file: sql.lit(true) })
    .where("id", "=", p.id),
);

/** The row stays until another runtime removes it, which then looks for rights that nobody needs any more. */
const endRow = prepared("servers.end", (db, p: { id: string }) =>
  db
    .updateTable("running_servers")
    .set({ seen_at: sql<string>`'-infinity'`, shows_file: sql.lit(false) })
    .where("id", "=", p.id),
);

const readOthers = prepared("servers.others", (db, p: { id: string; seconds: number }) =>
  db
    .selectFrom("running_servers")
    .select(["id", "place", "version", "grants", "shows_file"])
    .where("id", "!=", p.id)
    .where("seen_at", ">=", longAgo(p.seconds))
    .orderBy("started_at")
    .orderBy("id"),
);

/** Renewals within a lease, so that two may fail. */
const RENEWALS = 3;
/** How long a stop waits for a file store that does not answer. */
const FILES_MS = 5_000;

/** What the row of a runtime is kept with. */
export interface RunningServersOptions {
  readonly db: Db;
  readonly log: Log;
  /** Seconds after which a row that was not renewed counts no more. */
  readonly leaseSeconds: number;
  readonly version?: string;
}

/** The row of this runtime, and the rows of others. */
export class RunningServers {
  readonly id: string = crypto.randomUUID();
  readonly #options: RunningServersOptions;
  #grants: readonly RoleGrants[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;
  #renewal: Promise<void> | undefined;
  /** The ids of the others at the last renewal. */
  #seen = "";
  #isFailing = false;
  #files: FileStore | undefined;
  #comparison: Promise<void> = Promise.resolve();

  constructor(options: RunningServersOptions) {
    this.#options = options;
  }

  /** Writes the row with the rights that this runtime needs. To be called before the roles are changed. */
  async register(grants: readonly RoleGrants[] = this.#grants): Promise<void> {
    this.#grants = grants;
    const { db, version = packaged.version, leaseSeconds } = this.#options;
    const place = `${hostname()}:${process.pid}`;
    await register.execute(db, { id: this.id, place, version, grants: JSON.stringify(grants), seconds: leaseSeconds });
  }

  /** The others that run now, in the order of their starts. */
  others(db: Db = this.#options.db): Promise<OtherServer[]> {
    return readOthers.execute(db, { id: this.id, seconds: this.#options.leaseSeconds });
  }

  /** The rights that the roles of plugins need for the others. */
  async neededByOthers(db?: Db): Promise<readonly RoleGrants[]> {
    return (await this.others(db)).flatMap(({ grants }) => grants);
  }

  /** Renews the row from now on. `onChange` is called when others have started or ended since, or this row was lost. */
  async keep(onChange: () => Promise<void>): Promise<void> {
    this.#seen = idsOf(await this.others());
    const pause = (this.#options.leaseSeconds * SECOND_MS) / RENEWALS;
    this.#timer = setInterval(() => {
      this.#renewal ??= this.#renew(onChange).finally(() => {
        this.#renewal = undefined;
      });
    }, pause).unref();
  }

  /**
   * Writes a file of this server to its file store, which the others look for, and warns of those whose file is not there.
   * Returns at once, as a file store may be slow; failures are logged.
   */
  compareFiles(files: FileStore): void {
    const { log } = this.#options;
    this.#comparison = this.#showFile(files)
      .then(async () => {
        for (const { place } of await this.elsewhere(files))
          log.warn(
            "Another server of this database uses another file store: files that one took are missing at the other",
            {
              server: place,
            },
          );
      })
      .catch((error: unknown) => log.warn("Cannot compare the file store with that of other servers", { error }));
  }

  /** The others whose file is not in this file store: theirs is another one. Throws where the file store fails. */
  async elsewhere(files: FileStore): Promise<OtherServer[]> {
    const found: OtherServer[] = [];
    for (const other of await this.others())
      if (other.shows_file && !(await files.get(serverKey(other.id))) && (await this.#stillRuns(other)))
        found.push(other);
    return found;
  }

  /** Ends the row and removes the file. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewal;
    const { db, log } = this.#options;
    try {
      await withinTime(FILES_MS, () => this.#comparison);
      await endRow.execute(db, { id: this.id });
      await this.#files?.remove(serverKey(this.id));
    } catch (error) {
      log.warn("Cannot remove the row of this server; it ends by itself", { error });
    }
  }

  async #showFile(files: FileStore): Promise<void> {
    await files.put(serverKey(this.id), new TextEncoder().encode(`{"server": "${this.id}"}\n`));
    this.#files = files;
    await showFile.execute(this.#options.db, { id: this.id });
  }

  /** Removes the files of servers that were killed. Returns at once: renewals do not wait for a slow file store. */
  #removeFiles(ids: readonly string[]): void {
    const { log } = this.#options;
    for (const id of ids)
      this.#files
        ?.remove(serverKey(id))
        .catch((error: unknown) => log.warn("Cannot remove the file of a server that was killed", { error }));
  }

  /** A server ends its row before it removes its file. */
  async #stillRuns({ id }: OtherServer): Promise<boolean> {
    return (await this.others()).some((other) => other.id === id);
  }

  async #renew(onChange: () => Promise<void>): Promise<void> {
    const { db, log, leaseSeconds } = this.#options;
    try {
      const withFiles = this.#files !== undefined;
      const found = await renew.execute(db, { id: this.id, seconds: leaseSeconds, withFiles });
      const isLost = !found.some(({ state }) => state === "own");
      if (isLost) await this.register();
      const ended = found.filter(({ state }) => state === "ended");
      const seen = idsOf(found.filter(({ state }) => state === "other"));
      // One that came and went between two renewals is among the ended alone.
      if (isLost || ended.length > 0 || seen !== this.#seen) await onChange();
      this.#seen = seen;
      this.#isFailing = false;
      if (isLost && this.#files) this.compareFiles(this.#files);
      this.#removeFiles(ended.filter(({ id, shows_file }) => shows_file && id !== this.id).map(({ id }) => id));
    } catch (error) {
      if (!this.#isFailing) log.warn("Cannot renew the row of this server", { error });
      this.#isFailing = true;
    }
  }
}

function idsOf(servers: readonly Pick<OtherServer, "id">[]): string {
  return servers
    .map(({ id }) => id)
    .sort()
    .join(" ");
}
