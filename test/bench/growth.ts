/**
 * What grows with the store: boot, listings and their totals, search, saving a page with tags, the screens of a book with a tenth of all
 * pages, the deletion of a user with as many, and what else changes many pages at once, over a store of so many pages with 40 words each, tags and one revision.
 * `bun test/bench/growth.ts [pages]`, 20,000 by default; a million takes some 20 minutes and 10 GB. `DATABASE_URL` names the
 * server on which it makes a database of its own, else a throw-away cluster of Debian's packages. It prints a row each, in
 * milliseconds; then bytes by table and index. Run it with two sizes to see what grows.
 */
import postgres from "postgres";
import { openStore } from "../../db/mod.ts";
import { createDatabase, startCluster } from "../support/harness/cluster.ts";
import { dataFolder, type Program, startProgram } from "../support/harness/program.ts";
import { fillGrowth, LARGE_BOOK, LARGE_OWNER, LARGE_SHELF } from "./growth_store.ts";
import { record } from "./record.ts";

const ROUNDS = 5;
const POLL_MS = 200;
const LISTINGS = [
  "pages?count=100",
  "pages?count=100&sort=name",
  "pages?count=100&offset=5000&sort=name",
  "pages?filter[name:ne]=x",
  "pages?filter[id:gt]=10",
  "pages?filter[priority:gt]=3",
  "pages?filter[draft:ne]=1",
  "pages?filter[created_by:ne]=7",
  "pages?filter[name:like]=%25a%25",
  "pages?filter[name:like]=%25abcd%25",
  "search?query=thousandth",
  "search?query=common",
  "tags/names",
  "tags/values-for-name?name=ver",
  "audit-log",
  `shelves/${LARGE_SHELF}`,
  `books/${LARGE_BOOK}`,
];
const PASSWORD = "a password of the bench";
const ALLOW = { role_permissions: [{ role_id: 3, view: true, create: false, update: false, delete: false }] };

const out = (line: string) => process.stdout.write(`${line}\n`);
const row = (what: string, ms: number, more = "") =>
  record(`${pages} pages`, { what, ms: ms < 10 ? ms.toFixed(1) : ms.toFixed(0), answer: more });
const median = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;

const cluster = process.env.DATABASE_URL ? undefined : await startCluster();
const server = process.env.DATABASE_URL ?? cluster?.url;
if (!server) throw new Error("Cannot measure: set DATABASE_URL or install PostgreSQL");
const pages = Number(process.argv[2] ?? 20_000);
const url = await createDatabase(server);
const folder = dataFolder();
const sql = postgres(url, { max: 1, onnotice: () => {} });
let program: Program | undefined;
try {
  await end(await start());
  const store = await openStore({ databaseUrl: url, dataDir: folder.path });
  await fillGrowth(store.db, pages, out);
  await store.close();
  const [first] = await timed("first boot", async () => (program = await start()));
  await timed("search index, by its jobs", idle);
  await end(first);
  await timed("boot", async () => (program = await start()));
  await timed("job of the search index after it", idle);
  await sql.unsafe("vacuum analyze");
  for (const path of LISTINGS) await reads(path);
  await saves();
  await screens();
  await deletion();
  await changes();
  await sizes();
} finally {
  if (program) await end(program);
  await sql.end();
  const admin = postgres(server, { max: 1 });
  await admin.unsafe(`drop database "${new URL(url).pathname.slice(1)}" with (force)`);
  await admin.end();
  await cluster?.stop();
  folder.remove();
}

function start(): Promise<Program> {
  return startProgram(folder.path, { DATABASE_URL: url, LOG_LEVEL: "error", ADMIN_PASSWORD: PASSWORD });
}

async function end(running: Program): Promise<void> {
  running.signal("SIGTERM");
  await running.ended;
}

async function timed<T>(what: string, run: () => Promise<T>): Promise<[T, number]> {
  const started = performance.now();
  const done = await run();
  row(what, performance.now() - started);
  return [done, performance.now() - started];
}

/** Waits until no job is left. */
async function idle(): Promise<void> {
  while ((await sql`select from jobs where not dead`).length > 0) await Bun.sleep(POLL_MS);
}

function ask(method: string, path: string, body?: unknown) {
  if (!program) throw new Error("Cannot ask: the program does not run");
  return program.ask(method, `/api/${path}`, body);
}

async function reads(path: string): Promise<void> {
  const times: number[] = [];
  let answer = await ask("GET", path);
  for (let round = 0; round < ROUNDS && answer.status === 200; round++) {
    const started = performance.now();
    answer = await ask("GET", path);
    times.push(performance.now() - started);
  }
  row(
    `GET ${path}`,
    median(times),
    answer.status === 200 ? `total ${answer.body.total ?? "–"}` : `status ${answer.status}`,
  );
}

/** A page that is saved again and again, with tags that others have too. */
async function saves(): Promise<void> {
  for (const tags of [undefined, ["env", "ver", "team"].map((name, n) => ({ name, value: String(n) }))]) {
    const times: number[] = [];
    for (let round = 0; round < 10 * ROUNDS; round++) {
      const started = performance.now();
      await ask("PUT", "pages/77", { name: `Saved ${round}`, ...(tags && { tags }) });
      times.push(performance.now() - started);
    }
    row(`PUT pages/77, ${tags ? "three tags" : "no tags"}`, median(times));
  }
}

/** The screens of the large book. */
async function screens(): Promise<void> {
  const base = `http://127.0.0.1:${program?.port}`;
  const sent = { email: "admin@example.com", password: PASSWORD };
  const signedIn = await fetch(`${base}/api/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(sent),
  });
  const headers = { accept: "text/html", cookie: signedIn.headers.get("set-cookie")?.split(";")[0] ?? "" };
  const [book] = await sql`select slug from books where id = ${LARGE_BOOK}`;
  const [page] = await sql`select slug from pages where book_id = ${LARGE_BOOK} order by id desc limit 1`;
  for (const path of ["", "/sort", `/page/${page?.slug}`]) {
    const times: number[] = [];
    let answer = { status: 0, bytes: 0 };
    for (let round = 0; round <= ROUNDS; round++) {
      const started = performance.now();
      const response = await fetch(`${base}/books/${book?.slug}${path}`, { headers });
      answer = { status: response.status, bytes: (await response.bytes()).length };
      if (round > 0) times.push(performance.now() - started);
    }
    row(
      `screen of the large book${path.replace(/page\/.*/, "page/…")}`,
      median(times),
      `status ${answer.status}, ${answer.bytes} bytes`,
    );
  }
}

async function deletion(): Promise<void> {
  await change("DELETE", `users/${LARGE_OWNER}`, { migrate_ownership_id: 1 });
  await timed("the job that gives the content to the heir", async () => {
    while ((await ask("GET", "user-transfers")).body.total !== 0) await Bun.sleep(POLL_MS);
  });
}

/** Changes of the book with a tenth of all pages; each is one transaction within its request. */
async function changes(): Promise<void> {
  await change("PUT", `content-permissions/book/${LARGE_BOOK}`, ALLOW);
  await change("PUT", `content-permissions/bookshelf/${LARGE_SHELF}`, ALLOW);
  await change("DELETE", `books/${LARGE_BOOK}`);
  await change("PUT", `recycle-bin/${await binned()}`);
  await change("DELETE", `books/${LARGE_BOOK}`);
  await change("DELETE", `recycle-bin/${await binned()}`);
}

async function binned(): Promise<number> {
  const [entry] = await sql`select id from deletions where deletable_type = 'book' and deletable_id = ${LARGE_BOOK}`;
  return Number(entry?.id ?? 0);
}

async function change(method: string, path: string, body?: unknown): Promise<void> {
  const started = performance.now();
  const { status } = await ask(method, path, body);
  row(`${method} ${path}`, performance.now() - started, `status ${status}`);
}

async function sizes(): Promise<void> {
  const found =
    await sql`select relname as name, pg_table_size(oid)::float8 as rows, pg_indexes_size(oid)::float8 as indexes
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by pg_total_relation_size(oid) desc limit 8`;
  for (const { name, rows, indexes } of found)
    record("Bytes a page", {
      table: name,
      "of its rows": Math.round(Number(rows) / pages),
      "of its indexes": Math.round(Number(indexes) / pages),
    });
}
