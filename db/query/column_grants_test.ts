import { expect, test } from "bun:test";
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from "kysely";
import { GrantError, guarded } from "../mod.ts";

interface House {
  notes: { id: number; author_id: number };
  users: { id: number; email: string; password: string };
}

const dry = new Kysely<House>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});
const grants = { read: ["notes"], write: [], columns: { users: ["id", "email"], notes: ["id"] } };
const db = guarded(dry as never, "finder", grants) as unknown as Kysely<House>;
const USERS = '(select "id", "email" from "users")';

type Query = { compile(): { readonly sql: string } };
const narrowed: Record<string, [() => Query, string]> = {
  "all columns": [() => db.selectFrom("users").selectAll(), `select * from ${USERS} as "users"`],
  "all columns of an alias": [
    () => db.selectFrom("users as u").selectAll("u").where("u.id", "=", 1),
    `select "u".* from ${USERS} as "u" where "u"."id" = $1`,
  ],
  "a join": [
    () => db.selectFrom("notes").leftJoin("users", "users.id", "notes.author_id").select(["notes.id", "email"]),
    `select "notes"."id", "email" from "notes" left join ${USERS} as "users" on "users"."id" = "notes"."author_id"`,
  ],
  "a subquery, whose columns without a table may be of the outer query": [
    () =>
      db
        .selectFrom("notes")
        .selectAll()
        .where(({ exists, selectFrom }) =>
          // The types of Kysely have no outer columns without their table.
          exists(
            selectFrom("users")
              .select("users.id")
              .whereRef("users.id", "=", "author_id" as never),
          ),
        ),
    `select * from "notes" where exists (select "users"."id" from ${USERS} as "users" where "users"."id" = "author_id")`,
  ],
  "a common table expression, and a template beside": [
    () =>
      db
        .with("found", (q) => q.selectFrom("users").select(sql<string>`upper(email)`.as("loud")).orderBy("loud"))
        .selectFrom("found")
        .selectAll(),
    `with "found" as (select upper(email) as "loud" from ${USERS} as "users" order by "loud") select * from "found"`,
  ],
  "a table that is granted as a whole": [() => db.selectFrom("notes").selectAll(), 'select * from "notes"'],
};

test.each(Object.entries(narrowed))("of a table with granted columns %s has these alone", (_, [query, text]) => {
  expect(query().compile().sql).toBe(text);
});

const refused: Record<string, () => Query> = {
  "a column": () => db.selectFrom("users").select("password"),
  "a column under an alias": () => db.selectFrom("users as u").select("u.password as id"),
  "a column of a join": () =>
    db.selectFrom("notes").innerJoin("users as u", "u.id", "notes.author_id").select("u.password"),
  "a condition": () => db.selectFrom("users").select("id").where("password", "=", "x"),
  "an order": () => db.selectFrom("users").select("id").orderBy("users.password"),
  "an argument of a function": () => db.selectFrom("users").select(({ fn }) => fn("upper", ["password"]).as("x")),
  "a column of the outer query": () =>
    db.selectFrom("users").select((eb) => ["id", eb.selectFrom("notes").select("users.password").as("x")]),
};

test.each(Object.entries(refused))("another column is refused by name: %s", (_, query) => {
  expect(() => query().compile()).toThrow(
    new GrantError("finder", "users", "read", { columns: ["id", "email"], column: "password" }),
  );
});

test("granted columns are no grant to write", () => {
  expect(() => db.updateTable("users").set({ email: "x" }).compile()).toThrow(
    'Plugin "finder" cannot write table "users": it holds no such grant, wanted grants.write to list "users"',
  );
  expect(() => db.deleteFrom("users").compile()).toThrow(GrantError);
});
