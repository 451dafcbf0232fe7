/**
 * `bun test/bench/search_modes.ts [pages] [words]`: searches of both modes of `/api/search` side by side over a throw-away cluster, by
 * default 100,000 pages of 200 words: the times of one client, and the searches a second of 8. The viewers are an administrator, and a
 * person with 200 rules for items of their own. Words are as rare as `search.ts` makes them; others are of letters, so that there is a
 * vocabulary of tens of thousands. It also prints the size of the index by page.
 */
import { SYSTEM, sql } from "lectern/core";
import { rows } from "lectern/db";
import { updateAllAccessLists } from "../../plugins/accounts/content_permissions/propagation.ts";
import { startCluster } from "../support/harness/cluster.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { FIRST_ROLE, FULL, fill } from "./permissions_data.ts";
import { record } from "./record.ts";

/** Rounds of one client that are measured; a few more warm up. */
const ROUNDS = 40;
const WARMING = 8;
const CLIENTS = 8;
/** Milliseconds for which clients search at a time. */
const TOGETHER_MS = 4_000;
const MODES = ["", "&mode=better"];
const RULES = 200;

/** What is searched, and by whom. */
const ASKED: readonly (readonly [what: string, query: string, as?: string])[] = [
  ["rare word", "zebraword"],
  ["word of 1 page in 1,000", "thousandth"],
  ["word of 1 page in 10", "tenth"],
  ["word of every page", "common"],
  ["two common words", "tenth seventh"],
  ["a rare and a common word", "thousandth common"],
  ["phrase of 1 page in 1,000", '"call the operator"'],
  ["broad prefix", "commo"],
  ["tag of 1 page in 1,000", "[rare]"],
  ["wrong spelling", "thousnadth"],
  ["no page has it", "nobodywrotethis"],
  ["1 page in 10, 200 rules", "tenth", "ruled"],
  ["rare word, 200 rules", "thousandth", "ruled"],
];

/** Words of a page: some as rare as they say, and others of letters, some common and most rare. */
function textOf(count: number): string {
  return `'common ground ' || case when n % 10 = 0 then 'tenth ' else '' end || case when n % 7 = 0 then 'seventh ' else '' end
    || case when n % 1000 = 0 then 'thousandth call the operator ' else 'the ' end
    || case when n % 70 = 0 then 'call ' else '' end || case when n % 71 = 0 then 'operator ' else '' end
    || case when n = 777 then 'zebraword ' else '' end
    || (select string_agg('w' || translate((abs(hashint4(n * 31 + k)) % (10 + (k % 100) * (k % 100) * 7))::text,
      '0123456789', 'abcdefghij'), ' ') from generate_series(1, ${count - 6}) k)`;
}

async function prepare(runtime: TestRuntime, pages: number, words: number): Promise<string> {
  const books = Math.max(2, Math.floor((FULL.books * pages) / FULL.pages));
  await fill(runtime.db, { ...FULL, pages, books, text: textOf(words) });
  await rows(
    runtime.db,
    sql.raw(`insert into tags (kind, item_id, position, name, value)
      select 'page', n * 1000, 2, 'rare', 'yes' from generate_series(1, (select max(id) from pages) / 1000) n`),
  );
  const { id, token } = await runtime.person("ruled", []);
  const permissions = ["access-api", "page-view-all", "book-view-all"];
  await runtime.ask("PUT", `/api/roles/${FIRST_ROLE}`, { body: { permissions } });
  await runtime.ask("PUT", `/api/users/${id}`, { body: { roles: [FIRST_ROLE] } });
  await rows(
    runtime.db,
    sql.raw(`insert into entity_permissions (kind, item_id, role_id, "view", "create", "update", "delete")
      select 'page', n * 37, ${FIRST_ROLE}, n % 2 = 0, false, false, false from generate_series(1, ${RULES}) n on conflict do nothing`),
  );
  const kinds = runtime.contexts.get("access")?.slot("content") ?? [];
  await runtime.runtime.bus.perform("app_boot", SYSTEM, {}, async (_, tx) => {
    await updateAllAccessLists(kinds, tx);
    return {};
  });
  const started = performance.now();
  await runtime.runtime.jobs.drain();
  record("Indexing", { pages, words, seconds: Math.round((performance.now() - started) / 1000) });
  await rows(runtime.db, sql.raw("vacuum analyze"));
  const [sizes] = await rows<{ entries: number; words: number }>(
    runtime.db,
    sql`select pg_total_relation_size('search_index')::float8 as entries, pg_total_relation_size('search_words')::float8 as words`,
  );
  record("Size of the index", {
    "bytes a page": Math.round((sizes?.entries ?? 0) / pages),
    "vocabulary, bytes a page": Math.round((sizes?.words ?? 0) / pages),
  });
  return token;
}

async function measure(runtime: TestRuntime, [what, query, as]: (typeof ASKED)[number], token: string): Promise<void> {
  const asker = as === undefined ? runtime.token : token;
  const figures: Record<string, string | number> = { search: what };
  for (const mode of MODES) {
    const head = mode === "" ? "today's" : "better";
    const ask = async () => {
      const path = `/api/search?query=${encodeURIComponent(query)}${mode}`;
      const started = performance.now();
      const { status, body } = await runtime.ask("GET", path, { as: asker });
      if (status !== 200) throw new Error(`Cannot measure ${path}: found status ${status}, wanted 200`);
      return { ms: performance.now() - started, total: `${body.total}${body.total_is_lower_bound ? "+" : ""}` };
    };
    const alone: number[] = [];
    let total = "";
    for (let round = 0; round < ROUNDS + WARMING; round++) {
      const found = await ask();
      total = found.total;
      if (round >= WARMING) alone.push(found.ms);
    }
    const together: number[] = [];
    const end = performance.now() + TOGETHER_MS;
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (performance.now() < end) together.push((await ask()).ms);
      }),
    );
    figures[`${head}: total`] = total;
    figures[`${head}: p50/p99 ms alone`] = `${at(alone, 0.5)}/${at(alone, 0.99)}`;
    figures[`${head}: p50/p99 ms of ${CLIENTS}`] = `${at(together, 0.5)}/${at(together, 0.99)}`;
    figures[`${head}: searches a second`] = Math.round((together.length / TOGETHER_MS) * 1000);
  }
  record("Searches", figures);
}

function at(times: readonly number[], share: number): string {
  const sorted = [...times].sort((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1);
}

const cluster = await startCluster();
if (!cluster) throw new Error("Cannot measure: no PostgreSQL is installed here");
process.env.DATABASE_URL = cluster.url;
const runtime = await bootTestRuntime();
try {
  const token = await prepare(runtime, Number(process.argv[2] ?? 100_000), Number(process.argv[3] ?? 200));
  for (const asked of ASKED) await measure(runtime, asked, token);
} finally {
  await runtime.stop();
  await cluster.stop();
}
