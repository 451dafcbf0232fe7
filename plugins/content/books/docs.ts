import { FAILOVER, PEOPLE, RUNBOOKS, timesAt } from "../_items/docs.ts";

/** What the documentation says about the endpoints of books. */
export const about = {
  list: "Lists the books visible to you.",
  create:
    'Creates a book. A cover image is sent as a file named "image" in a multipart/form-data request.\n' +
    "Where both are sent, the description in HTML wins over the plain one.",
  read:
    "Reads a book with its contents: chapters and pages visible to you, in order, each with its type and address. " +
    "The pages of a chapter are within the chapter.",
  update:
    'Changes a book; fields that are not sent stay. A cover image is sent as a file named "image" in a ' +
    "multipart/form-data POST request with the parameter _method set to PUT; a null image removes the cover.",
  delete: "Moves a book into the recycle bin, and the chapters and pages in it along with it.",
} as const;

const saved = {
  ...RUNBOOKS,
  default_template_id: null,
  description_html: "<p>How we <strong>operate</strong></p>",
  tags: [{ name: "team", value: "ops", order: 0 }],
  cover: null,
};
const { id, name, slug, book_id, chapter_id } = FAILOVER;
const failover = {
  ...{ id, name, slug, book_id, chapter_id, draft: false, template: false, priority: 1 },
  ...timesAt("09:31"),
  url: "https://docs.example.com/books/runbooks/page/failover",
};
const database = {
  ...{ id: 3, name: "Database", slug: "database", book_id: 7, priority: 2 },
  ...timesAt("09:31"),
  url: "https://docs.example.com/books/runbooks/chapter/database",
  type: "chapter",
  pages: [failover],
};

/** Samples for the documentation. */
export const examples = {
  create: {
    request: {
      name: "Runbooks",
      description_html: "<p>How we <strong>operate</strong></p>",
      tags: [{ name: "team", value: "ops" }],
    },
    response: saved,
  },
  read: {
    response: {
      ...saved,
      ...PEOPLE,
      shelves: [{ id: 4, name: "Operations", slug: "operations" }],
      contents: [database],
    },
  },
  update: { request: { name: "Runbooks", default_template_id: null }, response: saved },
};
