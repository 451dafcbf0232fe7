/**
 * Reads the numbers of the fleet with one statement over the counters, so all fields are as of one moment (dashboard-stats 9.4).
 * The window of 24 hours is summed from the counts of whole hours, minutes and intervals of ten seconds, and from single rows only
 * where it starts, so it is exact and never reads more than a few hundred rows.
 *
 * The statement compares PostgreSQL's snapshot with that of the last reading. Where no transaction has written since, and no
 * report has left the window, it returns no numbers and the last ones are used: polls of an idle instance cost next to nothing
 * and are never stale. What would have to read all hosts is counted separately, once a minute.
 */
import type { Expression, QueryCreator, RawBuilder } from "kysely";
import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres";
import { type PluginContext, sql } from "lectern/core";
import { type Db, type Executor, outsideTransaction, prepared, type Tables, withSlowPool } from "lectern/db";
import type { FleetDetails, FleetNumbers } from "./contract.ts";
import { binOf, MEASURES, WIDTHS, WINDOW } from "./counters.ts";

/** Limit of the statement that reads all hosts, in milliseconds. */
const DETAILS_TIMEOUT_MS = 10_000;
const NOW = sql<string>`to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const SNAPSHOT = sql<string>`pg_current_snapshot()::text`;
const EDGE_SQL = `(now() - interval '${WINDOW}')`;
const EDGE = sql.raw<string>(EDGE_SQL);

/** The start of the first interval of a width that lies entirely within the window. */
function firstWhole(seconds: number): RawBuilder<string> {
  return sql.raw(`${binOf(EDGE_SQL, seconds)} + make_interval(secs => ${seconds})`);
}

function total(column: Expression<number>): RawBuilder<number> {
  return sql<number>`coalesce(sum(${column}), 0)::float8`;
}

/** The number of reports in the window: each width up to where the next wider one starts, the rest by rows. */
function recentReports(db: QueryCreator<Tables>): RawBuilder<number> {
  const counted = WIDTHS.map((seconds, at) => {
    const wider = WIDTHS[at - 1];
    const sum = db
      .selectFrom("report_counts")
      .select(({ fn }) => fn.sum("n").as("n"))
      .where("seconds", "=", sql.lit(seconds))
      .where("starts_at", ">=", firstWhole(seconds))
      .$if(wider !== undefined, (query) => query.where("starts_at", "<", firstWhole(wider ?? 0)));
    return sql`coalesce(${sum}, 0)`;
  });
  const rest = db
    .selectFrom("host_reports")
    .select(({ fn }) => fn.countAll().as("n"))
    .where("received_at", ">=", EDGE)
    .where("received_at", "<", firstWhole(WIDTHS[WIDTHS.length - 1] ?? 0));
  return sql<number>`(${sql.join([...counted, rest], sql` + `)})::float8`;
}

/** All numbers in one row. `holds_until` is when the first report leaves the window. */
function numbersOf(db: QueryCreator<Tables>) {
  return db
    .with("versions", (query) =>
      query
        .selectFrom("host_totals")
        .select(["status", "os_name", "os_version"])
        .select(({ ref }) => MEASURES.map((name) => total(ref(name)).as(name)))
        .groupBy(["status", "os_name", "os_version"]),
    )
    .with("active", (query) => query.selectFrom("versions").selectAll().where("status", "=", sql.lit("active")))
    .with("systems", (query) =>
      query
        .selectFrom("active")
        .select(({ fn }) => ["os_name", fn.sum<number>("hosts").as("count")])
        .groupBy("os_name")
        .having(({ fn }) => fn.sum("hosts"), ">", sql.lit(0)),
    )
    .selectFrom("active")
    .select(({ ref }) => MEASURES.map((name) => total(ref(name)).as(name)))
    .select((eb) => {
      const hosts = eb.selectFrom("versions").select(({ ref }) => total(ref("hosts")).as("hosts"));
      return [
        hosts.where("status", "=", sql.lit("pending")).$asScalar().$notNull().as("pending"),
        hosts.where("status", "=", sql.lit("inactive")).$asScalar().$notNull().as("inactive"),
        eb
          .selectFrom("repositories")
          .select(({ cast, fn }) => cast<number>(fn.countAll(), "float8").as("n"))
          .where(({ ref }) => ref("is_active"))
          .where("n_hosts", ">", sql.lit(0))
          .$asScalar()
          .$notNull()
          .as("repositories"),
        recentReports(db).as("reports_24h"),
        jsonArrayFrom(
          eb
            .selectFrom("systems")
            .select(["os_name as name", "count"])
            .orderBy("count", "desc")
            .orderBy("os_name", (order) => order.collate("C")),
        ).as("systems"),
        jsonArrayFrom(
          eb
            .selectFrom("active")
            .select(["os_name as name", "os_version as version", "hosts as count"])
            .where("hosts", ">", sql.lit(0))
            .orderBy("hosts", "desc")
            .orderBy("os_name", (order) => order.collate("C"))
            .orderBy("os_version", (order) => order.collate("C")),
        ).as("versions"),
        eb
          .selectFrom("host_reports")
          .select(({ fn }) => sql<string>`${fn.min("received_at")} + interval ${sql.lit(WINDOW)}`.as("at"))
          .where("received_at", ">=", EDGE)
          .as("holds_until"),
      ];
    });
}

/** Without `numbers` where nothing was written since `snapshot`, and no report has left the window. */
const readNumbers = prepared("hosts.numbers", (db, p: { snapshot: string; until: string }) =>
  db.selectNoFrom((eb) => [
    SNAPSHOT.as("snapshot"),
    NOW.as("at"),
    eb
      .case()
      .when(sql<boolean>`${SNAPSHOT} = ${p.snapshot}::text and now() <= ${p.until}::timestamptz`)
      .then(null)
      .else(jsonObjectFrom(numbersOf(db)))
      .end()
      .as("numbers"),
  ]),
);

/** The statement of a poll, for measurements. The parameters are SQL; without them it reads the numbers in any case. */
export function pollSql({ snapshot = "''", until = "'-infinity'" } = {}): string {
  return readNumbers.text().replace(":snapshot", snapshot).replace(":until", until);
}

/** Creates a reader of the current numbers, which caches its last reading. */
export function numbersReader(db: Executor, { poll }: PluginContext["pools"]): () => Promise<FleetNumbers> {
  let last: { readonly snapshot: string; readonly numbers: FleetNumbers; readonly until: string } | undefined;
  return async () => {
    const known = last;
    const [read] = await poll(
      readNumbers.compile(db, { snapshot: known?.snapshot ?? "", until: known?.until ?? "-infinity" }),
    );
    if (!read) throw new Error("Cannot read the numbers: the store returned no row");
    const { snapshot, at, numbers } = read;
    if (!numbers && known) return { ...known.numbers, at };
    const { holds_until: until, ...fresh } = numbers as NonNullable<typeof numbers>;
    last = { snapshot, numbers: { ...fresh, at }, until: until ?? "infinity" };
    return last.numbers;
  };
}

const countDetails = prepared("hosts.details", (db, p: { staleMinutes: number }) =>
  db
    .selectFrom("host_outdated")
    .innerJoin("hosts", "hosts.id", "host_outdated.host_id")
    .select(({ fn, selectFrom }) => [
      fn.count<number>("package_id").distinct().as("unique_outdated"),
      fn
        .count<number>("package_id")
        .distinct()
        .filterWhere(({ ref }) => ref("security"))
        .as("unique_security"),
      selectFrom("hosts")
        .select((eb) => eb.fn.countAll<number>().as("n"))
        .where("status", "=", sql.lit("active"))
        .where("last_seen_at", "<", sql<string>`now() - make_interval(mins => ${p.staleMinutes}::integer)`)
        .$asScalar()
        .$notNull()
        .as("stale"),
      NOW.as("at"),
    ])
    .where("hosts.status", "=", sql.lit("active")),
);

/**
 * Counts what requires reading all hosts; an active host without contact for `staleMinutes` is stale. May take longer than a
 * poll, so it runs in the slow pool with its own limit.
 */
export function readDetails(db: Db, staleMinutes: number): Promise<FleetDetails> {
  return withSlowPool({ key: "fleet", limitMs: DETAILS_TIMEOUT_MS }, async () => {
    return countDetails.executeTakeFirstOrThrow(db, { staleMinutes });
  });
}

/** Caches the result of `read` for `ms` milliseconds; callers during a read wait for its result. */
export function cacheFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let until = 0;
  let value: Promise<T> | undefined;
  return () => {
    if (value && Date.now() < until) return value;
    until = Number.POSITIVE_INFINITY;
    const started = Date.now();
    value = outsideTransaction(read);
    value.then(
      () => {
        until = started + ms;
      },
      () => {
        until = 0;
      },
    );
    return value;
  };
}
