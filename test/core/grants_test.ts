/** Grants of tables hold wherever a plugin meets the store: in events, acts, what others call, sight and listings. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { definePlugin, SYSTEM, sql, type Work } from "lectern/core";
import { bootHouse, type TestHouse } from "../support/house.ts";

declare module "lectern/core" {
  interface Events {
    grants_happen: { draft: { how: string }; result: { how: string } };
  }
  interface Contracts {
    grants_keeper: { keep(work: Work): Promise<number> };
  }
  interface Slots {
    grants_part: { readonly name: string; count(work: Work): Promise<number> };
  }
}
declare module "lectern/db" {
  interface Tables {
    grants_own: { id: number };
  }
}

let house: TestHouse;
const said: string[] = [];
const outcome = (run: () => Promise<unknown>) =>
  run().then(
    () => "went through",
    (error: Error) => error.message,
  );
const NO_USERS =
  'Plugin "nosy" cannot read table "users": it holds no such grant, wanted permissions.read to list "users"';

const keeper = definePlugin({
  name: "keeper",
  provides: ["grants_keeper"],
  permissions: { write: ["grants_own"] },
  migrations: {
    "0001_init": async (db) => void (await sql`create table grants_own (id integer not null)`.execute(db)),
  },
  setup({ contribute, provide }) {
    const count = async ({ db }: Work) => {
      await db.insertInto("grants_own").values({ id: 1 }).execute();
      return (await db.selectFrom("grants_own").selectAll().execute()).length;
    };
    provide("grants_keeper", { keep: (work) => count(work) });
    contribute("grants_part", { name: "keeper", count });
  },
});

const nosy = definePlugin({
  name: "nosy",
  requires: ["grants_keeper"],
  permissions: { read: ["books"] },
  events: ["grants_happen"],
  setup({ app, contracts, list, on, onAny, perform, slot, visible }) {
    const peek = async ({ db }: Work) => db.selectFrom("users").selectAll().execute();
    const tell = async (where: string, work: Work) => void said.push(`${where}: ${await outcome(() => peek(work))}`);
    on("grants_happen", {
      async filter(draft, work) {
        await tell("filter", work);
        return draft;
      },
      async veto(_, work) {
        await tell("veto", work);
        return undefined;
      },
      join: (_, work) => tell("join", work),
    });
    onAny({ join: ({ name }, work) => (name === "grants_happen" ? tell("any", work) : undefined) });
    app.get(
      "/test-nosy",
      async ({ viewer }) => {
        const result = await perform("grants_happen", viewer, { how: "outside" }, async (draft, work) => {
          await tell("act", work);
          await work.perform("grants_happen", { how: "inside" }, async (inner, deeper) => {
            await tell("inner act", deeper);
            return inner;
          });
          said.push(`contract: ${await contracts.grants_keeper.keep(work)}`);
          for (const part of slot("grants_part")) said.push(`${part.name}: ${await part.count(work)}`);
          said.push(`own: ${await outcome(() => work.db.selectFrom("books").select("id").execute())}`);
          said.push(`raw rows: ${await outcome(() => sql`select 1 from users`.execute(work.db))}`);
          return draft;
        });
        return {
          result,
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
  house = await bootHouse({ extra: [keeper, nosy] });
});
afterAll(() => house.stop());

test("a plugin reads no table it was not granted, in events, acts, sight and listings alike", async () => {
  const { status, body } = await house.ask("GET", "/api/test-nosy");
  expect([status, body]).toEqual([
    200,
    { result: { how: "outside" }, books: "went through", joined: NO_USERS, users: NO_USERS, list: NO_USERS },
  ]);
  const refused = (...places: string[]) => places.map((place) => `${place}: ${NO_USERS}`);
  expect(said).toEqual([
    ...refused("filter", "veto", "act", "filter", "veto", "inner act", "join", "any"),
    "contract: 1",
    "keeper: 2",
    "own: went through",
    "raw rows: went through",
    ...refused("join", "any"),
  ]);
});

test("what the house itself performs sees all", async () => {
  const found = await house.house.bus.perform("grants_happen", SYSTEM, { how: "house" }, async (draft, work) => {
    expect(await outcome(() => work.db.selectFrom("users").select("id").execute())).toBe("went through");
    return draft;
  });
  expect(found).toEqual({ how: "house" });
});
