/**
 * What a page includes is limited by the operator's settings, and a notice replaces what is left out wherever the page is
 * shown.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { overrideTools } from "../support/data/sample_overrides.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(60_000);

const MANY = "Dieser Teil wurde weggelassen: Die Seite bindet mehr als 3 Teile ein.";
const LARGE = "Dieser Teil wurde weggelassen: Was die Seite einbindet, ist größer als 300 Bytes.";

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime({
    env: { APP_LANG: "de" },
    constants: { markup: { maxIncludes: 3, maxIncludedBytes: 300 } },
  });
});
afterAll(() => runtime.stop());
const { made } = overrideTools(() => runtime);

async function pageOf(book: number, html: string) {
  const { body } = await runtime.ask("POST", "/api/pages", { body: { book_id: book, name: "Page", html } });
  return body;
}

test("the API, exports and screens tell in the language of the instance what was left out", async () => {
  const book = await made("books", { name: "Bounds" });
  const part = await pageOf(book, '<p id="bkmrk-x">part</p>');
  const tag = `{{@${part.id}#bkmrk-x}}`;
  const { id, slug, html } = await pageOf(book, `<p id="bkmrk-p">${`${tag} `.repeat(4)}end</p>`);
  expect(html).toBe(`<p id="bkmrk-p">part part part <em>${MANY}</em> end</p>`);
  expect((await runtime.ask("GET", `/api/pages/${id}`)).body.html).toBe(html);
  for (const format of ["html", "plaintext"])
    expect(String((await runtime.ask("GET", `/api/pages/${id}/export/${format}`)).body)).toContain(MANY);
  const signIn = { email: "admin@example.com", password: "correct horse battery" };
  const session = await runtime.ask("POST", "/api/session", { as: null, body: signIn });
  const cookie = session.headers.get("set-cookie")?.split(";")[0] ?? "";
  const screen = await runtime.ask("GET", `/books/bounds/page/${slug}`, { as: null, headers: { cookie } });
  expect([screen.status, screen.body.includes(MANY)]).toEqual([200, true]);
});

test("pages that are too large are not brought in, and leave room for others", async () => {
  const book = await made("books", { name: "Sizes" });
  const large = await pageOf(book, `<p id="bkmrk-x">${"ü".repeat(150)}</p>`);
  const small = await pageOf(book, `<p id="bkmrk-x">${"y".repeat(150)}</p>`);
  const { html } = await pageOf(
    book,
    `<p id="bkmrk-p">{{@${large.id}#bkmrk-x}}, {{@${small.id}#bkmrk-x}}, {{@${small.id}#bkmrk-x}}</p>`,
  );
  expect(html).toBe(`<p id="bkmrk-p"><em>${LARGE}</em>, ${"y".repeat(150)}, <em>${LARGE}</em></p>`);
});

test("nothing reveals an included page that the reader may not see, however large it is", async () => {
  const book = await made("books", { name: "Hidden" });
  const hidden = await pageOf(book, `<p id="bkmrk-x">${"z".repeat(1_000)}</p>`);
  const reader = await runtime.person("Reader", ["access-api", "book-view-all", "page-create-all", "page-view-own"]);
  const body = { book_id: book, name: "Mine", html: `<p id="bkmrk-p">a{{@${hidden.id}}}b</p>` };
  const mine = await runtime.ask("POST", "/api/pages", { as: reader.token, body });
  expect(mine.body.html).toBe('<p id="bkmrk-p">ab</p>');
  expect((await runtime.ask("GET", `/api/pages/${mine.body.id}`)).body.html).toBe(
    `<p id="bkmrk-p">a<em>${LARGE}</em>b</p>`,
  );
});
