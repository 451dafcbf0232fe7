/** Texts of the endpoints in the API documentation. */
export const about = {
  list:
    "Lists the images and drawings of pages that are visible to you, without covers. " +
    "The filter and sort book_id, the book of the page, is an addition to BookStack's API.",
  create:
    "Adds an image to a page, sent as a file in a multipart/form-data request. Its type is gallery or drawio, the latter " +
    "for drawings made with diagrams.net, which must be PNG files.\nThe name defaults to that of the file.",
  read:
    "Reads an image, with the URLs of its smaller variants in thumbs and the markup to put into a page in content. A variant " +
    "that could not be made is null.",
  update:
    "Changes the name of an image or its file; the URL stays. The file must be of the same type as the present one.\n" +
    "To send a file, use POST with multipart/form-data and the field _method set to PUT.",
  delete: "Permanently removes an image and its file. Pages that show it keep a broken reference.",
  "read-data": "Reads the file of an image.",
  "read-data-for-url": "Reads the file of an image of this instance by its URL, given as the parameter url.",
  unused:
    "Counts images of the gallery that no page and no kept revision shows, and lists the first hundred of them. " +
    "With `ignore_revisions`, images that only revisions show are included; images younger than a day never are.",
  uses:
    "Lists the pages that show an image, in full or by a smaller variant: the first hundred of those that are visible to you, and their " +
    "number. An addition to BookStack's API.",
  deleteUnused: "Removes the images that the GET request of the same path counts, permanently.",
} as const;

const HOST = "https://docs.example.com";
const folder = "/uploads/images/gallery/2026-01";
const display = `${HOST}${folder}/scaled-1680-/rack.png`;
const ada = { id: 1, name: "Ada", slug: "ada" };
const listed = {
  id: 40,
  name: "rack.png",
  url: `${HOST}${folder}/rack.png`,
  created_at: "2026-01-05T12:00:00.000000Z",
  updated_at: "2026-01-05T12:00:00.000000Z",
  created_by: 1,
  updated_by: 1,
  path: `${folder}/rack.png`,
  type: "gallery",
  uploaded_to: 12,
};
const full = {
  ...listed,
  created_by: ada,
  updated_by: ada,
  thumbs: { gallery: `${HOST}${folder}/thumbs-150-150/rack.png`, display },
  content: {
    html: `<a href="${HOST}${folder}/rack.png" target="_blank"><img src="${display}" alt="rack.png"></a>`,
    markdown: `![rack.png](${display})`,
  },
};

/** Examples in the API documentation. */
export const examples = {
  list: { response: { data: [listed], total: 1 } },
  create: { request: { type: "gallery", uploaded_to: 12, name: "rack.png" }, response: full },
  read: { response: full },
  update: { request: { name: "Rack 4" }, response: { ...full, name: "Rack 4" } },
} as const;
