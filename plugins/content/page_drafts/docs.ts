/** What the documentation says about the endpoints of drafts. */
export const about = {
  read:
    "Shows your draft of a page (kind page), or of a new page in a book or chapter; null where there is none.\n" +
    "slot and page_id distinguish several new pages in one place; drafts lists all that you have there.\n" +
    "others lists the users who have worked on the page within the last hour without saving, and those who have saved it " +
    "since the base of the draft; newer is the page as it was saved since then. base_revision asks for these since another " +
    "revision than that of the draft.",
  save:
    "Stores your draft, replacing the present one. A new page becomes a draft page that only you see: pictures can be " +
    "uploaded to page_id, and creating a page with that draft_id publishes it.\n" +
    "With kept_at, the updated_at of the present draft or none, it is refused with 409 where another window has stored " +
    "one since, or has published or discarded that of a new page.\n" +
    "base_revision is the revision_count that the draft was made from, by default the present one, and base_tags are the tags " +
    "of that time. Later saves of the same draft never raise it, unless merged says that the text was merged with that " +
    "revision.",
  delete: "Discards your draft, with its draft page; pictures that were uploaded to it stay in the gallery.",
  preview: "Renders HTML or Markdown as a page would show it, without saving it. Includes are not resolved.",
} as const;
