import type { PagePicture, PagePictures } from "lectern/contracts";
import { sql } from "lectern/core";
import { prepared } from "lectern/db";
import type { ImagesContext } from "./contract.ts";
import { FOLDER, type ImageReference, parseImageUrl } from "./urls.ts";
import { GALLERY_SIZE, shownForms } from "./variants.ts";

const byPaths = prepared("images.shown", (db, p: { paths: readonly string[] }) =>
  db
    .selectFrom("images")
    .select(["id", "path", "file_key", "format", "width", "height", "animated", "damaged"])
    .where("path", "=", sql<string>`any(${p.paths}::text[])`),
);

type Row = Awaited<ReturnType<typeof byPaths.execute>>[number];

/** Pixels of a width above which pictures are shown smaller than they are. */
const LARGE = 840;

/** The pictures of pages for screens. Their sizes are no secret to who sees the page; files are served by the setting of their audience. */
export function picturesOnScreens({ db, baseUrl }: Pick<ImagesContext, "db" | "baseUrl">): PagePictures {
  return {
    dependsOn: [{ table: "images", column: "id" }],
    async find(addresses) {
      const references = new Map<string, ImageReference>();
      for (const address of addresses) {
        const reference = address.includes(FOLDER) ? parseImageUrl(address, baseUrl) : undefined;
        if (reference) references.set(address, reference);
      }
      if (references.size === 0) return new Map();
      const paths = [...new Set([...references.values()].map(({ path }) => path))];
      const rows = new Map((await byPaths.execute(db, { paths })).map((row) => [row.path, row]));
      return new Map(
        [...references].map(([address, reference]) => {
          const row = rows.get(reference.path);
          return [address, row && pictureOf(row, reference, baseUrl)];
        }),
      );
    },
  };
}

function pictureOf(row: Row, { variant }: ImageReference, baseUrl: string): PagePicture {
  const address = (path: string) => encodeURI(`${baseUrl}${path}`).replaceAll(",", "%2C");
  const common = { row: row.id, original: address(row.path) };
  if (variant === "gallery") return { ...common, ...GALLERY_SIZE, forms: [], isLarge: false };
  const forms = shownForms(row);
  // What the address names: the form of that width at most.
  const width = Math.min(row.width, (variant && forms.at(-1)?.width) ?? row.width);
  return {
    ...common,
    width,
    height: Math.max(1, Math.round((row.height * width) / row.width)),
    forms: forms.map((form) => ({ address: address(form.path), width: form.width })),
    isLarge: row.width > LARGE && forms.length > 1,
  };
}
