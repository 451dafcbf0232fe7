/**
 * Covers of books and shelves (content-api 4.6). Handlers of the events of the items decode a cover before the transaction
 * and write it within, so that item and cover are saved together or not at all.
 */
import type { EventTransaction, PluginContext, Upload } from "lectern/core";
import { insertImage, removeImages } from "./changes.ts";
import { coverFields, type ImagesContext } from "./contract.ts";
import { nameOf } from "./file_names.ts";
import { presentCover } from "./presenter.ts";
import { coverIds, coversOf, selectedCover } from "./queries.ts";
import { type CheckedImage, checkImage } from "./uploads.ts";

/** Larger covers are scaled down to fit. */
const COVER_SIZE = { width: 512, height: 512 };

/** A decoded cover, ready to be stored. */
interface PreparedCover {
  readonly content: Upload | Uint8Array;
  readonly checked: CheckedImage;
}

/** Decoded covers by their upload. */
const PREPARED = new WeakMap<Upload, PreparedCover>();

/** Registers the handlers that save, remove and show the covers of books and shelves. */
export function registerCovers(
  { contribute, on }: Pick<PluginContext, "contribute" | "on">,
  context: ImagesContext,
): void {
  for (const kind of ["book", "bookshelf"] as const) {
    on(`${kind}_create`, {
      beforeTransaction: ({ image }) => prepareCover(context, image),
      inTransaction: ({ id }, tx, { draft }) => setCover(context, kind, id, draft.image, tx),
    });
    on(`${kind}_update`, {
      beforeTransaction: ({ draft }) => prepareCover(context, draft.image),
      inTransaction: ({ id }, tx, { draft }) => setCover(context, kind, id, draft.draft.image, tx),
    });
    contribute("dependents", { kind, destroy: (ids, tx) => removeCovers(context, kind, ids, tx) });
    for (const moment of ["listed", "saved", "read"] as const)
      contribute("response_fields", {
        kind,
        moment,
        schema: coverFields[moment],
        async add(ids) {
          const covers = await coversOf(context, kind, ids);
          return new Map(covers.map((row) => [row.uploaded_to, { cover: presentCover(row, moment, context.baseUrl) }]));
        },
        cached: { dependsOn: [{ table: "images", column: "uploaded_to" }], isSame: true },
        ...(moment !== "saved" && { select: (id) => selectedCover(context, kind, moment, id) }),
      });
  }
}

/** Replaces the cover of an item; null removes it, undefined leaves it. Throws ApiError 422 for what is no image. */
export async function setCover(
  context: ImagesContext,
  kind: string,
  id: number,
  image: Upload | null | undefined,
  tx: EventTransaction,
): Promise<void> {
  if (image === undefined) return;
  await removeCovers(context, kind, [id], tx);
  if (image === null) return;
  const { content, checked } = PREPARED.get(image) ?? (await decodeCover(context, image));
  const draft = {
    type: `cover_${kind}` as const,
    uploaded_to: id,
    name: nameOf(image.name),
    fileName: image.name,
    content,
  };
  await insertImage(context, draft, checked, tx);
}

/** Decodes a cover before the transaction begins, so that no connection is held meanwhile. */
async function prepareCover(context: ImagesContext, image: Upload | null | undefined): Promise<void> {
  if (image) PREPARED.set(image, await decodeCover(context, image));
}

async function decodeCover(context: ImagesContext, image: Upload): Promise<PreparedCover> {
  const content = await scaledDown(context, image);
  return { content, checked: await checkImage(context, content) };
}

async function removeCovers(
  context: ImagesContext,
  kind: string,
  ids: readonly number[],
  tx: EventTransaction,
): Promise<void> {
  const covers = await coverIds(tx, kind, ids);
  if (covers.length > 0) await removeImages(context, covers, tx);
}

/** The image scaled down, or the upload itself if that is no smaller or would lose frames of an animation. */
async function scaledDown(context: ImagesContext, image: Upload): Promise<Upload | Uint8Array> {
  await context.decoder.checkFrames(image);
  const scaled = await context.decoder.resizeToFit(image, COVER_SIZE);
  return scaled && scaled.length < image.size ? scaled : image;
}
