/**
 * SQL that a plugin which does not ship gives to statements of others: whatever it says, it reads no more than the plugin may.
 * The plugin here was granted the table of books, and wants hashes of passwords and files of the server.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, setSystemTime, test } from "bun:test";
import {
  type AnyContext,
  type AnyPlugin,
  definePlugin,
  type Expression,
  expressionBuilder,
  GUEST,
  type RawBuilder,
  sql,
} from "lectern/core";
import { rows, type Tables } from "lectern/db";
import type {} from "lectern/plugins";
import { LEFT_OUT_MS } from "../../core/std/failure_streaks.ts";
import { WITH_PAGES } from "../support/harness/few_plugins.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(120_000);

let runtime: TestRuntime;
let book: number;
/** What the plugin selects for a book. */
let selected: (id: RawBuilder<unknown>) => RawBuilder<Record<string, unknown> | null>;
const eb = expressionBuilder<Tables, "books">();

const grabber = definePlugin({
  name: "grabber",
  grants: { read: ["books"] },
  setup({ contribute }) {
    contribute("response_fields", {
      kind: "book",
      moment: "read",
      add: async () => new Map(),
      select: (id) => selected(id),
      present: async (found) => ({ ...found, presented: true }),
    });
  },
});

beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [grabber], env: { PLUGIN_ROLES: "third-party" } });
  book = (await runtime.ask("POST", "/api/books", { body: { name: "Runbooks" } })).body.id;
});
afterAll(async () => {
  setSystemTime();
  await runtime?.stop();
});

test("what a plugin selects with an item is read as the plugin, for the item", async () => {
  selected = (id) =>
    sql`(select json_build_object('shout', upper(name), 'as', current_user::text) from books where books.id = ${id})`;
  const { status, body } = await runtime.ask("GET", `/api/books/${book}`);
  expect([status, body.shout, body.presented]).toEqual([200, "RUNBOOKS", true]);
  expect(body.as).toEndWith(":grabber");
  selected = () => sql`null`;
  expect((await runtime.ask("GET", `/api/books/${book}`)).body).toMatchObject({ id: book, presented: true });
});

const PLACE = "response_fields book.read";
const stolen = (text: string) => sql.raw<Record<string, unknown>>(`json_build_object('stolen', (${text})::text)`);
const SELECTS: readonly [title: string, text: string][] = [
  ["hashes of passwords", "select max(password) from users"],
  ["them by a join", "select max(users.password) from books, users"],
  ["them as a row", "select to_jsonb(users) from users limit 1"],
  ["them by an error of a cast", "select max(password)::integer from users"],
  [
    "them by an error that tells one bit",
    "select 1 / (case when password like '$%' then 0 else 1 end) from users limit 1",
  ],
  ["them by SQL in a text", "query_to_xml('select password from users', true, true, '')"],
  ["them by a statement behind", "select 1); select (select password from users limit 1"],
  ["files of the server", "pg_read_file('/etc/passwd')"],
  ["a folder of the server", "select string_agg(pg_ls_dir, ' ') from pg_ls_dir('.')"],
  ["a file as a large object", "lo_import('/etc/passwd')"],
  ["hashes of the server's accounts", "select max(rolpassword) from pg_authid"],
  ["another server", "dblink('host=/tmp', 'select 1')"],
  ["the rights of the account", "set_config('role', 'none', false)"],
  ["a statement that changes the role", "set role none"],
  ["other sessions", "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() limit 1"],
  ["the names of functions", "set_config('search_path', 'grabbed, pg_catalog', false)"],
];

test.each(SELECTS)("a field does not get at %s", async (_title, text) => {
  selected = () => stolen(text);
  // One that failed three times running is left out for a minute.
  setSystemTime(Date.now() + 2 * LEFT_OUT_MS);
  const failures = () =>
    runtime.contexts
      .get("grabber")
      ?.runtime.faults()
      .find(({ place }) => place === PLACE)?.count ?? 0;
  const before = failures();
  const { status, body } = await runtime.ask("GET", `/api/books/${book}`);
  expect([status, body.name]).toEqual([200, "Runbooks"]);
  expect(Object.keys(body)).not.toContain("stolen");
  expect(failures()).toBe(before + 1);
});

type Setup = (context: AnyContext) => void;
const KIND = { kind: "taken", table: "books", segment: "taken", parents: [], columns: ["id", "name"] } as const;
const PART = { idColumn: "id", itemColumn: "id", nameColumn: "name", textColumn: "name", wordsColumn: "name" };
function parts(wrong: object): Setup {
  return ({ contribute }) =>
    contribute("searched_parts", { kind: "book", table: "books", ...PART, url: String, ...wrong });
}
const raw = <T>(text: string) => sql.raw<T>(text);
const plugin = (setup: Setup): AnyPlugin =>
  definePlugin({
    name: "grabber",
    requires: ["access"],
    grants: { read: ["books"], write: ["books"] },
    setup: setup as never,
  });

/** Why a boot with the plugin stops; "booted" where it does not. */
function refusal(setup: Setup): Promise<string> {
  return bootTestRuntime({ extra: [plugin(setup)], only: WITH_PAGES, beside: runtime }).then(
    (booted) => booted.stop().then(() => "booted"),
    (error: Error) => error.message,
  );
}

const HASH = "(select max(password) from users)";
const hashed = expressionBuilder<Tables, never>()
  .selectFrom("users")
  .select("users.password")
  .limit(1) as Expression<never>;
const BOOTS: readonly [title: string, wanted: string | RegExp, setup: Setup][] = [
  [
    "the path of a kind that is a template",
    /cannot give this SQL to statements of others: found the text .* of a template of sql, wanted an expression that is built with expressionBuilder/,
    ({ contribute }) => contribute("content", { ...KIND, path: raw(HASH) }),
  ],
  [
    "the path of a kind over a table that was not granted",
    'cannot read table "users"',
    ({ contribute }) => contribute("content", { ...KIND, path: hashed }),
  ],
  [
    "the text of a kind that reads a file",
    "found the function",
    ({ contribute }) =>
      contribute("searchable", { kind: "book", body: eb.fn<string>("pg_read_file", [sql.lit("/etc/passwd")]) }),
  ],
  [
    "HTML of a kind that is a template",
    "found the text",
    ({ contribute }) => contribute("searchable", { kind: "book", body: sql.ref("books.name"), html: raw(HASH) }),
  ],
  [
    "text of a kind whose table it does not hold",
    'cannot read table "pages"',
    ({ contribute }) => contribute("searchable", { kind: "page", body: sql.ref("pages.html") }),
  ],
  ["parts of items in a table that it may not write", 'cannot write table "users"', parts({ table: "users" })],
  ["parts with SQL in the place of a column", "wanted letters, digits", parts({ textColumn: `name" || ${HASH} || "` })],
  [
    "a kind over a table that it may not write",
    'cannot write table "users"',
    ({ contribute }) =>
      contribute("content", { ...KIND, table: "users", columns: ["id", "password"], path: sql.lit("") }),
  ],
  [
    "a kind whose name ends a text",
    "wanted letters, digits",
    ({ contribute }) => contribute("content", { ...KIND, kind: `'; ${HASH} --`, path: sql.lit("") }),
  ],
  [
    "a kind with SQL in the place of a column",
    "wanted letters, digits",
    ({ contribute }) =>
      contribute("content", { ...KIND, ownOnly: `name" or ${HASH} is null or "name`, path: sql.lit("") }),
  ],
  [
    "contents that are selected in the statement that reads the book",
    'wanted "contents"',
    ({ contribute }) => contribute("content", { ...KIND, path: sql.lit(""), selectContents: () => raw(HASH) }),
  ],
  [
    "a trigger on a table that was not granted",
    'cannot read table "users"',
    ({ contribute }) =>
      contribute("response_fields", {
        ...{ kind: "book", moment: "read", add: async () => new Map() },
        cached: { dependsOn: [{ table: "users", column: "password" }] },
      }),
  ],
  [
    "rows that are said to be shown to all who see them",
    'says "shown" of rows of "books"',
    ({ contribute }) =>
      contribute("response_fields", {
        ...{ kind: "book", moment: "read", add: async () => new Map() },
        cached: { dependsOn: [{ table: "books", column: "id", shown: true }], isSame: true },
      }),
  ],
  [
    "a condition that is a template",
    "found the text",
    ({ visibilityRule }) => visibilityRule("books", () => raw(`${HASH} is null`)),
  ],
  [
    "a condition over a table that was not granted",
    'cannot read table "users"',
    ({ visibilityRule }) => visibilityRule("books", () => eb.exists(hashed)),
  ],
  [
    "a condition over a column of the statement around it",
    'found a column of "users"',
    ({ visibilityRule }) => visibilityRule("books", () => eb("users.password" as never, "is", null)),
  ],
  [
    "a condition on a table that it may not read",
    'cannot read table "pages"',
    ({ visibilityRule }) => visibilityRule("pages", () => expressionBuilder<Tables, "pages">()("pages.id", "is", null)),
  ],
  [
    "a condition that has every plugin read hashes",
    'cannot read table "users"',
    ({ visibilityRule }) => visibilityRule("books", () => true, { users: ["password"] }),
  ],
  [
    "a rule of access that was made to do so",
    /read-?only|not extensible|cannot/i,
    ({ visibilityRule, contracts: { access } }) =>
      visibilityRule(
        "books",
        Object.assign(access.visibilityRuleOf("book", "books"), { reads: { users: ["password"] } }),
      ),
  ],
];

test.each(BOOTS)("%s stops the boot", async (_title, wanted, setup) => {
  expect(await refusal(setup)).toMatch(wanted);
});

test("a condition of a plugin hides rows from everybody, and no other rule's", async () => {
  const hidden = (await runtime.ask("POST", "/api/books", { body: { name: "Hidden" } })).body.id;
  const gone = (await runtime.ask("POST", "/api/books", { body: { name: "Gone" } })).body.id;
  await runtime.ask("DELETE", `/api/books/${gone}`);
  const hiding = await bootTestRuntime({
    extra: [
      plugin(({ visibilityRule }) =>
        // Not in parentheses, it would show what is in the recycle bin.
        visibilityRule(
          "books",
          () =>
            ({
              ...sql`x`,
              expressionType: undefined,
              toOperationNode: () => ({
                kind: "OrNode",
                left: eb("books.name", "<>", "Hidden").toOperationNode(),
                right: eb("books.deleted_at", "is not", null).toOperationNode(),
              }),
            }) as Expression<boolean>,
        ),
      ),
    ],
    beside: runtime,
  });
  try {
    const names = async () =>
      ((await hiding.ask("GET", "/api/books?count=100")).body.data as { name: string }[]).map(({ name }) => name);
    expect(await names()).toContain("Runbooks");
    expect(await names()).not.toContain("Hidden");
    expect(await names()).not.toContain("Gone");
    expect((await hiding.ask("GET", `/api/books/${hidden}`)).status).toBe(404);
    expect((await hiding.ask("GET", `/api/books/${gone}`)).status).toBe(404);
  } finally {
    await hiding.stop();
  }
});

test("a condition that first passes and then wants more is refused when it does", async () => {
  let isGreedy = false;
  const greedy = await bootTestRuntime({
    extra: [plugin(({ visibilityRule }) => visibilityRule("books", () => (isGreedy ? raw(`${HASH} is null`) : true)))],
    beside: runtime,
  });
  try {
    expect((await greedy.ask("GET", `/api/books/${book}`, { as: null })).status).not.toBe(500);
    isGreedy = true;
    expect((await greedy.ask("GET", "/api/books")).status).toBe(500);
  } finally {
    await greedy.stop();
  }
});

test("a function of the same name in the schema of the tables does not take the place of PostgreSQL's", async () => {
  await runtime.store.sql`create function lower(name varchar) returns text language plpgsql as
    'begin raise exception ''taken over''; end'`;
  try {
    const hiding = await bootTestRuntime({
      extra: [
        plugin(({ visibilityRule }) =>
          visibilityRule("books", () =>
            eb(eb.fn<string>("lower", [eb.cast<string>("books.name", "varchar(20)")]), "<>", "hidden"),
          ),
        ),
      ],
      beside: runtime,
    });
    try {
      expect((await hiding.ask("GET", `/api/books/${book}`)).status).toBe(200);
    } finally {
      await hiding.stop();
    }
  } finally {
    await runtime.store.sql`drop function lower(varchar)`;
  }
});

test("the account of the embedded store is no superuser", async () => {
  const [found] = await rows(
    runtime.db,
    sql<{ is_super: boolean }>`select rolsuper as is_super from pg_roles where rolname = current_user`,
  );
  expect(found?.is_super).toBe(runtime.store.kind !== "embedded");
  expect(GUEST.admin).toBe(false);
});

test("SQL in the place of a value, in a draft that a plugin filters or performs or a call of a service, reaches no statement", async () => {
  let template: unknown = raw("(select length(max(password)) from users)");
  const filtering = definePlugin({
    name: "filtering",
    requires: ["users"],
    setup({ app, contracts: { users }, on }) {
      on("book_create", { filter: (draft) => ({ ...draft, default_template_id: template as number }) });
      app.get("/filtering", async () => ({ found: (await users.viewer(raw(HASH) as never))?.id }), {
        permit: "public",
      });
    },
  });
  const filtered = await bootTestRuntime({ extra: [filtering], beside: runtime });
  try {
    const created = () => filtered.ask("POST", "/api/books", { body: { name: "Filtered" } });
    expect((await created()).status).toBe(500);
    template = 0;
    expect(await created()).toMatchObject({ status: 200, body: { default_template_id: null } });
    expect((await filtered.ask("GET", "/api/filtering")).status).toBe(500);
  } finally {
    await filtered.stop();
  }
});
