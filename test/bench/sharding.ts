/**
 * Which statements of Lectern stay in one shard if content is distributed: the tables become hash-partitioned by a would-be
 * distribution key in a new, empty database, and the plan of each prepared statement (`test/fixtures/statements.sql`) shows
 * how many partitions of each table it touches, after pruning by its parameters.
 * `DATABASE_URL=postgres://… bun test/bench/sharding.ts [book|item] [word]`; without a URL a throw-away cluster of Debian's packages.
 * With `book` pages and chapters are distributed by the id of their book, with `item` by their own id. What belongs to a page is distributed by
 * its id in both. With a word, the statements are listed whose verdict contains it. PostgreSQL 14 or later.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { createDatabase, startCluster } from "../support/harness/cluster.ts";
import { dataFolder, startProgram } from "../support/harness/program.ts";

const PARTS = 8;
const OWN = {
  page_revisions: "page_id",
  comments: "page_id",
  attachments: "uploaded_to",
  images: "uploaded_to",
  tags: "item_id",
  search_index: "item_id",
  item_views: "item_id",
  content_links: "from_id",
  slug_history: "item_id",
  entity_permissions: "item_id",
};
const KEYS: Record<string, Record<string, string>> = {
  book: { pages: "book_id", chapters: "book_id", books: "id", ...OWN },
  item: { pages: "id", chapters: "id", books: "id", ...OWN },
};
/** Values of parameters by their type; any other type gets null. */
const VALUES: Record<string, string> = {
  integer: "1",
  bigint: "1",
  smallint: "1",
  numeric: "1",
  "double precision": "1",
  text: "'page'",
  boolean: "true",
  "integer[]": "'{1}'",
  "text[]": "'{page}'",
  "timestamp with time zone": "now()",
  jsonb: "'[]'",
  "double precision[]": "'{1}'",
};

const out = (line: string) => process.stdout.write(`${line}\n`);
const chosen = process.argv[2] ?? "book";
const keys = KEYS[chosen];
if (!keys) throw new Error(`Cannot distribute by "${chosen}": wanted ${Object.keys(KEYS).join(" or ")}`);

const cluster = process.env.DATABASE_URL ? undefined : await startCluster();
const server = process.env.DATABASE_URL ?? cluster?.url;
if (!server) throw new Error("Cannot measure: set DATABASE_URL or install PostgreSQL");
const url = await createDatabase(server);
const folder = dataFolder();
const sql = postgres(url, { max: 1, onnotice: () => {} });
try {
  const program = await startProgram(folder.path, { DATABASE_URL: url, PLUGIN_ROLES: "third-party" });
  program.signal("SIGTERM");
  await program.ended;
  for (const [table, key] of Object.entries(keys)) await distribute(table, key);
  await report();
} finally {
  await sql.end();
  const admin = postgres(server, { max: 1 });
  await admin.unsafe(`drop database "${new URL(url).pathname.slice(1)}" with (force)`);
  await admin.end();
  await cluster?.stop();
  folder.remove();
}

/** Replaces a table by a partitioned one with the same columns, indexes and triggers, and says which of them are refused. */
async function distribute(table: string, key: string): Promise<void> {
  const definitions = await sql.unsafe(
    `select pg_get_indexdef(indexrelid) as text from pg_index where indrelid = '${table}'::regclass`,
  );
  const triggers = await sql.unsafe(
    `select pg_get_triggerdef(oid) as text from pg_trigger where tgrelid = '${table}'::regclass and not tgisinternal`,
  );
  await sql.unsafe(`alter table ${table} rename to ${table}_whole`);
  await sql.unsafe(
    `create table ${table} (like ${table}_whole including defaults including generated) partition by hash (${key})`,
  );
  for (let part = 0; part < PARTS; part++)
    await sql.unsafe(
      `create table ${table}_part${part} partition of ${table} for values with (modulus ${PARTS}, remainder ${part})`,
    );
  await sql.unsafe(`drop table ${table}_whole cascade`);
  for (const { text } of [...definitions, ...triggers])
    await sql
      .unsafe(String(text))
      .catch((error: Error) => out(`refused: ${String(text).slice(0, 110)}\n  ${error.message}`));
}

interface Verdict {
  readonly name: string;
  readonly verdict: string;
}

async function report(): Promise<void> {
  await sql.unsafe("set plan_cache_mode = force_custom_plan");
  const text = readFileSync(join(import.meta.dir, "../fixtures/statements.sql"), "utf8");
  const verdicts: Verdict[] = [];
  for (const block of text.split(/^-- /m).slice(2)) {
    const end = block.indexOf("\n");
    verdicts.push({
      name: block.slice(0, end),
      verdict: await judge(
        block
          .slice(end + 1)
          .trim()
          .replace(/;$/, ""),
      ),
    });
  }
  const counts = Object.groupBy(verdicts, ({ verdict }) => verdict.replace(/:.*/s, ""));
  for (const [verdict, found = []] of Object.entries(counts)) out(`${String(found.length).padStart(4)}  ${verdict}`);
  const word = process.argv[3];
  if (word !== undefined)
    for (const { name, verdict } of verdicts) if (verdict.includes(word)) out(`${name}  ${verdict.split("\n")[0]}`);
}

async function judge(statement: string): Promise<string> {
  const names: string[] = [];
  const numbered = statement
    .replace(/(?<![:\w]):visible\b/g, "true")
    .replace(/(?<![:\w]):([a-z]\w*)/gi, (_, name: string) => {
      if (!names.includes(name)) names.push(name);
      return `$${names.indexOf(name) + 1}`;
    });
  try {
    await sql.unsafe(`prepare judged as ${numbered}`);
    const [prepared] = await sql.unsafe(
      "select parameter_types::text[] as types from pg_prepared_statements where name = 'judged'",
    );
    const values = ((prepared?.types ?? []) as string[]).map((type) => VALUES[type] ?? "null");
    const plan = await sql.unsafe(
      `explain (costs off) execute judged${values.length > 0 ? `(${values.join(", ")})` : ""}`,
    );
    const lines = plan.map((row) => String(row["QUERY PLAN"])).join("\n");
    const touched = new Map<string, Set<string>>();
    for (const [, table = "", part = ""] of lines.matchAll(/\b(\w+)_part(\d+)\b(?!_)/g))
      touched.set(table, (touched.get(table) ?? new Set()).add(part));
    if (touched.size === 0)
      return /\b(pages|chapters|books|tags|comments|attachments|images|search_index|item_views|slug_history|content_links|page_revisions|entity_permissions)\b/.test(
        statement,
      )
        ? "one shard or none"
        : "no distributed table";
    const wide = [...touched].filter(([, parts]) => parts.size > 1);
    return wide.length === 0 ? "one shard" : `all shards: ${wide.map(([table]) => table).join(", ")}`;
  } catch (error) {
    return `not tried, since a parameter is a part of SQL or without a type: ${(error as Error).message}`;
  } finally {
    await sql.unsafe("deallocate all");
  }
}
