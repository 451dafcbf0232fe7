/**
 * Comments over the API: what answers hold, the tree on pages, numbers and replies, what may be archived, and who sees and
 * changes what, with the order of checks. Invalid input is in comment_input_test.ts, what happens to comments later in
 * comment_lifecycle_test.ts.
 */
import { expect } from "bun:test";
import { create, openStage, scenario } from "../support/harness/scenario.ts";

const VIEWS = ["book-view-all", "page-view-all"];
const stage = openStage(
  {
    reader: VIEWS,
    talker: [...VIEWS, "comment-create-all", "comment-update-own", "comment-delete-own"],
    keeper: [...VIEWS, "comment-update-all", "comment-delete-all"],
    stranger: ["comment-create-all", "comment-update-all", "comment-delete-all"],
  },
  [
    create("book", "/api/books", { name: "Debates" }),
    create("page", "/api/pages", { book_id: "{book}", name: "Sample", html: "<p>Discuss</p>" }),
    create("root", "/api/comments", { page_id: "{page}", html: "<p>Sample</p>" }, "talker"),
    create("reply", "/api/comments", { page_id: "{page}", html: "<p>Sample</p>", reply_to: 1 }),
  ],
);
const missing = { error: { message: "Comment not found", code: 404 } };
const noPage = { error: { message: "Page not found", code: 404 } };
const denied = { error: { message: "You do not have permission to perform the requested action.", code: 403 } };
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
/** Steps that create a page, its comment `root` by the talker, and `reply`, the administrator's reply to that. */
const discussion = [
  create("page", "/api/pages", { book_id: "{book}", name: "Page", html: "<p>Discuss</p>" }),
  create("root", "/api/comments", { page_id: "{page}", html: "<p>Which DBA?</p>" }, "talker"),
  create("reply", "/api/comments", { page_id: "{page}", html: "<p>On call</p>", reply_to: 1 }),
];

scenario(stage, "a comment's answer has everything, a read its direct replies, its page's read the tree", [
  create("page", "/api/pages", { book_id: "{book}", name: "Page", html: "<p>Discuss</p>" }),
  {
    name: "create",
    as: "talker",
    request: "POST /api/comments",
    body: { page_id: "{page}", html: "<p>Which DBA?</p>", content_ref: "bkmrk-discuss:735:5-12" },
    status: 200,
    holds: {
      commentable_id: "{page}",
      commentable_type: "page",
      html: "<p>Which DBA?</p>",
      parent_id: null,
      local_id: 1,
      created_by: "{talker}",
      updated_by: "{talker}",
      created_at: time,
      updated_at: time,
      content_ref: "bkmrk-discuss:735:5-12",
      archived: false,
    },
    lacks: ["page_id", "replies", "people"],
    events: ["comment_create"],
    save: { root: "id" },
  },
  {
    name: "a form may send it, with numbers as text",
    request: "POST /api/comments",
    form: { page_id: "{page}", html: "<p>On call</p>", reply_to: "1" },
    status: 200,
    holds: { parent_id: 1, local_id: 2, content_ref: "", created_by: 1 },
    save: { reply: "id" },
  },
  {
    name: "a reply is replied to",
    request: "POST /api/comments",
    body: { page_id: "{page}", html: "<p>Who else</p>", reply_to: 2 },
    status: 200,
    holds: { parent_id: 2, local_id: 3 },
  },
  {
    name: "a read has people in full and direct replies, those with numbers for people",
    as: "reader",
    request: "GET /api/comments/{root}",
    status: 200,
    holds: {
      id: "{root}",
      created_by: { id: "{talker}", name: "talker" },
      updated_by: { id: "{talker}" },
      replies: [
        {
          id: "{reply}",
          html: "<p>On call</p>",
          parent_id: 1,
          created_by: 1,
          updated_by: 1,
          created_at: time,
          archived: false,
        },
      ],
    },
    lacks: ["people", "page_id"],
    check: (body) => expect((body as { replies: [object] }).replies[0]).not.toHaveProperty("people"),
  },
  {
    name: "a page's read has them as a tree",
    as: "reader",
    request: "GET /api/pages/{page}",
    status: 200,
    holds: {
      comments: {
        active: [
          {
            comment: { id: "{root}", created_by: { id: "{talker}", name: "talker" }, updated_by: "{talker}" },
            depth: 0,
            children: [
              {
                comment: { id: "{reply}" },
                depth: 1,
                children: [{ comment: { local_id: 3 }, depth: 2, children: [] }],
              },
            ],
          },
        ],
        archived: [],
      },
    },
  },
  { name: "a page's save has none", request: "PUT /api/pages/{page}", body: {}, status: 200, lacks: ["comments"] },
  {
    name: "a listing has what the contract lists",
    request:
      "GET /api/comments?filter[commentable_id]={page}&filter[commentable_type]=PAGE&sort=-local_id&filter[local_id:lt]=2",
    status: 200,
    check: (body, { saved }) =>
      expect(body).toEqual({
        data: [
          {
            id: saved.root,
            commentable_id: saved.page,
            commentable_type: "page",
            parent_id: null,
            local_id: 1,
            content_ref: "bkmrk-discuss:735:5-12",
            created_by: saved.talker,
            updated_by: saved.talker,
            created_at: time,
            updated_at: time,
          },
        ],
        total: 1,
      }),
  },
]);
scenario(stage, "a number of another page is no comment to reply to, nor is one nobody has", [
  ...discussion,
  create("other", "/api/pages", { book_id: "{book}", name: "Other", html: "<p>x</p>" }),
  {
    request: "POST /api/comments",
    body: { page_id: "{other}", html: "<p>x</p>", reply_to: 2 },
    status: 200,
    holds: { parent_id: null, local_id: 1, commentable_id: "{other}" },
  },
]);
for (const field of ["commentable_id", "commentable_type", "parent_id", "content_ref", "created_by", "updated_at"]) {
  scenario(stage, `a listing sorts by ${field}`, {
    request: `GET /api/comments?filter[commentable_id]={page}&sort=-${field}`,
    status: 200,
    holds: { total: 2 },
  });
}
const archive = (archived: unknown) => ({ request: "PUT /api/comments/{root}", body: { archived } });
scenario(stage, "a reply cannot be archived", {
  request: "PUT /api/comments/{reply}",
  body: { archived: true, html: "<p>lost</p>" },
  status: 400,
  holds: { error: { message: "Only top-level comments can be archived.", code: 400 } },
});
scenario(stage, "nor taken back", {
  request: "PUT /api/comments/{reply}",
  body: { archived: false },
  status: 400,
  holds: { error: { message: "Only top-level comments can be un-archived.", code: 400 } },
});
scenario(stage, "a comment is archived with its replies and stays its writer's", [
  ...discussion,
  {
    name: "archive",
    ...archive(true),
    status: 200,
    holds: { archived: true, html: "<p>Which DBA?</p>", updated_by: "{talker}" },
    events: ["comment_update"],
  },
  { name: "being archived already is no fault", ...archive("1"), status: 200, holds: { archived: true } },
  {
    name: "its replies went with it",
    request: "GET /api/pages/{page}",
    status: 200,
    holds: {
      comments: {
        active: [],
        archived: [
          { comment: { id: "{root}", archived: true }, children: [{ comment: { id: "{reply}", archived: false } }] },
        ],
      },
    },
  },
  {
    name: "an update of nothing changes nothing",
    request: "PUT /api/comments/{root}",
    body: {},
    status: 200,
    holds: { archived: true, updated_by: "{talker}" },
  },
  {
    name: "a form takes it back and says something else, of which the one who wrote that is told",
    request: "POST /api/comments/{root}",
    form: { _method: "PUT", archived: "0", html: "<p>Any DBA</p>" },
    status: 200,
    holds: { archived: false, html: "<p>Any DBA</p>", created_by: "{talker}", updated_by: 1 },
  },
]);
const say = (page_id: unknown) => ({ request: "POST /api/comments", body: { page_id, html: "<p>x</p>" } });
scenario(stage, "the right to comment is asked for before anything else", {
  as: "reader",
  request: "POST /api/comments",
  body: {},
  status: 403,
  holds: denied,
});
scenario(stage, "then the body, then the page", { ...say(987_654_321), status: 404, holds: noPage });
scenario(stage, "a page out of sight is none", { as: "stranger", ...say("{page}"), status: 404, holds: noPage });
for (const [ask, body] of [["GET"], ["PUT", { html: 5 }], ["DELETE"]] as const) {
  scenario(stage, `${ask} of a comment out of sight finds none`, {
    as: "stranger",
    request: `${ask} /api/comments/{root}`,
    ...(body ? { body } : {}),
    status: 404,
    holds: missing,
  });
}
scenario(stage, "nor does a listing", {
  as: "stranger",
  request: "GET /api/comments",
  status: 200,
  holds: { data: [], total: 0 },
});
scenario(stage, "guests are asked for a token", { as: "guest", request: "GET /api/comments", status: 401 });
scenario(stage, "who may change own comments changes those", [
  ...discussion,
  {
    as: "talker",
    request: "PUT /api/comments/{root}",
    body: { html: "<p>Mine</p>" },
    status: 200,
    holds: { html: "<p>Mine</p>", updated_by: "{talker}" },
  },
]);
for (const ask of ["PUT", "DELETE"]) {
  scenario(stage, `${ask} of a foreign comment takes the right to all, asked for before the body is judged`, {
    as: "talker",
    request: `${ask} /api/comments/{reply}`,
    body: { html: 5 },
    status: 403,
    holds: denied,
  });
}
scenario(
  stage,
  "who may change all comments changes and deletes any; its replies stay, stand at the top and still name it",
  [
    ...discussion,
    { request: "POST /api/comments", body: { page_id: "{page}", html: "<p>Who else</p>", reply_to: 2 }, status: 200 },
    { name: "archive", as: "keeper", ...archive(true), status: 200, holds: { archived: true } },
    { name: "delete", as: "keeper", request: "DELETE /api/comments/{root}", status: 204, events: ["comment_delete"] },
    { name: "what is deleted is gone", request: "DELETE /api/comments/{root}", status: 404, holds: missing },
    {
      name: "its replies stay, stand at the top and still name it",
      request: "GET /api/pages/{page}",
      status: 200,
      holds: {
        comments: {
          active: [
            { comment: { id: "{reply}", parent_id: 1 }, depth: 0, children: [{ comment: { local_id: 3 }, depth: 1 }] },
          ],
          archived: [],
        },
      },
    },
    {
      name: "and are replies all the same, which cannot be archived",
      request: "PUT /api/comments/{reply}",
      body: { archived: true },
      status: 400,
    },
  ],
);
