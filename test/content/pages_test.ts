/** Pages over the API: what answers hold, updates, revisions, and what input is refused. */
import { expect, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { create, openStage, scenario } from "../support/harness/scenario.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const SEEING = ["book-view-all", "chapter-view-all"];
const stage = openStage(
  {
    reader: [...SEEING, "page-view-all"],
    owner: [...SEEING, "book-create-all", "page-create-own", "page-view-own", "page-update-own", "page-delete-own"],
    writer: [...SEEING, "page-view-all", "page-create-all", "page-update-all"],
    mover: [...SEEING, "page-view-all", "page-create-own", "page-update-all", "page-delete-all"],
    stranger: [],
  },
  [
    create("book", "/api/books", { name: "Sample" }),
    create("page", "/api/pages", { book_id: "{book}", name: "Sample", html: "<p>x</p>" }),
  ],
);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
/** Steps that create the books `book` and `archive`, whose names begin with a word of the test's own, and a chapter. */
const placed = (word: string) => [
  create("book", "/api/books", { name: `${word} runbooks` }),
  create("archive", "/api/books", { name: `${word} archive` }),
  create("chapter", "/api/chapters", { book_id: "{book}", name: "Database" }),
];
const page = (name: string, body: object = { book_id: "{book}" }) =>
  create(name, "/api/pages", { name, html: "<p>x</p>", ...body });
scenario(stage, "a guest is asked for a token", { as: "guest", request: "POST /api/pages", body: {}, status: 401 });
scenario(stage, "a new page's answer has everything; reads and listings show it in its book and chapter", [
  ...placed("New"),
  {
    name: "create",
    request: "POST /api/pages",
    body: {
      chapter_id: "{chapter}",
      book_id: 0,
      name: "Failover",
      html: "<p>Call the DBA</p>",
      tags: [{ name: "team", value: "ops" }],
    },
    status: 200,
    holds: {
      book_id: "{book}",
      chapter_id: "{chapter}",
      name: "Failover",
      slug: "failover",
      html: '<p id="bkmrk-call-the-dba">Call the DBA</p>',
      raw_html: '<p id="bkmrk-call-the-dba">Call the DBA</p>',
      priority: 1,
      created_at: time,
      updated_at: time,
      created_by: { id: 1 },
      updated_by: { id: 1 },
      owned_by: { id: 1 },
      draft: false,
      markdown: "",
      revision_count: 1,
      template: false,
      editor: "wysiwyg",
      tags: [{ name: "team", value: "ops", order: 0 }],
    },
    lacks: ["comments", "book_slug", "text", "rendered", "people", "deleted_at"],
    events: ["page_create"],
    save: { page: "id" },
  },
  {
    name: "a read has comments",
    request: "GET /api/pages/{page}",
    status: 200,
    holds: { id: "{page}", comments: { active: [], archived: [] } },
    lacks: ["book_slug", "text", "rendered", "people", "deleted_at"],
  },
  {
    name: "a listing has numbers for people and the slug of the book",
    request: "GET /api/pages?filter[name]=failover&filter[book_id]={book}",
    status: 200,
    holds: {
      total: 1,
      data: [
        { id: "{page}", book_slug: "new-runbooks", created_by: 1, updated_by: 1, owned_by: 1, chapter_id: "{chapter}" },
      ],
    },
    check: (body) => expect(Object.keys((body as { data: object[] }).data[0] ?? {})).not.toContain("html"),
  },
  {
    name: "the first page beside a chapter comes after it",
    request: "POST /api/pages",
    body: { book_id: "{book}", name: "Contacts", markdown: "# Who\n" },
    status: 200,
    holds: {
      chapter_id: null,
      priority: 3,
      markdown: "# Who",
      raw_html: '<h1 id="bkmrk-who">Who</h1>\n',
      editor: "markdown",
    },
    save: { contacts: "id" },
  },
  {
    name: "the second page of the chapter comes after the first",
    request: "POST /api/pages",
    body: { chapter_id: "{chapter}", name: "Failover", html: "<p>x</p>" },
    status: 200,
    holds: { priority: 2, slug: expect.stringMatching(/^failover-[A-Za-z0-9]{3}$/) },
    save: { twin: "id" },
  },
  {
    name: "no chapter is filtered for as null or 0",
    request: "GET /api/pages?filter[book_id]={book}&filter[chapter_id]=0",
    status: 200,
    holds: { total: 1, data: [{ id: "{contacts}", chapter_id: null }] },
  },
  ...["ne]=999", "lt]=999", "lte]=999", "gte]=0", "ne]=abc", "ne]=0"].map((comparison) => ({
    name: `no chapter matches no comparison: ${comparison}`,
    request: `GET /api/pages?filter[book_id]={book}&filter[chapter_id:${comparison}`,
    status: 200,
    holds: { total: 2, data: [{ chapter_id: "{chapter}" }, { chapter_id: "{chapter}" }] },
  })),
  {
    name: "a chapter's read has its pages",
    request: "GET /api/chapters/{chapter}",
    status: 200,
    holds: { pages: [{ id: "{page}", book_slug: "new-runbooks", owned_by: 1 }, { id: "{twin}" }] },
  },
  {
    name: "a book's contents nest them",
    request: "GET /api/books/{book}",
    status: 200,
    holds: {
      contents: [
        {
          id: "{chapter}",
          type: "chapter",
          pages: [{ id: "{page}", url: "http://localhost/books/new-runbooks/page/failover" }, { id: "{twin}" }],
        },
        { id: "{contacts}", type: "page", chapter_id: null, url: "http://localhost/books/new-runbooks/page/contacts" },
      ],
    },
  },
]);
scenario(stage, "the highest priority has no successor, so the next page shares it", [
  ...placed("Full"),
  {
    name: "the highest priority has no successor and stays",
    request: "POST /api/pages",
    body: { book_id: "{archive}", name: "Last", html: "<p>x</p>", priority: 2_147_483_647 },
    status: 200,
    save: { last: "id" },
  },
  {
    name: "so the next one shares it",
    request: "POST /api/pages",
    body: { book_id: "{archive}", name: "Later", html: "<p>x</p>" },
    status: 200,
    holds: { priority: 2_147_483_647 },
  },
]);
scenario(stage, "a change of nothing counts all the same; a new name gives a new slug and keeps the content", [
  ...placed("Renamed"),
  create("page", "/api/pages", { chapter_id: "{chapter}", name: "Failover", html: "<p>Call the DBA</p>" }),
  {
    name: "a change of nothing counts all the same",
    request: "PUT /api/pages/{page}",
    body: {},
    status: 200,
    holds: { revision_count: 2, name: "Failover" },
    lacks: ["comments"],
    events: ["page_update"],
  },
  {
    name: "a new name gives a new slug and keeps the content",
    request: "PUT /api/pages/{page}",
    body: { name: "Fail Over", priority: -4 },
    status: 200,
    holds: {
      slug: "fail-over",
      priority: -4,
      raw_html: '<p id="bkmrk-call-the-dba">Call the DBA</p>',
      revision_count: 3,
    },
  },
  {
    request: "GET /api/pages/{page}",
    status: 200,
    check: async (_, { runtime, saved }) =>
      expect(await revisionsOf(runtime, saved.page)).toEqual([
        { number: 1, summary: "Initial publish", name: "Failover", book_slug: "renamed-runbooks" },
        { number: 3, summary: "", name: "Fail Over", book_slug: "renamed-runbooks" },
      ]),
  },
]);
scenario(stage, "html and Markdown replace each other", [
  ...placed("Written"),
  create("contacts", "/api/pages", { book_id: "{book}", name: "Contacts", markdown: "# Who" }),
  {
    name: "html alone empties the Markdown and changes the editor back",
    request: "PUT /api/pages/{contacts}",
    body: { html: "<p>Ada</p>" },
    status: 200,
    holds: { markdown: "", editor: "wysiwyg" },
  },
  {
    name: "without the right to change editors Markdown is stored and the editor stays",
    as: "writer",
    request: "PUT /api/pages/{contacts}",
    body: { markdown: "Ada *L*", html: "<p>no</p>" },
    status: 200,
    holds: {
      markdown: "Ada *L*",
      raw_html: '<p id="bkmrk-ada-l">Ada <em>L</em></p>\n',
      editor: "wysiwyg",
      updated_by: { id: "{writer}" },
      owned_by: { id: 1 },
    },
  },
  {
    name: "both empty empties the page",
    request: "PUT /api/pages/{contacts}",
    body: { html: "", markdown: "" },
    status: 200,
    holds: { html: "", raw_html: "", markdown: "" },
  },
]);
scenario(stage, "unknown fields are ignored", [
  ...placed("Ignored"),
  page("contacts"),
  {
    request: "PUT /api/pages/{contacts}",
    body: { id: 99, slug: "own", owned_by: 2, template: true, draft: true, editor: "x" },
    status: 200,
    holds: {
      id: "{contacts}",
      slug: "contacts",
      owned_by: { id: 1 },
      template: false,
      draft: false,
      editor: "wysiwyg",
    },
  },
]);
scenario(stage, "scripts are stored and not shown", [
  ...placed("Scripted"),
  page("contacts"),
  {
    request: "PUT /api/pages/{contacts}",
    body: { html: "<p>a</p><script>alert(1)</script>" },
    status: 200,
    holds: {
      html: '<p id="bkmrk-a">a</p>',
      raw_html: '<p id="bkmrk-a">a</p><script id="bkmrk-alert%281%29">alert(1)</script>',
    },
  },
]);
for (const [what, body, validation] of [
  [
    "nothing",
    {},
    {
      book_id: ["The book id field is required when chapter id is not present."],
      chapter_id: ["The chapter id field is required when book id is not present."],
      name: ["The name field is required."],
      html: ["The html field is required when markdown is not present."],
      markdown: ["The markdown field is required when html is not present."],
    },
  ],
  [
    "a long name",
    { book_id: 1, name: "n".repeat(256), html: "x" },
    { name: ["The name may not be greater than 255 characters."] },
  ],
  ["a book by name", { book_id: "abc", name: "x", html: "x" }, { book_id: ["The book id must be an integer."] }],
  ["html that is null", { book_id: 1, name: "x", html: null, markdown: "x" }, { html: ["The html must be a string."] }],
  ["tags that are a text", { book_id: 1, name: "x", html: "x", tags: "x" }, { tags: ["The tags must be an array."] }],
  [
    "a tag that is too long",
    { book_id: 1, name: "x", html: "x", tags: [{ name: "n".repeat(256) }] },
    { "tags.0.name": ["The tags.0.name may not be greater than 255 characters."] },
  ],
] as const) {
  scenario(stage, `a new page with ${what} is refused by field`, {
    request: "POST /api/pages",
    body,
    status: 422,
    holds: { error: { message: "The given data was invalid.", validation, code: 422 } },
  });
}
for (const id of ["0", "abc", "1.5", "99999999999", "%00"]) {
  scenario(stage, `"${id}" is no page`, { request: `GET /api/pages/${id}`, status: 404 });
}
scenario(stage, "NUL in a body is no server error", {
  request: "POST /api/pages",
  body: { book_id: "{book}", name: "a\u0000b", html: "<p>x\u0000y</p>", tags: [{ name: "n\u0000" }] },
  status: 200,
});
scenario(stage, "half a character in a body is no server error", {
  request: "POST /api/pages",
  status: 200,
  body: {
    book_id: "{book}",
    name: "a\ud800b",
    markdown: "[x](http://localhost/books/\ud800/page/\udc00)",
    tags: [{ name: "n\ud800" }],
  },
});
async function revisionsOf(runtime: TestRuntime, id: unknown) {
  return rows<{ number: number; summary: string; name: string; book_slug: string }>(
    runtime.db,
    sql`select number, summary, name, book_slug from page_revisions where page_id = ${id}::integer order by number`,
  );
}
test("only so many revisions are kept, and with no limit all", async () => {
  for (const [limit, kept] of [
    ["2", [3, 4]],
    ["false", [1, 2, 3, 4]],
    ["0", [1, 2, 3, 4]],
  ] as const) {
    const runtime = await bootTestRuntime({ env: { REVISION_LIMIT: limit } });
    const book = (await runtime.ask("POST", "/api/books", { body: { name: "Kept" } })).body.id;
    const page = (await runtime.ask("POST", "/api/pages", { body: { book_id: book, name: "0", html: "<p>x</p>" } }))
      .body.id;
    for (const name of ["1", "2", "3"]) await runtime.ask("PUT", `/api/pages/${page}`, { body: { name } });
    const found = await rows<{ number: number }>(runtime.db, sql`select number from page_revisions order by number`);
    await runtime.stop();
    expect(found.map(({ number }) => number)).toEqual([...kept]);
  }
});
test("embedded pictures are kept for the page that holds them, also for a new one", async () => {
  const { runtime } = stage();
  const gif = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=";
  const book = (await runtime.ask("POST", "/api/books", { body: { name: "Album" } })).body.id;
  const page = (
    await runtime.ask("POST", "/api/pages", { body: { book_id: book, name: "x", html: `<p><img src="${gif}"></p>` } })
  ).body;
  const changed = (await runtime.ask("PUT", `/api/pages/${page.id}`, { body: { markdown: `![x](${gif})` } })).body;
  const kept = (await runtime.ask("GET", `/api/image-gallery?filter[uploaded_to]=${page.id}&sort=id`)).body.data;
  expect(kept).toHaveLength(2);
  expect(page.html).toContain(`src="${kept[0].url}"`);
  expect(changed.markdown).toBe(`![x](${kept[1].url})`);
});
