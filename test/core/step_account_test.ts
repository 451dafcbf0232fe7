/**
 * Ways in which a step of a plugin's migrations had something run with the rights of the account, during the step and without a trace
 * after it: in checks of foreign keys, while statements are parsed, and by statements that stand for those of the runtime.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AnyContext, type AnyPlugin, definePlugin, expressionBuilder, sql } from "lectern/core";
import { type Db, migrate, rows, SchemaDenied } from "lectern/db";
import { SchemaRoles } from "../../core/runtime/schema_roles.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
let roles: SchemaRoles;
let tries = 0;

const posing = definePlugin({
  name: "posing",
  grants: { read: ["books"] },
  migrations: {
    "0001_init": async (db) => void (await sql`create table posing_notes (id integer, word text)`.execute(db)),
  },
  setup() {},
});

/** With a kind of content, for whose rows functions of the account count. */
const holding = definePlugin({
  name: "holding",
  grants: { write: ["held_notes" as never] },
  migrations: {
    "0001_init": async (db) =>
      void (await sql`create table held_notes (id integer primary key, name text, slug text, deleted_at timestamptz,
        created_by integer, owned_by integer)`.execute(db)),
  },
  setup: (({ contribute }: AnyContext) => {
    const path = expressionBuilder<{ held_notes: { slug: string } }, "held_notes">().ref("held_notes.slug");
    const kind = {
      kind: "held_note",
      table: "held_notes",
      segment: "held",
      parents: [],
      columns: ["id", "name"],
      path,
    };
    contribute("content", kind as never);
  }) as () => void,
});

beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [posing, holding], env: { PLUGIN_ROLES: "third-party" } });
  roles = new SchemaRoles({ store: runtime.store, mode: "third-party", thirdParty: new Set(["posing", "holding"]) });
  await runtime.ask("POST", "/api/books", { body: { name: "Referred" } });
}, 120_000);
afterAll(() => runtime.stop());

/** Runs a step of some texts, each of them a statement of its own to Kysely. */
const step = (...texts: readonly string[]): Promise<void> => stepOf(posing, ...texts);

/** The same for another plugin. */
async function stepOf(plugin: AnyPlugin, ...texts: readonly string[]): Promise<void> {
  tries += 1;
  const run = async (db: Db) => {
    for (const text of texts) await sql.raw(text).execute(db);
  };
  const name = `9${String(tries).padStart(3, "0")}_try`;
  await migrate(runtime.db, plugin.name, { ...plugin.migrations, [name]: run }, await roles.runnerOf(plugin));
}

/** What fails with the account's name and a hash where others than the owner run it. */
const THEFT = `if current_user not like 'owner of %' then
  raise exception 'stolen by %: %', current_user, (select min(password) from users); end if`;
const stealing = (head: string, result: string) =>
  `create function ${head} language plpgsql as $$ begin ${THEFT}; return ${result}; end $$`;
const MOOD = "create type stolen as enum ('a')";
const CAST = `${MOOD}; ${stealing("stolen_id(stolen) returns integer", "(select min(id) from books)")};
  create cast (stolen as integer) with function stolen_id(stolen) as implicit`;
const REFERRING = "create table stolen_t (it stolen references books (id)); insert into stolen_t values ('a')";
const GONE = "drop table stolen_t; drop cast (stolen as integer); drop function stolen_id(stolen); drop type stolen";
/** A block that runs statements as texts, so that none of them is seen. */
const hidden = (statements: string) => `do $b$ begin execute $s$ ${statements} $s$; end $b$`;
const DOMAIN = `${stealing("stolen_check(text) returns boolean", "true")};
  create domain stolen as text check (stolen_check(value))`;
const ATTACKS: Readonly<Record<string, readonly string[]>> = {
  "a cast of a foreign key": [`${CAST}; ${REFERRING}; ${GONE}`],
  "a cast of a foreign key, in a block": [hidden(`${CAST}; ${REFERRING}; ${GONE}`)],
  "a cast that is made between the statements of a foreign key": [hidden(CAST), REFERRING, GONE],
  "a cast that is made while a table is altered": [
    `create function stolen_default() returns integer language plpgsql as $f$ begin execute $s$ ${CAST}; ${REFERRING}; ${GONE} $s$; return 1; end $f$`,
    "alter table posing_notes add column more integer default stolen_default()",
    "drop function stolen_default()",
  ],
  "a domain in a literal": [DOMAIN, `select '{"x"}'::stolen[] as it`, "drop domain stolen; drop function stolen_check"],
  "a range of a domain in a literal": [
    `${DOMAIN}; create type stolen_range as range (subtype = stolen)`,
    `select '[x,y]'::stolen_range as it`,
  ],
  "a function that fits better than the server's": [
    `${MOOD}; ${stealing("quote_ident(name) returns text", "$1::text")};
     ${stealing("format(text, name, name) returns text", "$2::text")}`,
    "select 'a'::stolen as it",
    "drop function quote_ident(name); drop function format(text, name, name)",
  ],
  "an operator that fits better than the server's": [
    `${MOOD}; ${stealing("stolen_same(oid, integer) returns boolean", "$1::text = $2::text")};
     create operator = (leftarg = oid, rightarg = integer, function = stolen_same)`,
    "select 'a'::stolen as it",
    "drop operator = (oid, integer); drop function stolen_same(oid, integer)",
  ],
  "a function of the account that runs with its rights, on a table of the plugin": [
    `create table stolen_t (id integer, slug text);
     create trigger stolen after update on stolen_t for each row execute function keep_slug_history('book');
     insert into stolen_t select id, 'stolen' from books; update stolen_t set slug = 'taken'`,
    "drop table stolen_t",
  ],
  "a cast within such a function": [
    hidden(`${MOOD}; ${stealing("stolen_text(stolen) returns text", "'a'")};
      create cast (stolen as text) with function stolen_text(stolen) as assignment;
      create table stolen_t (id integer, slug stolen);
      create trigger stolen after update on stolen_t for each row execute function keep_slug_history('book');
      insert into stolen_t values (1, 'a'); update stolen_t set id = 2;
      drop table stolen_t; drop cast (stolen as text); drop function stolen_text(stolen); drop type stolen`),
  ],
  "an operator on names, as checks of the step compare them": [
    `${stealing("stolen_like(name, name) returns boolean", "false")};
     create operator ~ (leftarg = name, rightarg = name, function = stolen_like, restrict = eqsel)`,
  ],
};

test.each(Object.entries(ATTACKS))("%s runs nothing with the rights of the account", async (_, texts) => {
  const error = await step(...texts).then(
    () => undefined,
    (thrown: unknown) => thrown as Error,
  );
  expect(error?.message).toMatch(/step "9\d+_try"/);
  expect(error?.message).not.toMatch(/stolen by|syntax error|does not exist|cannot be implemented/);
  expect(error?.cause).toBeInstanceOf(SchemaDenied);
});

const COUNTED = `${MOOD}; ${stealing("stolen_int(stolen) returns integer", "0")};
  create cast (stolen as integer) with function stolen_int(stolen) as implicit;
  alter table held_notes drop column acl_id; alter table held_notes add column acl_id stolen default 'a';
  insert into held_notes (id, name) values (1, 'x')`;
const COUNTED_ATTACKS: Readonly<Record<string, readonly string[]>> = {
  "in one text": [COUNTED],
  "in a block": [hidden(COUNTED)],
  "in a function": [
    `create function stolen_all() returns integer language plpgsql as $f$ begin execute $s$ ${COUNTED} $s$; return 1; end $f$`,
    "select stolen_all()",
  ],
};

test.each(Object.entries(COUNTED_ATTACKS))(
  "a cast for what the account counts, %s, does so neither",
  async (_, texts) => {
    const error = await stepOf(holding, ...texts).then(
      () => undefined,
      (thrown: unknown) => thrown as Error,
    );
    expect(error?.message).not.toContain("stolen by");
    expect(error?.cause).toBeInstanceOf(SchemaDenied);
  },
);

test("a plugin with content changes its rows, and makes functions", async () => {
  await stepOf(
    holding,
    `insert into held_notes (id, name) values (7, 'x'); update held_notes set name = 'y' where id = 7;
     create function held_count() returns bigint language sql as 'select count(*) from held_notes'; select held_count()`,
    "create index held_notes_name on held_notes (name)",
  );
  expect(await rows(runtime.db, sql`select name from held_notes`)).toEqual([{ name: "y" }]);
});

test("tables refer to those that the plugin may read, beside other statements", async () => {
  await step(
    `create type posing_kind as enum ('a');
     create table posing_books (id integer references books on delete cascade, kind posing_kind);
     create function posing_count() returns bigint language sql begin atomic
       select count(case when id > 0 then 1 end) from posing_books; select 1; end;
     alter table posing_notes add column book integer references books (id);
     insert into posing_books select min(id), 'a' from books`,
    "alter table posing_notes alter column book type bigint",
  );
  const owners = sql<{ count: number }>`select count(*)::integer as count from posing_books`;
  expect(await rows(runtime.db, owners)).toEqual([{ count: 1 }]);
});

/** A statement of the runtime is replaced by another one of its name, which the account then runs. */
const REPLACE = `do $$ declare one record; begin
    for one in select name from pg_prepared_statements where statement like 'select pg_advisory_xact_lock%' loop
      execute format('deallocate %I', one.name);
      execute format('prepare %I (int8) as with stolen as (update users set name = current_user) select pg_advisory_xact_lock($1)', one.name);
    end loop;
    execute 'prepare stolen as select 1'; end $$`;

/** Runs a step within a transaction that goes on after it failed, and returns why it did and what its session has prepared. */
async function afterStep(text: string): Promise<readonly [error: string, prepared: number]> {
  const run = await roles.runnerOf(posing);
  return runtime.db.transaction().execute(async (tx) => {
    await sql`savepoint before`.execute(tx);
    const error = await run?.(tx, async (own) => void (await sql.raw(text).execute(own)), "9999_fails").then(
      () => new Error("nothing failed"),
      (thrown: unknown) => thrown as Error,
    );
    await sql`rollback to savepoint before`.execute(tx);
    const left = sql<{ count: number }>`select count(*)::integer as count from pg_prepared_statements where from_sql`;
    return [error?.message ?? "", (await rows(tx, left))[0]?.count ?? -1];
  });
}

test("a statement that a step prepares is refused and forgotten, also one that fails, and so is one in the place of the runtime's", async () => {
  const refused = expect.stringContaining("cannot prepare or forget statements");
  expect(await afterStep("prepare stolen as select 1")).toEqual([refused, 0]);
  const failing = "do $$ begin execute 'prepare stolen as select 1'; raise exception 'on purpose'; end $$";
  expect(await afterStep(failing)).toEqual(["on purpose", 0]);
  // Its session knows a statement no more that the runtime has prepared: the last one here.
  expect(await afterStep(REPLACE)).toEqual([refused, 0]);
});
