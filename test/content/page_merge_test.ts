/** A text that was changed while others saved is merged with theirs, and nothing is saved by that. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
let book: number;
const BASE = "# Rota\n\nAda is on call.\n\nThe end.";
const made = async (body: object) =>
  (await runtime.ask("POST", "/api/pages", { body: { book_id: book, name: "Rota", ...body } })).body.id as number;
const merge = (id: number, body: object, as?: string) =>
  runtime.ask("POST", `/api/pages/${id}/merge`, { body, ...(as === undefined ? {} : { as }) });

beforeAll(async () => {
  runtime = await bootTestRuntime();
  book = (await runtime.ask("POST", "/api/books", { body: { name: "Book" } })).body.id;
});
afterAll(() => runtime.stop());

test("changes of different parts are merged, and saved with the revision that the merge tells", async () => {
  const id = await made({ markdown: BASE });
  await runtime.ask("PUT", `/api/pages/${id}`, { body: { priority: 3 } });
  await runtime.ask("PUT", `/api/pages/${id}`, { body: { markdown: BASE.replace("Ada", "Bob") } });
  const { status, body } = await merge(id, { base_revision: 2, markdown: BASE.replace("The end", "End") });
  const text = "# Rota\n\nBob is on call.\n\nEnd.";
  expect([status, body]).toEqual([200, { revision_count: 3, format: "markdown", text, parts: [{ text }] }]);
  expect((await runtime.ask("GET", `/api/pages/${id}`)).body).toMatchObject({ revision_count: 3 });
  const saved = await runtime.ask("PUT", `/api/pages/${id}`, { body: { markdown: body.text, base_revision: 3 } });
  expect([saved.status, saved.body.markdown]).toEqual([200, text]);
});

test("what both changed is shown with both texts, in Markdown and in HTML", async () => {
  const id = await made({ markdown: BASE });
  await runtime.ask("PUT", `/api/pages/${id}`, { body: { markdown: BASE.replace("Ada", "Bob") } });
  const { body } = await merge(id, { base_revision: 1, markdown: BASE.replace("Ada", "Eve") });
  expect([body.text, body.parts]).toMatchObject([
    null,
    [{ text: "# Rota\n\n" }, { mine: "Eve is on call.\n\n", theirs: "Bob is on call.\n\n" }, { text: "The end." }],
  ]);
  const html = await made({ html: '<p id="a">One</p><p id="b">Two</p>' });
  await runtime.ask("PUT", `/api/pages/${html}`, { body: { html: '<p id="a">1</p><p id="b">Two</p>' } });
  const merged = await merge(html, { base_revision: 1, html: '<p id="a">One</p><p id="b">2</p>' });
  expect(merged.body.text.replace(/ id="[^"]*"/g, "")).toBe("<p>1</p><p>2</p>");
});

test("where the formats differ, the changes are merged as HTML", async () => {
  const id = await made({ markdown: "One\n\nTwo\n\nThree" });
  const plain = (html: string) => html.replace(/ id="[^"]*"|\n/g, "");
  await runtime.ask("PUT", `/api/pages/${id}`, { body: { html: "<p>One</p><p>Two</p><p>3</p>" } });
  const { body } = await merge(id, { base_revision: 1, markdown: "1\n\nTwo\n\nThree" });
  expect([body.format, plain(body.text)]).toEqual(["html", "<p>1</p><p>Two</p><p>3</p>"]);
  const other = await merge(id, { base_revision: 1, html: "<p>1</p><p>Two</p><p>Three</p>" });
  expect([other.body.format, plain(other.body.text)]).toEqual(["html", "<p>1</p><p>Two</p><p>3</p>"]);
});

test("name and tags are merged where they are sent, and collide where both changed them", async () => {
  const tag = (name: string, value: string) => ({ name, value });
  const base_tags = [tag("state", "new"), tag("team", "ops"), tag("old", "")];
  const id = await made({ markdown: BASE, tags: base_tags });
  const theirs = [tag("state", "done"), tag("team", "ops"), tag("theirs", "")];
  await runtime.ask("PUT", `/api/pages/${id}`, { body: { name: "Their rota", tags: theirs } });
  const tags = [tag("team", "dba"), tag("state", "draft"), tag("old", ""), tag("mine", "")];
  const sent = { base_revision: 1, markdown: BASE, tags, base_tags };
  const { body } = await merge(id, { ...sent, name: "Rota" });
  expect([body.text, body.name]).toEqual([BASE, { text: "Their rota" }]);
  expect(body.tags).toEqual([
    { name: "team", values: ["dba"] },
    { name: "state", base: ["new"], mine: ["draft"], theirs: ["done"] },
    { name: "mine", values: [""] },
    { name: "theirs", values: [""] },
  ]);
  const blind = await merge(id, { ...sent, name: "My rota", base_tags: undefined });
  expect(blind.body.name).toEqual({ base: "Rota", mine: "My rota", theirs: "Their rota" });
  expect(blind.body.tags.filter((each: object) => "mine" in each)).toHaveLength(5);
});

test("what only a revision has is shown to nobody who may not view revisions", async () => {
  const id = await made({ name: "Secret", markdown: "The password is secret." });
  await runtime.ask("PUT", `/api/pages/${id}`, { body: { name: "Rota", markdown: "The password is gone." } });
  const sent = { base_revision: 1, name: "x", markdown: "x" };
  const permissions = ["access-api", "page-view-all", "page-update-all"];
  const writer = await runtime.person("Writer", permissions);
  expect((await merge(id, sent, writer.token)).body).toMatchObject({
    name: { base: "", mine: "x", theirs: "Rota" },
    parts: [{ base: "", mine: "x", theirs: "The password is gone." }],
  });
  const editor = await runtime.person("Editor", [...permissions, "revision-view-all"]);
  expect((await merge(id, sent, editor.token)).body.parts[0].base).toBe("The password is secret.");
});

test("there is nothing to merge with a revision that is gone, or a page that one may not change", async () => {
  const id = await made({ markdown: BASE });
  expect((await merge(id, { base_revision: 0, markdown: "x" })).status).toBe(409);
  expect((await merge(id, { base_revision: 2, markdown: "x" })).status).toBe(409);
  expect((await merge(id, { markdown: "x" })).status).toBe(422);
  expect((await merge(id, { base_revision: 1 })).status).toBe(422);
  // A text that its writer has emptied is one.
  const emptied = await merge(id, { base_revision: 1, markdown: "" });
  expect([emptied.status, emptied.body.text]).toEqual([200, ""]);
  // A text of a revision that was deleted is not merged as one of the revision before.
  for (const markdown of ["keep", "keep\n\ntheirs"])
    await runtime.ask("PUT", `/api/pages/${id}`, { body: { markdown } });
  const { data } = (await runtime.ask("GET", `/api/pages/${id}/revisions`)).body;
  const second = data.find(({ number }: { number: number }) => number === 2);
  expect((await merge(id, { base_revision: 2, markdown: "x\n\nkeep" })).status).toBe(200);
  expect((await runtime.ask("DELETE", `/api/pages/${id}/revisions/${second.id}`)).status).toBe(204);
  expect((await merge(id, { base_revision: 2, markdown: "x\n\nkeep" })).status).toBe(409);
  expect((await merge(99999, { base_revision: 1, markdown: "x" })).status).toBe(404);
  const reader = await runtime.person("Reader", ["access-api", "page-view-all"]);
  expect((await merge(id, { base_revision: 1, markdown: "x" }, reader.token)).status).toBe(403);
  const stranger = await runtime.person("Stranger", ["access-api", "page-update-all"]);
  expect((await merge(id, { base_revision: 1, markdown: "x" }, stranger.token)).status).toBe(404);
});

test("tags and those of the base are described alike", async () => {
  const { paths } = (await runtime.ask("GET", "/api/openapi.json")).body;
  for (const operation of [paths["/api/pages/{id}/merge"].post, paths["/api/drafts/{kind}/{id}"].put]) {
    const { properties } = operation.requestBody.content["application/json"].schema;
    expect(properties.base_tags).toEqual(properties.tags);
    expect(properties.tags.items.properties).toHaveProperty("value");
  }
});
