/**
 * Ways in which a plugin that was granted a table of its own could reach what it was not: each is refused, or has no effect.
 * A way is SQL that the plugin runs outside transactions and again within an event; what it could have stolen or changed is
 * looked at afterwards with the rights of the runtime.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { CompiledQuery, Kysely } from "kysely";
import { definePlugin, type EventTransaction, SYSTEM, sql } from "lectern/core";
import { type Db, rows, StatementRefused, write } from "lectern/db";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

declare module "lectern/core" {
  interface Events {
    escape_try: { draft: object; result: object };
  }
}
declare module "lectern/db" {
  interface Tables {
    escape_own: { id: number; word: string };
  }
}

type Run = (db: Db) => Promise<unknown>;
let runtime: TestRuntime;
let own: Db;
let performs: (action: (tx: EventTransaction) => Promise<void>) => Promise<unknown>;

const captive = definePlugin({
  name: "captive",
  grants: { write: ["escape_own"], read: ["books"], system: true },
  events: ["escape_try"],
  migrations: {
    "0001_init": async (db) => {
      await sql`create table escape_own (id integer primary key, word text)`.execute(db);
      await sql`insert into escape_own values (1, 'mine')`.execute(db);
    },
  },
  setup({ db, perform }) {
    own = db as unknown as Db;
    performs = (action) =>
      perform("escape_try", SYSTEM, {}, async (draft, tx) => {
        await action(tx);
        return draft;
      });
  },
});

beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [captive] });
  await runtime.store.sql`create view all_users as select * from users`;
}, 120_000);
afterAll(() => runtime.stop());

const text =
  (statement: string): Run =>
  (db) =>
    sql.raw(statement).execute(db);
const XML = "query_to_xml('select password from users', true, true, '')";

/** Refused: by the server's check of rights, or since it is no statement that reads or writes rows. */
const REFUSED: Record<string, Run> = {
  "select of a foreign table": text("select * from users"),
  "a template by rows()": (db) => rows(db, sql`select password from users`),
  "a template by write()": (db) =>
    write(db, sql`update users set password = '' where id = 1`).then(() => rows(db, sql`select 1`)),
  "withoutPlugins()": (db) => db.withoutPlugins().selectFrom("users").selectAll().execute(),
  "a compiled query": (db) => db.executeQuery(CompiledQuery.raw("select * from users")),
  "the connection behind the executor": (db) =>
    db
      .getExecutor()
      .provideConnection((connection) => connection.executeQuery(CompiledQuery.raw("select * from users"))),
  "a stream of the connection": (db) =>
    db.getExecutor().provideConnection(async (connection) => {
      for await (const part of connection.streamQuery(CompiledQuery.raw("select * from users"), 10))
        expect(part).toBeUndefined();
    }),
  "a Kysely over the plugin's own parts": (db) => {
    const executor = db.getExecutor();
    const forged = Object.assign(Object.create(Kysely.prototype) as Db, { getExecutor: () => executor });
    return rows(forged, sql`select * from users`);
  },
  "a view over a foreign table": text("select * from all_users"),
  "a join": text("select u.password from books b full join users u on true"),
  "a lateral subquery": text("select x.* from (values (1)) v(i), lateral (select * from users where id = v.i) x"),
  "a with clause": text("with u as (select * from users) select * from u"),
  "a row as json": text("select to_jsonb(u) from users u"),
  "a count": text("select count(*) from users"),
  "a quoted name": text('select * from "users"'),
  "a Unicode name": text(`select * from U&"u\\0073ers"`),
  "the table by its schema": text("select * from public.users"),
  "the table command": text("table users"),
  "values with a subselect": text("values ((select password from users limit 1))"),
  query_to_xml: text(`select ${XML}::text`),
  "query_to_xml from a parameter": (db) =>
    sql`select query_to_xml(${"select * from users"}, true, true, '')::text as x`.execute(db),
  "query_to_xml by a Unicode name": text(`select U&"quer\\0079_to_xml"('select * from users', true, true, '')::text`),
  table_to_xml: text("select table_to_xml('users', true, true, '')::text"),
  "query_to_xml that writes": text("select query_to_xml('delete from users returning id', true, true, '')::text"),
  "query_to_xml that declares a cursor": text(
    "select query_to_xml('declare c cursor with hold for select 1', true, true, '')::text",
  ),
  "query_to_xml that alters the plugin's function": text(
    `select query_to_xml('alter function lectern_grants."run:captive"(text, text[]) security invoker', true, true, '')::text`,
  ),
  ts_stat: text("select * from ts_stat('select password::tsvector from users')"),
  ts_rewrite: text("select ts_rewrite('a'::tsquery, 'select password::tsquery, password::tsquery from users')"),
  cursor_to_xml: text("select cursor_to_xml('', 10, true, true, '')::text"),
  insert: text("insert into users (name) values ('me')"),
  "insert from a foreign table": text("insert into escape_own select id, password from users"),
  update: text("update users set name = 'me'"),
  "update from a foreign table": text("update escape_own set word = u.password from users u"),
  delete: text("delete from users"),
  merge: text("merge into users u using escape_own o on o.id = u.id when matched then delete"),
  truncate: text("truncate users"),
  "writing what may be read": text("update books set name = 'x'"),
  "a row lock on what may be read": text("select id from books for update"),
  "a foreign key to a foreign table": text("alter table escape_own add foreign key (id) references users"),
  "a trigger on a foreign table": text(
    "create trigger t before insert on users for each row execute function suppress_redundant_updates_trigger()",
  ),
  "a trigger on the plugin's own table": text(
    "create trigger t before insert on escape_own for each row execute function suppress_redundant_updates_trigger()",
  ),
  "a rule": text("create rule r as on insert to escape_own do also delete from users"),
  "a new view": text("create view mine as select * from users"),
  "a definer function": text(
    "create function public.mine() returns text language sql security definer as 'select 1::text'",
  ),
  "a temporary table": text("create temporary table users (id int)"),
  "a temporary table by select into": text("select 1 as id into temporary users"),
  "a table by select into": text("select 1 as id into mine"),
  PREPARE: text("prepare p as select * from users"),
  EXECUTE: text("execute p"),
  "a DO block": text("do $$ begin perform password from users; end $$"),
  "set role": text("set role none"),
  "set local role": text("set local role none"),
  "reset role": text("reset role"),
  "reset all": text("reset all"),
  "set session authorization": text("set session authorization default"),
  "set_config of the role": text("select set_config('role', 'none', false)"),
  "set_config of the session": text("select set_config('session_authorization', session_user, false)"),
  "set_config of the search_path": text("select set_config('search_path', 'pg_temp, public', false)"),
  "set_config of the time zone, for the transaction": text("select set_config('TimeZone', 'Asia/Tokyo', true)"),
  "set_config of the timeout": text("select set_config('statement_timeout', '1', false)"),
  "an update of pg_settings": text("update pg_settings set setting = 'off' where name = 'standard_conforming_strings'"),
  "declare a cursor": text("declare c cursor for select 1"),
  "declare a cursor with hold": text(`declare c cursor with hold for select ${XML}`),
  "fetch from a cursor": text("fetch all from c"),
  commit: text("commit"),
  rollback: text("rollback"),
  savepoint: text("savepoint s"),
  "set the transaction": text("set transaction isolation level serializable"),
  listen: text("listen lectern_cache"),
  "copy to a file": text("copy escape_own to '/tmp/lectern_escape'"),
  "copy to a program": text("copy escape_own to program 'id'"),
  "copy from a program": text("copy escape_own from program 'echo 1'"),
  lo_import: text("select lo_import('/etc/passwd')"),
  pg_read_file: text("select pg_read_file('/etc/passwd')"),
  dblink: text("select * from dblink('dbname=postgres', 'select 1') as t(a int)"),
  "the server's passwords": text("select rolpassword from pg_authid"),
  "the server's passwords by their view": text("select passwd from pg_shadow"),
  "statistics of values": text("select * from pg_statistic"),
  "another plugin's function": text(`select * from lectern_grants."run:captive"('select 1', null) as t(a int)`),
  "alter a table": text("alter table escape_own add column more text"),
  "drop a table": text("drop table escape_own"),
  "drop owned": text("drop owned by current_user"),
  "a comment": text("comment on table escape_own is 'x'"),
  "a security label": text("security label on table escape_own is 'x'"),
  "grant to everybody": text("grant select on escape_own to public"),
  "several commands": text("select 1; select password from users"),
  "several commands behind a comment": text("select 1 /* ; */ ; delete from users"),
  "end another session": text("select pg_terminate_backend(pg_backend_pid())"),
  explain: text("explain analyze select * from users"),
  call: text("call pg_catalog.nothing()"),
};

const codes = ["42501", "42601", "0A000", "42P11", "55000", "42883", "25001"];

async function attempt(run: () => Promise<unknown>): Promise<string> {
  try {
    return `went through: ${JSON.stringify(await run())}`;
  } catch (error) {
    const { name, code } = error as { name: string; code?: string };
    if (error instanceof StatementRefused || name === "GrantError") return "refused";
    return codes.includes(code ?? "") ? "refused" : `${name} ${code}: ${(error as Error).message}`;
  }
}

/** What an escape would have changed: users, and the settings, cursors and locks of every session of the pools. */
async function traces() {
  const { sql: tool, db } = runtime.store;
  const [people] =
    await tool`select count(*)::int as n, md5(string_agg(users::text, ',' order by id)) as hash from users`;
  const [locks] = await tool`select count(*)::int as n from pg_locks where locktype = 'advisory' and granted
    and database = (select oid from pg_database where datname = current_database())`;
  const sessions = await Promise.all(
    Array.from({ length: 8 }, () =>
      rows<object>(
        db,
        sql`select current_setting('TimeZone') as zone, current_setting('search_path') as path, current_user = session_user as own,
          current_setting('standard_conforming_strings') as strings, (select count(*)::int from pg_cursors where is_holdable) as cursors`,
      ),
    ),
  );
  return { people, locks, sessions: [...new Set(sessions.flat().map((one) => JSON.stringify(one)))] };
}

for (const [way, run] of Object.entries(REFUSED))
  test(`a plugin is refused: ${way}`, async () => {
    const before = await traces();
    expect(await attempt(() => run(own))).toBe("refused");
    expect(await attempt(() => own.connection().execute(run))).toBe("refused");
    expect(await attempt(() => own.transaction().execute(run))).toBe("refused");
    expect(await attempt(() => performs(async ({ db }) => void (await run(db))))).toBe("refused");
    expect(await traces()).toEqual(before);
  });

test("what other sessions run stays hidden from a plugin", async () => {
  const others = await rows<{ query: string }>(
    own,
    sql`select query from pg_stat_activity where datname = current_database()`,
  );
  expect([...new Set(others.map(({ query }) => query))]).toEqual(["<insufficient privilege>"]);
  expect(await rows(own, sql`select * from pg_stats where tablename = 'users'`)).toEqual([]);
});

test("advisory locks of a plugin end with its statement, a failed one included", async () => {
  for (const statement of [
    "select pg_advisory_lock(7206415)",
    "select pg_advisory_lock(1) from (select 1 / (id - 1) from escape_own) x",
  ]) {
    await attempt(() => text(statement)(own));
    await attempt(() => performs(async ({ db }) => void (await text(statement)(db))));
  }
  expect(await until(traces, ({ locks }) => locks?.n === 0, 1_000)).toMatchObject({ locks: { n: 0 } });
});

test("notices of a plugin make caches forget, and nothing else", async () => {
  for (const payload of ["{", "null", '"x"', '{"name":"users:viewers"}', '{"name":1,"key":{}}', "x".repeat(7000)])
    await sql`select pg_notify('lectern_cache', ${payload}), pg_notify('lectern_jobs', ${payload})`.execute(own);
  // Notices come in their order: after one on another channel the server has heard those before.
  const heard = Promise.withResolvers<string>();
  const stop = await runtime.store.listen("escape_test", { onNotify: heard.resolve });
  await runtime.store.notify("escape_test", "the last");
  expect(await heard.promise).toBe("the last");
  await stop();
  expect((await runtime.ask("GET", "/api/books")).status).toBe(200);
});

test("a plugin reads and writes what it was granted, in transactions with all that belongs to them", async () => {
  await performs(async ({ db }) => {
    await write(db, sql`insert into escape_own values (2, 'two')`);
    await db.updateTable("escape_own").set({ word: "three" }).where("id", "=", 2).execute();
  });
  expect(await own.selectFrom("escape_own").selectAll().orderBy("id").execute()).toEqual([
    { id: 1, word: "mine" },
    { id: 2, word: "three" },
  ]);
  await sql`lock table escape_own in exclusive mode`.execute(own);
  await own
    .transaction()
    .setIsolationLevel("serializable")
    .execute((tx) => tx.deleteFrom("escape_own").where("id", "=", 2).execute());
  expect(
    await attempt(() =>
      own
        .transaction()
        .setIsolationLevel("serializable; set role none" as never)
        .execute(async () => 1),
    ),
  ).not.toContain("went through");
});
