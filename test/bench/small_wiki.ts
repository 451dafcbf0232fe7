/**
 * `bun test/bench/small_wiki.ts [seconds] [word]`: searches over the API of a wiki of 300 pages of 8 KB, a third of them with letters beside
 * ASCII, at one connection: milliseconds, and the CPU of the server and of PostgreSQL for each. With a word, only the searches
 * whose names contain it.
 */
import { readdirSync, readFileSync } from "node:fs";
import postgres from "postgres";
import { openBenchServers, SERVE, TOKEN } from "./bench_servers.ts";
import { load } from "./load.ts";
import { record } from "./record.ts";

const PORT = 18_096;
const BOOKS = 20;
const PAGES = 300;
const CHARACTERS = 8_000;
const WARM_S = 1;
const headers = { authorization: `Token ${TOKEN}` };
const seconds = Number(process.argv[2] ?? 3);
const word = process.argv[3] ?? "";

const SEARCHES: Readonly<Record<string, (n: number) => string>> = {
  "a word of every name": () => "page",
  "three words, one of every name": (n) => `node page ${n % PAGES}`,
  "three words of texts": () => "failover backup restore",
  "a rare word": (n) => `rare${n % PAGES}`,
  "a word of no page": () => "nobodywrotethis",
  "a word of one kind": () => "server {type:page}",
  "a tag": () => "[team=ops]",
  "a phrase": () => '"quorum lease"',
};

const WORDS =
  `the of and to in is that for as was with by on not this have from or one you all there would been when who will more no if out
  so up what about into than them can only other time new some could these two may first then do any like my now over such our man
  house world database server deploy rollback failover backup network router switch firewall incident runbook pager kernel driver
  cluster node replica primary leader follower quorum lease token secret rotate certificate expiry alert metric dashboard trace
  sample query index vacuum checkpoint snapshot restore archive retention policy straße für größe über café`.split(
    /\s+/,
  );

/** Words in an order that is the same in each run; the first ones of the list are frequent. */
function wordsFrom(seed: number): (most: number) => string {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return (most) => WORDS[Math.floor(random() * random() * most)] ?? "";
}

function bodyOf(page: number, next: (most: number) => string): string {
  const most = page % 3 === 0 ? WORDS.length : WORDS.length - 5;
  let html = "";
  for (let part = 0; html.length < CHARACTERS; part++) {
    if (part % 5 === 0) html += `<h2>${next(most)} ${next(most)}</h2>`;
    html += `<p>${Array.from({ length: 50 }, () => next(most)).join(" ")} rare${(page * 7 + part) % PAGES}.</p>`;
  }
  return html;
}

async function seed(): Promise<void> {
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(`http://127.0.0.1:${PORT}${path}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`Cannot measure: ${path} answered ${answer.status}`);
  };
  const next = wordsFrom(42);
  for (let n = 1; n <= BOOKS; n++) await post("/api/books", { name: `Book ${n} ${next(80)}` });
  for (let n = 0; n < PAGES; n++)
    await post("/api/pages", {
      book_id: (n % BOOKS) + 1,
      name: `${next(80)} ${next(80)} page ${n}`,
      html: bodyOf(n, next),
      tags: [{ name: "team", value: "ops" }],
    });
}

/** CPU that the threads of a process have taken, in milliseconds; 0 of one that has ended. */
function cpuOf(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const ran = (id: string) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, "utf8").split(" ")[0]);
    return threads.reduce((sum, id) => sum + ran(id), 0) / 1e6;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}

const servers = await openBenchServers();
try {
  const server = await servers.start([process.execPath, ...SERVE], { ...servers.env, PORT: String(PORT) }, PORT);
  await seed();
  const admin = postgres(servers.url, { max: 1 });
  await admin.unsafe("vacuum analyze");
  const sessions = async () =>
    (await admin`select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`)
      .map(({ pid }) => cpuOf(pid))
      .reduce((sum, ms) => sum + ms, 0);
  for (const [name, query] of Object.entries(SEARCHES).filter(([name]) => name.includes(word))) {
    const path = (n: number) => `/api/search?query=${encodeURIComponent(query(n))}`;
    const run = (time: number) => load(PORT, 1, time, (n) => ({ method: "GET", path: path(n), headers }));
    await run(WARM_S);
    const [ours, theirs] = [cpuOf(server.pid), await sessions()];
    const { perSecond, p50, p99, refused } = await run(seconds);
    const perSearch = (ms: number) => (ms / (perSecond * seconds)).toFixed(2);
    record("Searches of 300 pages at one connection", {
      search: name,
      "p50 ms": p50.toFixed(2),
      "p99 ms": p99.toFixed(2),
      "CPU ms of the server": perSearch(cpuOf(server.pid) - ours),
      "CPU ms of PostgreSQL": perSearch((await sessions()) - theirs),
      refused,
    });
  }
  await admin.end();
} finally {
  await servers.stop();
}
