/**
 * The routes of the gallery below /api. Changing an image checks the image first and its page afterwards, unlike other
 * resources (content-api 1.5, 12), so these routes are written by hand. Images are decoded before a transaction begins, so
 * that no lock is held meanwhile.
 */
import {
  type ApiError,
  contentDisposition,
  denied,
  endpoint,
  fileAnswer,
  idOf,
  noContent,
  notFound,
  type PluginContext,
  type Viewer,
} from "lectern/core";
import { changeImage, insertImage, removeImages } from "./changes.ts";
import {
  type FoundImage,
  type ImageRow,
  type ImagesContext,
  imageListingSchema,
  imageSchema,
  rulesFor,
} from "./contract.ts";
import { about, examples } from "./docs.ts";
import { nameOf } from "./file_names.ts";
import { imageResponse } from "./file_route.ts";
import { imageSummary, presentImage } from "./presenter.ts";
import { findImage, findVisible, galleryListing, seesPage } from "./queries.ts";
import { type CheckedImage, needSameType, withCheckedUpload } from "./uploads.ts";
import { parseImageUrl, type Variant } from "./urls.ts";

const SEGMENT = "image-gallery";

/** Mounts the routes of the gallery. */
export function mountGalleryRoutes(
  plugin: Pick<PluginContext, "app" | "list" | "validate" | "perform">,
  context: ImagesContext,
  limitMb: number,
): void {
  const { app, list, validate, perform } = plugin;
  const listing = galleryListing(context.baseUrl);
  const { create, update, byUrl } = rulesFor(limitMb);
  // The row was written just now, so it is found.
  const saved = async (row: ImageRow) => presentImage(context, (await findImage(context, row.id)) as FoundImage);

  app.get(
    "/image-gallery",
    async ({ viewer, nestedQuery }) => {
      const { data, total } = await list<ImageRow>(listing, viewer, nestedQuery);
      return { data: data.map((row) => imageSummary(row, context.baseUrl)), total };
    },
    {
      permit: "access-api",
      response: imageListingSchema,
      ...endpoint(SEGMENT, "list", { about: about.list, example: examples.list }),
    },
  );
  app.post(
    "/image-gallery",
    async ({ viewer, input }) => {
      const draft = await validate(create, input, viewer);
      await needPage(context, viewer, draft.uploaded_to, notFound("Page"));
      const fileName = draft.image.name;
      const image = {
        ...draft,
        type: draft.type as ImageRow["type"],
        name: draft.name || nameOf(fileName),
        fileName,
        content: draft.image,
      };
      const row = await withCheckedUpload(context, image.content, (checked) =>
        perform("image_create", viewer, image, (final, tx) => insertImage(context, final, checked, tx)),
      );
      return saved(row);
    },
    {
      permit: "image-create-all",
      response: imageSchema,
      ...endpoint(SEGMENT, "create", { about: about.create, rules: create, example: examples.create, errors: [404] }),
    },
  );
  app.get(
    "/image-gallery/url/data",
    async ({ viewer, nestedQuery, request }) => {
      const { url } = await validate(byUrl, nestedQuery, viewer);
      const reference = parseImageUrl(url, context.baseUrl);
      const row = reference && (await findVisible(context, viewer, reference));
      return namedResponse(context, request.headers, row, reference?.variant);
    },
    {
      permit: "access-api",
      response: fileAnswer("image/*"),
      ...endpoint(SEGMENT, "read-data-for-url", { about: about["read-data-for-url"], rules: byUrl, errors: [404] }),
    },
  );
  app.get(
    "/image-gallery/:id",
    async ({ viewer, params }) => {
      const row = await findVisible(context, viewer, { id: idOf(params.id, "Image") });
      if (!row) throw notFound("Image");
      return presentImage(context, row);
    },
    {
      permit: "access-api",
      response: imageSchema,
      ...endpoint(SEGMENT, "read", { about: about.read, example: examples.read }),
    },
  );
  app.get(
    "/image-gallery/:id/data",
    async ({ viewer, params, request }) => {
      const row = await findVisible(context, viewer, { id: idOf(params.id, "Image") });
      return namedResponse(context, request.headers, row);
    },
    {
      permit: "access-api",
      response: fileAnswer("image/*"),
      ...endpoint(SEGMENT, "read-data", { about: about["read-data"] }),
    },
  );
  app.put(
    "/image-gallery/:id",
    async ({ viewer, params, input }) => {
      const draft = await validate(update, input, viewer);
      const row = await changeable(context, viewer, params.id, "image-update");
      if (draft.image) needSameType(row, draft.image);
      const change = (checked?: CheckedImage) =>
        perform("image_update", viewer, { row, draft }, (final, tx) =>
          changeImage(context, final.row, final.draft, checked, tx),
        );
      return saved(await (draft.image ? withCheckedUpload(context, draft.image, change) : change()));
    },
    {
      permit: "access-api",
      emptyAsNull: ["image"],
      response: imageSchema,
      ...endpoint(SEGMENT, "update", { about: about.update, rules: update, example: examples.update }),
    },
  );
  app.delete(
    "/image-gallery/:id",
    async ({ viewer, params, set }) => {
      const row = await changeable(context, viewer, params.id, "image-delete");
      await perform("image_delete", viewer, row, async (final, tx) => {
        await removeImages(context, [final.id], tx);
        return final;
      });
      set.status = 204;
    },
    { permit: "access-api", response: noContent, ...endpoint(SEGMENT, "delete", { about: about.delete }) },
  );
}

/** An image that the viewer may change: 404 without image, 403 without its page, 403 without permission (content-api 1.5). */
async function changeable(
  context: ImagesContext,
  viewer: Viewer,
  param: string,
  action: "image-update" | "image-delete",
): Promise<FoundImage> {
  const row = await findImage(context, idOf(param, "Image"));
  if (!row) throw notFound("Image");
  await needPage(context, viewer, row.uploaded_to, denied());
  await context.contracts.access.need(viewer, action, { id: row.id, owned_by: row.created_by });
  return row;
}

/** Throws `otherwise` unless the viewer sees the page. */
async function needPage(context: ImagesContext, viewer: Viewer, id: number, otherwise: ApiError): Promise<void> {
  if (!(await seesPage(context, viewer, id))) throw otherwise;
}

/** A response with the file of an image, named after the image. Throws ApiError 404 without image. */
async function namedResponse(
  context: ImagesContext,
  headers: Headers,
  row: FoundImage | undefined,
  variant?: Variant,
): Promise<Response> {
  if (!row) throw notFound("Image");
  return imageResponse(context, headers, row, variant, {
    "content-disposition": contentDisposition("inline", row.name),
  });
}
