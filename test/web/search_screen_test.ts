/**
 * What the screen of the search asks the API for, and what it shows of an answer: corrections, what narrows a search down, passages and
 * attachments. The API is a plugin here, so that each of these is answered, and the query is seen as it arrives.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { definePlugin } from "lectern/core";
import { queryParts } from "../../plugins/web/reading/search_parts.ts";
import { fieldsOf, searchPath, stateOf } from "../../plugins/web/reading/search_state.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const NASTY = `<img src=x>"'&`;
const found = {
  ...{ id: 7, name: "Walruses", slug: "walruses", type: "page", tags: [] },
  ...{ created_at: "2026-01-05T09:32:00.000000Z", updated_at: "2026-01-05T09:32:00.000000Z" },
  book: { id: 3, name: NASTY, slug: "animals" },
  preview_html: { name: "<strong>Walruses</strong>", content: "not shown, as there are passages" },
  passages: ["A <strong>walrus</strong> dives", "no other <strong>walrus</strong>"],
};
let asked: Record<string, string> = {};
let answer: Record<string, unknown> = {};
const engine = definePlugin({
  name: "other_search",
  setup({ app, baseUrl }) {
    app.get(
      "/search",
      ({ query }) => {
        asked = query;
        const attachments = [
          { id: 4, name: NASTY, url: `${baseUrl}/attachments/4`, passages: ["in <strong>it</strong>"] },
        ];
        return {
          data: [{ ...found, url: `${baseUrl}/books/animals/page/walruses`, attachments }],
          total: 1,
          ...answer,
        };
      },
      { permit: "access-api" },
    );
  },
});

let runtime: TestRuntime;
let cookie: string;
let book: number;
beforeAll(async () => {
  runtime = await bootTestRuntime({ without: ["search"], extra: [engine] });
  book = (await runtime.ask("POST", "/api/books", { body: { name: "Animals" } })).body.id;
  const body = { email: "admin@example.com", password: "correct horse battery" };
  const { headers } = await runtime.ask("POST", "/api/session", { as: null, body });
  cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
});
afterAll(() => runtime.stop());

/** The screen without icons. */
async function visit(path: string, language = "en"): Promise<string> {
  const headers = { accept: "text/html", "accept-language": language, cookie };
  const { body } = await runtime.ask("GET", path, { as: null, headers });
  return String(body).replace(/<svg.*?<\/svg>\s*/gs, "");
}

test("the fields of the address are one query of the better mode, filters before words", async () => {
  answer = {};
  const screen = await visit(
    `/search?query=sea+lion&book=${book}&shelf=2&tags[]=team%3Dops&tags[]=x&author=ada&after=2026-01-01&before=2026-02-01&sort=name&page=2`,
  );
  expect(asked).toMatchObject({ mode: "better", facets: "true", sort: "name", page: "2" });
  expect(screen).toContain("results are from everywhere");
  expect(asked.query).toBe(
    `{in_book:${book}} {in_shelf:2} [team=ops] [x] {created_by:ada} {updated_after:2026-01-01} {updated_before:2026-02-01} sea lion`,
  );
  asked = {};
  await visit("/search");
  expect(asked).toEqual({});
});

test("passages and attachments are shown, and names are escaped", async () => {
  answer = { total: 1000, total_is_lower_bound: true };
  const screen = await visit("/search?query=walrus");
  expect(screen).toContain("More than 1,000 results");
  expect(screen).toContain("<p>A <strong>walrus</strong> dives</p><p>no other <strong>walrus</strong></p>");
  expect(screen).not.toContain("not shown");
  expect(screen).toContain('<a href="/books/animals/page/walruses"><strong>Walruses</strong></a>');
  expect(screen).toContain('<a href="/attachments/4">&lt;img src=x&gt;');
  expect(screen).toContain("<p>in <strong>it</strong></p>");
  expect(screen).not.toContain("<img src=x");
});

test("a corrected search says so, and leads to the exact one with the same filters", async () => {
  answer = { corrected: { query: "walrus tusk", words: [{ typed: "walrsu", used: "walrus" }] } };
  const screen = await visit("/search?query=walrsu+tusk&type=page&after=2026-01-01");
  expect(screen).toContain("Searched for <strong>walrus</strong> instead of <q>walrsu</q>.");
  const exact = "/search?query=%22walrsu%22+tusk&amp;type=page&amp;after=2026-01-01";
  expect(screen).toContain(`<a href="${exact}">Search for “walrsu” exactly</a>`);
  answer = { corrected: { query: "sea <b>lion", words: [] } };
  expect(await visit("/search?query=%5Bsea%5D")).toContain("Its words were searched for: sea &lt;b&gt;lion");
  answer = { corrected: { query: "walrus tusk", words: [{ typed: "walrsu", used: "walrus" }] } };
  expect(await visit("/search?query=walrsu+tusk", "de")).toContain("Gesucht wurde <strong>walrus</strong> statt");
});

test("facets narrow the search down, each by one filter more, and chosen ones are chips", async () => {
  const facets = {
    types: [{ value: "page", count: 3 }],
    books: [
      { id: book, name: "Animals", count: 2 },
      { id: 9, name: NASTY, count: 1 },
    ],
    shelves: [{ id: 5, name: "Zoo", count: 2 }],
    tags: [
      { name: "team", value: "ops", count: 2 },
      { name: "cannot be ] typed", value: "", count: 1 },
    ],
    authors: [{ id: 1, name: "Ada", slug: "ada", count: 3 }],
  };
  answer = { facets };
  const screen = await visit(`/search?query=walrus&book=${book}`);
  expect(screen).toContain(`<a href="/search?query=walrus&amp;book=${book}&amp;shelf=5">`);
  expect(screen).toContain(`<a href="/search?query=walrus&amp;book=${book}&amp;tags%5B0%5D=team%3Dops">`);
  expect(screen).toContain(`<a href="/search?query=walrus&amp;book=${book}&amp;author=ada">`);
  expect(screen).toContain('<a href="/search?query=walrus&amp;book=9">');
  expect(screen).not.toContain("cannot be ] typed");
  expect(screen).not.toContain("results are from everywhere");
  expect(screen).toContain('aria-label="Remove the filter “Book: Animals”"');
  expect(screen).toContain(`<input type="hidden" name="book" value="${book}">`);
  expect(screen).toContain('<option value="ada">Ada</option>');
});

test("an address is read back as it was written, and any input makes a query that the search reads", () => {
  const text = fc.oneof(fc.string(), fc.constantFrom("team=ops", "2026-01-01", "page|book", "]", "{a}", "7", "ada"));
  const names = ["query", "type", "book", "shelf", "author", "after", "before", "sort"] as const;
  fc.assert(
    fc.property(fc.record(Object.fromEntries(names.map((name) => [name, text]))), fc.array(text), (fields, tags) => {
      const state = stateOf({ ...fields, tags }, ["page", "book"]);
      const address = new URL(searchPath(state), "http://localhost").searchParams;
      const { "tags[0]": _, ...others } = Object.fromEntries(address);
      const again = stateOf({ ...others, tags: [...state.tags] }, ["page", "book"]);
      expect(fieldsOf(again)).toEqual(fieldsOf(state));
      for (const { rest } of queryParts(state.query)) expect(rest.length).toBeLessThan(state.query.length);
    }),
  );
});
