/**
 * Links to content follow it when it is renamed or moved: in pages, their Markdown and descriptions; what is recorded for that, and
 * what links do not tell of what their writers cannot see.
 */
import { expect, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { create, openStage, type Step, scenario } from "../support/harness/scenario.ts";

const stage = openStage({ editor: ["book-view-all", "chapter-view-all", "page-view-all", "page-update-all"] });
const BASE = "http://localhost";
const link = (path: string) => `<a href="${BASE}${path}">go</a>`;
const to = (path: string) => ({ raw_html: expect.stringContaining(link(path)) });
/** Steps that make a book, a chapter, a page to link to, and pages and descriptions that link to them; names begin with `word`. */
function linked(word: string): Step[] {
  const path = word.toLowerCase();
  const target = `/books/${path}-atlas/page/target`;
  const all = `${link(`/books/${path}-atlas`)} ${link(`/books/${path}-atlas/chapter/maps`)} ${link(`${target}?a=1#bkmrk-here`)}`;
  return [
    create("book", "/api/books", { name: `${word} atlas` }),
    create("chapter", "/api/chapters", { book_id: "{book}", name: "Maps" }),
    create("target", "/api/pages", { chapter_id: "{chapter}", name: "Target", html: "<p>Here</p>" }),
    create("pointer", "/api/pages", { book_id: "{book}", name: "Pointer", html: `<p>${all}</p>` }),
    create("marked", "/api/pages", { book_id: "{book}", name: "Marked", markdown: `[go](${BASE}${target})` }),
    create("other", "/api/pages", { book_id: "{book}", name: "Other", html: `<p>${link(`${target}-practice`)}</p>` }),
    create("shelf", "/api/shelves", { name: `${word} travel`, description_html: `<p>${link(target)}</p>` }),
    create("guide", "/api/books", {
      name: `${word} guide`,
      description_html: `<p>${link(`/shelves/${path}-travel`)}</p>`,
    }),
  ];
}

scenario(stage, "a renamed page takes its links along", [
  ...linked("Page"),
  {
    name: "rename",
    as: "editor",
    request: "PUT /api/pages/{target}",
    body: { name: "Aim" },
    status: 200,
    events: ["page_update"],
  },
  {
    name: "links with what follows them",
    request: "GET /api/pages/{pointer}",
    status: 200,
    holds: { ...to("/books/page-atlas/page/aim?a=1#bkmrk-here"), revision_count: 2, updated_by: { id: 1 } },
  },
  {
    name: "in Markdown too",
    request: "GET /api/pages/{marked}",
    status: 200,
    holds: {
      ...to("/books/page-atlas/page/aim"),
      markdown: `[go](${BASE}/books/page-atlas/page/aim)`,
      revision_count: 2,
    },
  },
  {
    name: "and in descriptions",
    request: "GET /api/shelves/{shelf}",
    status: 200,
    holds: { description_html: `<p>${link("/books/page-atlas/page/aim")}</p>` },
  },
  {
    name: "others are left alone",
    request: "GET /api/pages/{other}",
    status: 200,
    holds: { ...to("/books/page-atlas/page/target-practice"), revision_count: 1 },
  },
]);
scenario(stage, "a renamed or moved chapter and a renamed book take links to themselves and their pages along", [
  ...linked("Chapter"),
  { name: "rename the chapter", request: "PUT /api/chapters/{chapter}", body: { name: "Charts" }, status: 200 },
  {
    name: "the link follows",
    request: "GET /api/pages/{pointer}",
    status: 200,
    holds: { ...to("/books/chapter-atlas/chapter/charts"), revision_count: 2 },
  },
  {
    name: "move the chapter",
    request: "PUT /api/chapters/{chapter}",
    body: { book_id: "{guide}" },
    status: 200,
    events: ["chapter_move", "chapter_update"],
  },
  {
    name: "links to it and its page follow",
    request: "GET /api/pages/{pointer}",
    status: 200,
    holds: {
      raw_html: expect.stringMatching(
        /"http:\/\/localhost\/books\/chapter-atlas".*\/books\/chapter-guide\/chapter\/charts".*\/books\/chapter-guide\/page\/target\?a=1#/s,
      ),
      revision_count: 3,
    },
  },
  { name: "rename the book", request: "PUT /api/books/{guide}", body: { name: "Handbook" }, status: 200 },
  {
    name: "the addresses of all that lies in it follow",
    request: "GET /api/pages/{pointer}",
    status: 200,
    holds: to("/books/handbook/page/target?a=1#bkmrk-here"),
  },
  {
    name: "in descriptions as well",
    request: "GET /api/shelves/{shelf}",
    status: 200,
    holds: { description_html: `<p>${link("/books/handbook/page/target")}</p>` },
  },
]);
scenario(stage, "a moved page takes its links along", [
  ...linked("Moved"),
  {
    request: "PUT /api/pages/{target}",
    body: { book_id: "{guide}" },
    status: 200,
    events: ["page_move", "page_update"],
  },
  {
    request: "GET /api/pages/{marked}",
    status: 200,
    holds: to("/books/moved-guide/page/target"),
  },
]);
scenario(stage, "a renamed shelf takes its links along", [
  ...linked("Shelf"),
  { request: "PUT /api/shelves/{shelf}", body: { name: "Journeys" }, status: 200 },
  {
    request: "GET /api/books/{guide}",
    status: 200,
    holds: { description_html: `<p>${link("/shelves/journeys")}</p>` },
  },
]);
scenario(stage, "a page whose link has been taken out is not touched any more", [
  ...linked("Without"),
  {
    name: "take the link out",
    request: "PUT /api/pages/{marked}",
    body: { markdown: "nothing" },
    status: 200,
    holds: { revision_count: expect.any(Number) },
  },
  { name: "rename the target", request: "PUT /api/pages/{target}", body: { name: "Goal" }, status: 200 },
  { name: "the page is as it was", request: "GET /api/pages/{marked}", status: 200, holds: { markdown: "nothing" } },
]);
test("a revision says that links were rewritten, and nothing is recorded for links to nothing", async () => {
  const { runtime } = stage();
  const post = async (path: string, body: object) => (await runtime.ask("POST", path, { body })).body.id as number;
  const book = await post("/api/books", { name: "Recorded" });
  const target = await post("/api/pages", { book_id: book, name: "Target", html: "<p>Here</p>" });
  const address = "/books/recorded/page/target";
  const pointer = await post("/api/pages", { book_id: book, name: "Pointer", html: `<p>${link(address)}</p>` });
  const other = await post("/api/pages", {
    book_id: book,
    name: "Other",
    html: `<p>${link(`${address}-practice`)}</p>`,
  });
  const marked = await post("/api/pages", { book_id: book, name: "Marked", markdown: `[go](${BASE}${address})` });
  await runtime.ask("PUT", `/api/pages/${marked}`, { body: { markdown: "nothing" } });
  await runtime.ask("PUT", `/api/pages/${target}`, { body: { name: "Aim" } });
  const kept = await rows<{ number: number; summary: string }>(
    runtime.db,
    sql`select number, summary from page_revisions where page_id = ${pointer}::integer order by number limit 2`,
  );
  expect(kept).toEqual([
    { number: 1, summary: "Initial publish" },
    { number: 2, summary: "System auto-update of internal links" },
  ]);
  const recorded = await rows<{ from_id: number }>(
    runtime.db,
    sql`select from_id from content_links where from_kind = 'page' and from_id in (${other}, ${marked})`,
  );
  expect(recorded).toEqual([]);
});
test("pages that link to each other can be renamed at once", async () => {
  const { runtime } = stage();
  const book = (await runtime.ask("POST", "/api/books", { body: { name: "Ring" } })).body;
  const make = async (name: string, next: string) =>
    (
      await runtime.ask("POST", "/api/pages", {
        body: { book_id: book.id, name, html: `<p>${link(`/books/ring/page/${next}`)}</p>` },
      })
    ).body.id;
  const left = await make("Left", "right");
  const right = await make("Right", "left");
  await runtime.ask("PUT", `/api/pages/${left}`, { body: { html: `<p>${link("/books/ring/page/right")} again</p>` } });
  const answers = await Promise.all([
    runtime.ask("PUT", `/api/pages/${left}`, { body: { name: "West" } }),
    runtime.ask("PUT", `/api/pages/${right}`, { body: { name: "East" } }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect((await runtime.ask("GET", `/api/pages/${left}`)).body.raw_html).toContain("/books/ring/page/east");
  expect((await runtime.ask("GET", `/api/pages/${right}`)).body.raw_html).toContain("/books/ring/page/west");
});
test("a link does not tell the new address of what its writer does not see, and others still follow", async () => {
  const { runtime } = stage();
  const open = (await runtime.ask("POST", "/api/books", { body: { name: "Open" } })).body;
  const closed = (await runtime.ask("POST", "/api/books", { body: { name: "Closed" } })).body;
  const hidden = (
    await runtime.ask("POST", "/api/pages", { body: { book_id: closed.id, name: "Plans", html: "<p>x</p>" } })
  ).body;
  await runtime.ask("PUT", `/api/content-permissions/book/${closed.id}`, {
    body: { fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false } },
  });
  const guesser = await runtime.person("guesser", [
    "access-api",
    "book-view-all",
    "page-view-all",
    "page-create-all",
    "page-update-all",
  ]);
  const html = `<p>${link("/books/closed/page/plans")}</p>`;
  const write = async (as: string) =>
    (await runtime.ask("POST", "/api/pages", { as, body: { book_id: open.id, name: "Links", html } })).body.id;
  const [guessed, told] = [await write(guesser.token), await write(runtime.token)];
  // Somebody who does not see the target changes the text around a link that was there before.
  await runtime.ask("PUT", `/api/pages/${told}`, { as: guesser.token, body: { html: `${html}<p>More</p>` } });
  await runtime.ask("PUT", `/api/pages/${hidden.id}`, { body: { name: "Layoffs" } });
  expect((await runtime.ask("GET", `/api/pages/${guessed}`, { as: guesser.token })).body.html).not.toContain("layoffs");
  expect((await runtime.ask("GET", `/api/pages/${told}`)).body.html).toContain("/books/closed/page/layoffs");
});
