/** Grants of tables hold wherever a plugin meets the store: in events, actions, contracts, visibility rules and listings. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { definePlugin, type EventTransaction, SYSTEM, sql } from "lectern/core";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

declare module "lectern/core" {
  interface Events {
    grants_happen: { draft: { how: string }; result: { how: string } };
  }
  interface Contracts {
    grants_keeper: { keep(tx: EventTransaction): Promise<number> };
  }
  interface Slots {
    grants_part: { readonly name: string; count(tx: EventTransaction): Promise<number> };
  }
}
declare module "lectern/db" {
  interface Tables {
    grants_own: { id: number };
  }
}

let runtime: TestRuntime;
const said: string[] = [];
const outcome = (run: () => Promise<unknown>) =>
  run().then(
    () => "went through",
    (error: Error) => error.message,
  );
const NO_USERS = 'Plugin "nosy" cannot read table "users": it holds no such grant, wanted grants.read to list "users"';

const keeper = definePlugin({
  name: "keeper",
  provides: ["grants_keeper"],
  grants: { write: ["grants_own"] },
  migrations: {
    "0001_init": async (db) => void (await sql`create table grants_own (id integer not null)`.execute(db)),
  },
  setup({ contribute, provide }) {
    const count = async ({ db }: EventTransaction) => {
      await db.insertInto("grants_own").values({ id: 1 }).execute();
      return (await db.selectFrom("grants_own").selectAll().execute()).length;
    };
    provide("grants_keeper", { keep: (tx) => count(tx) });
    contribute("grants_part", { name: "keeper", count });
  },
});

const nosy = definePlugin({
  name: "nosy",
  requires: ["grants_keeper", "users"],
  grants: { read: ["books"], impersonate: true },
  events: ["grants_happen"],
  setup({ app, contracts, db, list, on, perform, slot, visible }) {
    const peek = async ({ db }: EventTransaction) => db.selectFrom("users").selectAll().execute();
    const tell = async (where: string, tx: EventTransaction) =>
      void said.push(`${where}: ${await outcome(() => peek(tx))}`);
    on("grants_happen", {
      async filter(draft, tx) {
        await tell("filter", tx);
        return draft;
      },
      async veto(_, tx) {
        await tell("veto", tx);
        return undefined;
      },
      inTransaction: (_, tx) => tell("join", tx),
    });
    on.any({ inTransaction: ({ name }, tx) => (name === "grants_happen" ? tell("any", tx) : undefined) });
    app.get(
      "/test-nosy",
      async ({ viewer }) => {
        const result = await perform("grants_happen", viewer, { how: "outside" }, async (draft, tx) => {
          await tell("act", tx);
          await tx.perform("grants_happen", { how: "inside" }, async (inner, deeper) => {
            await tell("inner act", deeper);
            return inner;
          });
          said.push(`contract: ${await contracts.grants_keeper.keep(tx)}`);
          for (const part of slot("grants_part")) said.push(`${part.name}: ${await part.count(tx)}`);
          const other = { ...viewer, admin: false };
          said.push(`veto of accounts: ${await outcome(() => contracts.users.guardedAdmin(other, 1, tx))}`);
          said.push(`own: ${await outcome(() => tx.db.selectFrom("books").select("id").execute())}`);
          return draft;
        });
        return {
          result,
          template: await outcome(() => sql`select 1 from users`.execute(db)),
          books: await outcome(() => visible("books", viewer).selectAll().execute()),
          joined: await outcome(() =>
            visible("books", viewer).innerJoin("users", "users.id", "books.owned_by").selectAll("users").execute(),
          ),
          users: await outcome(async () => visible("users", viewer).selectAll().execute()),
          list: await outcome(() =>
            list({ table: "users", fields: { id: "integer" }, columns: sql`users.*` }, viewer, {}),
          ),
        };
      },
      { permit: "access-api" },
    );
  },
});

beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [keeper, nosy] });
});
afterAll(() => runtime.stop());

test("a plugin reads no table it was not granted, in events, actions, visibility rules and listings alike", async () => {
  const { status, body } = await runtime.ask("GET", "/api/test-nosy");
  expect([status, body]).toEqual([
    200,
    {
      result: { how: "outside" },
      template: NO_USERS,
      books: "went through",
      joined: NO_USERS,
      users: NO_USERS,
      list: NO_USERS,
    },
  ]);
  const refused = (...places: string[]) => places.map((place) => `${place}: ${NO_USERS}`);
  expect(said).toEqual([
    ...refused("filter", "veto", "act", "filter", "veto", "inner act", "join", "any"),
    "contract: 1",
    "keeper: 2",
    "veto of accounts: went through",
    "own: went through",
    ...refused("join", "any"),
  ]);
});

test("what the system itself performs sees all", async () => {
  const found = await runtime.runtime.bus.perform("grants_happen", SYSTEM, { how: "house" }, async (draft, tx) => {
    expect(await outcome(() => tx.db.selectFrom("users").select("id").execute())).toBe("went through");
    return draft;
  });
  expect(found).toEqual({ how: "house" });
});
