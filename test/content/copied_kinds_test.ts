/** Items of kinds that plugins add are copied and converted with the book or chapter that they are in. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { definePlugin, expressionBuilder, type ItemTable, rules, sql } from "lectern/core";
import type { Db, Tables } from "lectern/db";
import type {} from "lectern/plugins";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(120_000);

interface Drink {
  readonly id: number;
  readonly name: string;
}
interface DrinkDraft {
  readonly name: string;
  readonly book_id: number;
  readonly chapter_id: number | null;
}
declare module "lectern/db" {
  interface Tables {
    test_drinks: ItemTable & { book_id: number; chapter_id: number | null };
  }
}
declare module "lectern/core" {
  interface Events {
    test_drink_create: { draft: DrinkDraft; result: Drink };
  }
}

const eb = expressionBuilder<Tables, "test_drinks">();
const createRules = rules({ name: ["required", "string"], book_id: ["required", "integer"], chapter_id: ["integer"] });

/** A kind of drinks in books and chapters, which has what a copy needs. */
const drinks = definePlugin({
  name: "test-drinks",
  requires: ["access"],
  grants: { write: ["test_drinks"], read: ["chapters"] },
  events: ["test_drink_create"],
  migrations: {
    async "0001_init"(db) {
      await sql`create table test_drinks (id integer generated always as identity primary key, name text not null,
        slug text not null, book_id integer not null, chapter_id integer, created_by integer, updated_by integer,
        owned_by integer, created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
        deleted_at timestamptz)`.execute(db);
    },
  },
  setup({ app, contribute, perform, validate, visibilityRule, visible }) {
    visibilityRule("test_drinks", () => eb("test_drinks.deleted_at", "is", null));
    contribute("content", {
      kind: "test_drink",
      table: "test_drinks",
      segment: "test-drinks",
      parents: [
        { kind: "chapter", column: "chapter_id" },
        { kind: "book", column: "book_id" },
      ],
      columns: ["id", "name", "slug"],
      path: eb.fn<string>("concat", [sql.lit("/drinks/"), "test_drinks.slug"]),
    });
    contribute("export_kind", {
      kind: "test_drink",
      find: () => Promise.resolve(undefined),
      async within(viewer, { kind, id }) {
        const column = kind === "book" ? "book_id" : "chapter_id";
        const found = await visible("test_drinks", viewer).selectAll().where(column, "=", id).execute();
        return found.map(({ id: own, name, slug, book_id, chapter_id }) => ({
          ...{ kind: "test_drink", id: own, name, slug, url: `/drinks/${slug}`, priority: 9, tags: [] },
          parents: [
            ...(chapter_id === null ? [] : [{ kind: "chapter", id: chapter_id }]),
            { kind: "book", id: book_id },
          ],
        }));
      },
    });
    const insert = ({ name, book_id, chapter_id }: DrinkDraft, db: Db): Promise<Drink> =>
      db
        .insertInto("test_drinks")
        .values({ name, slug: name.toLowerCase(), book_id, chapter_id })
        .returning(["id", "name"])
        .executeTakeFirstOrThrow();
    contribute("content_maker", {
      kind: "test_drink",
      async make({ name }, parent, tx) {
        const inChapter = parent?.kind === "chapter";
        const chapter = inChapter
          ? await tx.db.selectFrom("chapters").select("book_id").where("id", "=", parent.id).executeTakeFirstOrThrow()
          : undefined;
        const place = { book_id: chapter?.book_id ?? parent?.id ?? 0, chapter_id: inChapter ? parent.id : null };
        const made = await tx.perform("test_drink_create", { name, ...place }, (draft, inner) =>
          insert(draft, inner.db),
        );
        return { kind: "test_drink", id: made.id, url: `/drinks/${name}`, shown: { ...made } };
      },
      refill: () => Promise.resolve(undefined),
      async read(ids, { db }) {
        const found = await db
          .selectFrom("test_drinks")
          .select(["id", "name"])
          .where("id", "in", [...ids])
          .execute();
        return new Map(found.map(({ id, name }) => [id, { name, tags: [] }]));
      },
    });
    app.post(
      "/test-drinks",
      async ({ input, viewer }) => {
        const { chapter_id = null, ...named } = await validate(createRules, input, viewer);
        return perform("test_drink_create", viewer, { ...named, chapter_id }, (draft, tx) => insert(draft, tx.db));
      },
      { permit: "access-api" },
    );
  },
});

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [drinks] });
});
afterAll(() => runtime.stop());

const make = async (segment: string, body: object): Promise<Drink> =>
  (await runtime.ask("POST", `/api/${segment}`, { body })).body;
const drinksIn = async (bookId: number) =>
  (await runtime.store.sql`select name, chapter_id from test_drinks where book_id = ${bookId} order by id`).map(
    ({ name, chapter_id }) => `${name} ${chapter_id === null ? "in the book" : "in a chapter"}`,
  );

test("drinks of a book and of its chapter are copied with them", async () => {
  const book = await make("books", { name: "Bar" });
  const chapter = await make("chapters", { name: "Hot", book_id: book.id });
  await make("test-drinks", { name: "Water", book_id: book.id });
  await make("test-drinks", { name: "Tea", book_id: book.id, chapter_id: chapter.id });
  const { status, body } = await runtime.ask("POST", `/api/books/${book.id}/copy`);
  expect(status).toBe(200);
  expect((await drinksIn(body.id)).sort()).toEqual(["Tea in a chapter", "Water in the book"]);
});

test("drinks of a chapter move into the book that it becomes, and keep a book that only they are left in", async () => {
  const book = await make("books", { name: "Cafe" });
  const chapter = await make("chapters", { name: "Cold", book_id: book.id });
  await make("test-drinks", { name: "Water", book_id: book.id });
  await make("test-drinks", { name: "Juice", book_id: book.id, chapter_id: chapter.id });
  const { body } = await runtime.ask("POST", `/api/books/${book.id}/convert-to-shelf`);
  const [cold, rest] = body.books;
  expect([cold.name, rest.name]).toEqual(["Cold", "Cafe Pages"]);
  expect([await drinksIn(cold.id), await drinksIn(rest.id)]).toEqual([["Juice in the book"], ["Water in the book"]]);
});
