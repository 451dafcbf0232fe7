/**
 * What the migrations and the `syncSchema` of a plugin that does not ship may change: what the plugin has made, and nothing else, also
 * not by what others set off later when they write its tables. More needs the grant `schema`, and a purge undoes either.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AnyPlugin, definePlugin, sql } from "lectern/core";
import { type Db, migrate, rows, runAsDefiner, SchemaDenied, StoreError } from "lectern/db";
import { leftoversOf, purgePlugin } from "../../core/cli/purge_plugin.ts";
import { SchemaRoles } from "../../core/runtime/schema_roles.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

declare module "lectern/db" {
  interface Tables {
    maker_notes: { id: number; word: string | null; book_id: number | null };
    elder_notes: { id: number };
  }
}

let runtime: TestRuntime;
let roles: SchemaRoles;
let tries = 0;
/** Of the roles of this database. */
let prefix = "";

const maker = definePlugin({
  name: "maker",
  grants: { read: ["books"], write: ["maker_notes"], columns: { users: ["id", "email"] } },
  migrations: {
    "0001_init": async (db) => {
      await db.schema
        .createTable("maker_notes")
        .addColumn("id", "integer", (column) => column.primaryKey().generatedByDefaultAsIdentity())
        .addColumn("word", "text")
        .addColumn("book_id", "integer", (column) => column.references("books.id").onDelete("cascade"))
        .execute();
      await sql`create type maker_mood as enum ('good', 'bad'); create sequence maker_numbers`.execute(db);
      await sql`alter table maker_notes add column mood maker_mood default 'good',
        add column user_id integer references users (id), add check (length(word) < 100)`.execute(db);
    },
    "0002_more": async (db) => {
      await sql`create view maker_words as select word from maker_notes`.execute(db);
      await sql`create function maker_lower() returns trigger language plpgsql as $$
        begin new.word := lower(new.word); return new; end $$`.execute(db);
      await runAsDefiner(db, "maker_lower");
      await sql`create trigger maker_lower before insert on maker_notes for each row execute function maker_lower()`.execute(
        db,
      );
      const books = await rows<{ id: number }>(db, sql`select id from books order by id limit ${1}`);
      await sql`insert into maker_notes (word, book_id) values (${"FIRST"}, ${books[0]?.id ?? null})`.execute(db);
      await sql`create index maker_notes_word on maker_notes (lower(word))`.execute(db);
    },
  },
  syncSchema: async (db) =>
    void (await sql`create index if not exists maker_synced on maker_notes (book_id)`.execute(db)),
  setup() {},
});
const other = (name: string, permissions: AnyPlugin["grants"] = {}) =>
  definePlugin({ name, grants: permissions, setup() {} });
const mighty = other("mighty", { schema: true });
const elder = other("elder", { write: ["elder_notes"] });

beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [maker] });
  const thirdParty = new Set(["maker", "mighty", "elder"]);
  roles = new SchemaRoles({ store: runtime.store, mode: "third-party", thirdParty });
  const comment = sql<{ text: string }>`select obj_description('lectern_grants'::regnamespace, 'pg_namespace') as text`;
  prefix = (await rows(runtime.db, comment))[0]?.text ?? "";
}, 120_000);
afterAll(() => runtime.stop());

/** Runs a further step of a plugin. */
async function step(plugin: AnyPlugin, run: (db: Db) => Promise<unknown>): Promise<void> {
  tries += 1;
  const name = `9${String(tries).padStart(3, "0")}_try`;
  const all = { ...plugin.migrations, [name]: async (db: Db) => void (await run(db)) };
  await migrate(runtime.db, plugin.name, all, await roles.runnerOf(plugin));
}

const text = (statement: string) => (db: Db) => sql.raw(statement).execute(db);
const roleOf = (name: string) => `${prefix}:${name}`;
const ownerOf = (name: string) => `owner of ${roleOf(name)}`;
const THEFT = "(select password from users limit 1)";
const XML = "query_to_xml('select password from users', true, true, '')::text";

test("a plugin makes its tables, with what belongs to them, and refers to what it may read", async () => {
  const found = await rows(
    runtime.db,
    sql`select relname as name, pg_get_userbyid(relowner)::text as owner from pg_class
      where relname in ('maker_notes', 'maker_words', 'maker_numbers', 'maker_synced') order by 1`,
  );
  const owner = ownerOf("maker");
  expect(found).toEqual(
    ["maker_notes", "maker_numbers", "maker_synced", "maker_words"].map((name) => ({ name, owner })),
  );
  const notes = runtime.contexts.get("maker")?.db as unknown as Db;
  expect(await notes.selectFrom("maker_notes").select("word").execute()).toEqual([{ word: "first" }]);
  await notes
    .insertInto("maker_notes")
    .values({ word: "SECOND" } as never)
    .execute();
  await notes.deleteFrom("maker_notes").where("word", "=", "second").execute();
  await sql`update maker_notes set word = 'by the account'`.execute(runtime.db);
  await sql`delete from maker_notes`.execute(runtime.db);
});

test("a step leaves no right to create, no function to run one, and no right to refer", async () => {
  const [found] = await rows(
    runtime.db,
    sql`select has_schema_privilege(${ownerOf("maker")}, current_schema()::text, 'create') as creates,
      has_table_privilege(${ownerOf("maker")}, 'books', 'references') as refers,
      (select count(*)::integer from pg_proc where proname like 'step%') as functions`,
  );
  expect(found).toEqual({ creates: false, refers: false, functions: 0 });
});

/** Each is refused, and nothing of its step stays. */
const REFUSED: Record<string, (db: Db) => Promise<unknown>> = {
  "a trigger on a foreign table": text(
    "create trigger stolen before insert on users for each row execute function suppress_redundant_updates_trigger()",
  ),
  "a trigger on a table that it may read": text(
    "create trigger stolen before insert on books for each row execute function maker_lower()",
  ),
  "a column of a foreign table": text("alter table users add column stolen text"),
  "an index on a foreign table": text("create index stolen on users (password)"),
  "dropping a foreign table": text("drop table page_drafts cascade"),
  "reading a foreign table": text("select * from users"),
  "a table of foreign rows": text("create table stolen as select * from users"),
  "a column that it may not read": text("insert into maker_notes (word) select password from users"),
  "writing a foreign table": text("delete from books"),
  "a foreign key to a foreign table": text("create table stolen (id integer references sessions)"),
  "a foreign key to a column that it may not read": text("create table stolen (id text references users (slug))"),
  "a function of the account": text(
    "create or replace function text_key(text) returns text language sql as $$ select '' $$",
  ),
  "the functions of its everyday statements": text(
    'alter function lectern_grants."run:maker"(text, text[]) security invoker',
  ),
  "the functions of the step": text(
    'alter function lectern_grants."step_exec:maker"(text, text[]) security invoker; create table stolen (id integer)',
  ),
  "its ledger": text("delete from lectern_ledger.maker"),
  "the record of what it made": text("delete from plugin_objects"),
  "reset role": text("reset role"),
  "set role": text("set local role none"),
  "set session authorization": text("set session authorization default"),
  "a role in a block": text("do $$ begin reset role; end $$"),
  "a commit": text("do $$ begin commit; end $$"),
  "a role of its own": text("create role stolen"),
  "a schema of its own": text("create schema stolen"),
  "an extension": text("create extension dblink"),
  "a language": text("create trusted language stolen"),
  "a temporary table": text("create temporary table stolen (id integer)"),
  "a file of the server": text("copy maker_notes (word) from '/etc/passwd'"),
  "a program of the server": text("copy maker_notes (word) from program 'id'"),
  "a cursor with hold": text(`declare stolen cursor with hold for select ${XML}`),
  "a cursor with hold in a block": text(`do $$ begin execute 'declare s cursor with hold for select 1'; end $$`),
  "a cursor with hold before other statements": async (db) => {
    await sql.raw("declare stolen cursor with hold for select 1").execute(db);
    await sql`select 1`.execute(db);
  },
  "the time zone of the session": text("set timezone to 'Asia/Tokyo'"),
  "a deferred trigger": text(`create function steal() returns trigger language plpgsql as
      $$ begin insert into maker_notes (word) values (${THEFT}); return null; end $$;
    create constraint trigger steal after insert on maker_notes deferrable initially deferred
      for each row when (new.word = 'go') execute function steal(); insert into maker_notes (word) values ('go')`),
  "a function that runs text": text(
    "create function stolen(q text) returns void language plpgsql as $$ begin execute q; end $$",
  ),
  "a function that alters itself": text(
    "create function stolen() returns void language sql as $$ alter function stolen() security invoker $$",
  ),
  "a function with a block": text(
    "create function stolen() returns void language sql as 'do $$ begin execute ''reset role''; end $$'",
  ),
  "a function of a name of the server": text(
    "create function lower(character varying) returns text language sql as $$ select '' $$",
  ),
  "a default that reads as its writer": text(`alter table maker_notes add column stolen text default ${XML}`),
  "a default that reads a file as its writer": text(
    "alter table maker_notes add column stolen text; alter table maker_notes alter stolen set default pg_read_file('/etc/passwd')",
  ),
  "a check that reads as its writer": text(
    `create function keep(t text) returns boolean language sql as $$ select true $$;
     alter table maker_notes add constraint stolen check (keep(${XML})) not valid`,
  ),
  "a view that reads as its reader": text(`create view stolen as select ${XML} as word`),
  "a trigger that reads as its writer": text(`create trigger stolen before insert on maker_notes
    for each row when (${XML} <> '') execute function maker_lower()`),
  "a trigger that runs a function of the account": text(
    "create trigger stolen before delete on maker_notes for each row execute function keep_slug_history()",
  ),
  "a rule": text("create rule stolen as on insert to maker_notes do also select 1"),
  "a policy": text(
    "alter table maker_notes enable row level security; create policy stolen on maker_notes using (true)",
  ),
  "a domain": text("create domain stolen as text"),
  "an operator": text(
    "create function same(text, text) returns boolean language sql as $$ select true $$; create operator === (leftarg = text, rightarg = text, function = same)",
  ),
  "a cast": text(
    "create function mood_of(maker_mood) returns integer language sql as $$ select 1 $$; create cast (maker_mood as integer) with function mood_of(maker_mood) as implicit",
  ),
  "an aggregate": text("create aggregate stolen(integer) (sfunc = int4pl, stype = integer)"),
};

test.each(Object.entries(REFUSED))("%s is refused, and nothing of the step stays", async (_, run) => {
  const schema = () =>
    rows(
      runtime.db,
      sql`select oid::text, xmin::text from pg_class where relkind in ('r', 'v') union all select oid::text, xmin::text from pg_proc
        union all select oid::text, xmin::text from pg_trigger union all select oid::text, rolname::text from pg_roles where rolname ~ 'stolen|maker' order by 1, 2`,
    );
  const before = await schema();
  const error = await step(maker, run).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(StoreError);
  expect(await schema()).toEqual(before);
  expect(await rows(runtime.db, sql`select name from pg_cursors where is_holdable`)).toEqual([]);
});

test("the error names the grant that is missing", async () => {
  const error = await step(maker, text("alter table users add column stolen text")).catch((thrown: unknown) => thrown);
  expect((error as Error).cause).toBeInstanceOf(SchemaDenied);
  expect((error as Error).message).toMatch(/must be owner of table users; .*"schema: true" in its grants/);
});

test("what others set off by writing the plugin's table runs with the rights of the plugin", async () => {
  await step(
    maker,
    text(`create function maker_steal() returns trigger language plpgsql security invoker as
      $$ begin new.word := ${THEFT}; return new; end $$;
    create trigger maker_steal before insert on maker_notes for each row when (new.word = 'go') execute function maker_steal()`),
  );
  const write = sql`insert into maker_notes (word) values ('go')`.execute(runtime.db);
  await expect(write).rejects.toThrow("permission denied for table users");
});

test("a function of the plugin is called by nobody else", async () => {
  await step(
    maker,
    text("create function maker_count() returns bigint language sql stable as $$ select count(*) from books $$"),
  );
  const [found] = await rows(
    runtime.db,
    sql`select has_function_privilege('public', 'maker_count()', 'execute') as everybody, prosecdef as definer,
      has_function_privilege(${roleOf("maker")}, 'maker_count()', 'execute') as own
      from pg_proc where proname = 'maker_count'`,
  );
  expect(found).toEqual({ everybody: false, definer: true, own: true });
});

test("tables of before there was the role are given to it, once, and so is all after a restore", async () => {
  await sql`create table elder_notes (id integer primary key)`.execute(runtime.db);
  await sql`insert into plugin_tables (plugin, table_name) values ('elder', 'elder_notes')`.execute(runtime.db);
  const owners = () =>
    rows<{ name: string; owner: string; xmin: string }>(
      runtime.db,
      sql`select relname as name, pg_get_userbyid(relowner)::text as owner, xmin::text from pg_class
        where relname in ('elder_notes', 'maker_notes') union all
      select proname, pg_get_userbyid(proowner)::text, xmin::text from pg_proc where proname = 'maker_lower' order by 1`,
    );
  await roles.adopt([elder, maker]);
  const after = await owners();
  expect(after.map(({ owner }) => owner)).toEqual([ownerOf("elder"), ownerOf("maker"), ownerOf("maker")]);
  await roles.adopt([elder, maker]);
  expect(await owners()).toEqual(after);
  await step(elder, text("alter table elder_notes add column more text"));
  await sql`alter table maker_notes owner to current_user; alter function maker_lower() owner to current_user`.execute(
    runtime.db,
  );
  // The plugin is not even loaded.
  await roles.adopt([elder]);
  expect((await owners()).map(({ owner }) => owner)).toEqual([ownerOf("elder"), ownerOf("maker"), ownerOf("maker")]);
});

const WATCHES = `create table mighty_notes (word text);
  create function mighty_watch() returns trigger language plpgsql security definer as
    $$ begin insert into mighty_notes values (new.password); return new; end $$;
  create trigger mighty_watch after update on users for each row execute function mighty_watch();
  create type mighty_mood as enum ('good'); create view mighty_users as select * from users; create sequence mighty_numbers;
  alter table users add column mighty_mood mighty_mood; create index mighty_index on users (mighty_mood);
  alter table users add constraint mighty_check check (mighty_mood is null)`;

test("what a step drops is recorded no more, so nothing of its name is taken for the plugin's later", async () => {
  await step(
    maker,
    text(
      "create table maker_gone (id integer); create function maker_gone() returns integer language sql as 'select 1'",
    ),
  );
  const recorded = () =>
    rows(
      runtime.db,
      sql`select table_name as name from plugin_tables where table_name = 'maker_gone'
        union all select type from plugin_objects where 'maker_gone' = any(names)`,
    );
  expect(await recorded()).toEqual([{ name: "maker_gone" }, { name: "function" }]);
  const run = await roles.runnerOf(maker);
  const drops = async (own: Db) => void (await text("drop table maker_gone; drop function maker_gone()")(own));
  await runtime.db.transaction().execute(async (tx) => run?.(tx, drops, "syncSchema"));
  expect(await recorded()).toEqual([]);
});

test("with the grant a step changes other tables too, and a purge undoes that and what others made as their role", async () => {
  const schema = () =>
    rows(
      runtime.db,
      sql`select relname as name from pg_class where relnamespace = current_schema()::regnamespace union all
        select proname from pg_proc where pronamespace = current_schema()::regnamespace union all
        select tgname from pg_trigger where not tgisinternal union all select typname from pg_type where typtype = 'e' union all
        select attname from pg_attribute where attrelid = 'users'::regclass and not attisdropped union all
        select conname from pg_constraint where conrelid = 'users'::regclass and contype <> 'n' order by 1`,
    );
  const isOwn = ({ name }: { name: string }) => /^(?:mighty|maker)/.test(name);
  const before = ((await schema()) as { name: string }[]).filter((one) => !isOwn(one));
  const denied = new SchemaRoles({
    store: runtime.store,
    mode: "third-party",
    thirdParty: new Set(["mighty"]),
    denied: { mighty: ["schema"] },
  });
  const refused = migrate(runtime.db, "mighty", { "0001_init": text(WATCHES) as never }, await denied.runnerOf(mighty));
  await expect(refused).rejects.toThrow("permission denied for table users");
  await step(mighty, text(WATCHES));
  await sql`update users set name = name`.execute(runtime.db);
  expect(await rows(runtime.db, sql`select count(*) > 0 as copied from mighty_notes`)).toEqual([{ copied: true }]);
  for (const name of ["mighty", "maker"]) {
    const own = (await leftoversOf(runtime.db, [])).find((one) => one.name === name);
    if (!own) throw new Error(`Nothing is known of ${name}`);
    if (name === "mighty")
      expect(own.objects.map(({ type, identity }) => `${type} ${identity}`)).toContain(
        "trigger mighty_watch on public.users",
      );
    await purgePlugin(runtime.runtime, runtime.db, own);
  }
  expect((await schema()) as { name: string }[]).toEqual(before);
  expect(await rows(runtime.db, sql`select from pg_roles where rolname = ${ownerOf("maker")}`)).toEqual([]);
});
