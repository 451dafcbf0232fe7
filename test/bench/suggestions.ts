/**
 * `bun test/bench/suggestions.ts [pages] [seconds]`: how fast `GET /api/search/suggestions` answers over HTTP at 1 and 16 clients, each of which asks
 * again as soon as it is answered, by default over 100,000 pages; names have three to five of 5,000 words, some of which are in a tenth of
 * all names. Each case is what somebody has typed, in turn for 200 names; for an administrator, for one who sees all, and for one who sees what
 * lists of permissions allow. Beside the times is what a request takes of the CPU, which other load on the machine changes less.
 */
import { readFileSync } from "node:fs";
import { SYSTEM, sql } from "lectern/core";
import { rows } from "lectern/db";
import { updateAllAccessLists } from "../../plugins/accounts/content_permissions/propagation.ts";
import { mergeAllTagChanges } from "../../plugins/content/tags/merge.ts";
import { startCluster } from "../support/harness/cluster.ts";
import { freePort } from "../support/harness/ports.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { openBenchServers, SERVE } from "./bench_servers.ts";
import { cpuMs } from "./cpu.ts";
import { load } from "./load.ts";
import { FIRST_ROLE, FULL, fill } from "./permissions_data.ts";
import { record } from "./record.ts";

const PORT = await freePort();
const CLIENTS = [1, 16];
const KINDS = ["bookshelf", "book", "chapter", "page"];
const NAMES = 200;
const pages = Number(process.argv[2] ?? 100_000);
const seconds = Number(process.argv[3] ?? 2);
/** The first letters of something in a name. */
const head = (text = "", letters = Number.POSITIVE_INFINITY) => text.slice(0, letters);

/** What is typed of a name. */
const TYPED: Readonly<Record<string, (words: readonly string[]) => string>> = {
  "nothing yet": () => "",
  "two letters of a first word": ([first]) => head(first, 2),
  "four letters of a first word": ([first]) => head(first, 4),
  "two letters of a later word": ([, second]) => head(second, 2),
  "a later word": ([, second]) => head(second),
  "a part of a word": ([, , third]) => head(third).slice(2),
  "two words in another order": ([first, , third]) => `${head(third, 5)} ${head(first, 4)}`,
  "no name": ([first]) => `${head(first, 3)}xq`,
};

const cluster = await startCluster();
if (!cluster) throw new Error("Cannot measure: no PostgreSQL is installed here");
process.env.DATABASE_URL = cluster.url;
const runtime = await bootTestRuntime();
const servers = await openBenchServers();
try {
  await fillNames(runtime);
  const viewers = await people(runtime);
  const [found] = await rows<{ names: string[] }>(
    runtime.db,
    sql`select array_agg(name) as names from (select name from pages order by hashint4(id) limit ${NAMES}) as drawn`,
  );
  const words = (found?.names ?? []).map((name) => name.split(" "));
  const url = Object.assign(new URL(cluster.url), { pathname: runtime.database }).href;
  const env = { ...servers.env, DATABASE_URL: url, DATA_DIR: runtime.dataDir, PORT: String(PORT) };
  const { pid } = await servers.start([process.execPath, ...SERVE], env, PORT);
  for (const [viewer, token] of Object.entries(viewers))
    for (const [typed, of] of Object.entries(TYPED))
      for (const clients of CLIENTS) {
        const shot = (n: number) => ({
          method: "GET",
          path: `/api/search/suggestions?query=${encodeURIComponent(of(words[n % words.length] ?? []))}`,
          headers: { authorization: `Token ${token}` },
        });
        if (clients === 1) await load(PORT, clients, 1, shot);
        const before = { server: cpuMs(pid), store: storeCpuMs(cluster.pid()) };
        const started = performance.now();
        const { perSecond, p50, p95, p99, refused } = await load(PORT, clients, seconds, shot);
        const requests = (perSecond * (performance.now() - started)) / 1000;
        const each = (after: number, first: number) => ms((after - first) / requests);
        record(`suggestions of ${pages} pages`, {
          ...{ viewer, typed, clients, "a second": Math.round(perSecond) },
          ...{ "p50 ms": ms(p50), "p95 ms": ms(p95), "p99 ms": ms(p99), refused },
          "CPU ms": each(cpuMs(pid), before.server),
          "PostgreSQL ms": each(storeCpuMs(cluster.pid()), before.store),
        });
      }
} finally {
  await servers.stop();
  await runtime.stop();
  await cluster.stop();
}

function ms(value: number): string {
  return value.toFixed(1);
}

/** What the processes of a PostgreSQL server have taken of the CPU, in milliseconds; connections are open throughout a case. */
function storeCpuMs(postmaster: number): number {
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, "utf8").trim().split(" ");
  return children.reduce((sum, child) => sum + cpuMs(Number(child)), 0);
}

/** Three roles: of one who sees all, and of one who sees what lists of permissions allow alone. */
async function people({ ask, person, token }: TestRuntime): Promise<Record<string, string>> {
  const tokens: Record<string, string> = { administrator: token };
  for (const [name, first, more] of [
    ["sees all", FIRST_ROLE, KINDS.map((kind) => `${kind}-view-all`)],
    ["sees by lists", FIRST_ROLE + 6, []],
  ] as const) {
    const { id, token: own } = await person(name.replaceAll(" ", "-"), []);
    await ask("PUT", `/api/roles/${first}`, { body: { permissions: ["access-api", ...more] } });
    await ask("PUT", `/api/users/${id}`, { body: { roles: [first, first + 1, first + 2] } });
    tokens[name] = own;
  }
  return tokens;
}

/** Content with names of several words, tags, and views of the administrator. */
async function fillNames({ db, runtime: { bus }, contexts }: TestRuntime): Promise<void> {
  const run = (text: string) => rows(db, sql.raw(text));
  await fill(db, { ...FULL, pages, books: Math.max(2, Math.floor((FULL.books * pages) / FULL.pages)) });
  const syllables = "ba ke lo mi nu ra se ti vo da fe gu ha ji ko pe".split(" ").map((each) => `'${each}'`);
  await run(`create function bench_word(n bigint) returns text language sql immutable as $$
    select string_agg((array[${syllables}])[1 + ((abs(hashint8(n))::bigint >> (4 * k)) & 15)::int], '' order by k)
    from generate_series(0, 1 + (n % 3)::int) k $$`);
  await run(`create function bench_name(n bigint, salt bigint) returns text language sql immutable as $$
    select string_agg(initcap(bench_word(power(5000, (abs(hashint8(n * 31 + k + salt * 977)) % 10000) / 10000.0)::bigint)), ' ' order by k)
    from generate_series(0, 2 + (n % 3)::int) k $$`);
  for (const [salt, table] of ["pages", "chapters", "books"].entries())
    await run(`update ${table} set name = bench_name(id, ${salt + 1})`);
  await run(`insert into tags (kind, item_id, position, name, value)
    select 'page', n, 0, 'env', case when n % 2 = 0 then 'prod' else 'test' end from generate_series(1, ${pages}) n
    union all select 'page', n, 1, bench_word(n % 300), (n % 100)::text from generate_series(1, ${pages}) n`);
  await run(`insert into item_views (user_id, kind, item_id, viewed_at)
    select id, 'page', n * 7, now() - n * interval '1 minute' from users cross join generate_series(1, 1000) n`);
  const kinds = contexts.get("access")?.slot("content") ?? [];
  await bus.perform("app_boot", SYSTEM, {}, async (_, tx) => {
    await updateAllAccessLists(kinds, tx);
    return {};
  });
  // A server merges the counts of tags ten seconds after they are written.
  await mergeAllTagChanges(db);
  await run("vacuum analyze");
}
