import type { PictureKeeper } from "lectern/contracts";
import { ApiError, hasPermission } from "lectern/core";
import { insertImage } from "./changes.ts";
import type { ImagesContext } from "./contract.ts";
import { embeddedFileName } from "./file_names.ts";
import { checkImage } from "./uploads.ts";

/** Adds images that were embedded in a page to the gallery, if the viewer may create images (content-api 9.5). */
export function pictureKeeper(context: ImagesContext): PictureKeeper {
  return {
    async keep({ bytes, extension }, pageId, tx) {
      if (!hasPermission(tx.viewer, "image-create-all")) return undefined;
      const checked = await checkImage(context, bytes).catch(undecodable);
      if (!checked) return undefined;
      const name = embeddedFileName(extension);
      const draft = { type: "gallery", uploaded_to: pageId, name, fileName: name, content: bytes } as const;
      const { path } = await tx.perform("image_create", draft, (final, inner) =>
        insertImage(context, final, checked, inner),
      );
      return `${context.baseUrl}${path}`;
    },
  };
}

/** Images that cannot be decoded are left out; other errors are thrown. */
function undecodable(error: unknown): undefined {
  if (error instanceof ApiError) return undefined;
  throw error;
}
