/** Requests of the scripts of the editor, without a browser. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
let book: { id: number; slug: string };
let cookies: { admin: string; reader: string };
beforeAll(async () => {
  runtime = await bootTestRuntime();
  book = (await runtime.ask("POST", "/api/books", { body: { name: "Book" } })).body;
  const { id } = await runtime.person("reader", ["book-view-all", "page-view-own"]);
  await runtime.ask("PUT", `/api/users/${id}`, { body: { email: "reader@example.com", password: "long enough" } });
  cookies = {
    admin: await signedIn("admin@example.com", "correct horse battery"),
    reader: await signedIn("reader@example.com", "long enough"),
  };
});
afterAll(() => runtime.stop());

async function signedIn(email: string, password: string): Promise<string> {
  const body = { email, password };
  const { headers } = await runtime.ask("POST", "/api/session", { as: null, body });
  return headers.get("set-cookie")?.split(";")[0] ?? "";
}
const asked = async (path: string, who: keyof typeof cookies = "admin") => {
  const headers = { cookie: cookies[who], accept: "application/json" };
  return (await runtime.ask("GET", path, { as: null, headers })).body;
};
const newPage = async (body: object) =>
  (await runtime.ask("POST", "/api/pages", { body: { book_id: book.id, ...body } })).body;

test("templates are offered in both formats, by words of their names, to who sees them", async () => {
  const report = await newPage({ name: "Report 100%", html: "<p>A <strong>report</strong></p>" });
  const minutes = await newPage({ name: "Minutes", markdown: "# Minutes" });
  await newPage({ name: "No template", html: "<p>x</p>" });
  for (const { id } of [report, minutes])
    await runtime.ask("PUT", `/api/pages/${id}/template`, { body: { template: true } });
  const { data } = await asked("/editor/templates");
  expect(data).toEqual([
    { id: minutes.id, name: "Minutes", html: minutes.raw_html, markdown: "# Minutes" },
    { id: report.id, name: "Report 100%", html: report.raw_html, markdown: "A **report**" },
  ]);
  const found = async (query: string, who?: keyof typeof cookies) =>
    (await asked(`/editor/templates?query=${encodeURIComponent(query)}`, who)).data.map(
      ({ name }: { name: string }) => name,
    );
  expect(await found("0%")).toEqual(["Report 100%"]);
  expect(await found("%%")).toEqual([]);
  expect(await found("", "reader")).toEqual([]);
});

test.each(["javascript:alert(1)", "//example.com", "https://example.com/", "/\\example.com"])(
  "the question whether to discard a draft leads back to this instance alone, and not to %p",
  async (back) => {
    const { id } = await newPage({ name: "Text", html: "<p>x</p>" });
    const html = String(await asked(`/editor/discard/page/${id}?slot=&back=${encodeURIComponent(back)}`));
    expect(html).toContain('<a role="button" class="secondary" href="/"');
    expect(html).not.toContain("example.com");
    expect(html).not.toContain("javascript:");
  },
);
