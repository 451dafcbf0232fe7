import { expect, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { openStage, scenario } from "../support/harness/scenario.ts";

const stage = openStage({ editor: ["book-view-all", "chapter-view-all", "page-view-all", "page-update-all"] });
const BASE = "http://localhost";
const link = (path: string) => `<a href="${BASE}${path}">go</a>`;
const to = (path: string) => ({ raw_html: expect.stringContaining(link(path)) });

scenario(stage, "there is a book", {
  ask: "POST /api/books",
  body: { name: "Atlas" },
  status: 200,
  save: { book: "id" },
});
scenario(stage, "with a chapter", {
  ask: "POST /api/chapters",
  body: { book_id: "{book}", name: "Maps" },
  status: 200,
  save: { chapter: "id" },
});
scenario(stage, "and a page to link to", {
  ask: "POST /api/pages",
  body: { chapter_id: "{chapter}", name: "Target", html: "<p>Here</p>" },
  status: 200,
  save: { target: "id" },
});
scenario(stage, "a page links to all of them", {
  ask: "POST /api/pages",
  status: 200,
  save: { pointer: "id" },
  body: {
    book_id: "{book}",
    name: "Pointer",
    html: `<p>${link("/books/atlas")} ${link("/books/atlas/chapter/maps")} ${link("/books/atlas/page/target?a=1#bkmrk-here")}</p>`,
  },
});
scenario(stage, "one in Markdown", {
  ask: "POST /api/pages",
  body: { book_id: "{book}", name: "Marked", markdown: `[go](${BASE}/books/atlas/page/target)` },
  status: 200,
  save: { marked: "id" },
});
scenario(stage, "one to something that only looks alike", {
  ask: "POST /api/pages",
  body: { book_id: "{book}", name: "Other", html: `<p>${link("/books/atlas/page/target-practice")}</p>` },
  status: 200,
  save: { other: "id" },
});
scenario(stage, "and so do descriptions", {
  ask: "POST /api/shelves",
  body: { name: "Travel", description_html: `<p>${link("/books/atlas/page/target")}</p>` },
  status: 200,
  save: { shelf: "id" },
});
scenario(stage, "and descriptions of books", {
  ask: "POST /api/books",
  body: { name: "Guide", description_html: `<p>${link("/shelves/travel")}</p>` },
  status: 200,
  save: { guide: "id" },
});

scenario(stage, "a renamed page", {
  as: "editor",
  ask: "PUT /api/pages/{target}",
  body: { name: "Aim" },
  status: 200,
  events: ["page_update"],
});
scenario(stage, "takes its links along, with what follows them", {
  ask: "GET /api/pages/{pointer}",
  status: 200,
  holds: { ...to("/books/atlas/page/aim?a=1#bkmrk-here"), revision_count: 2, updated_by: { id: 1 } },
});
scenario(stage, "in Markdown too", {
  ask: "GET /api/pages/{marked}",
  status: 200,
  holds: { ...to("/books/atlas/page/aim"), markdown: `[go](${BASE}/books/atlas/page/aim)`, revision_count: 2 },
});
scenario(stage, "and in descriptions", {
  ask: "GET /api/shelves/{shelf}",
  status: 200,
  holds: { description_html: `<p>${link("/books/atlas/page/aim")}</p>` },
});
scenario(stage, "others are left alone", {
  ask: "GET /api/pages/{other}",
  status: 200,
  holds: { ...to("/books/atlas/page/target-practice"), revision_count: 1 },
});

scenario(stage, "a renamed chapter", { ask: "PUT /api/chapters/{chapter}", body: { name: "Charts" }, status: 200 });
scenario(stage, "as well", {
  ask: "GET /api/pages/{pointer}",
  status: 200,
  holds: { ...to("/books/atlas/chapter/charts"), revision_count: 3 },
});
scenario(stage, "a chapter that moves", {
  ask: "PUT /api/chapters/{chapter}",
  body: { book_id: "{guide}" },
  status: 200,
  events: ["chapter_move", "chapter_update"],
});
scenario(stage, "takes links to itself and its pages along", {
  ask: "GET /api/pages/{pointer}",
  status: 200,
  holds: {
    raw_html: expect.stringMatching(
      /"http:\/\/localhost\/books\/atlas".*\/books\/guide\/chapter\/charts".*\/books\/guide\/page\/aim\?a=1#/s,
    ),
    revision_count: 4,
  },
});
scenario(stage, "a renamed book", { ask: "PUT /api/books/{guide}", body: { name: "Handbook" }, status: 200 });
scenario(stage, "changes the addresses of all that lies in it", {
  ask: "GET /api/pages/{pointer}",
  status: 200,
  holds: to("/books/handbook/page/aim?a=1#bkmrk-here"),
});
scenario(stage, "in descriptions as well", {
  ask: "GET /api/shelves/{shelf}",
  status: 200,
  holds: { description_html: `<p>${link("/books/handbook/page/aim")}</p>` },
});
scenario(stage, "a page that moves", {
  ask: "PUT /api/pages/{target}",
  body: { book_id: "{book}" },
  status: 200,
  events: ["page_move", "page_update"],
});
scenario(stage, "takes its links along", {
  ask: "GET /api/pages/{marked}",
  status: 200,
  holds: to("/books/atlas/page/aim"),
});
scenario(stage, "a renamed shelf", { ask: "PUT /api/shelves/{shelf}", body: { name: "Journeys" }, status: 200 });
scenario(stage, "does so too", {
  ask: "GET /api/books/{guide}",
  status: 200,
  holds: { description_html: `<p>${link("/shelves/journeys")}</p>` },
});
scenario(stage, "content without the link", {
  ask: "PUT /api/pages/{marked}",
  body: { markdown: "nothing" },
  status: 200,
  holds: { revision_count: expect.any(Number) },
});
scenario(stage, "after which the page is renamed again", {
  ask: "PUT /api/pages/{target}",
  body: { name: "Goal" },
  status: 200,
});
scenario(stage, "is not touched any more", {
  ask: "GET /api/pages/{marked}",
  status: 200,
  holds: { markdown: "nothing" },
});

test("revisions tell that the runtime rewrote links, and nothing is recorded for what does not exist", async () => {
  const { runtime, saved } = stage();
  const kept = await rows<{ number: number; summary: string }>(
    runtime.db,
    sql`select number, summary from page_revisions where page_id = ${saved.pointer}::integer order by number limit 2`,
  );
  expect(kept).toEqual([
    { number: 1, summary: "Initial publish" },
    { number: 2, summary: "System auto-update of internal links" },
  ]);
  const recorded = await rows<{ from_id: number }>(
    runtime.db,
    sql`select from_id from content_links where from_kind = 'page' and from_id in (${saved.other}, ${saved.marked})`,
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
