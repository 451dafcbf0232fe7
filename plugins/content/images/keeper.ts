import type { FileKeeper, PictureKeeper } from "lectern/contracts";
import { ApiError, hasPermission } from "lectern/core";
import { embeddedName } from "./names.ts";
import type { Parts } from "./parts.ts";
import { checkImage, forget, insertImage, store } from "./write.ts";

/** Puts pictures that came inside a page into the gallery, if who saves the page may (content-api 9.5). */
export function pictureKeeper(parts: Parts): PictureKeeper {
  return {
    async keep({ bytes, extension }, pageId, tx) {
      if (!hasPermission(tx.viewer, "image-create-all")) return undefined;
      const checked = await checkImage(parts, bytes).catch(undecodable);
      if (!checked) return undefined;
      const name = embeddedName(extension);
      const draft = { type: "gallery", uploaded_to: pageId, name, fileName: name, content: bytes } as const;
      const { path } = await tx.perform("image_create", draft, (final, inner) =>
        insertImage(parts, final, checked, inner),
      );
      return `${parts.baseUrl}${path}`;
    },
  };
}

/** Keeps the files of pictures whose rows somebody else writes. */
export function fileKeeper(parts: Parts): FileKeeper {
  return {
    plugin: "images",
    async keep(content, tx) {
      const { file_key, facts } = await checkImage(parts, content);
      await store(parts, file_key, content, tx);
      return { file_key, ...facts };
    },
    drop: (fileKey, tx) => tx.afterCommit(() => forget(parts, fileKey)),
  };
}

function undecodable(error: unknown): undefined {
  if (error instanceof ApiError) return undefined;
  throw error;
}
