/** What the documentation says about the endpoints of pages. */
export const about = {
  list: "Lists the pages visible to you.",
  create:
    "Creates a page in a book or, where chapter_id is given, in a chapter. Either html or markdown is required; " +
    "Markdown wins where both are sent.\n" +
    "HTML should keep to a single level of plain blocks. Pictures given as base64 data URIs become gallery images.\n" +
    "With draft_id, the page_id of a draft of yours, that draft page is published instead: it keeps its id and pictures.",
  read: "Reads a page. Its html is ready to show, with includes resolved; raw_html is the content as stored.",
  update:
    "Changes a page; fields that are not sent stay. A book_id or chapter_id other than the present parent moves the " +
    "page there, if you may delete it and create pages there.\n" +
    "With base_revision, the revision_count that the change starts from, it is refused with 409 where the page has another one by now.",
  delete: "Moves a page into the recycle bin.",
} as const;

const ada = { id: 1, name: "Ada", slug: "ada" };
const saved = {
  id: 12,
  book_id: 7,
  chapter_id: 3,
  name: "Failover",
  slug: "failover",
  html: '<p id="bkmrk-call-the-dba">Call the DBA</p>',
  raw_html: '<p id="bkmrk-call-the-dba">Call the DBA</p>',
  priority: 1,
  created_at: "2026-01-05T09:32:00.000000Z",
  updated_at: "2026-01-05T09:32:00.000000Z",
  created_by: ada,
  updated_by: ada,
  owned_by: ada,
  draft: false,
  markdown: "",
  revision_count: 1,
  template: false,
  editor: "wysiwyg",
  tags: [{ name: "team", value: "ops", order: 0 }],
};

/** Samples for the documentation. */
export const examples = {
  create: {
    request: { chapter_id: 3, name: "Failover", html: "<p>Call the DBA</p>", tags: [{ name: "team", value: "ops" }] },
    response: saved,
  },
  read: { response: { ...saved, comments: { active: [], archived: [] } } },
  update: { request: { name: "Failover", priority: 1 }, response: { ...saved, revision_count: 2 } },
};
