import type { ImportFiles } from "lectern/contracts";
import { ApiError, type Upload } from "lectern/core";
import { insertImage } from "./changes.ts";
import type { ImageDraft, ImagesContext } from "./contract.ts";
import { setCover } from "./covers.ts";
import { checkImage } from "./uploads.ts";
import { variantUrl } from "./urls.ts";

/** File extensions by format. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  png: "png",
  jpeg: "jpg",
  gif: "gif",
  webp: "webp",
  avif: "avif",
};

/** Images of pages in imports. References to them are replaced by the URL that pages show (platform 8.3). */
export function imagesInImports(context: ImagesContext): ImportFiles {
  return {
    list: "images",
    object: "image",
    permission: "image-create-all",
    async store({ name, entry, file }, of, tx) {
      const content = fileOf(name, file);
      const type = entry.type === "drawio" ? "drawio" : "gallery";
      const checked = await checkImage(context, content);
      const { format, animated } = checked.info;
      const fileName = `${name.replace(/\.(png|jpe?g|gif|webp|avif)$/i, "")}.${EXTENSIONS[format]}`;
      const draft: ImageDraft = { type, uploaded_to: of.id, name, fileName, content };
      const { id, path } = await tx.perform("image_create", draft, (final, inner) =>
        insertImage(context, final, checked, inner),
      );
      const url = `${context.baseUrl}${path}`;
      const displaysOriginal = type === "drawio" || animated || format === "gif";
      return { id, url: displaysOriginal ? url : variantUrl(url, "display") };
    },
  };
}

/** Covers in imports. */
export function coversInImports(context: ImagesContext): ImportFiles {
  return {
    list: "cover",
    object: "cover",
    async store({ name, file }, { kind, id }, tx) {
      await setCover(context, kind, id, fileOf(name, file), tx);
      return { id, url: "" };
    },
  };
}

/** Throws ApiError 422 if the entry of an import has no file. */
function fileOf(name: string, file: Upload | undefined): Upload {
  if (!file) throw new ApiError(422, `The picture "${name}" has no file`);
  return file;
}
