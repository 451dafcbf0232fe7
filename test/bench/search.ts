/**
 * What searching costs: by way of the API over a throw-away cluster, for an administrator and for people who see much or
 * little. `bun test/bench/search.ts [pages] [words]`, by default a million pages of 40 words; `10000 2500` makes ten
 * thousand of 20 KB. Medians in milliseconds, with the total that was answered; `+` marks one that is a lower bound.
 * `bun test/bench/search.ts words` prints how long it takes to split texts of growing length into words: the times must
 * grow as the lengths do, whatever the text is a run of.
 */
import { SYSTEM, sql } from "lectern/core";
import { rows } from "lectern/db";
import { updateAllAccessLists } from "../../plugins/accounts/content_permissions/propagation.ts";
import { ItemWords } from "../../plugins/content/search/item_words.ts";
import { startCluster } from "../support/harness/cluster.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { FIRST_OWNER, FIRST_ROLE, FULL, fill } from "./permissions_data.ts";

const UNITS = ["_a", "a-", "a/", "a.", "1.", "9f", "a@a.", "http://a.a/", "a\u0301", "東", "word ", "\u200d", "𝒳"];
const LENGTHS = [25_000, 50_000, 100_000, 200_000, 400_000];
const KINDS = ["bookshelf", "book", "chapter", "page"];
const ROUNDS = 9;

/** Searches, and listings with a filter. */
const ASKED: readonly (readonly [string, string])[] = [
  ["a rare word", "search?query=zebra777"],
  ["a word of 1 page in 1,000", "search?query=thousandth"],
  ["a word of 1 page in 10", "search?query=tenth"],
  ["a word of every page", "search?query=common"],
  ["a word of every name", "search?query=page"],
  ["three words", "search?query=tenth%20common%20thousandth"],
  ["a word of no page", "search?query=nobodywrotethis"],
  ["a word & of 1 in 1,000", "search?query=r%26d"],
  ["a word - of 1 page in 10", "search?query=co-op"],
  ["a word / in every page", "search?query=and%2For"],
  ["three parts, 1 in 1,000", "search?query=a%2Fb%2Fc"],
  ["a sign before, 1 in 1,000", "search?query=%23tenth"],
  ["a phrase, 1 in 1,000", 'search?query="call%20the%20operator"'],
  ["a phrase of every page", 'search?query="common%20ground"'],
  ["a phrase of no page", 'search?query="operator%20the%20call"'],
  ["a word and a phrase", 'search?query=common%20"call%20the%20operator"'],
  ["a tag of 1 page in 1,000", "search?query=[rare]"],
  ["a tag of every page", "search?query=[env=prod]"],
  ["a value of 1 page in 1,000", "search?query=[=yes]"],
  ["a number in tags", "search?query=[ver%3E98]"],
  ["all pages", "search?query={type:page}"],
  ["an infix of names", "search?query={in_name:abcde}"],
  ["a word, by one person", "search?query=common%20{created_by:admin}"],
  ["filter[name:like], 4 signs", "pages?filter[name:like]=%25abcd%25"],
  ["filter[name:like], none", "pages?filter[name:like]=%25zzzzz%25"],
];

const out = (line: string) => process.stdout.write(`${line}\n`);
const shown = (ms: number) => (ms < 10 ? ms.toFixed(1) : ms.toFixed(0));

function words(): void {
  out(`milliseconds for ${LENGTHS.join(", ")} characters`);
  for (const unit of UNITS) {
    const cells = LENGTHS.map((length) => {
      const text = unit.repeat(length / unit.length);
      const times = Array.from({ length: 7 }, () => {
        const started = performance.now();
        new ItemWords().add(text, "body").words;
        return performance.now() - started;
      });
      return Math.min(...times)
        .toFixed(1)
        .padStart(8);
    });
    out(`${JSON.stringify(unit).padEnd(16)}${cells.join("")}`);
  }
}

/** Words that are as rare as their names say, and many others of which some are common and most are rare. */
function textOf(count: number): string {
  return `'common ground ' || case when n % 10 = 0 then 'tenth ' else '' end
    || case when n % 1000 = 0 then 'thousandth call the operator ' else 'the ' end
    || case when n % 7 = 0 then 'call ' else '' end || case when n % 11 = 0 then 'operator ' else '' end
    || case n % 1000 when 1 then 'r&d ' when 2 then 'a/b/c ' when 3 then '#tenth ' else 'r d a b c ' end
    || case n % 10 when 4 then 'co-op ' else 'co op ' end || 'and/or '
    || case when n = 777 then 'zebra777 ' else '' end
    || (select string_agg('word' || (abs(hashint4(n * 31 + k)) % (10 + (k % 100) * (k % 100) * 7)), ' ')
      from generate_series(1, ${count - 6}) k)`;
}

/** Three roles each, of which one grants to see all, one to see what one owns, none to see anything. */
async function people(runtime: TestRuntime): Promise<Record<string, string>> {
  const tokens: Record<string, string> = { administrator: runtime.token };
  for (const [n, [name, first, action]] of (
    [
      ["view all", 0, "view-all"],
      ["view own", 3, "view-own"],
      ["overrides only", 6, undefined],
    ] as const
  ).entries()) {
    const { id, token } = await runtime.person(name.replace(" ", "-"), []);
    const roles = [0, 1, 2].map((place) => FIRST_ROLE + first + place);
    const permissions = ["access-api", ...(action ? KINDS.map((kind) => `${kind}-${action}`) : [])];
    await runtime.ask("PUT", `/api/roles/${roles[0]}`, { body: { permissions } });
    await runtime.ask("PUT", `/api/users/${id}`, { body: { roles } });
    await rows(runtime.db, sql`update pages set owned_by = ${id}::integer where owned_by = ${FIRST_OWNER + n}`);
    tokens[name] = token;
  }
  return tokens;
}

async function tag(runtime: TestRuntime): Promise<void> {
  await rows(
    runtime.db,
    sql.raw(`insert into tags (kind, item_id, position, name, value)
      select 'page', n, 0, 'env', case when n % 2 = 0 then 'prod' else 'test' end from generate_series(1, (select max(id) from pages)) n
      union all select 'page', n, 1, 'ver', (n % 100)::text from generate_series(1, (select max(id) from pages)) n
      union all select 'page', n * 1000, 2, 'rare', 'yes' from generate_series(1, (select max(id) from pages) / 1000) n`),
  );
}

async function cell(runtime: TestRuntime, path: string, as: string): Promise<string> {
  const times: number[] = [];
  let total = "";
  for (let round = 0; round < ROUNDS + 2; round++) {
    const started = performance.now();
    const { status, body } = await runtime.ask("GET", `/api/${path}`, { as });
    if (status !== 200) throw new Error(`Cannot measure ${path}: found status ${status}, wanted 200`);
    if (round >= 2) times.push(performance.now() - started);
    total = `${body.total}${body.total_is_lower_bound ? "+" : ""}`;
  }
  const median = times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
  return `${shown(median)} (${total})`.padStart(18);
}

async function measure(pages: number, count: number): Promise<void> {
  const cluster = await startCluster();
  if (!cluster) throw new Error("Cannot measure: no PostgreSQL is installed here");
  process.env.DATABASE_URL = cluster.url;
  const runtime = await bootTestRuntime();
  try {
    const books = Math.max(2, Math.floor((FULL.books * pages) / FULL.pages));
    await fill(runtime.db, { ...FULL, pages, books, text: textOf(count) });
    await tag(runtime);
    const kinds = runtime.contexts.get("access")?.slot("content") ?? [];
    await runtime.runtime.bus.perform("app_boot", SYSTEM, {}, async (_, tx) => {
      await updateAllAccessLists(kinds, tx);
      return {};
    });
    const tokens = await people(runtime);
    let started = performance.now();
    await runtime.runtime.jobs.drain();
    out(`${pages} pages of ${count} words indexed in ${Math.round((performance.now() - started) / 1000)} s`);
    started = performance.now();
    await rows(runtime.db, sql.raw("vacuum analyze"));
    const [sizes] = await rows<Record<string, string>>(
      runtime.db,
      sql`select pg_size_pretty(pg_total_relation_size('search_index')) as entries, pg_size_pretty(pg_total_relation_size('pages')) as pages`,
    );
    out(`search_index ${sizes?.entries}, pages ${sizes?.pages}`);
    out(
      `${"".padEnd(28)}${Object.keys(tokens)
        .map((name) => name.padStart(18))
        .join("")}`,
    );
    for (const [what, path] of ASKED) {
      const cells: string[] = [];
      for (const as of Object.values(tokens)) cells.push(await cell(runtime, path, as));
      out(what.padEnd(28) + cells.join(""));
    }
    started = performance.now();
    await runtime.runtime.bus.perform("app_boot", SYSTEM, {}, async () => ({}));
    out(`app_boot with nothing to index ${shown(performance.now() - started)}`);
    started = performance.now();
    await runtime.runtime.jobs.drain();
    out(`its job ${shown(performance.now() - started)}`);
  } finally {
    await runtime.stop();
    await cluster.stop();
  }
}

if (process.argv[2] === "words") words();
else await measure(Number(process.argv[2] ?? FULL.pages), Number(process.argv[3] ?? 40));
