/** Texts of the endpoints in the API documentation. */
export const about = {
  list: "Lists the attachments of pages that are visible to you.",
  create:
    "Attaches a file or a link to a page. A file needs a multipart/form-data request; if both are sent, the link is used.\n" +
    "Needs the permissions to create attachments and to update the page.",
  read:
    "Reads an attachment. Its content is the link, or the file as base64.\n" +
    "The links lead to the file or link itself, for use in HTML and Markdown.",
  update:
    "Changes an attachment; fields that are not sent stay. A file or link replaces the present file or link, and " +
    "uploaded_to moves the attachment to another page. order is its position among the attachments of the page, from 1; " +
    "the others make room.\n" +
    "To send a file, use POST with multipart/form-data and the field _method set to PUT.",
  delete: "Permanently removes an attachment and its file.",
} as const;

const saved = {
  id: 9,
  name: "topology",
  extension: "pdf",
  uploaded_to: 12,
  external: false,
  order: 1,
  created_by: 1,
  updated_by: 1,
  created_at: "2026-01-05T11:00:00.000000Z",
  updated_at: "2026-01-05T11:00:00.000000Z",
};
const ada = { id: 1, name: "Ada", slug: "ada" };

/** Examples in the API documentation. */
export const examples = {
  create: {
    request: { name: "runbook", uploaded_to: 12, link: "https://example.com/runbook" },
    response: { ...saved, name: "runbook", extension: "", external: true },
  },
  read: {
    response: {
      ...saved,
      created_by: ada,
      updated_by: ada,
      links: {
        html: '<a target="_blank" href="https://docs.example.com/attachments/9">topology</a>',
        markdown: "[topology](https://docs.example.com/attachments/9)",
      },
      content: "JVBERi0xLjcK",
    },
  },
  update: { request: { name: "topology", uploaded_to: 13 }, response: { ...saved, uploaded_to: 13 } },
};
