/**
 * The editor's form saved over what others have done meanwhile beside the text: they moved the page, changed its owner, or the writer has
 * emptied it. What the writer did not choose stays as the others have left it.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(60_000);
type Made = { id: number; slug: string; book_id: number };
let runtime: TestRuntime;
let books: { id: number; slug: string }[];
let cookie: string;
beforeAll(async () => {
  runtime = await bootTestRuntime();
  const names = ["One", "Two", "Three"];
  const made = names.map((name) => runtime.ask("POST", "/api/books", { body: { name } }));
  books = (await Promise.all(made)).map(({ body }) => body);
  const body = { email: "admin@example.com", password: "a long enough password" };
  await runtime.ask("PUT", "/api/users/1", { body });
  const { headers } = await runtime.ask("POST", "/api/session", { as: null, body });
  cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
});
afterAll(() => runtime.stop());

const newPage = async (name: string, content: object): Promise<Made> =>
  (await runtime.ask("POST", "/api/pages", { body: { book_id: books[0]?.id, name, ...content } })).body;
const read = async ({ id }: Made) => (await runtime.ask("GET", `/api/pages/${id}`)).body;
const visit = async (method: string, path: string, form?: Record<string, string>) => {
  const headers = { accept: "text/html", cookie, "sec-fetch-site": "same-origin" };
  const sent = await runtime.ask(method, path, { as: null, headers, ...(form ? { form } : {}) });
  return { status: sent.status, body: String(sent.body) };
};

/** The fields of the editor of a page as a browser would send them. */
async function opened({ slug }: Made): Promise<{ path: string; form: Record<string, string> }> {
  const path = `/books/${books[0]?.slug}/page/${slug}/edit`;
  const { body } = await visit("GET", path);
  const form: Record<string, string> = {};
  const fields = /<form method="post"[^>]*id="editor"[\s\S]*?<\/form>/.exec(body)?.[0] ?? "";
  for (const [, name = "", value = ""] of fields.matchAll(/<input[^>]*? name="([^"]+)"[^>]*? value="([^"]*)"/g))
    form[name] = value.replaceAll("&quot;", '"').replaceAll("&#34;", '"');
  for (const [, name = "", options = ""] of fields.matchAll(/<select[^>]*? name="([^"]+)"[^>]*>([\s\S]*?)<\/select>/g))
    form[name] = /value="([^"]*)" selected/.exec(options)?.[1] ?? "";
  return { path, form: { ...form, act: "save" } };
}

test("a page that another one has moved stays where it is, and is moved where the writer chooses a place", async () => {
  const page = await newPage("Moved", { markdown: "one\n\ntwo" });
  const { path, form } = await opened(page);
  expect(form.target).toBe(`book:${books[0]?.id}`);
  await runtime.ask("PUT", `/api/pages/${page.id}`, { body: { book_id: books[1]?.id } });
  expect((await visit("POST", path, { ...form, content: "one\n\ntwo\n\nthree" })).status).toBe(303);
  expect(await read(page)).toMatchObject({ markdown: "one\n\ntwo\n\nthree", book_id: books[1]?.id });

  const { revision_count } = await read(page);
  const chosen = { ...form, base_revision: String(revision_count), content: "four", target: `book:${books[2]?.id}` };
  expect((await visit("POST", path, chosen)).status).toBe(303);
  expect(await read(page)).toMatchObject({ markdown: "four", book_id: books[2]?.id });
});

test("an owner whom another one has set stays, and the writer can choose one", async () => {
  const page = await newPage("Owned", { markdown: "text" });
  const { path, form } = await opened(page);
  expect(form.owner_id).toBe("1");
  const { id } = await runtime.person("Olga", ["page-view-all"]);
  await runtime.ask("PUT", `/api/content-permissions/page/${page.id}`, { body: { owner_id: id } });
  expect((await visit("POST", path, { ...form, content: "other text" })).status).toBe(303);
  expect(await read(page)).toMatchObject({ markdown: "other text", owned_by: { id } });
  const other = await runtime.person("Otto", ["page-view-all"]);
  const { revision_count } = await read(page);
  const chosen = { ...form, base_revision: String(revision_count), owner_id: String(other.id) };
  expect((await visit("POST", path, chosen)).status).toBe(303);
  expect(await read(page)).toMatchObject({ owned_by: { id: other.id } });
});

for (const [source, content] of [
  ["html", { html: "<p>one</p><p>two</p>" }],
  ["markdown", { markdown: "one\n\ntwo" }],
] as const)
  test(`a page in ${source} that its writer has emptied asks what stays of the text of others`, async () => {
    const page = await newPage(`Emptied ${source}`, content);
    const { path, form } = await opened(page);
    const theirs = source === "html" ? "<p>one</p><p>theirs</p>" : "one\n\ntheirs";
    await runtime.ask("PUT", `/api/pages/${page.id}`, { body: { [source]: theirs } });
    const asked = await visit("POST", path, { ...form, content: "" });
    expect([asked.status, asked.body.includes("Two changes of")]).toEqual([409, true]);
    const [name = ""] = /choice\[[^"]+/.exec(asked.body) ?? [];
    const kept = await visit("POST", path, { ...form, content: "", act: "resolve", [name]: "theirs" });
    expect(kept.status).toBe(303);
    expect((await read(page)).raw_html ?? "").toContain("theirs");
  });
