import { expect } from "bun:test";
import { openStage, scenario } from "../support/harness/scenario.ts";

const stage = openStage({
  reader: ["book-view-all", "page-view-all"],
  owner: ["book-view-all", "page-create-all", "page-view-own", "page-update-own"],
});
const html = (text: string) => ({ html: expect.stringMatching(new RegExp(`^<p[^>]*>${text}</p>$`)) });

scenario(stage, "there is a book", {
  ask: "POST /api/books",
  body: { name: "Includes" },
  status: 200,
  save: { book: "id" },
});
scenario(stage, "and a page to include", {
  ask: "POST /api/pages",
  body: { book_id: "{book}", name: "Source", html: '<p id="bkmrk-a">Hello <b>B</b></p><script>1</script>' },
  status: 200,
  save: { source: "id" },
});
scenario(stage, "a section is put in place, and raw_html keeps the tag", {
  ask: "POST /api/pages",
  body: { book_id: "{book}", name: "Reader", html: "<p>x {{@{source}#bkmrk-a}} y</p>" },
  status: 200,
  holds: { ...html("x Hello <b>B</b> y"), raw_html: expect.stringContaining("{{@") },
  save: { page: "id" },
});
scenario(stage, "a reader of both sees the same", {
  as: "reader",
  ask: "GET /api/pages/{page}",
  status: 200,
  holds: html("x Hello <b>B</b> y"),
});
scenario(stage, "who may not see the included page gets nothing in its place", {
  as: "owner",
  ask: "POST /api/pages",
  body: { book_id: "{book}", name: "Mine", html: "<p>x{{@{source}#bkmrk-a}}y</p>" },
  status: 200,
  holds: html("xy"),
  save: { mine: "id" },
});
scenario(stage, "though others see it there", {
  as: "reader",
  ask: "GET /api/pages/{mine}",
  status: 200,
  holds: html("xHello <b>B</b>y"),
});
scenario(stage, "scripts do not come in by inclusion", {
  ask: "PUT /api/pages/{page}",
  body: { html: "<p>{{@{source}}}</p>" },
  status: 200,
  holds: html("Hello <b>B</b>"),
});
scenario(stage, "the included page changes", {
  ask: "PUT /api/pages/{source}",
  body: { html: '<p id="bkmrk-a">Bye</p>' },
  status: 200,
});
scenario(stage, "and with it all that include it", { ask: "GET /api/pages/{page}", status: 200, holds: html("Bye") });
scenario(stage, "unknown pages are nothing", {
  ask: "PUT /api/pages/{page}",
  body: { html: "<p>a{{@987654321}}b{{@99999999999999}}c</p>" },
  status: 200,
  holds: html("abc"),
});
scenario(stage, "what is no number stays", {
  ask: "PUT /api/pages/{page}",
  body: { html: "<p>{{@name}}</p>" },
  status: 200,
  holds: html("{{@name}}"),
});
scenario(stage, "a page that includes itself ends somewhere", {
  ask: "PUT /api/pages/{page}",
  body: { html: "<p>x {{@{page}}} y</p>" },
  status: 200,
  holds: { html: expect.stringContaining("{{@") },
});
scenario(stage, "a deleted page", { ask: "DELETE /api/pages/{source}", status: 204 });
scenario(stage, "is included no more", { as: "reader", ask: "GET /api/pages/{mine}", status: 200, holds: html("xy") });
