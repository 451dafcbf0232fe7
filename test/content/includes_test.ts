import { expect } from "bun:test";
import { create, openStage, scenario } from "../support/harness/scenario.ts";

const SOURCE = '<p id="bkmrk-a">Hello <b>B</b></p><script>1</script>';
const stage = openStage(
  {
    reader: ["book-view-all", "page-view-all"],
    owner: ["book-view-all", "page-create-all", "page-view-own", "page-update-own"],
  },
  [
    create("book", "/api/books", { name: "Includes" }),
    create("source", "/api/pages", { book_id: "{book}", name: "Source", html: SOURCE }),
  ],
);
const html = (text: string) => ({ html: expect.stringMatching(new RegExp(`^<p[^>]*>${text}</p>$`)) });
scenario(stage, "a section is put in place for those who see both, and raw_html keeps the tag", [
  {
    name: "create",
    request: "POST /api/pages",
    body: { book_id: "{book}", name: "Reader", html: "<p>x {{@{source}#bkmrk-a}} y</p>" },
    status: 200,
    holds: { ...html("x Hello <b>B</b> y"), raw_html: expect.stringContaining("{{@") },
    save: { page: "id" },
  },
  {
    name: "a reader of both",
    as: "reader",
    request: "GET /api/pages/{page}",
    status: 200,
    holds: html("x Hello <b>B</b> y"),
  },
]);
scenario(stage, "who may not see the included page gets nothing in its place, though others see it there", [
  {
    name: "for its writer",
    as: "owner",
    request: "POST /api/pages",
    body: { book_id: "{book}", name: "Mine", html: "<p>x{{@{source}#bkmrk-a}}y</p>" },
    status: 200,
    holds: html("xy"),
    save: { mine: "id" },
  },
  {
    name: "for a reader of both",
    as: "reader",
    request: "GET /api/pages/{mine}",
    status: 200,
    holds: html("xHello <b>B</b>y"),
  },
]);
scenario(stage, "scripts do not come in by inclusion", [
  create("page", "/api/pages", { book_id: "{book}", name: "Reader", html: "<p>x</p>" }),
  {
    request: "PUT /api/pages/{page}",
    body: { html: "<p>{{@{source}}}</p>" },
    status: 200,
    holds: html("Hello <b>B</b>"),
  },
]);
scenario(stage, "with the included page all change that include it", [
  create("source", "/api/pages", { book_id: "{book}", name: "Source", html: SOURCE }),
  create("page", "/api/pages", { book_id: "{book}", name: "Follower", html: "<p>{{@{source}}}</p>" }),
  {
    name: "the included page changes",
    request: "PUT /api/pages/{source}",
    body: { html: '<p id="bkmrk-a">Bye</p>' },
    status: 200,
  },
  { name: "and with it all that include it", request: "GET /api/pages/{page}", status: 200, holds: html("Bye") },
]);
scenario(stage, "unknown pages are nothing, what is no number stays", [
  create("page", "/api/pages", { book_id: "{book}", name: "Reader", html: "<p>x</p>" }),
  {
    name: "unknown pages are nothing",
    request: "PUT /api/pages/{page}",
    body: { html: "<p>a{{@987654321}}b{{@99999999999999}}c</p>" },
    status: 200,
    holds: html("abc"),
  },
  {
    name: "what is no number stays",
    request: "PUT /api/pages/{page}",
    body: { html: "<p>{{@name}}</p>" },
    status: 200,
    holds: html("{{@name}}"),
  },
]);
scenario(stage, "a page that includes itself ends somewhere", [
  create("page", "/api/pages", { book_id: "{book}", name: "Reader", html: "<p>x</p>" }),
  {
    request: "PUT /api/pages/{page}",
    body: { html: "<p>x {{@{page}}} y</p>" },
    status: 200,
    holds: { html: expect.stringContaining("{{@") },
  },
]);
scenario(stage, "a deleted page is included no more", [
  create("source", "/api/pages", { book_id: "{book}", name: "Source", html: SOURCE }),
  create("page", "/api/pages", { book_id: "{book}", name: "Bereft", html: "<p>x{{@{source}#bkmrk-a}}y</p>" }),
  { request: "GET /api/pages/{page}", status: 200, holds: html("xHello <b>B</b>y") },
  { name: "a deleted page", request: "DELETE /api/pages/{source}", status: 204 },
  { name: "is included no more", as: "reader", request: "GET /api/pages/{page}", status: 200, holds: html("xy") },
]);
