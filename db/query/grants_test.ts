import { expect, test } from "bun:test";
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from "kysely";
import { GrantError, guarded } from "../mod.ts";

interface House {
  books: { id: number; name: string };
  pages: { id: number; book_id: number };
  users: { id: number; name: string };
}

const dry = new Kysely<House>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});
// May read pages and write books; no grant for users.
const db = guarded(dry as never, "shelf", { read: ["pages"], write: ["books"] }) as unknown as Kysely<House>;

type Query = { execute(): Promise<unknown> };
const passes: Record<string, () => Query> = {
  "reads what it may read": () => db.selectFrom("pages as p").select("p.id"),
  "reads what it may write": () => db.selectFrom("books").selectAll("books"),
  "joins both under aliases": () =>
    db.selectFrom("books as users").innerJoin("pages as x", "x.book_id", "users.id").select("users.id"),
  writes: () =>
    db
      .insertInto("books")
      .values({ id: 1, name: "x" })
      .onConflict((c) => c.column("id").doUpdateSet({ name: "y" }))
      .returning("books.id"),
  "updates from a readable table": () =>
    db.updateTable("books as b").from("pages").set({ name: "x" }).whereRef("pages.book_id", "=", "b.id"),
  "deletes using a readable table": () =>
    db.deleteFrom("books").using("pages").whereRef("pages.book_id", "=", "books.id"),
  "uses a name given by with": () =>
    db
      .with("users", (q) => q.selectFrom("pages").select("id"))
      .selectFrom("users")
      .select("id"),
  "uses an earlier with in a later one": () =>
    db
      .with("a", (q) => q.selectFrom("pages").select("id"))
      .with("b", (q) => q.selectFrom("a").select("id"))
      .selectFrom("b")
      .select("id"),
  recurses: () =>
    db
      .withRecursive("users", (q) =>
        q
          .selectFrom("pages")
          .select("id")
          .union(q.selectFrom("users").select("users.id") as never),
      )
      .selectFrom("users")
      .select("id"),
  "locks rows": () =>
    db
      .selectFrom("books as b")
      .select("id")
      .forUpdate("b" as never),
  "passes hand-written sql, as documented": () => ({
    execute: () => sql`select * from ${sql.table("users")}`.execute(db),
  }),
};

const refused: Record<string, ["read" | "write", string, () => Query]> = {
  "a foreign table": ["read", "users", () => db.selectFrom("users").select("id")],
  "a foreign table under an alias": ["read", "users", () => db.selectFrom("users as books").select("books.id")],
  "a foreign table in a join": [
    "read",
    "users",
    () => db.selectFrom("books").leftJoin("users", "users.id", "books.id").select("books.id"),
  ],
  "a foreign table in a subquery": [
    "read",
    "users",
    () =>
      db
        .selectFrom("books")
        .select("id")
        .where("name", "in", (eb) => eb.selectFrom("users").select("name")),
  ],
  "a foreign table in a selected subquery": [
    "read",
    "users",
    () => db.selectFrom("books").select((eb) => eb.selectFrom("users").select("name").limit(1).as("n")),
  ],
  "a foreign table in a with": [
    "read",
    "users",
    () =>
      db
        .with("a", (q) => q.selectFrom("users").select("id"))
        .selectFrom("a")
        .select("id"),
  ],
  "the table hidden behind a with of its own name": [
    "read",
    "users",
    () =>
      db
        .with("users", (q) => q.selectFrom("users").select("id"))
        .selectFrom("users")
        .select("id"),
  ],
  "the table by its schema, beside a with of its own name": [
    "read",
    "users",
    () =>
      db
        .with("users", (q) => q.selectFrom("pages").select("id"))
        .selectFrom("public.users" as "users")
        .select("id"),
  ],
  "a foreign table in a union": [
    "read",
    "users",
    () => db.selectFrom("pages").select("id").union(db.selectFrom("users").select("id")),
  ],
  "a foreign table in a nested Kysely query within sql": [
    "read",
    "users",
    () => ({
      execute: () => sql`select exists ${dry.selectFrom("users").select("id")}`.execute(db),
    }),
  ],
  "an insert where it may only read": ["write", "pages", () => db.insertInto("pages").values({ id: 1, book_id: 1 })],
  "an insert from a foreign table": [
    "read",
    "users",
    () =>
      db
        .insertInto("books")
        .columns(["id"])
        .expression((eb) => eb.selectFrom("users").select("id")),
  ],
  "an update where it may only read": ["write", "pages", () => db.updateTable("pages as books").set({ book_id: 2 })],
  "a delete where it may only read": ["write", "pages", () => db.deleteFrom("pages")],
  "a delete in a with": [
    "write",
    "pages",
    () =>
      db
        .with("gone", (q) => q.deleteFrom("pages").returning("id"))
        .selectFrom("gone")
        .select("id"),
  ],
  "a merge where it may only read": [
    "write",
    "pages",
    () => db.mergeInto("pages").using("books", "books.id", "pages.book_id").whenMatched().thenDelete(),
  ],
  "a table of another schema": ["read", "secret.books", () => db.withSchema("secret").selectFrom("books").select("id")],
  "a change of schema where it may only read": ["write", "pages", () => db.schema.dropTable("pages")],
};

for (const [title, build] of Object.entries(passes)) {
  test(`a guarded plugin ${title}`, async () => {
    await build().execute();
  });
}

for (const [title, [wanted, table, build]] of Object.entries(refused)) {
  test(`a guarded plugin is refused ${title}`, async () => {
    const error = await Promise.try(() => build().execute()).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(GrantError);
    expect(error).toMatchObject({ plugin: "shelf", wanted, table });
    expect((error as Error).message).toContain(`"${table}"`);
  });
}

test("grants hold within transactions, and for a transaction that is guarded", async () => {
  await expect(db.transaction().execute((tx) => tx.selectFrom("users").select("id").execute())).rejects.toThrow(
    GrantError,
  );
  await dry.transaction().execute(async (tx) => {
    const own = guarded(tx as never, "shelf", { read: [], write: [] }) as unknown as Kysely<House>;
    expect(own.isTransaction).toBe(true);
    await expect(own.selectFrom("books").select("id").execute()).rejects.toThrow(
      'Plugin "shelf" cannot read table "books"',
    );
  });
});
