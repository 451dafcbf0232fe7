/**
 * Comments over the API: what is kept of HTML, which input is refused and in which words.
 */
import { expect } from "bun:test";
import { create, openStage, scenario } from "../support/harness/scenario.ts";

const WRITES = ["POST /api/comments", "PUT /api/comments/{comment}"] as const;
const first = create("comment", "/api/comments", { page_id: "{page}", html: "<p>First</p>" });
const stage = openStage({}, [
  create("book", "/api/books", { name: "Debates" }),
  create("page", "/api/pages", { book_id: "{book}", name: "Topic", html: "<p>Discuss</p>" }),
  first,
]);
const missing = { error: { message: "Comment not found", code: 404 } };
const invalid = (validation: object) => ({ error: { message: "The given data was invalid.", validation, code: 422 } });
for (const [sent, stored] of [
  ['<p onclick="x()">safe</p><script>alert(1)</script><h1>big</h1>', "<p>safe</p>"],
  [
    '<p>a <a href="javascript:alert(1)">b</a> <a href="https://example.com" style="x">c</a></p>',
    '<p>a  <a href="https://example.com">c</a></p>',
  ],
  ["just words & more", "<p>just words &amp; more</p>"],
] as const) {
  for (const request of WRITES) {
    const body = { html: sent, ...(request.startsWith("POST") ? { page_id: "{page}" } : {}) };
    scenario(stage, `${request} keeps of ${sent} what is safe`, [
      first,
      { request, body, status: 200, holds: { html: stored } },
    ]);
  }
}
const field = (name: string) => `The ${name} field is required.`;
const number = (name: string) => `The ${name} must be an integer.`;
for (const [body, validation] of [
  [{}, { page_id: [field("page id")], html: [field("html")] }],
  [
    { page_id: "x", html: 5, reply_to: "y", content_ref: 6 },
    {
      page_id: [number("page id")],
      reply_to: [number("reply to")],
      html: ["The html must be a string."],
      content_ref: ["The content ref must be a string."],
    },
  ],
  [{ page_id: "{page}", html: " " }, { html: [field("html")] }],
  [
    { page_id: 2 ** 31, html: "x", reply_to: -(2 ** 40) },
    { page_id: [number("page id")], reply_to: [number("reply to")] },
  ],
] as const) {
  scenario(stage, `a comment of ${JSON.stringify(body)} is refused`, {
    request: "POST /api/comments",
    body,
    status: 422,
    check: (answer) => expect(answer).toEqual(invalid(validation)),
  });
}
for (const request of WRITES)
  scenario(stage, `${request} keeps nothing of what is refused, as in the original`, [
    first,
    {
      request,
      body: { page_id: "{page}", html: "<svg><a xlink:href='javascript:x'>y</a></svg><img src=x onerror=alert(1)>" },
      status: 200,
      holds: { html: "" },
    },
  ]);
scenario(stage, "an empty field of a form does not take a comment out of the archive", [
  first,
  {
    name: "archive",
    request: "PUT /api/comments/{comment}",
    body: { archived: true },
    status: 200,
    holds: { archived: true },
  },
  {
    name: "an empty field",
    request: "PUT /api/comments/{comment}",
    body: { archived: "", html: "<p>Still</p>" },
    status: 200,
    holds: { archived: true, html: "<p>Still</p>" },
  },
]);
scenario(stage, "an update validates both fields", {
  request: "PUT /api/comments/{comment}",
  body: { html: 7, archived: "yes" },
  status: 422,
  check: (answer) =>
    expect(answer).toEqual(
      invalid({
        html: ["The html must be a string."],
        archived: ["The archived field must be true or false."],
      }),
    ),
});
scenario(stage, "references of another form are dropped, replies to nothing may say so", {
  request: "POST /api/comments",
  body: { page_id: "{page}", html: "\0<p>x\0</p>", content_ref: "somewhere", reply_to: null },
  status: 200,
  holds: { html: "<p>x</p>", content_ref: "", parent_id: null },
});
for (const id of ["0", "x", "2147483648", "1.0"]) {
  scenario(stage, `${id} is no comment`, { request: `GET /api/comments/${id}`, status: 404, holds: missing });
}
