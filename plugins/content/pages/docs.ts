/**
 * What the documentation of the API says about pages: what each endpoint does beyond its rules, and a sample of it. The
 * samples tell of one page throughout, a runbook; what its fields mean is said by the schemas in contract.ts.
 */
import { ADA, FAILOVER, PEOPLE, timesAt } from "../_items/docs.ts";

/** What the documentation says about the endpoints of pages. */
export const about = {
  list: "Lists the pages visible to you.",
  create:
    "Creates a page in a book or, where chapter_id is given, in a chapter. Either html or markdown is required; " +
    "Markdown wins where both are sent.\n" +
    "HTML should keep to a single level of plain blocks. Pictures given as base64 data URIs become gallery images.\n" +
    "With draft_id, the page_id of a draft of yours, that draft page is published instead: it keeps its id and pictures.\n" +
    'The first revision says "Initial publish", or what is sent as summary.',
  read: "Reads a page. Its html is ready to show, with includes resolved; raw_html is the content as stored.",
  update:
    "Changes a page; fields that are not sent stay. A book_id or chapter_id other than the present parent moves the " +
    "page there, if you may delete it and create pages there.\n" +
    "With base_revision, the revision_count that the change starts from, it is refused with 409 where the page has " +
    "another one since.\n" +
    "With summary, the change makes a revision that says it, even where name and content stay.",
  delete: "Moves a page into the recycle bin.",
} as const;

/** What it says about merges. */
export const mergeAbout =
  "Merges a text that was changed since base_revision with the page as it is now, by blocks: what only one side changed is " +
  "taken, what both changed differently is a part with `base`, `mine` and `theirs`. Send html or markdown, which may be empty. " +
  "Saves nothing; save the text with " +
  "the answered revision_count as base_revision. Where one of the texts is HTML and another one Markdown, all are merged as HTML.\n" +
  "A name and tags that are sent are merged too, tags by name; base_tags are those that the change started from, without which " +
  "all tags that differ collide. `base` is empty for those who may not view revisions. Refused with 409 where the revision is no " +
  "longer kept. Needs the permission to update the page.";

/** Sample of a merge. */
export const mergeExample = {
  request: { base_revision: 1, markdown: "# Failover\n\nCall the DBA at once.\n" },
  response: {
    revision_count: 2,
    format: "markdown",
    text: null,
    parts: [
      { text: "# Failover\n\n" },
      { base: "Call the DBA.\n", mine: "Call the DBA at once.\n", theirs: "Call Ada.\n" },
    ],
  },
};

/** What it says about marks of templates. */
export const templateAbout =
  "Marks a page as a template, or takes the mark away. New pages of books and chapters may start as a copy of a template, " +
  "and writers insert them; `filter[template]=true` of the listing finds them. The revision_count stays. Needs the permission to update the page.";

/** What it says about the endpoints of revisions. */
export const revisionAbout = {
  list:
    "Lists the revisions kept of a page, without their content. `number` is the revision_count the page had then.\n" +
    "Only changes of the name or the content make a revision, and those with a summary.",
  read:
    "Reads a revision of a page. Its html is sanitised, with includes as they are now; raw_html, markdown and text are " +
    "the content as it was stored.",
  compare:
    "Compares a revision with another one of the page, `to`, by default with the newest. `source` is compared as it was " +
    "stored, by line and within lines by word: as Markdown where both have it, else as HTML. `html` is the later one as " +
    "shown, with ins around what was added and del around what was removed. null stands for what is too long to compare.",
  restore:
    "Restores the name and content that a page had in a revision, as a change that makes a revision of its own. " +
    "Needs the permission to update the page.",
  delete: "Deletes a revision of a page, but not the latest one. Needs the permission to delete the page.",
} as const;

const saved = {
  ...FAILOVER,
  html: '<p id="bkmrk-call-the-dba">Call the DBA</p>',
  raw_html: '<p id="bkmrk-call-the-dba">Call the DBA</p>',
  priority: 1,
  ...timesAt("09:32"),
  ...PEOPLE,
  draft: false,
  markdown: "",
  revision_count: 1,
  template: false,
  editor: "wysiwyg",
  tags: [{ name: "team", value: "ops", order: 0 }],
};

/** Sample of a mark. */
export const templateExample = { request: { template: true }, response: { ...saved, template: true } };

/** Samples for the documentation. */
export const examples = {
  create: {
    request: { chapter_id: 3, name: "Failover", html: "<p>Call the DBA</p>", tags: [{ name: "team", value: "ops" }] },
    response: saved,
  },
  read: { response: { ...saved, comments: { active: [], archived: [] } } },
  update: { request: { name: "Failover", priority: 1 }, response: { ...saved, revision_count: 2 } },
};

const revision = {
  ...{ id: 40, page_id: 12, number: 2, name: "Failover", summary: "" },
  created_at: "2026-01-06T08:00:00.000000Z",
  created_by: ADA,
};
const { html, raw_html, markdown } = saved;

/** Samples of revisions. */
export const revisionExamples = {
  list: { response: { data: [revision], total: 1 } },
  read: { response: { ...revision, html, raw_html, markdown, text: "Call the DBA" } },
  compare: {
    response: {
      from: { ...revision, id: 39, number: 1 },
      to: revision,
      name: [{ value: "Failover" }],
      format: "html",
      source: [
        { value: '<p id="bkmrk-call-the-dba">Call ' },
        { value: "me", removed: true },
        { value: "the DBA", added: true },
        { value: "</p>" },
      ],
      html: '<p id="bkmrk-call-the-dba">Call <del>me</del><ins>the DBA</ins></p>',
    },
  },
};
