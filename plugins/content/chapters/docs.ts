import { BY_ADA, FAILOVER, PEOPLE, timesAt } from "../_items/docs.ts";

/** What the documentation says about the endpoints of chapters. */
export const about = {
  list: "Lists the chapters visible to you.",
  create:
    "Creates a chapter in a book.\nWhere both are sent, the description in HTML wins over the plain one. " +
    "Without a priority the chapter is added at the end of the book.",
  read: "Reads a chapter with the pages in it that are visible to you, in order.",
  update:
    "Changes a chapter; fields that are not sent stay. Another book_id moves the chapter and its pages into that " +
    "book, which needs the permissions to delete the chapter and to create chapters there.",
  delete: "Moves a chapter into the recycle bin, and the pages in it along with it.",
} as const;

const saved = {
  ...{ id: 3, book_id: 7, slug: "database", name: "Database", description: "", priority: 2 },
  ...timesAt("09:31"),
  ...BY_ADA,
  ...{ description_html: "<p></p>", default_template_id: null, book_slug: "runbooks", tags: [] },
};
const failover = {
  ...FAILOVER,
  ...{ priority: 1, draft: false, revision_count: 1, template: false },
  ...timesAt("09:32"),
  ...BY_ADA,
  ...{ editor: "wysiwyg", book_slug: "runbooks" },
};

/** Samples for the documentation. */
export const examples = {
  create: { request: { book_id: 7, name: "Database" }, response: saved },
  read: { response: { ...saved, ...PEOPLE, pages: [failover] } },
  update: { request: { book_id: 9 }, response: { ...saved, book_id: 9, book_slug: "handbook" } },
};
