/** What the documentation says about the endpoints of drafts. */
export const about = {
  read:
    "Shows your draft of a page (kind page), or of a new page in a book or chapter; null where there is none.\n" +
    "slot tells several new pages in one place apart, as page_id does; drafts lists what you have there.\n" +
    "others names who else has worked on the page within the last hour without saving.",
  save:
    "Keeps your draft in place of the one before. A new page becomes a draft page that only you see: page_id, " +
    "which pictures can be uploaded to and which is published by creating a page with that draft_id.\n" +
    "With kept_at, the updated_at of the draft before or none, it is refused with 409 where another window has kept one " +
    "since, or has published or thrown away that of a new page.",
  delete: "Throws your draft away, with its draft page; pictures that were uploaded to it stay in the gallery.",
  preview: "Shows what HTML or Markdown will look like as a page, without saving it. Includes are left as they are.",
} as const;
