/** Descriptions of the endpoints of imports. */
export const about = {
  list: "Lists uploaded ZIP files that are not yet run: your own, or all if you may manage settings.",
  create: "Uploads a portable ZIP file as multipart/form-data. It is validated completely and stored until it is run.",
  read: "Reads a pending import, with details of the content of its ZIP file, which differ by type.",
  run:
    "Runs an import: everything in the ZIP file is created, or nothing. A chapter needs a book as its parent, a page a " +
    "book or chapter. Responds with the created item and removes the import.",
  delete: "Removes a pending import and its ZIP file.",
} as const;

const pending = {
  id: 25,
  name: "Runbooks",
  size: 617481,
  type: "book",
  created_by: 1,
  created_at: "2026-01-05T12:00:00.000000Z",
  updated_at: "2026-01-05T12:00:00.000000Z",
};
const path = "uploads/files/imports/MLa2WDN3xfp4c2TK.zip";
const page = { id: 12, name: "Failover", priority: 1, attachments: [], images: [], tags: [{ name: "team" }] };

/** Examples for the documentation. */
export const examples = {
  list: { response: { data: [pending], total: 1 } },
  create: { response: { ...pending, path } },
  read: { response: { ...pending, path, details: { id: 7, name: "Runbooks", chapters: [], pages: [page], tags: [] } } },
  run: {
    request: { parent_type: "book", parent_id: 7 },
    response: { id: 67, book_id: 7, name: "Failover", slug: "failover", priority: 2, draft: false, owned_by: 1 },
  },
} as const;
