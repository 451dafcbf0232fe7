/**
 * Chapters over the API: what answers hold, priorities, moves and the rights they need, who may do what, what
 * input is refused, and how chapters go with their book. What pages do in all of this is in content_tree_test.ts.
 */
import { expect, test } from "bun:test";
import { create, openStage, scenario } from "../support/harness/scenario.ts";

const views = ["book-view-all", "chapter-view-all", "page-view-all"];
const stage = openStage(
  {
    reader: views,
    owner: [...views, "book-create-all", "chapter-create-own", "chapter-update-own", "chapter-delete-own"],
    updater: [...views, "chapter-update-all"],
    taker: [...views, "chapter-update-all", "chapter-delete-all"],
    stranger: [],
  },
  [
    create("from", "/api/books", { name: "Sample from" }),
    create("to", "/api/books", { name: "Sample to" }),
    create("chapter", "/api/chapters", { book_id: "{from}", name: "Sample" }),
  ],
);
const missing = { error: { message: "Chapter not found", code: 404 } };
const noBook = { error: { message: "Book not found", code: 404 } };
const denied = { error: { message: "You do not have permission to perform the requested action.", code: 403 } };
/** Steps that create the books `from` and `to`, whose names begin with a word of the test's own. */
const twoBooks = (word: string) => [
  create("from", "/api/books", { name: `${word} from` }),
  create("to", "/api/books", { name: `${word} to` }),
];

scenario(stage, "a guest is asked for a token", { as: "guest", request: "GET /api/chapters", status: 401 });
scenario(stage, "a new chapter's answer has everything; a read names people and has pages", [
  create("from", "/api/books", { name: "From here" }),
  {
    name: "create",
    request: "POST /api/chapters",
    body: { book_id: "{from}", name: "Nomads", description: "x & <b>y</b>", tags: [{ name: "soil" }] },
    status: 200,
    holds: {
      book_id: "{from}",
      name: "Nomads",
      slug: "nomads",
      description: "x & <b>y</b>",
      description_html: "<p>x &amp; &lt;b&gt;y&lt;/b&gt;</p>",
      priority: 2,
      created_by: 1,
      updated_by: 1,
      owned_by: 1,
      default_template_id: null,
      book_slug: "from-here",
      tags: [{ name: "soil", value: "", order: 0 }],
    },
    lacks: ["pages", "cover", "deleted_at", "people"],
    events: ["chapter_create"],
    save: { chapter: "id", updated: "updated_at" },
  },
  {
    name: "read",
    request: "GET /api/chapters/{chapter}",
    status: 200,
    holds: { created_by: { id: 1 }, updated_by: { id: 1 }, owned_by: { id: 1 }, pages: [], book_slug: "from-here" },
    lacks: ["people", "deleted_at"],
  },
]);
scenario(
  stage,
  "chapters follow each other; a given priority is kept, negative ones too, and orders the book's contents",
  [
    ...twoBooks("Ordered"),
    create("chapter", "/api/chapters", { book_id: "{from}", name: "Nomads" }),
    {
      name: "the next chapter comes after it",
      request: "POST /api/chapters",
      body: { book_id: "{from}", name: "Second" },
      status: 200,
      holds: { priority: 3 },
      save: { second: "id" },
    },
    {
      name: "a given priority is kept, negative ones too",
      request: "PUT /api/chapters/{second}",
      body: { priority: -2 },
      status: 200,
      holds: { priority: -2, slug: "second" },
      events: ["chapter_update"],
    },
    {
      name: "its book's contents show it",
      request: "GET /api/books/{from}",
      status: 200,
      holds: {
        contents: [
          {
            id: "{second}",
            type: "chapter",
            priority: -2,
            pages: [],
            url: "http://localhost/books/ordered-from/chapter/second",
          },
          {
            id: "{chapter}",
            type: "chapter",
            priority: 2,
            pages: [],
            url: "http://localhost/books/ordered-from/chapter/nomads",
          },
        ],
      },
    },
  ],
);
scenario(stage, "after the highest priority comes the highest priority, without an error", [
  create("to", "/api/books", { name: "Full" }),
  create("last", "/api/chapters", { book_id: "{to}", name: "Last", priority: 2_147_483_647 }),
  {
    name: "the next one",
    request: "POST /api/chapters",
    body: { book_id: "{to}", name: "Beyond" },
    status: 200,
    holds: { priority: 2_147_483_647 },
  },
]);
scenario(stage, "an update without change keeps updated_at", [
  ...twoBooks("Unchanged"),
  {
    ...create("chapter", "/api/chapters", { book_id: "{from}", name: "Nomads" }),
    save: { chapter: "id", updated: "updated_at" },
  },
  {
    request: "PUT /api/chapters/{chapter}",
    body: { name: "Nomads", book_id: "{from}" },
    status: 200,
    holds: { updated_at: "{updated}" },
    events: ["chapter_update"],
  },
]);
scenario(stage, "a chapter moves and gets a slug that is free there", [
  ...twoBooks("Moves"),
  {
    ...create("chapter", "/api/chapters", { book_id: "{from}", name: "Nomads" }),
    save: { chapter: "id", updated: "updated_at" },
  },
  {
    name: "a namesake lives in the other book",
    request: "POST /api/chapters",
    body: { book_id: "{to}", name: "nomads!" },
    status: 200,
    holds: { slug: "nomads" },
  },
  {
    name: "the move",
    request: "PUT /api/chapters/{chapter}",
    body: { book_id: "{to}" },
    status: 200,
    holds: {
      book_id: "{to}",
      book_slug: "moves-to",
      slug: expect.stringMatching(/^nomads-[A-Za-z0-9]{3}$/),
      priority: 2,
    },
    events: ["chapter_move", "chapter_update"],
  },
  {
    name: "a move and other changes are both made",
    request: "PUT /api/chapters/{chapter}",
    body: { book_id: "{from}", name: "Pilgrims", description: "Moved", tags: [] },
    status: 200,
    holds: { book_id: "{from}", book_slug: "moves-from", slug: "pilgrims", description: "Moved", tags: [] },
    events: ["chapter_move", "chapter_update"],
  },
]);
scenario(stage, "moving needs the right to delete", {
  as: "updater",
  request: "PUT /api/chapters/{chapter}",
  body: { book_id: "{to}" },
  status: 403,
  holds: denied,
});
scenario(stage, "and the right to create there", {
  as: "taker",
  request: "PUT /api/chapters/{chapter}",
  body: { book_id: "{to}" },
  status: 403,
  holds: denied,
});
scenario(stage, "the right to delete is asked before the book", {
  as: "updater",
  request: "PUT /api/chapters/{chapter}",
  body: { book_id: 987_654 },
  status: 403,
  holds: denied,
});
scenario(stage, "a book that is missing is a 404", {
  request: "PUT /api/chapters/{chapter}",
  body: { book_id: 987_654 },
  status: 404,
  holds: noBook,
});
scenario(stage, "staying needs neither", {
  as: "updater",
  request: "PUT /api/chapters/{chapter}",
  body: { book_id: "{from}" },
  status: 200,
  events: ["chapter_update"],
});
scenario(stage, "a reader reads", { as: "reader", request: "GET /api/chapters/{chapter}", status: 200 });
scenario(stage, "a reader's body is validated before the permission", {
  as: "reader",
  request: "POST /api/chapters",
  body: {},
  status: 422,
  holds: {
    error: { validation: { book_id: ["The book id field is required."], name: ["The name field is required."] } },
  },
});
scenario(stage, "a reader cannot create", {
  as: "reader",
  request: "POST /api/chapters",
  body: { book_id: "{from}", name: "x" },
  status: 403,
  holds: denied,
});
scenario(stage, "a reader cannot change", {
  as: "reader",
  request: "PUT /api/chapters/{chapter}",
  body: { name: "x" },
  status: 403,
  holds: denied,
});
scenario(stage, "a reader cannot delete", {
  as: "reader",
  request: "DELETE /api/chapters/{chapter}",
  status: 403,
  holds: denied,
});
scenario(stage, "for a stranger the book is missing", {
  as: "stranger",
  request: "POST /api/chapters",
  body: { book_id: "{from}", name: "x" },
  status: 404,
  holds: noBook,
});
scenario(stage, "for a stranger the chapter is missing", {
  as: "stranger",
  request: "PUT /api/chapters/{chapter}",
  body: { name: "x" },
  status: 404,
  holds: missing,
});
scenario(stage, "an owner creates chapters in their own book alone, and deletes them", [
  create("mine", "/api/books", { name: "Mine" }, "owner"),
  {
    name: "a chapter in it",
    as: "owner",
    request: "POST /api/chapters",
    body: { book_id: "{mine}", name: "One" },
    status: 200,
    save: { one: "id" },
  },
  {
    name: "but not in others",
    as: "owner",
    request: "POST /api/chapters",
    body: { book_id: "{from}", name: "One" },
    status: 403,
    holds: denied,
  },
  {
    name: "nor may they take it there",
    as: "owner",
    request: "PUT /api/chapters/{one}",
    body: { book_id: "{from}" },
    status: 403,
    holds: denied,
  },
  {
    name: "an owner deletes what is theirs",
    as: "owner",
    request: "DELETE /api/chapters/{one}",
    status: 204,
    events: ["chapter_delete"],
  },
]);
for (const [what, body, validation] of [
  ["no book", { name: "C" }, { book_id: ["The book id field is required."] }],
  ["a null book", { book_id: null, name: "C" }, { book_id: ["The book id field is required."] }],
  ["a book by name", { book_id: "x", name: "C" }, { book_id: ["The book id must be an integer."] }],
  ["half a priority", { book_id: 1, name: "C", priority: 2.5 }, { priority: ["The priority must be an integer."] }],
  ["a priority beyond all columns", { book_id: 1, name: "C", priority: 2_147_483_648 }, {}],
] as const) {
  scenario(stage, `a create with ${what} is refused`, {
    request: "POST /api/chapters",
    body,
    status: 422,
    holds: { error: { validation } },
  });
}
test("an integer may come as text", async () => {
  const body = { book_id: String(stage().saved.from), name: "Texts", priority: "" };
  const answer = await stage().runtime.ask("POST", "/api/chapters", { body });
  expect([answer.status, answer.body.book_id]).toEqual([200, stage().saved.from]);
});
scenario(stage, "there is no chapter abc", { request: "GET /api/chapters/abc", status: 404, holds: missing });
scenario(stage, "a chapter goes into the recycle bin", [
  {
    ...create("chapter", "/api/chapters", { book_id: "{from}", name: "Binned" }),
    save: { chapter: "id", updated: "updated_at" },
  },
  {
    name: "a chapter goes into the bin",
    request: "DELETE /api/chapters/{chapter}",
    status: 204,
    events: ["chapter_delete"],
  },
  { name: "and cannot be read", request: "GET /api/chapters/{chapter}", status: 404, holds: missing },
]);
scenario(stage, "a book in the recycle bin takes its chapters along", [
  ...twoBooks("Binned"),
  {
    ...create("chapter", "/api/chapters", { book_id: "{from}", name: "Binned" }),
    save: { chapter: "id", updated: "updated_at" },
  },
  {
    name: "a book takes its chapters along",
    request: "DELETE /api/books/{from}",
    status: 204,
    events: ["book_delete"],
  },
  { name: "they are missing then", request: "GET /api/chapters/{chapter}", status: 404, holds: missing },
  { name: "also from the list", request: "GET /api/chapters?filter[book_id]={from}", status: 200, holds: { total: 0 } },
  {
    name: "nothing is created in a book in the bin",
    request: "POST /api/chapters",
    body: { book_id: "{from}", name: "Ghost" },
    status: 404,
    holds: noBook,
  },
]);
