import { BY_ADA, PEOPLE, RUNBOOKS, timesAt } from "../_items/docs.ts";

/** What the documentation says about the endpoints of shelves. */
export const about = {
  list: "Lists the shelves visible to you.",
  create:
    "Creates a shelf. The ids in books are put onto it in the order given. A cover image is sent as a file named " +
    '"image" in a multipart/form-data request.\nWhere both are sent, the description in HTML wins over the plain one.',
  read: "Reads a shelf with the books on it that are visible to you, in order.",
  update:
    "Changes a shelf; fields that are not sent stay. Given books replace those on the shelf. A cover image is sent as " +
    'a file named "image" in a multipart/form-data POST request with the parameter _method set to PUT; a null ' +
    "image removes the cover.",
  delete: "Moves a shelf into the recycle bin. The books on it stay.",
} as const;

const saved = {
  ...{ id: 4, name: "Operations", slug: "operations", description: "", description_html: "<p></p>" },
  ...BY_ADA,
  ...timesAt("10:00"),
  ...{ tags: [], cover: null },
};

/** Samples for the documentation. */
export const examples = {
  create: { request: { name: "Operations", books: [7] }, response: saved },
  read: { response: { ...saved, ...PEOPLE, books: [RUNBOOKS] } },
  update: { request: { books: [9, 7] }, response: saved },
};
