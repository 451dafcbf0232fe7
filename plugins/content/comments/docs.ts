/** Texts of the endpoints in the API documentation. */
export const about = {
  list: "Lists the comments on pages that are visible to you, without their content.",
  create:
    "Adds a comment to a page. reply_to is the local_id of the comment it replies to, which is on the same page.\n" +
    "content_ref names the range of the page that is commented on, as the editor writes it; any other value is dropped.\n" +
    "Beyond the original: markdown in place of html, which is then made of it, and quote, the text of the passage that is commented on. The passage is " +
    "followed through changes of the page; the answer has it as passage, with outdated once the page does not have it any more.",
  read: "Reads a comment with the direct replies to it.",
  update:
    "Changes the content of a comment, archives it or takes it out of the archive. Only comments that reply to no other " +
    "can be archived; send archived only to change it. markdown is taken in place of html.",
  delete: "Permanently removes a comment. Replies to it stay.",
} as const;

const saved = {
  id: 51,
  commentable_id: 12,
  commentable_type: "page",
  parent_id: null,
  local_id: 1,
  content_ref: "bkmrk-call-the-dba:735:5-12",
  created_by: 2,
  updated_by: 2,
  created_at: "2026-01-06T08:00:00.000000Z",
  updated_at: "2026-01-06T08:00:00.000000Z",
  html: "<p>Which DBA?</p>",
  archived: false,
};
const bo = { id: 2, name: "Bo", slug: "bo" };

/** The documentation of the preview. */
export const preview = {
  about: "Returns the HTML that a comment in Markdown would have, and stores nothing.",
  example: { request: { markdown: "Which **DBA**?" }, response: { html: "<p>Which <strong>DBA</strong>?</p>" } },
};

/** Examples in the API documentation. */
export const examples = {
  create: {
    request: { page_id: 12, html: "<p>Which DBA?</p>", content_ref: "bkmrk-call-the-dba:735:5-12" },
    response: saved,
  },
  read: {
    response: {
      ...saved,
      created_by: bo,
      updated_by: bo,
      replies: [{ ...saved, id: 52, parent_id: 1, local_id: 2, content_ref: "", html: "<p>On call</p>" }],
    },
  },
  update: { request: { archived: true }, response: { ...saved, archived: true } },
};
