import type { ImportFiles } from "lectern/contracts";
import { ApiError, type Upload } from "lectern/core";
import type { ImageDraft } from "./contract.ts";
import { setCover } from "./covers.ts";
import { formOf } from "./names.ts";
import type { Parts } from "./parts.ts";
import { checkImage, insertImage } from "./write.ts";

/** By what the bytes are: how files of that kind are called. */
const ENDS: Readonly<Record<string, string>> = { png: "png", jpeg: "jpg", gif: "gif", webp: "webp", avif: "avif" };

/** Pictures of pages that come with imports. References to them become the form that pages show (platform 8.3). */
export function picturesInImports(parts: Parts): ImportFiles {
  return {
    list: "images",
    object: "image",
    permission: "image-create-all",
    async store({ name, entry, file }, of, tx) {
      const content = needed(name, file);
      const type = entry.type === "drawio" ? "drawio" : "gallery";
      const checked = await checkImage(parts, content);
      const { format, animated } = checked.facts;
      const fileName = `${name.replace(/\.(png|jpe?g|gif|webp|avif)$/i, "")}.${ENDS[format]}`;
      const draft: ImageDraft = { type, uploaded_to: of.id, name, fileName, content };
      const { id, path } = await tx.perform("image_create", draft, (final, inner) =>
        insertImage(parts, final, checked, inner),
      );
      const url = `${parts.baseUrl}${path}`;
      const isShownAsItIs = type === "drawio" || animated || format === "gif";
      return { id, url: isShownAsItIs ? url : formOf(url, "display") };
    },
  };
}

/** Covers that come with imports. */
export function coversInImports(parts: Parts): ImportFiles {
  return {
    list: "cover",
    object: "cover",
    async store({ name, file }, { kind, id }, tx) {
      await setCover(parts, kind, id, needed(name, file), tx);
      return { id, url: "" };
    },
  };
}

function needed(name: string, file: Upload | undefined): Upload {
  if (!file) throw new ApiError(422, `The picture "${name}" has no file`);
  return file;
}
