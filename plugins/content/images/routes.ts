/**
 * The routes of the gallery below /api. A picture is seen by whoever sees its page; changing one asks for the picture
 * first and for its page after, unlike other resources (content-api 1.5, 12), so these routes are written by hand.
 * Pictures are decoded before a transaction begins: while pixels are counted nobody should wait for a lock.
 */
import {
  ApiError,
  contentDisposition,
  denied,
  endpoint,
  fileResponse,
  idOf,
  type ListSpec,
  notFound,
  type PluginContext,
  sql,
  type Viewer,
} from "lectern/core";
import { rows } from "lectern/db";
import { about, examples } from "./about.ts";
import type { FoundImage, ImageChange, ImageRow } from "./contract.ts";
import { asked as askedFor, extensionOf, type Form, nameOf } from "./names.ts";
import type { Parts } from "./parts.ts";
import { isDamage } from "./pictures.ts";
import { rulesFor } from "./rules.ts";
import { facts, findImage, findVisible, IN_GALLERY, LISTED, readImage } from "./show.ts";
import { prepare, shownFile } from "./thumbs.ts";
import { type CheckedImage, changeImage, checkImage, forgetForms, insertImage, removeImages } from "./write.ts";

type Context = Pick<PluginContext, "app" | "list" | "validate" | "perform">;

const listing = (baseUrl: string): ListSpec => ({
  table: "images",
  fields: {
    id: "integer",
    name: { type: "text", key: "name_key" },
    url: { type: "code", column: sql`${baseUrl}::text || images.path` },
    path: "code",
    type: "code",
    uploaded_to: "integer",
    created_at: "timestamp",
    updated_at: "timestamp",
    created_by: { type: "integer", nullable: true },
    updated_by: { type: "integer", nullable: true },
  },
  columns: LISTED,
  where: IN_GALLERY,
});
const SEGMENT = "image-gallery";

/** Mounts the routes of the gallery. */
export function mountGallery(context: Context, parts: Parts, limitMb: number): void {
  const { app, validate, perform } = context;
  const list = listing(parts.baseUrl);
  const { create, update, byUrl } = rulesFor(limitMb);
  const shown = async (row: ImageRow) => readImage(parts, (await findImage(parts, row.id)) as FoundImage);

  app.get(
    "/image-gallery",
    async ({ viewer, asked }) => {
      const { data, total } = await context.list<ImageRow>(list, viewer, asked);
      return { data: data.map((row) => facts(row, parts.baseUrl)), total };
    },
    { permit: "access-api", ...endpoint(SEGMENT, "list", { about: about.list, example: examples.list }) },
  );
  app.post(
    "/image-gallery",
    async ({ viewer, input }) => {
      const draft = await validate(create, input, viewer);
      await needPage(parts, viewer, draft.uploaded_to, notFound("Page"));
      const fileName = draft.image.name;
      const image = {
        ...draft,
        type: draft.type as ImageRow["type"],
        name: draft.name || nameOf(fileName),
        fileName,
        content: draft.image,
      };
      const row = await decoded(parts, image.content, (checked) =>
        perform("image_create", viewer, image, (final, tx) => insertImage(parts, final, checked, tx)),
      );
      return shown(row);
    },
    {
      permit: "image-create-all",
      ...endpoint(SEGMENT, "create", { about: about.create, rules: create, example: examples.create }),
    },
  );
  app.get(
    "/image-gallery/url/data",
    async ({ viewer, asked, request }) => {
      const { url } = await validate(byUrl, asked, viewer);
      const wanted = askedFor(url, parts.baseUrl);
      const row = wanted && (await findVisible(parts, viewer, wanted));
      return sent(parts, request.headers, row, wanted?.form);
    },
    {
      permit: "access-api",
      ...endpoint(SEGMENT, "read-data-for-url", { about: about["read-data-for-url"], rules: byUrl }),
    },
  );
  app.get(
    "/image-gallery/:id",
    async ({ viewer, params }) => {
      const row = await findVisible(parts, viewer, { id: idOf(params.id, "Image") });
      if (!row) throw notFound("Image");
      return readImage(parts, row);
    },
    { permit: "access-api", ...endpoint(SEGMENT, "read", { about: about.read, example: examples.read }) },
  );
  app.get(
    "/image-gallery/:id/data",
    async ({ viewer, params, request }) => {
      const row = await findVisible(parts, viewer, { id: idOf(params.id, "Image") });
      return sent(parts, request.headers, row);
    },
    { permit: "access-api", ...endpoint(SEGMENT, "read-data", { about: about["read-data"] }) },
  );
  app.put(
    "/image-gallery/:id",
    async ({ viewer, params, input }) => {
      const draft = await validate(update, input, viewer);
      const row = await changeable(parts, viewer, params.id, "image-update");
      if (draft.image) needSameType(row, draft.image);
      const change = (checked?: CheckedImage) =>
        perform("image_update", viewer, { row, draft }, (final, tx) =>
          changeImage(parts, final.row, final.draft, checked, tx),
        );
      return shown(await (draft.image ? decoded(parts, draft.image, change) : change()));
    },
    {
      permit: "access-api",
      emptyAsNull: ["image"],
      ...endpoint(SEGMENT, "update", { about: about.update, rules: update, example: examples.update }),
    },
  );
  app.delete(
    "/image-gallery/:id",
    async ({ viewer, params, set }) => {
      const row = await changeable(parts, viewer, params.id, "image-delete");
      await perform("image_delete", viewer, row, async (final, tx) => {
        await removeImages(parts, [final.id], tx);
        return final;
      });
      set.status = 204;
    },
    { permit: "access-api", ...endpoint(SEGMENT, "delete", { about: about.delete }) },
  );
}

/**
 * Looks into a file, makes its smaller forms, and takes those back where what follows fails. A picture whose head is right
 * and whose bytes are damaged is kept as it is, without smaller forms, as in the original.
 */
async function decoded<R>(
  parts: Parts,
  content: NonNullable<ImageChange["image"]>,
  then: (checked: CheckedImage) => Promise<R>,
): Promise<R> {
  const checked = await checkImage(parts, content);
  try {
    return await then({ ...checked, damaged: !(await isDecodable(parts, content, checked)) });
  } catch (error) {
    // The file itself, if it was stored by then, is the transaction's to take back.
    await forgetForms(parts, checked.file_key);
    throw error;
  }
}

/** Makes the smaller forms of a picture; false where its bytes are damaged. Throws ApiError 422 for what is too large. */
async function isDecodable(
  parts: Parts,
  content: NonNullable<ImageChange["image"]>,
  { file_key, facts }: CheckedImage,
): Promise<boolean> {
  try {
    await parts.pictures.watched(content);
    await prepare(parts, content, { file_key, path: "", ...facts, damaged: false });
    return true;
  } catch (error) {
    if (!isDamage(error)) throw error;
    await forgetForms(parts, file_key);
    return false;
  }
}

/** The picture, if its page is seen and the viewer may do this to it: 404, 403, 403 (content-api 1.5). */
async function changeable(
  parts: Parts,
  viewer: Viewer,
  param: string,
  action: "image-update" | "image-delete",
): Promise<FoundImage> {
  const row = await findImage(parts, idOf(param, "Image"));
  if (!row) throw notFound("Image");
  await needPage(parts, viewer, row.uploaded_to, denied());
  await parts.contracts.access.need(viewer, action, { id: row.id, owned_by: row.created_by });
  return row;
}

async function needPage(parts: Parts, viewer: Viewer, id: number, otherwise: ApiError): Promise<void> {
  const seen = await rows(
    parts.db,
    sql`select from pages where pages.id = ${id}::integer and ${parts.sees("pages", viewer)}`,
  );
  if (seen.length === 0) throw otherwise;
}

function needSameType({ path }: ImageRow, image: NonNullable<ImageChange["image"]>): void {
  if (extensionOf(image.name) === extensionOf(path)) return;
  throw new ApiError(422, "The given data was invalid.", {
    validation: { image: ["Image file replacements must be of the same type"] },
  });
}

async function sent(parts: Parts, headers: Headers, row: FoundImage | undefined, form?: Form): Promise<Response> {
  const file = row && (await shownFile(parts, row, form));
  if (!file) throw notFound("Image");
  return fileResponse(headers, {
    file,
    etag: `${row.file_key}${form ?? ""}`,
    type: `image/${row.format}`,
    headers: { "content-disposition": contentDisposition("inline", row.name) },
  });
}
