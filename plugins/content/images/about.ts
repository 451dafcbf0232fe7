/** What the documentation says about the endpoints of pictures. */
export const about = {
  list: "Lists the pictures and drawings of pages that are visible to you. Covers are not among them.",
  create:
    "Adds a picture to a page, sent as a file in a multipart/form-data request. Its type is gallery or drawio, the latter " +
    "for drawings made with diagrams.net, which must be PNG files.\nWithout a name it is called as its file.",
  read:
    "Reads a picture: addresses of smaller forms in thumbs, and what to write into a page in content. A form that could " +
    "not be made is null.",
  update:
    "Changes the name of a picture or its file; the address stays. The file must be of the same type as the present one.\n" +
    "To send a file, use POST with multipart/form-data and the field _method set to PUT.",
  delete: "Removes a picture and its file for good. Pages that show it keep a broken reference.",
  "read-data": "Reads the file of a picture.",
  "read-data-for-url": "Reads the file behind the address of a picture of this instance, given as the parameter url.",
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

/** Samples for the documentation. */
export const examples = {
  list: { response: { data: [listed], total: 1 } },
  create: { request: { type: "gallery", uploaded_to: 12, name: "rack.png" }, response: full },
  read: { response: full },
  update: { request: { name: "Rack 4" }, response: { ...full, name: "Rack 4" } },
} as const;
