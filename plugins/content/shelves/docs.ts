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
  id: 4,
  name: "Operations",
  slug: "operations",
  description: "",
  description_html: "<p></p>",
  created_by: 1,
  updated_by: 1,
  owned_by: 1,
  created_at: "2026-01-05T10:00:00.000000Z",
  updated_at: "2026-01-05T10:00:00.000000Z",
  tags: [],
  cover: null,
};
const ada = { id: 1, name: "Ada", slug: "ada" };
const runbooks = {
  id: 7,
  name: "Runbooks",
  slug: "runbooks",
  description: "How we operate",
  created_at: "2026-01-05T09:30:00.000000Z",
  updated_at: "2026-01-05T09:30:00.000000Z",
  created_by: 1,
  updated_by: 1,
  owned_by: 1,
};

/** Samples for the documentation. */
export const examples = {
  create: { request: { name: "Operations", books: [7] }, response: saved },
  read: { response: { ...saved, created_by: ada, updated_by: ada, owned_by: ada, books: [runbooks] } },
  update: { request: { books: [9, 7] }, response: saved },
};
