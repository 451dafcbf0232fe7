/** Renaming and merging of tags: on which items, by whom, in what steps, and what follows from it. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { definePlugin } from "lectern/core";
import type { RenamesContext } from "../../plugins/content/tag_renames/contract.ts";
import { purgeRenames, resumeRenames } from "../../plugins/content/tag_renames/runs.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(60_000);

let runtime: TestRuntime;
beforeAll(async () => {
  const guard = definePlugin({
    name: "guard",
    setup({ on }) {
      on("book_update", { veto: ({ row }) => (row.name === "Veto this" ? "This book is signed" : undefined) });
    },
  });
  runtime = await bootTestRuntime({ constants: { tag_renames: { itemsAtOnce: 4, batchItems: 2 } }, extra: [guard] });
});
afterAll(() => runtime.stop());

interface Tagged {
  readonly name: string;
  readonly value: string;
}

const ask = (method: string, path: string, as = runtime.token, body?: object) =>
  runtime.ask(method, `/api/${path}`, { as, ...(body && { body }) });
const book = async (name: string, tags: readonly (readonly [name: string, value?: string])[]): Promise<number> =>
  (await ask("POST", "books", runtime.token, { name, tags: tags.map(([name, value = ""]) => ({ name, value })) })).body
    .id;
const page = async (parent: number, name: string, tags: readonly Tagged[]): Promise<number> =>
  (await ask("POST", "pages", runtime.token, { name, book_id: parent, html: "<p>x</p>", tags })).body.id;
const tagsOf = async (path: string): Promise<string[]> =>
  (await ask("GET", path)).body.tags.map(({ name, value }: Tagged) => (value === "" ? name : `${name}=${value}`));
const rename = (body: object, as?: string) => ask("POST", "tags/rename", as, body);
const plan = async (query: string, as?: string) => (await ask("GET", `tags/rename?${query}`, as)).body;
/** The context of the plugin, whose members tests do not type. */
const context = () => runtime.contexts.get("tag_renames") as unknown as RenamesContext;
const drain = () => runtime.runtime.jobs.drain();

const VIEWS = ["access-api", "book-view-all", "chapter-view-all", "page-view-all", "bookshelf-view-all"];

test("a name is renamed on items of each kind, with its values, and the order of tags stays", async () => {
  const id = await book("Kinds", [
    ["a", "1"],
    ["OS", "linux"],
    ["z", ""],
  ]);
  const chapter = (
    await ask("POST", "chapters", runtime.token, { name: "c", book_id: id, tags: [{ name: "os", value: "" }] })
  ).body.id;
  const inside = await page(id, "p", [{ name: "OS", value: "mac" }]);
  const shelf = (await ask("POST", "shelves", runtime.token, { name: "s", tags: [{ name: "OS", value: "bsd" }] })).body
    .id;
  expect(await plan("name=OS&to[name]=Platform")).toEqual({ changes: 4, left_alone: 0 });
  const { status, body } = await rename({ name: "OS", to: { name: "Platform" } });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    ...{ name: "OS", value: null, to: { name: "Platform", value: null } },
    ...{ status: "done", changed: 4, left_alone: 0, total: 4, error: null },
  });
  expect(await tagsOf(`books/${id}`)).toEqual(["a=1", "Platform=linux", "z"]);
  expect(await tagsOf(`chapters/${chapter}`)).toEqual(["Platform"]);
  expect(await tagsOf(`pages/${inside}`)).toEqual(["Platform=mac"]);
  expect(await tagsOf(`shelves/${shelf}`)).toEqual(["Platform=bsd"]);
  expect((await ask("GET", "tags/names?filter[name]=OS")).body.total).toBe(0);
  expect((await ask("GET", "search?query=[Platform=mac]")).body.data.map(({ id }: { id: number }) => id)).toEqual([
    inside,
  ]);
  const [entry] = (await ask("GET", "audit-log?filter[type]=tag_rename")).body.data;
  expect(entry.detail).toBe("OS → Platform");
});

test("a value is merged into another one, and no item has a tag twice", async () => {
  const both = await book("Both", [["state", "done"], ["x"], ["state", "finished"]]);
  const other = await book("Other", [["State", "FINISHED"]]);
  const keeps = await book("Keeps", [["state", "open"]]);
  const wanted = { name: "state", value: "finished", to: { name: "state", value: "done" } };
  expect((await rename(wanted)).body).toMatchObject({ changed: 2 });
  expect(await tagsOf(`books/${both}`)).toEqual(["state=done", "x"]);
  expect(await tagsOf(`books/${other}`)).toEqual(["state=done"]);
  expect(await tagsOf(`books/${keeps}`)).toEqual(["state=open"]);
  expect((await rename(wanted)).body).toMatchObject({ changed: 0, total: 0, status: "done" });
});

test("a spelling is corrected, and an empty value is a value", async () => {
  const id = await book("Spelt", [["Colour", "RED"], ["colour"]]);
  expect((await rename({ name: "colour", value: "red", to: { name: "colour", value: "red" } })).body.changed).toBe(1);
  expect(await tagsOf(`books/${id}`)).toEqual(["colour=red", "colour"]);
  expect((await rename({ name: "colour", value: "", to: { name: "colour", value: "none" } })).body.changed).toBe(1);
  expect(await tagsOf(`books/${id}`)).toEqual(["colour=red", "colour=none"]);
  expect((await rename({ name: "colour", to: { name: "colour", value: "any" } })).body.changed).toBe(1);
  expect(await tagsOf(`books/${id}`)).toEqual(["colour=any"]);
});

test("items change by who may update them; others keep the tag, and hidden ones are not told of", async () => {
  const theirs = await book("Theirs", [["team", "ops"]]);
  const hidden = await book("Hidden", [["team", "ops"]]);
  const { token, role } = await runtime.person("editor", [...VIEWS, "book-update-own", "book-create-all"]);
  const own = (await ask("POST", "books", token, { name: "Own", tags: [{ name: "team", value: "ops" }] })).body.id;
  await ask("PUT", `content-permissions/book/${hidden}`, runtime.token, {
    fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false },
  });
  expect(await plan("name=team&to[name]=group", token)).toEqual({ changes: 1, left_alone: 1 });
  const done = (await rename({ name: "team", to: { name: "group" } }, token)).body;
  expect([done.changed, done.left_alone, done.total]).toEqual([1, 1, 2]);
  expect(await tagsOf(`books/${own}`)).toEqual(["group=ops"]);
  for (const id of [theirs, hidden]) expect(await tagsOf(`books/${id}`)).toEqual(["team=ops"]);
  await ask("PUT", `content-permissions/book/${theirs}`, runtime.token, {
    role_permissions: [{ role_id: role, view: true, create: false, update: true, delete: false }],
  });
  expect(await plan("name=team&to[name]=group", token)).toEqual({ changes: 1, left_alone: 0 });
});

test("many items are renamed in the background, in batches, as their user may at that time", async () => {
  const ids = [];
  for (let i = 0; i < 7; i++) ids.push(await book(`Many ${i}`, [["many", "x"]]));
  const { status, body, headers } = await rename({ name: "many", to: { name: "lots" } });
  expect([status, headers.get("location")]).toEqual([202, body.url]);
  expect(body.url).toBe(`${runtime.baseUrl}/api/tags/renames/${body.id}`);
  expect(body).toMatchObject({ status: "waiting", changed: 0, total: 7 });
  const events = async () => (await ask("GET", "audit-log?filter[type]=book_update&count=1")).body.total as number;
  const before = await events();
  await drain();
  expect((await ask("GET", `tags/renames/${body.id}`)).body).toMatchObject({
    status: "done",
    changed: 7,
    left_alone: 0,
  });
  expect(await events()).toBe(before + 7);
  const { token, role, id } = await runtime.person("demoted", [...VIEWS, "book-update-all"]);
  const later = (await rename({ name: "lots", to: { name: "few" } }, token)).body;
  await ask("PUT", `roles/${role}`, runtime.token, { permissions: [...VIEWS, "page-update-own"] });
  await drain();
  expect((await ask("GET", `tags/renames/${later.id}`, token)).body).toMatchObject({ changed: 0, left_alone: 7 });
  const gone = (await rename({ name: "lots", to: { name: "few" } }, token)).body;
  expect((await ask("DELETE", `users/${id}`)).status).toBe(204);
  await drain();
  expect((await ask("GET", `tags/renames/${gone.id}`)).status).toBe(404);
  expect(await tagsOf(`books/${ids[0]}`)).toEqual(["lots=x"]);
});

test("a rename whose server was killed goes on behind its last batch", async () => {
  for (let i = 0; i < 6; i++) await book(`Killed ${i}`, [["killed"]]);
  const { body } = await rename({ name: "killed", to: { name: "gone on" } });
  // As the killed server has left it: without its job, without a sign of life.
  await runtime.store.sql`delete from jobs where name = 'tag_rename_run'`;
  await runtime.store
    .sql`update tag_renames set status = 'running', run = 1, updated_at = now() - interval '1 hour' where id = ${body.id}`;
  await resumeRenames(context());
  await drain();
  expect((await ask("GET", `tags/renames/${body.id}`)).body).toMatchObject({ status: "done", changed: 6, total: 6 });
});

test("what a plugin vetoes is left alone, and the other items of the batch change", async () => {
  const ids = [];
  for (const name of ["Free", "Veto this", "Free too"]) ids.push(await book(name, [["vetoed"]]));
  const { status, body } = await rename({ name: "vetoed", to: { name: "allowed" } });
  expect([status, body.changed, body.left_alone]).toEqual([200, 2, 1]);
  expect(await Promise.all(ids.map((id) => tagsOf(`books/${id}`)))).toEqual([["allowed"], ["vetoed"], ["allowed"]]);
});

test("the progress is for its user and for who manages settings; input is checked", async () => {
  await book("Mine", [["mine"]]);
  const { body } = await rename({ name: "mine", to: { name: "ours" } });
  const other = await runtime.person("other", VIEWS);
  expect((await ask("GET", `tags/renames/${body.id}`, other.token)).status).toBe(404);
  const refused = await rename({ name: "ours", to: { name: "theirs" } }, other.token);
  expect([refused.status, (await runtime.store.sql`select from tag_renames where to_name = 'theirs'`).length]).toEqual([
    ...[403, 0],
  ]);
  for (const [sent, fields] of [
    [{}, ["name", "to", "to.name"]],
    [{ name: "a", to: { name: "b", value: "c".repeat(256) } }, ["to.value"]],
    [{ name: "a".repeat(256), to: { name: "b" } }, ["name"]],
  ] as const) {
    const answer = await rename(sent);
    expect([answer.status, Object.keys(answer.body.error.validation).sort()]).toEqual([422, [...fields]]);
  }
});

test("renames that ended are kept for a week", async () => {
  const kept = async () => (await runtime.store.sql`select id from tag_renames order by id`).map(({ id }) => id);
  const [first, ...others] = await kept();
  await runtime.store.sql`update tag_renames set updated_at = now() - interval '8 days' where id = ${first}`;
  await purgeRenames(context());
  expect(await kept()).toEqual(others);
});
