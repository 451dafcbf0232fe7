/**
 * Kinds of content that plugins add below books and chapters: deleted and restored with them, among their contents at addresses of
 * their own; and fields that plugins add to the listing of pages.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { definePlugin, expressionBuilder, type ItemTable, sql, t } from "lectern/core";
import type { Tables } from "lectern/db";
import type {} from "lectern/plugins";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(120_000);

declare module "lectern/core" {
  /** Required keys: the readers of these kinds compile without knowing them. */
  interface ItemFields {
    "book.listed.length": number;
    "book.read.length": number;
    "bookshelf.read.length": number;
    "chapter.read.length": number;
    "page.read.length": number;
  }
}
declare module "lectern/db" {
  interface Tables {
    test_dishes: ItemTable & { book_id: number; chapter_id: number | null };
  }
}

const dishes = definePlugin({
  name: "test-dishes",
  requires: ["access"],
  grants: { write: ["test_dishes"] },
  migrations: {
    async "0001_init"(db) {
      await sql`create table test_dishes (id integer generated always as identity primary key, name text not null,
        slug text not null, book_id integer not null, chapter_id integer, created_by integer, updated_by integer,
        owned_by integer, created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
        deleted_at timestamptz)`.execute(db);
    },
  },
  setup({ app, baseUrl, contribute, db, visibilityRule, visible }) {
    const eb = expressionBuilder<Tables, "test_dishes">();
    visibilityRule("test_dishes", () => eb("test_dishes.deleted_at", "is", null));
    contribute("content", {
      kind: "test_dish",
      labels: { one: "Dish", many: "Dishes", icon: "tag" },
      table: "test_dishes",
      segment: "test-dishes",
      parents: [
        { kind: "chapter", column: "chapter_id" },
        { kind: "book", column: "book_id" },
      ],
      columns: ["id", "name", "slug"],
      path: eb.fn<string>("concat", [sql.lit("/dishes/"), "test_dishes.slug"]),
      async contents(viewer, bookId) {
        const found = await visible("test_dishes", viewer).selectAll().where("book_id", "=", bookId).execute();
        return found.map(({ id, name, slug, book_id, chapter_id }) => ({
          ...{ id, name, slug, book_id, chapter_id, priority: 50, type: "test_dish", url: `${baseUrl}/dishes/${slug}` },
        }));
      },
    });
    contribute("response_fields", {
      kind: "page",
      moment: "listed",
      schema: { length: t.Integer() },
      add: async (ids) => new Map(ids.map((id) => [id, { length: id * 10 }])),
    });
    app.post(
      "/test-dishes",
      ({ input }) =>
        db
          .insertInto("test_dishes")
          .values({ slug: String(input.name).toLowerCase(), ...input } as never)
          .returning("id")
          .executeTakeFirst(),
      { permit: "access-api" },
    );
    app.get("/test-dishes", ({ viewer }) => visible("test_dishes", viewer).select("name").orderBy("id").execute(), {
      permit: "access-api",
    });
  },
});

/** Part of the icon "tag". */
const TAG_ICON = "M4 4h8l8 8-8 8-8-8z";

let runtime: TestRuntime;
const asked = async (method: string, path: string, body?: unknown) =>
  (await runtime.ask(method, `/api${path}`, { body })).body;
const dishesSeen = async () => (await asked("GET", "/test-dishes")).map(({ name }: { name: string }) => name);
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [dishes] });
});
afterAll(() => runtime?.stop());

/** A book with a dish, and a chapter with another one. */
async function cookbook(name: string) {
  const book = await asked("POST", "/books", { name });
  const chapter = await asked("POST", "/chapters", { book_id: book.id, name: `${name} soups` });
  await asked("POST", "/test-dishes", { name: `${name}-bread`, book_id: book.id });
  await asked("POST", "/test-dishes", { name: `${name}-broth`, book_id: book.id, chapter_id: chapter.id });
  return { book, chapter };
}

test("items of an added kind are deleted and restored with their book, without a handler of their plugin", async () => {
  const { book, chapter } = await cookbook("Spring");
  await asked("DELETE", `/chapters/${chapter.id}`);
  expect(await dishesSeen()).toEqual(["Spring-bread"]);
  await asked("DELETE", `/books/${book.id}`);
  expect(await dishesSeen()).toEqual([]);
  const { data } = await asked("GET", `/recycle-bin?filter[deletable_type]=book`);
  expect(await asked("PUT", `/recycle-bin/${data[0].id}`)).toEqual({ restore_count: 4 });
  expect(await dishesSeen()).toEqual(["Spring-bread", "Spring-broth"]);
});

test("items of an added kind are moved with their chapter, deleted ones too", async () => {
  const { book, chapter } = await cookbook("Summer");
  const other = await asked("POST", "/books", { name: "Picnic" });
  const entryOf = async ({ id }: { id: number }) => {
    const { contents } = await asked("GET", `/books/${id}`);
    return contents.map(({ name, pages }: { name: string; pages?: { name: string }[] }) => [
      name,
      ...(pages ?? []).map((page) => page.name),
    ]);
  };
  expect(await entryOf(book)).toEqual([["Summer soups", "Summer-broth"], ["Summer-bread"]]);
  await asked("POST", "/test-dishes", { name: "Summer-crumbs", book_id: book.id, chapter_id: chapter.id });
  const deleted = () => runtime.db.selectFrom("test_dishes").select("book_id").where("name", "=", "Summer-crumbs");
  await runtime.db
    .updateTable("test_dishes")
    .set({ deleted_at: "now()" })
    .where("name", "=", "Summer-crumbs")
    .execute();
  await asked("PUT", `/chapters/${chapter.id}`, { book_id: other.id });
  expect(await deleted().execute()).toEqual([{ book_id: other.id }]);
  expect([await entryOf(book), await entryOf(other)]).toEqual([[["Summer-bread"]], [["Summer soups", "Summer-broth"]]]);
  // Deleted and restored with the chapter, not with the book that it was in.
  await asked("DELETE", `/books/${book.id}`);
  expect(await dishesSeen()).toContain("Summer-broth");
  await asked("DELETE", `/chapters/${chapter.id}`);
  expect(await dishesSeen()).not.toContain("Summer-broth");
  const { data } = await asked("GET", `/recycle-bin?filter[deletable_type]=chapter&sort=-id`);
  const { id } = data.find((entry: { deletable_id: number }) => entry.deletable_id === chapter.id);
  expect(await asked("PUT", `/recycle-bin/${id}`)).toEqual({ restore_count: 3 });
  expect(await dishesSeen()).toContain("Summer-broth");
});

test("the contents of a book link to the addresses of entries of an added kind, with the icon of the kind", async () => {
  const { book, chapter } = await cookbook("Autumn");
  const page = await asked("POST", "/pages", { chapter_id: chapter.id, name: "Stock", html: "<p>Boil</p>" });
  const { contents } = await asked("GET", `/books/${book.id}`);
  const [nested, top] = contents;
  expect([nested.pages.map(({ type }: { type?: string }) => type), top.type]).toEqual([
    [undefined, "test_dish"],
    "test_dish",
  ]);
  const screenOf = async (path: string) => {
    const { body } = await runtime.ask("GET", path, { headers: { accept: "text/html" } });
    return String(body);
  };
  const shown = await screenOf(`/books/${book.slug}`);
  const linkTo = (slug: string) => new RegExp(`<a href="[^"]*/dishes/${slug}">(.*?)</a>`, "s").exec(shown)?.[1] ?? "";
  for (const slug of ["autumn-bread", "autumn-broth"]) expect(linkTo(slug)).toContain(TAG_ICON);
  const beside = await screenOf(`/books/${book.slug}/page/${page.slug}`);
  expect(/<nav class="neighbours".*?<\/nav>/s.exec(beside)?.[0]).not.toContain("dishes");
  expect(beside).not.toContain(`/page/autumn-b`);
});

test("the listing of pages has the fields that plugins add", async () => {
  const { book } = await cookbook("Winter");
  const { id } = await asked("POST", "/pages", { book_id: book.id, name: "Stew", html: "<p>Simmer</p>" });
  const { data } = await asked("GET", `/pages?filter[id]=${id}`);
  expect(data[0]).toMatchObject({ id, length: id * 10 });
});
