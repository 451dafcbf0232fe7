/**
 * Every trigger and every function of the store runs on this server: PL/pgSQL looks up the tables, columns and operators of a
 * statement when it runs it, and not before. A trigger is tried alone and for each of its events, over rows that requests have made;
 * the server counts the calls of its function (track_functions). One that refuses the statement has run too.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Store } from "lectern/db";
import { pictureForm } from "../support/data/sample_gallery.ts";
import { installed, sampleHosts } from "../support/data/sample_hosts.ts";
import { png } from "../support/data/sample_pictures.ts";
import { openTestStore } from "../support/harness/test_database.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

type Sql = TestRuntime["store"]["sql"];

/** One event of a trigger. */
interface Fired {
  readonly table: string;
  readonly trigger: string;
  readonly event: "insert" | "update" | "delete" | "truncate";
  readonly function: string;
}

/** A function that no extension brought. */
interface Found {
  readonly name: string;
  readonly signature: string;
  readonly isTrigger: boolean;
  /** What it does with a plugin's statement: "run" or "exec"; null for others. */
  readonly runs: "run" | "exec" | null;
}

/** Calls of the functions that belong to no trigger and to no role. */
const CALLS: Readonly<Record<string, string>> = {
  text_key: "text_key('Äpfel, 10 ß')",
  text_pattern: "text_pattern('%Ä_10\\%')",
};

/** Triggers by event, from the bits of pg_trigger.tgtype. */
const TRIGGERS = `select c.relname as table, t.tgname as trigger, e.event, t.tgfoid::regproc::text as function
  from pg_trigger t join pg_class c on c.oid = t.tgrelid
    cross join (values (4, 'insert'), (8, 'delete'), (16, 'update'), (32, 'truncate')) as e (bit, event)
  where not t.tgisinternal and t.tgtype & e.bit <> 0 order by 1, 2, 3`;

const FUNCTIONS = `select p.proname as name, p.oid::regprocedure::text as signature, p.prorettype = 'trigger'::regtype as "isTrigger",
    case when n.nspname = 'lectern_grants' then substr(p.proname, 1, strpos(p.proname, ':') - 1) end as runs
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e') order by 1`;

/** Another value of a column, by the category of its type. */
const OTHER: Readonly<Record<string, (name: string) => string>> = {
  S: (name) => `${name} || 'x'`,
  N: (name) => `${name} + 1000`,
  B: (name) => `not ${name}`,
};

let runtime: TestRuntime;
let admin: Store;

beforeAll(async () => {
  runtime = await bootTestRuntime();
  // The account of the embedded store may not count calls of functions.
  admin = await openTestStore(runtime.database, 2, true);
  // Creates the triggers that report changes.
  await runtime.runtime.start();
  await fill(runtime);
  const { sql } = runtime.store;
  // So that rows can be deleted, come back, and have any values.
  const constraints = await sql<{ table: string; name: string }[]>`
    select conrelid::regclass::text as table, quote_ident(conname) as name from pg_constraint where contype in ('f', 'c')
      and conrelid <> 0`;
  for (const { table, name } of constraints) await sql.unsafe(`alter table ${table} drop constraint ${name}`);
});
afterAll(async () => {
  await admin.close();
  await runtime.stop();
});

/** Makes a row in each table that has triggers. */
async function fill(server: TestRuntime): Promise<void> {
  const made = async (path: string, body: object) => {
    const answer = await server.ask("POST", path, body instanceof FormData ? { parts: body } : { body });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.body;
  };
  const book = await made("/api/books", { name: "Runbooks", tags: [{ name: "area", value: "ops" }] });
  await made("/api/shelves", { name: "Operations", books: [book.id] });
  const chapter = await made("/api/chapters", { book_id: book.id, name: "Databases" });
  const page = await made("/api/pages", { chapter_id: chapter.id, name: "Failover", html: "<p>soon</p>" });
  await made("/api/comments", { page_id: page.id, html: "<p>agreed</p>" });
  await made("/api/attachments", { name: "Link", uploaded_to: page.id, link: "https://example.com/" });
  await made("/api/image-gallery", pictureForm(png(), "rack.png", { type: "gallery", uploaded_to: page.id }));
  const dashboard = sampleHosts(server);
  const host = await dashboard.host("db-1");
  const report = {
    packages: [installed("bash", "risk")],
    repositories: [{ url: "https://deb.example/", isEnabled: true }],
  };
  expect((await dashboard.report(host, report)).status).toBe(200);
}

/** The triggers that do not run on some event, with the reason. */
async function idleTriggers(sql: Sql): Promise<string[]> {
  const triggers = await sql.unsafe<Fired[]>(TRIGGERS);
  expect(triggers.length).toBeGreaterThan(70);
  const found: string[] = [];
  for (const one of triggers) {
    const reason = await idleReason(sql, one);
    if (reason !== undefined) found.push(`${one.trigger} on ${one.table}, ${one.event}: ${reason}`);
  }
  return found;
}

/** Fires one trigger over all rows of its table, and undoes it. Undefined where its function ran to its end. */
async function idleReason(sql: Sql, { table, trigger, event, function: called }: Fired): Promise<string | undefined> {
  const session = await sql.reserve();
  try {
    await session.unsafe(`begin; set local track_functions = 'all'; alter table "${table}" disable trigger user`);
    const statement = await statementFor(session, table, event);
    await session.unsafe(`alter table "${table}" enable trigger "${trigger}"`);
    const before = await callsOf(session, called);
    await session.unsafe(statement);
    return (await callsOf(session, called)) > before ? undefined : "its function is not called";
  } catch (error) {
    const { message, where = "" } = error as { message: string; where?: string };
    return /^PL\/pgSQL function (\S+)\(\) line \d+ at RAISE$/.exec(where)?.[1] === called ? undefined : message;
  } finally {
    await session.unsafe("rollback");
    session.release();
  }
}

/** Calls of a function that the session has not reported yet: also those of transactions before. */
async function callsOf(session: Pick<Sql, "unsafe">, name: string): Promise<number> {
  const text = "select calls from pg_stat_xact_user_functions where funcid = $1::regproc";
  const [found] = await session.unsafe<{ calls: number }[]>(text, [name]);
  return Number(found?.calls ?? 0);
}

/** A statement for all rows of a table; an insert brings back those that are deleted before. */
async function statementFor(session: Pick<Sql, "unsafe">, table: string, event: Fired["event"]): Promise<string> {
  if (event === "truncate") return `truncate "${table}"`;
  if (event === "delete") return `delete from "${table}"`;
  const columns = await session.unsafe<{ name: string; type: string; isIdentity: boolean }[]>(
    `select quote_ident(attname) as name, typcategory as type, attidentity = 'a' as "isIdentity" from pg_attribute
      join pg_type on pg_type.oid = atttypid
      where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  const names = columns.map(({ name }) => name).join(", ");
  const changes = columns.filter(({ isIdentity }) => !isIdentity);
  if (event === "update")
    return `update "${table}" set ${changes.map(({ name, type }) => `${name} = ${OTHER[type]?.(name) ?? name}`).join(", ")}`;
  await session.unsafe(`create temporary table kept as select ${names} from "${table}"; delete from "${table}"`);
  return `insert into "${table}" (${names}) overriding system value select ${names} from kept`;
}

/** The functions that do not run, with the reason; those of triggers run with these. */
async function idleFunctions(sql: Sql): Promise<string[]> {
  const functions = await sql.unsafe<Found[]>(FUNCTIONS);
  expect(functions.length).toBeGreaterThan(100);
  const called = new Set((await sql.unsafe<Fired[]>(TRIGGERS)).map((one) => one.function));
  const found: string[] = [];
  for (const { name, signature, isTrigger, runs } of functions) {
    const call = runs ? ROLE_CALLS[runs](name) : CALLS[name] && `select ${CALLS[name]}`;
    if (isTrigger) {
      if (!called.has(name)) found.push(`${signature}: it has no trigger`);
    } else if (call === undefined) found.push(`${signature}: there is no call of it in CALLS`);
    else await sql.unsafe(call).catch((error: Error) => found.push(`${signature}: ${error.message}`));
  }
  return found;
}

const ROLE_CALLS = {
  run: (name: string) => `select n from lectern_grants."${name}"('select $1[1]::int', '{7}') as t (n int)`,
  exec: (name: string) => `select lectern_grants."${name}"('select $1[1]', '{7}')`,
};

test("every trigger runs, for each of its events", async () => {
  expect(await idleTriggers(admin.sql)).toEqual([]);
});

test("every function runs", async () => {
  expect(await idleFunctions(runtime.store.sql)).toEqual([]);
});

test("a trigger that never fires or fails, and a function that nothing calls, are found", async () => {
  const { sql } = runtime.store;
  await sql.unsafe(`
    create function alone() returns integer language sql as 'select 1';
    create function orphaned() returns trigger language plpgsql as 'begin return null; end';
    create function failing() returns trigger language plpgsql as 'begin perform nothing from nowhere; return new; end';
    create trigger shy before update on books for each row when (old.id is null) execute function failing();
    create trigger failing before insert on books for each row execute function failing()`);
  expect(await idleTriggers(admin.sql)).toEqual([
    'failing on books, insert: relation "nowhere" does not exist',
    "shy on books, update: its function is not called",
  ]);
  expect(await idleFunctions(sql)).toEqual([
    "alone(): there is no call of it in CALLS",
    "orphaned(): it has no trigger",
  ]);
});
