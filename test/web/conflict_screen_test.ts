/** The conflict screen by its forms: what it asks, for whom, and what is saved. Two people in browsers are in test/browser. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(60_000);
let runtime: TestRuntime;
let book: { id: number; slug: string };
let cookie: string;
beforeAll(async () => {
  runtime = await bootTestRuntime({ env: { REVISION_LIMIT: "2" } });
  book = (await runtime.ask("POST", "/api/books", { body: { name: "Book" } })).body;
  const { id } = await runtime.person("Ann", ["book-view-all", "page-view-all", "page-update-all"]);
  const body = { email: "ann@example.com", password: "a long enough password" };
  await runtime.ask("PUT", `/api/users/${id}`, { body });
  const { headers } = await runtime.ask("POST", "/api/session", { as: null, body });
  cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
});
afterAll(() => runtime.stop());

const newPage = async (name: string, content: object) =>
  (await runtime.ask("POST", "/api/pages", { body: { book_id: book.id, name, ...content } })).body;
const update = (id: number, body: object) => runtime.ask("PUT", `/api/pages/${id}`, { body });
const read = async (id: number) => (await runtime.ask("GET", `/api/pages/${id}`)).body;
const asAnn = async (method: string, path: string, form?: Record<string, string>) => {
  const headers = { accept: "text/html", cookie, "sec-fetch-site": "same-origin" };
  const sent = await runtime.ask(method, path, { as: null, headers, ...(form ? { form } : {}) });
  return { status: sent.status, body: String(sent.body), to: sent.headers.get("location"), headers: sent.headers };
};
type Made = { id: number; slug: string };
const submit = ({ id, slug }: Made, form: Record<string, string>) =>
  asAnn("POST", `/books/${book.slug}/page/${slug}/edit`, {
    ...{ act: "save", about: `page/${id}`, source: "markdown", kept_at: "", base_revision: "1" },
    ...form,
  });
const radios = (body: string) => [
  ...new Set([...body.matchAll(/name="(choice\[[^"]+)"/g)].map(([, name = ""]) => name)),
];
const chosen = (body: string, value: string) => Object.fromEntries(radios(body).map((name) => [name, value]));

test("a name that both changed is chosen, and one that only another one changed is taken", async () => {
  const made = await newPage("Old name", { markdown: "text" });
  await update(made.id, { name: "Their name" });
  const form = { name: "My name", content: "text" };
  const asked = await submit(made, form);
  expect([asked.status, radios(asked.body)]).toEqual([409, [expect.stringMatching(/^choice\[[0-9a-f]{16}-1\]$/)]]);
  expect(asked.body).toContain("<legend>Name</legend>");
  expect((await submit(made, { ...form, act: "resolve" })).status).toBe(409);
  expect(await read(made.id)).toMatchObject({ name: "Their name", revision_count: 2 });
  expect((await submit(made, { ...form, ...chosen(asked.body, "mine"), act: "resolve" })).status).toBe(303);
  expect(await read(made.id)).toMatchObject({ name: "My name", revision_count: 3 });
  const taken = await submit(made, { name: "Their name", content: "my text", base_revision: "2" });
  expect([taken.status, decodeURIComponent(taken.headers.get("set-cookie") ?? "")]).toEqual([
    303,
    expect.stringContaining("The page is saved, with your change from another window."),
  ]);
  expect(await read(made.id)).toMatchObject({ name: "My name", markdown: "my text" });
});

test("where the revision is no longer kept that a text was made from, the texts collide as a whole", async () => {
  const made = await newPage("Pruned", { markdown: "one\n\ntwo", tags: [{ name: "state", value: "new" }] });
  for (const text of ["2", "3", "4"]) await update(made.id, { markdown: `one\n\n${text}` });
  const form = { name: "Pruned", content: "mine\n\ntwo", "tags[0][name]": "state", "tags[0][value]": "mine" };
  const asked = await submit(made, form);
  expect([asked.status, radios(asked.body).length]).toEqual([409, 2]);
  expect((await submit(made, { ...form, ...chosen(asked.body, "both"), act: "resolve" })).status).toBe(303);
  const saved = await read(made.id);
  expect(saved.markdown).toBe("one\n\n4\n\nmine\n\ntwo");
  expect(saved.tags).toMatchObject([
    { name: "state", value: "new" },
    { name: "state", value: "mine" },
  ]);
});

test("very many collisions are one", async () => {
  const passages = (word: string) => Array.from({ length: 120 }, (_, at) => `${word} ${at}\n\nsame ${at}`).join("\n\n");
  const made = await newPage("Many", { markdown: passages("base") });
  await update(made.id, { markdown: passages("theirs") });
  const form = { name: "Many", content: passages("mine") };
  const asked = await submit(made, form);
  expect(radios(asked.body)).toHaveLength(1);
  expect((await submit(made, { ...form, ...chosen(asked.body, "mine"), act: "resolve" })).status).toBe(303);
  expect((await read(made.id)).markdown).toBe(passages("mine"));
});

test("items and rows of HTML pages are chosen one by one", async () => {
  const list = (one: string, two: string) => `<ul><li>${one}</li><li>${two}</li></ul>`;
  const made = await newPage("List", { html: list("one", "two") });
  await update(made.id, { html: list("theirs", "two") });
  const form = { name: "List", source: "html", content: list("mine", "second") };
  const asked = await submit(made, form);
  expect(radios(asked.body)).toHaveLength(1);
  const edited = await submit(made, { ...form, ...chosen(asked.body, "both"), act: "settle" });
  expect([edited.status, edited.body]).toEqual([200, expect.stringContaining('name="base_revision" value="2"')]);
  expect((await submit(made, { ...form, ...chosen(asked.body, "both"), act: "resolve" })).status).toBe(303);
  const { raw_html } = await read(made.id);
  expect(raw_html.replace(/ id="[^"]*"/g, "")).toBe("<ul><li>theirs</li><li>mine</li><li>second</li></ul>");
});

test("what others changed is shown as a comparison, or as the page to whom revisions are not shown", async () => {
  const made = await newPage("Seen", { markdown: "one" });
  await update(made.id, { markdown: "two" });
  const path = `/books/${book.slug}/page/${made.slug}`;
  const changes = `/editor/changes/${made.id}?since=1`;
  expect((await asAnn("GET", changes)).to).toBe(path);
  const body = { email: "admin@example.com", password: "correct horse battery" };
  const session = (await runtime.ask("POST", "/api/session", { as: null, body })).headers.get("set-cookie");
  const headers = { accept: "text/html", cookie: session?.split(";")[0] ?? "" };
  const shown = await runtime.ask("GET", changes, { as: null, headers });
  expect(shown.headers.get("location")).toMatch(new RegExp(`^${path}/compare-revisions\\?from=\\d+&to=\\d+$`));
  const odd = await runtime.ask("GET", `/editor/changes/${made.id}?since=x`, { as: null, headers });
  expect(odd.status).toBeOneOf([303, 422]);
  expect((await asAnn("GET", "/editor/changes/99999?since=1")).status).toBe(404);
});

test("going back to the text keeps it and what it was made from", async () => {
  const made = await newPage("Back", { markdown: "one" });
  await update(made.id, { markdown: "two" });
  const form = { name: "Back", content: "three" };
  const asked = await submit(made, { ...form, mood: 'of a "theme"' });
  expect([asked.status, asked.body]).toEqual([
    409,
    expect.stringContaining('name="mood" value="of a &quot;theme&quot;"'),
  ]);
  const back = await submit(made, { ...form, act: "preview" });
  expect(back.body).toContain('name="base_revision" value="1"');
  expect(back.body).toContain("saved this page after you began to write.");
  expect((await read(made.id)).markdown).toBe("two");
});
