/**
 * Chapters over the API, row by row: what answers hold, priorities, moves and the rights they need, who may do what, what
 * input is refused, and how chapters go with their book. What pages do in all of this is in content_tree_test.ts.
 */
import { expect } from "bun:test";
import { openStage, scenario } from "../support/harness/scenario.ts";

const views = ["book-view-all", "chapter-view-all", "page-view-all"];
const stage = openStage({
  reader: views,
  owner: [...views, "book-create-all", "chapter-create-own", "chapter-update-own", "chapter-delete-own"],
  updater: [...views, "chapter-update-all"],
  taker: [...views, "chapter-update-all", "chapter-delete-all"],
  stranger: [],
});
const missing = { error: { message: "Chapter not found", code: 404 } };
const noBook = { error: { message: "Book not found", code: 404 } };
const denied = { error: { message: "You do not have permission to perform the requested action.", code: 403 } };

scenario(stage, "a guest is asked for a token", { as: "guest", ask: "GET /api/chapters", status: 401 });
for (const [kept, name] of [
  ["from", "From here"],
  ["to", "To there"],
] as const) {
  scenario(stage, `there is the book ${name}`, {
    ask: "POST /api/books",
    body: { name },
    status: 200,
    save: { [kept]: "id" },
  });
}
scenario(stage, "a chapter is created with everything its answer has", {
  ask: "POST /api/chapters",
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
});
scenario(stage, "a read names people and has pages", {
  ask: "GET /api/chapters/{chapter}",
  status: 200,
  holds: { created_by: { id: 1 }, updated_by: { id: 1 }, owned_by: { id: 1 }, pages: [], book_slug: "from-here" },
  lacks: ["people", "deleted_at"],
});
scenario(stage, "the next chapter comes after it", {
  ask: "POST /api/chapters",
  body: { book_id: "{from}", name: "Second" },
  status: 200,
  holds: { priority: 3 },
  save: { second: "id" },
});
scenario(stage, "a given priority is kept, negative ones too", {
  ask: "PUT /api/chapters/{second}",
  body: { priority: -2 },
  status: 200,
  holds: { priority: -2, slug: "second" },
  events: ["chapter_update"],
});
scenario(stage, "after the highest priority comes the highest priority", {
  ask: "POST /api/chapters",
  body: { book_id: "{to}", name: "Last", priority: 2_147_483_647 },
  status: 200,
});
scenario(stage, "without an error", {
  ask: "POST /api/chapters",
  body: { book_id: "{to}", name: "Beyond" },
  status: 200,
  holds: { priority: 2_147_483_647 },
});
scenario(stage, "an update without change keeps updated_at", {
  ask: "PUT /api/chapters/{chapter}",
  body: { name: "Nomads", book_id: "{from}" },
  status: 200,
  holds: { updated_at: "{updated}" },
  events: ["chapter_update"],
});
scenario(stage, "its book's contents show it", {
  ask: "GET /api/books/{from}",
  status: 200,
  holds: {
    contents: [
      {
        id: "{second}",
        type: "chapter",
        priority: -2,
        pages: [],
        url: "http://localhost/books/from-here/chapter/second",
      },
      {
        id: "{chapter}",
        type: "chapter",
        priority: 2,
        pages: [],
        url: "http://localhost/books/from-here/chapter/nomads",
      },
    ],
  },
});
scenario(stage, "a namesake lives in the other book", {
  ask: "POST /api/chapters",
  body: { book_id: "{to}", name: "nomads!" },
  status: 200,
  holds: { slug: "nomads" },
});
scenario(stage, "a chapter moves and gets a slug that is free there", {
  ask: "PUT /api/chapters/{chapter}",
  body: { book_id: "{to}" },
  status: 200,
  holds: {
    book_id: "{to}",
    book_slug: "to-there",
    slug: expect.stringMatching(/^nomads-[A-Za-z0-9]{3}$/),
    priority: 2,
  },
  events: ["chapter_move", "chapter_update"],
});
scenario(stage, "a move and other changes are both made", {
  ask: "PUT /api/chapters/{chapter}",
  body: { book_id: "{from}", name: "Pilgrims", description: "Moved", tags: [] },
  status: 200,
  holds: { book_id: "{from}", book_slug: "from-here", slug: "pilgrims", description: "Moved", tags: [] },
  events: ["chapter_move", "chapter_update"],
});
scenario(stage, "moving needs the right to delete", {
  as: "updater",
  ask: "PUT /api/chapters/{chapter}",
  body: { book_id: "{to}" },
  status: 403,
  holds: denied,
});
scenario(stage, "and the right to create there", {
  as: "taker",
  ask: "PUT /api/chapters/{chapter}",
  body: { book_id: "{to}" },
  status: 403,
  holds: denied,
});
scenario(stage, "the right to delete is asked before the book", {
  as: "updater",
  ask: "PUT /api/chapters/{chapter}",
  body: { book_id: 987_654 },
  status: 403,
  holds: denied,
});
scenario(stage, "a book that is missing is a 404", {
  ask: "PUT /api/chapters/{chapter}",
  body: { book_id: 987_654 },
  status: 404,
  holds: noBook,
});
scenario(stage, "staying needs neither", {
  as: "updater",
  ask: "PUT /api/chapters/{chapter}",
  body: { book_id: "{from}" },
  status: 200,
  events: ["chapter_update"],
});

scenario(stage, "a reader reads", { as: "reader", ask: "GET /api/chapters/{chapter}", status: 200 });
scenario(stage, "a reader's body is judged before the permission", {
  as: "reader",
  ask: "POST /api/chapters",
  body: {},
  status: 422,
  holds: {
    error: { validation: { book_id: ["The book id field is required."], name: ["The name field is required."] } },
  },
});
scenario(stage, "a reader cannot create", {
  as: "reader",
  ask: "POST /api/chapters",
  body: { book_id: "{from}", name: "x" },
  status: 403,
  holds: denied,
});
scenario(stage, "a reader cannot change", {
  as: "reader",
  ask: "PUT /api/chapters/{chapter}",
  body: { name: "x" },
  status: 403,
  holds: denied,
});
scenario(stage, "a reader cannot delete", {
  as: "reader",
  ask: "DELETE /api/chapters/{chapter}",
  status: 403,
  holds: denied,
});
scenario(stage, "for a stranger the book is missing", {
  as: "stranger",
  ask: "POST /api/chapters",
  body: { book_id: "{from}", name: "x" },
  status: 404,
  holds: noBook,
});
scenario(stage, "for a stranger the chapter is missing", {
  as: "stranger",
  ask: "PUT /api/chapters/{chapter}",
  body: { name: "x" },
  status: 404,
  holds: missing,
});
scenario(stage, "an owner makes a book", {
  as: "owner",
  ask: "POST /api/books",
  body: { name: "Mine" },
  status: 200,
  save: { mine: "id" },
});
scenario(stage, "and chapters in it", {
  as: "owner",
  ask: "POST /api/chapters",
  body: { book_id: "{mine}", name: "One" },
  status: 200,
  save: { one: "id" },
});
scenario(stage, "but not in others", {
  as: "owner",
  ask: "POST /api/chapters",
  body: { book_id: "{from}", name: "One" },
  status: 403,
  holds: denied,
});
scenario(stage, "nor may they take it there", {
  as: "owner",
  ask: "PUT /api/chapters/{one}",
  body: { book_id: "{from}" },
  status: 403,
  holds: denied,
});
scenario(stage, "an owner deletes what is theirs", {
  as: "owner",
  ask: "DELETE /api/chapters/{one}",
  status: 204,
  events: ["chapter_delete"],
});

for (const [what, body, validation] of [
  ["no book", { name: "C" }, { book_id: ["The book id field is required."] }],
  ["a null book", { book_id: null, name: "C" }, { book_id: ["The book id field is required."] }],
  ["a book by name", { book_id: "x", name: "C" }, { book_id: ["The book id must be an integer."] }],
  ["half a priority", { book_id: 1, name: "C", priority: 2.5 }, { priority: ["The priority must be an integer."] }],
  ["a priority beyond all columns", { book_id: 1, name: "C", priority: 2_147_483_648 }, {}],
] as const) {
  scenario(stage, `a create with ${what} is refused`, {
    ask: "POST /api/chapters",
    body,
    status: 422,
    holds: { error: { validation } },
  });
}
scenario(stage, "an integer may come as text", {
  ask: "POST /api/chapters",
  body: { book_id: "1", name: "Texts", priority: "" },
  status: 200,
  holds: { book_id: 1 },
});
scenario(stage, "there is no chapter abc", { ask: "GET /api/chapters/abc", status: 404, holds: missing });

scenario(stage, "a chapter goes into the bin", {
  ask: "DELETE /api/chapters/{second}",
  status: 204,
  events: ["chapter_delete"],
});
scenario(stage, "and cannot be read", { ask: "GET /api/chapters/{second}", status: 404, holds: missing });
scenario(stage, "a book takes its chapters along", {
  ask: "DELETE /api/books/{from}",
  status: 204,
  events: ["book_delete"],
});
scenario(stage, "they are missing then", { ask: "GET /api/chapters/{chapter}", status: 404, holds: missing });
scenario(stage, "also from the list", {
  ask: "GET /api/chapters?filter[book_id]={from}",
  status: 200,
  holds: { total: 0 },
});
scenario(stage, "nothing is created in a book in the bin", {
  ask: "POST /api/chapters",
  body: { book_id: "{from}", name: "Ghost" },
  status: 404,
  holds: noBook,
});
