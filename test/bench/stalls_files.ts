/** Hostile inputs of stalls.ts that are files, or become files: uploads, pictures, imports and exports of a large book. */

import { picture } from "../support/data/sample_pictures.ts";
import { portable } from "../support/data/sample_zips.ts";
import { type Input, page, type Stage, statuses, times } from "./stalls_stage.ts";

const PAGES = 5_000;
/** Pixels on a side: 64 million in all, in a file of some 200 KB. */
const SIDE = 8_000;
let imported = 0;

/** Sends a multipart form. */
function sent(stage: Stage, path: string, fields: Readonly<Record<string, string | File>>): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const headers = { authorization: `Token ${stage.token}` };
  return fetch(stage.baseUrl + path, { method: "POST", headers, body: form });
}

async function newPage(stage: Stage): Promise<string> {
  return String(JSON.parse((await page(stage, { html: "<p>a</p>" })).body).id);
}

/** A portable ZIP of a book with so many pages. */
function bookOf(pages: number): File {
  const content = times(pages, (id) => ({ id, name: `Page ${id}`, html: "<p>Call the DBA on duty.</p>" }));
  return new File([portable({ book: { id: 1, name: "Stalls", pages: content } })], "book.zip");
}

/** Every row is measured in this order. */
export const FILE_INPUTS: readonly Input[] = [
  {
    name: "three uploads of 30 MB at once",
    async send(stage) {
      const on = await newPage(stage);
      const file = new File([new Uint8Array(30_000_000)], "large.bin");
      return statuses(times(3, () => sent(stage, "/api/attachments", { name: "Large", uploaded_to: on, file })));
    },
  },
  {
    name: "three pictures of 64 megapixels at once",
    async send(stage) {
      const on = await newPage(stage);
      const image = new File([await picture("png", { width: SIDE, height: SIDE })], "large.png", { type: "image/png" });
      const fields = { type: "gallery", uploaded_to: on, image };
      return statuses(times(3, () => sent(stage, "/api/image-gallery", fields)));
    },
  },
  {
    name: `an import of a book of ${PAGES} pages`,
    async send(stage) {
      const uploaded = await sent(stage, "/api/imports", { file: bookOf(PAGES) });
      const { id } = (await uploaded.json()) as { id: number };
      const run = await stage.send("POST", `/api/imports/${id}`);
      imported = JSON.parse(run.body).id;
      return statuses([Promise.resolve(uploaded), Promise.resolve(run)]);
    },
  },
  ...["html", "markdown", "plaintext", "zip", "pdf"].map(
    (format): Input => ({
      name: `a ${format} export of that book`,
      send: (stage) => statuses([stage.send("GET", `/api/books/${imported}/export/${format}`)]),
    }),
  ),
  {
    name: "60 descriptions of 2,000 characters at once",
    send: (stage) => {
      const text = `<p>${"Call the <strong>DBA</strong> ".repeat(60)}</p>`;
      const body = (n: number) => ({ name: `Stalls ${n}`, description_html: text });
      return statuses(times(60, (n) => stage.send("POST", "/api/books", body(n))));
    },
  },
];
