/** The audit log: what leaves rows and what does not, where it came from, what it keeps of items that are gone. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { activityOf, definePlugin, sql } from "lectern/core";
import { rows } from "lectern/db";
import auditLog from "../../plugins/audit_log/plugin.ts";
import { bootHouse, type TestHouse } from "../support/house.ts";

let house: TestHouse;
const events: string[] = [];
beforeAll(async () => {
  const stranger = definePlugin({
    name: "stranger",
    setup({ contribute, on }) {
      on("book_update", {
        join({ name }) {
          events.push(name);
          if (name === "Refused") throw new Error("Refused by the test");
        },
      });
      contribute(
        "activity",
        activityOf("book_create", ({ result }) => [{ type: "book_admired", detail: `Oh, ${result.name}` }]),
      );
    },
  });
  house = await bootHouse({ extra: [stranger], env: { IP_ADDRESS_PRECISION: "2" } });
});
afterAll(() => house.stop());

interface Row {
  type: string;
  detail: string;
  ip: string;
  user_id: number;
  user: { id: number } | null;
  loggable_type: string | null;
  loggable_id: number | null;
}
const log = async (query = ""): Promise<Row[]> =>
  (await house.ask("GET", `/api/audit-log?sort=-id&count=500${query}`)).body.data;
const make = async (segment: string, body: object) => (await house.ask("POST", `/api/${segment}`, { body })).body;

test("a row tells who did what to what, from where as far as is kept, and a plugin's own things too", async () => {
  const book = await make("books", { name: "Logged" });
  const [admired, created] = await log();
  expect(created).toMatchObject({
    type: "book_create",
    detail: `(${book.id}) Logged`,
    ip: "127.0.x.x",
    user_id: 1,
    user: { id: 1, name: "Admin", slug: "admin" },
    loggable_type: "book",
    loggable_id: book.id,
  });
  expect(admired).toMatchObject({ type: "book_admired", detail: "Oh, Logged", loggable_type: null, loggable_id: null });
});

test("what was refused or failed leaves no row", async () => {
  const book = await make("books", { name: "Steady" });
  const before = (await log()).length;
  expect((await house.ask("PUT", `/api/books/${book.id}`, { body: { name: "Refused" } })).status).toBe(500);
  expect((await house.ask("PUT", `/api/books/${book.id}`, { body: { name: 7 } })).status).toBe(422);
  expect((await house.ask("PUT", `/api/books/${book.id}`, { as: null, body: { name: "x" } })).status).toBe(401);
  expect(events).toContain("Refused");
  expect(await log()).toHaveLength(before);
});

test("signing in leaves a row with the way it was done, and no secret stands anywhere", async () => {
  await house.ask("POST", "/api/session", {
    as: null,
    body: { email: "admin@example.com", password: "correct horse battery" },
  });
  expect((await log())[0]).toMatchObject({ type: "auth_login", detail: "standard; (1) Admin", user_id: 1 });
  await make("users", { name: "Eve", email: "eve@example.com", password: "her secret word" });
  const token = await make("users/1/tokens", { name: "Laptop" });
  const all = JSON.stringify(await log());
  for (const secret of ["correct horse", "her secret word", token.secret]) expect(all).not.toContain(secret);
  expect((await log())[0]?.detail).toBe(`(${token.id}) Laptop; User: (1) Admin`);
});

test("a move is told before the update it is part of", async () => {
  const [one, two] = [await make("books", { name: "From" }), await make("books", { name: "To" })];
  const page = await make("pages", { name: "Mover", book_id: one.id, html: "<p>x</p>" });
  await house.ask("PUT", `/api/pages/${page.id}`, { body: { book_id: two.id } });
  expect((await log()).slice(0, 2).map(({ type }) => type)).toEqual(["page_update", "page_move"]);
});

test("rows of an item that is gone for good keep its name and let go of it", async () => {
  const book = await make("books", { name: "Doomed" });
  await house.ask("DELETE", `/api/books/${book.id}`);
  const [entry] = (await house.ask("GET", `/api/recycle-bin?filter[deletable_id]=${book.id}`)).body.data;
  await house.ask("DELETE", `/api/recycle-bin/${entry.id}`);
  const kept = await log("&filter[detail]=Doomed");
  expect(kept.map(({ type, loggable_id }) => [type, loggable_id])).toEqual([
    ["book_delete", null],
    ["book_create", null],
  ]);
  const [destroyed] = await log("&filter[type]=recycle_bin_destroy");
  expect(destroyed?.detail).toBe(`Deletion (${entry.id}) for book (${book.id}) Doomed`);
});

test("rows outlive their user, and a user shows when they last did something", async () => {
  const clerk = await house.person("clerk", ["access-api", "book-create-all"]);
  const read = async () => (await house.ask("GET", `/api/users/${clerk.id}`)).body.last_activity_at;
  expect(await read()).toBeNull();
  await house.ask("POST", "/api/books", { as: clerk.token, body: { name: "By the clerk" } });
  const [row] = await rows<{ created_at: string }>(
    house.db,
    sql`select created_at from activities where user_id = ${clerk.id}::integer order by id desc limit 1`,
  );
  expect(await read()).toBe(row?.created_at);
  const sorted = await house.ask("GET", "/api/users?sort=-last_activity_at&count=2");
  expect(sorted.body.data.map(({ id }: { id: number }) => id)).toContain(clerk.id);
  await house.ask("DELETE", `/api/users/${clerk.id}`);
  expect((await log(`&filter[user_id]=${clerk.id}`)).at(-1)).toMatchObject({ type: "book_create", user: null });
});

test("a command removes old rows, and nothing else does", async () => {
  await rows(house.db, sql`update activities set created_at = now() - interval '40 days' where type = 'page_move'`);
  const run = async (...args: string[]) => {
    const lines: string[] = [];
    const io = { out: (line: string) => lines.push(line), err: (line: string) => lines.push(line) };
    const code = await auditLog.commands.audit?.run(args, io as never, house.contexts.get("audit_log"));
    return { code, text: lines.join("\n") };
  };
  expect((await run("prune", "--older-than", "soon")).code).toBe(2);
  expect((await run("burn")).code).toBe(2);
  expect((await run("prune", "--older-than", "50")).text).toBe("Removed 0 rows older than 50 days");
  expect((await run("prune", "--older-than", "30")).text).toBe("Removed 1 rows older than 30 days");
  expect(await log("&filter[type]=page_move")).toEqual([]);
});
