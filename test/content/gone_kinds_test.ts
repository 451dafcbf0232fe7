/**
 * A kind of content whose plugin is taken out: its items in the recycle bin stay until the plugin is back, and everything that
 * refers to them (audit log, tags, search, content permissions, exports, screens) answers without errors.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { definePlugin, expressionBuilder, idOf, sql } from "lectern/core";
import type { Tables } from "lectern/db";
import type {} from "lectern/plugins";
import { crawl } from "../support/harness/crawl.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(120_000);

interface Term {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
}

declare module "lectern/core" {
  interface Events {
    test_term_create: { draft: { name: string }; result: Term };
    test_term_delete: { draft: { id: number }; result: Term };
  }
}
declare module "lectern/db" {
  interface Tables {
    test_terms: Term & { body: string; book_id: number | null; deleted_at: string | null; owned_by: number | null };
  }
}

const glossary = definePlugin({
  name: "test-glossary",
  requires: ["tags", "access"],
  grants: { read: ["books"], write: ["test_terms"] },
  events: ["test_term_create", "test_term_delete"],
  migrations: {
    async "0001_init"(db) {
      await sql`create table test_terms (id integer generated always as identity primary key, name text not null,
        name_key text generated always as (text_key(name)) stored, slug text not null, body text not null default 'word',
        book_id integer references books(id), created_by integer, updated_by integer, owned_by integer,
        created_at timestamptz not null default now(), updated_at timestamptz not null default now(), deleted_at timestamptz)`.execute(
        db,
      );
    },
  },
  setup({ app, contracts, contribute, perform, visibilityRule }) {
    const eb = expressionBuilder<Tables, "test_terms">();
    contribute("content", {
      kind: "test_term",
      table: "test_terms",
      segment: "test-terms",
      parents: [{ kind: "book", column: "book_id" }],
      columns: ["id", "name", "slug"],
      path: eb.fn<string>("concat", [sql.lit("/test-terms/"), "test_terms.slug"]),
    });
    contribute("searchable", { kind: "test_term", body: eb.ref("test_terms.body") });
    contribute("export_kind", { kind: "test_term", find: async () => undefined });
    visibilityRule("test_terms", () => eb("test_terms.deleted_at", "is", null));
    app.post(
      "/test-terms",
      ({ viewer, input }) =>
        perform("test_term_create", viewer, { name: String(input.name) }, async ({ name }, tx) => {
          const term = await tx.db
            .insertInto("test_terms")
            .values({ name, slug: name.toLowerCase(), book_id: input.book_id ?? null, owned_by: viewer.id } as never)
            .returning(["id", "name", "slug"])
            .executeTakeFirstOrThrow();
          await contracts.tags.save("test_term", term.id, [{ name: "Rare", value: "yes", order: 0 }], tx);
          return term;
        }),
      { permit: "access-api" },
    );
    app.delete(
      "/test-terms/:id",
      ({ viewer, params }) =>
        perform("test_term_delete", viewer, { id: idOf(params.id, "Term") }, ({ id }, tx) =>
          tx.db
            .updateTable("test_terms")
            .set({ deleted_at: sql<string>`now()` })
            .where("id", "=", id)
            .returning(["id", "name", "slug"])
            .executeTakeFirstOrThrow(),
        ),
      { permit: "access-api" },
    );
  },
});

let before: TestRuntime;
let runtime: TestRuntime;
let ids: { kept: number; deleted: number; book: number };

/** The boot without the plugin revokes the rights on its table, which the roles of the server beside it would still need. */
const env = { PLUGIN_ROLES: "third-party" };
beforeAll(async () => {
  before = await bootTestRuntime({ extra: [glossary], env });
  const term = async (body: object) => (await before.ask("POST", "/api/test-terms", { body })).body.id as number;
  await before.ask("POST", "/api/webhooks", {
    body: { name: "Hook", endpoint: "https://example.com", events: ["all"], active: false },
  });
  const book = (await before.ask("POST", "/api/books", { body: { name: "Words" } })).body.id as number;
  ids = { kept: await term({ name: "Kept", book_id: book }), deleted: await term({ name: "Gone" }), book };
  const { status } = await before.ask("PUT", `/api/content-permissions/test_term/${ids.kept}`, {
    body: { role_permissions: [], fallback_permissions: { inheriting: true } },
  });
  expect(status).toBe(200);
  await before.ask("DELETE", `/api/test-terms/${ids.deleted}`);
  await before.runtime.jobs.drain();
  runtime = await bootTestRuntime({ beside: before, env });
});
afterAll(async () => {
  await runtime.stop();
  await before.stop();
});

const bin = async (from: TestRuntime) =>
  (await from.ask("GET", "/api/recycle-bin?filter[deletable_type]=test_term")).body.data;

describe("an entry of the recycle bin whose plugin is gone", () => {
  test("is listed, and neither restored nor deleted", async () => {
    const [entry] = await bin(runtime);
    expect(entry).toMatchObject({ deletable_type: "test_term", deletable_id: ids.deleted, deletable: null });
    for (const method of ["PUT", "DELETE"])
      expect(await runtime.ask(method, `/api/recycle-bin/${entry.id}`)).toMatchObject({
        status: 409,
        body: {
          error: {
            code: 409,
            message:
              "The plugin of the kind “test_term” is not installed, so the item can be neither restored nor deleted.",
          },
        },
      });
    expect(await bin(runtime)).toHaveLength(1);
  });

  test("stays when the bin is emptied, which counts it", async () => {
    const book = (await runtime.ask("POST", "/api/books", { body: { name: "Waste" } })).body.id;
    await runtime.ask("DELETE", `/api/books/${book}`);
    const { body } = await runtime.ask("DELETE", "/api/maintenance/recycle-bin");
    expect(body).toEqual({ delete_count: 1, kept_count: 1 });
    expect(await bin(runtime)).toHaveLength(1);
  });

  test("stays when it expires", async () => {
    await runtime.store.sql`update deletions set created_at = now() - interval '90 days'`;
    const book = (await runtime.ask("POST", "/api/books", { body: { name: "Old waste" } })).body.id;
    await runtime.ask("DELETE", `/api/books/${book}`);
    await runtime.runtime.jobs.drain();
    expect(await bin(runtime)).toHaveLength(1);
  });

  test("has disabled buttons with the reason on its screen", async () => {
    const login = { email: "admin@example.com", password: "correct horse battery" };
    const { headers } = await runtime.ask("POST", "/api/session", { as: null, body: login });
    const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
    const screen = await runtime.ask("GET", "/settings/recycle-bin", {
      as: null,
      headers: { cookie, accept: "text/html" },
    });
    expect(screen.body).toContain("The plugin of this kind is not installed.");
    expect(screen.body).toMatch(/<button[^>]* disabled>Restore/);
    const [entry] = await bin(runtime);
    const one = await runtime.ask("GET", `/settings/recycle-bin/${entry.id}/restore`, {
      as: null,
      headers: { cookie },
    });
    expect([one.status, one.headers.get("location")]).toEqual([303, "/settings/recycle-bin"]);
  });
});

test("no screen and no reading route fails because of a kind that is gone", async () => {
  const { broken } = await crawl(runtime);
  expect(broken).toEqual([]);
  const failed: string[] = [];
  for (const { method, path, detail } of runtime.runtime.http.routes()) {
    if (method !== "GET" || !path.startsWith("/api/") || detail["x-takes"] === "long") continue;
    const filled = path.replace(/:contentType/g, "test_term").replace(/:\w+/g, String(ids.kept));
    const { status } = await runtime.ask(method, filled);
    if (status >= 500) failed.push(`${status} ${filled}`);
  }
  expect(failed).toEqual([]);
});

test.each([
  ["/api/search?query=Kept", 200],
  ["/api/search?query=%7Btype:test_term%7D", 200],
  ["/api/search?query=[Rare]", 200],
  ["/api/audit-log?filter[type]=test_term_create", 200],
  ["/api/audit-log?filter[loggable_type]=test_term", 200],
  ["/api/tags/names", 200],
  ["/api/tags/values-for-name?name=Rare", 200],
  ["/api/content-permissions/test_term/1", 404],
  ["/api/test-terms/1/export/html", 404],
])("%s answers %d without the kind", async (path, status) => {
  expect((await runtime.ask("GET", path)).status).toBe(status);
});

test("a book that rows of the gone kind refer to is not deleted for good, and the answer names their table", async () => {
  await runtime.ask("DELETE", `/api/books/${ids.book}`);
  const { body } = await runtime.ask(
    "GET",
    `/api/recycle-bin?filter[deletable_type]=book&filter[deletable_id]=${ids.book}`,
  );
  const { id } = body.data[0];
  const refused = await runtime.ask("DELETE", `/api/recycle-bin/${id}`);
  expect([refused.status, refused.body.error.message]).toEqual([
    409,
    "Rows of the table “test_terms” refer to the item, so it cannot be deleted. Is the plugin of that table installed?",
  ]);
  expect((await runtime.ask("DELETE", "/api/maintenance/recycle-bin")).body).toMatchObject({ kept_count: 2 });
  expect((await runtime.ask("PUT", `/api/recycle-bin/${id}`)).body).toEqual({ restore_count: 1 });
});

test("a book is not restored without the items that were deleted with it, and is with them when their plugin is back", async () => {
  const book = (await before.ask("POST", "/api/books", { body: { name: "Whole" } })).body.id as number;
  await before.ask("POST", "/api/test-terms", { body: { name: "Within", book_id: book } });
  await before.ask("DELETE", `/api/books/${book}`);
  const { body } = await runtime.ask(
    "GET",
    `/api/recycle-bin?filter[deletable_type]=book&filter[deletable_id]=${book}`,
  );
  const path = `/api/recycle-bin/${body.data[0].id}`;
  const refused = await runtime.ask("PUT", path);
  expect([refused.status, refused.body.error.message]).toEqual([
    409,
    "“Whole” cannot be restored: it contains items of the kind “test_term”, whose plugin is not installed.",
  ]);
  expect((await before.ask("PUT", path)).body).toEqual({ restore_count: 2 });
});

test("the entry is restored when the plugin is back", async () => {
  const [entry] = await bin(before);
  expect(entry.deletable).toMatchObject({ name: "Gone" });
  expect((await before.ask("PUT", `/api/recycle-bin/${entry.id}`)).body).toEqual({ restore_count: 1 });
});
