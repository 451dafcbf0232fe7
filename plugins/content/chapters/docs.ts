/** What the documentation says about the endpoints of chapters. */
export const about = {
  list: "Lists the chapters visible to you.",
  create:
    "Creates a chapter in a book.\nWhere both are sent, the description in HTML wins over the plain one. " +
    "Without a priority the chapter goes to the end of the book.",
  read: "Reads a chapter with the pages in it that are visible to you, in order.",
  update:
    "Changes a chapter; fields that are not sent stay. Another book_id moves the chapter and its pages into that " +
    "book, which needs the right to delete the chapter and to create chapters there.",
  delete: "Moves a chapter into the recycle bin, and the pages in it along with it.",
} as const;

const saved = {
  id: 3,
  book_id: 7,
  slug: "database",
  name: "Database",
  description: "",
  priority: 2,
  created_at: "2026-01-05T09:31:00.000000Z",
  updated_at: "2026-01-05T09:31:00.000000Z",
  created_by: 1,
  updated_by: 1,
  owned_by: 1,
  description_html: "<p></p>",
  default_template_id: null,
  book_slug: "runbooks",
  tags: [],
};
const ada = { id: 1, name: "Ada", slug: "ada" };
const failover = {
  id: 12,
  book_id: 7,
  chapter_id: 3,
  name: "Failover",
  slug: "failover",
  priority: 1,
  draft: false,
  revision_count: 1,
  template: false,
  created_at: "2026-01-05T09:32:00.000000Z",
  updated_at: "2026-01-05T09:32:00.000000Z",
  created_by: 1,
  updated_by: 1,
  owned_by: 1,
  editor: "wysiwyg",
  book_slug: "runbooks",
};

/** Samples for the documentation. */
export const examples = {
  create: { request: { book_id: 7, name: "Database" }, response: saved },
  read: { response: { ...saved, created_by: ada, updated_by: ada, owned_by: ada, pages: [failover] } },
  update: { request: { book_id: 9 }, response: { ...saved, book_id: 9, book_slug: "handbook" } },
};
