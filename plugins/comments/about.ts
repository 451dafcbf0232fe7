/** What the documentation says about the endpoints of comments. */
export const about = {
  list: "Lists the comments on pages that are visible to you, replies among them.",
  create:
    "Comments on a page, or replies to a comment on it: reply_to is the local_id of that comment.\n" +
    "The HTML keeps paragraphs, lists, links and emphasis; the rest of it is dropped. content_ref names a part of the " +
    "page, such as bkmrk-call-the-dba:735:5-12; one of another form is dropped.",
  read: "Reads a comment with its direct replies. A page's own answer has all its comments as a tree.",
  update:
    "Changes what a comment says, or archives it and takes it back. Only comments that reply to none can be " +
    "archived; their replies go with them.",
  delete: "Removes a comment for good. Replies to it stay and stand by themselves.",
} as const;

const saved = {
  id: 51,
  commentable_id: 12,
  commentable_type: "page",
  html: "<p>Which DBA?</p>",
  parent_id: null,
  local_id: 1,
  created_by: 2,
  updated_by: 2,
  created_at: "2026-01-06T08:00:00.000000Z",
  updated_at: "2026-01-06T08:00:00.000000Z",
  content_ref: "bkmrk-call-the-dba:735:5-12",
  archived: false,
};
const { html: _html, archived: _archived, ...listed } = saved;
const bo = { id: 2, name: "Bo", slug: "bo" };
const reply = {
  ...saved,
  id: 52,
  html: "<p>On call</p>",
  parent_id: 1,
  local_id: 2,
  created_by: 1,
  updated_by: 1,
  created_at: "2026-01-06T08:05:00.000000Z",
  updated_at: "2026-01-06T08:05:00.000000Z",
  content_ref: "",
};

/** Samples for the documentation. */
export const examples = {
  list: { response: { data: [listed], total: 1 } },
  create: {
    request: { page_id: 12, html: "<p>Which DBA?</p>", content_ref: "bkmrk-call-the-dba:735:5-12" },
    response: saved,
  },
  read: { response: { ...saved, created_by: bo, updated_by: bo, replies: [reply] } },
  update: { request: { archived: true }, response: { ...saved, archived: true } },
};
