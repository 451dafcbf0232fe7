import { ApiError, type FileKeeper, holds, type PictureKeeper } from "lectern/core";
import { embeddedName } from "./names.ts";
import type { Parts } from "./parts.ts";
import { forget, insertImage, judge, store } from "./write.ts";

/** Puts pictures that came inside a page into the gallery, if who saves the page may (content-api 9.5). */
export function pictureKeeper(parts: Parts): PictureKeeper {
  return {
    async keep({ bytes, extension }, pageId, work) {
      if (!holds(work.viewer, "image-create-all")) return undefined;
      const judged = await judge(parts, bytes).catch(undecodable);
      if (!judged) return undefined;
      const name = embeddedName(extension);
      const draft = { type: "gallery", uploaded_to: pageId, name, fileName: name, content: bytes } as const;
      const { path } = await work.perform("image_create", draft, (final, inner) =>
        insertImage(parts, final, judged, inner),
      );
      return `${parts.baseUrl}${path}`;
    },
  };
}

/** Keeps the files of pictures whose rows somebody else writes. */
export function fileKeeper(parts: Parts): FileKeeper {
  return {
    plugin: "images",
    async keep(content, work) {
      const { file_key, facts } = await judge(parts, content);
      await store(parts, file_key, content, work);
      return { file_key, ...facts };
    },
    drop: (fileKey, work) => work.after(() => forget(parts, fileKey)),
  };
}

function undecodable(error: unknown): undefined {
  if (error instanceof ApiError) return undefined;
  throw error;
}
