const ADDITION = "An addition to BookStack's API, which has copies on screens alone.";
const KEPT = "Pictures, attachments, comments and revisions stay with the original. You own the copies.";
const DEEP =
  `${ADDITION}\nCopied are the texts, tags and default template as you see them, and what is in it, as far as you see it and may ` +
  "create it in the copy; a cover, too. Links between copied items lead to their copies. Permissions of items are copied where you may " +
  `manage them. ${KEPT}\nMore than 100 pages are copied in the background: the answer is then 202 with the progress, also in ` +
  "GET /api/copies/ID.";

/** Descriptions of the endpoints. */
export const about = {
  page:
    `Copies a page into its book or chapter, or into that of book_id or chapter_id. ${ADDITION}\n` +
    "The copy has the texts and tags of the page, and a link to itself leads to the copy. Its permissions are copied where you may manage " +
    `them. ${KEPT}`,
  chapter: `Copies a chapter with its pages into its book, or into that of book_id. ${DEEP}`,
  book: `Copies a book with its chapters and pages. The copy stands on the shelves of the original that you may update. ${DEEP}`,
  read:
    "Reads the progress of a copy in the background: of your own ones, or of all if you may manage settings. It is kept for a week " +
    "after the copy has ended.",
  convertChapter:
    "Makes a book of a chapter. An addition to BookStack's API, which has conversions on screens alone.\n" +
    "Its pages move into the book and keep their ids; their earlier addresses and those of the chapter lead on. The book has the " +
    "texts and tags of the chapter, which is gone, and its own permissions, or those of the book that it was in where it had none. It needs the permissions to update and delete the chapter and to create books.",
  convertBook:
    "Makes a shelf of a book, with a book for each of its chapters. An addition to BookStack's API, which has conversions on screens " +
    "alone.\nPages keep their ids; their earlier addresses lead to them. The shelf has the texts, tags, cover and own permissions of the " +
    "book, and its books get those permissions where their chapter had none of its own. With pages of its own, the book stays as the last " +
    "one of the shelf, and “Pages” is added to its name; otherwise it is gone. It needs the permissions to update and delete the book and " +
    "to create shelves and books.",
} as const;

const progress = {
  id: 4,
  kind: "book",
  item_id: 7,
  name: "Runbooks 2026",
  status: "running",
  done: 180,
  total: 412,
  copy_id: null,
  error: null,
  url: "https://wiki.example.com/api/copies/4",
  created_at: "2026-01-05T12:00:00.000000Z",
  updated_at: "2026-01-05T12:00:03.000000Z",
};

/** Examples for the documentation. */
export const examples = {
  page: {
    request: { name: "Failover of the second site", chapter_id: 5 },
    response: { id: 31, name: "Failover of the second site", slug: "failover-of-the-second-site" },
  },
  chapter: {
    request: { name: "Backups 2026", book_id: 7 },
    response: { id: 12, name: "Backups 2026", slug: "backups-2026" },
  },
  book: { request: { name: "Runbooks 2026" }, response: { id: 9, name: "Runbooks 2026", slug: "runbooks-2026" } },
  read: { response: progress },
  convertChapter: { response: { id: 10, name: "Backups", slug: "backups" } },
  convertBook: { response: { id: 3, name: "Runbooks", slug: "runbooks" } },
} as const;
