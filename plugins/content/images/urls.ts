import { storable } from "lectern/core";

/** The folder of all images, below the base URL. */
export const FOLDER = "/uploads/images";

/** Smaller variants of an image and the folder that precedes the file name in their URLs (content-api 12). */
export const VARIANT_FOLDERS = {
  gallery: "thumbs-150-150",
  small: "scaled-840-",
  display: "scaled-1680-",
} as const;

/** A smaller variant of an image. */
export type Variant = keyof typeof VARIANT_FOLDERS;

/** All variants. */
export const VARIANTS = ["gallery", "small", "display"] as const satisfies readonly Variant[];

/** The URL or path of a variant, given that of the image. */
export function variantUrl(url: string, variant: Variant): string {
  const slash = url.lastIndexOf("/");
  return `${url.slice(0, slash)}/${VARIANT_FOLDERS[variant]}${url.slice(slash)}`;
}

/** An image by its path, or one of its variants. */
export interface ImageReference {
  readonly path: string;
  readonly variant?: Variant;
}

/** The image that a URL names; undefined if it names none of this instance. Relative URLs are resolved. */
export function parseImageUrl(address: string, baseUrl: string): ImageReference | undefined {
  const url = URL.parse(address, `${baseUrl}/`);
  const base = new URL(baseUrl);
  const folder = `${base.pathname.replace(/\/$/, "")}${FOLDER}/`;
  if (url?.origin !== base.origin || !url.pathname.startsWith(folder)) return undefined;
  return parseImagePath(decoded(url.pathname.slice(folder.length)));
}

/** The image that a path below `FOLDER` names: type/month/file, or type/month/variant folder/file. */
export function parseImagePath(path: string): ImageReference | undefined {
  // PostgreSQL refuses parameters that it cannot store.
  if (storable(path) !== path) return undefined;
  const segments = path.split("/");
  if (segments.length === 3) return { path: `${FOLDER}/${path}` };
  const variant = VARIANTS.find((one) => VARIANT_FOLDERS[one] === segments[2]);
  if (segments.length !== 4 || variant === undefined) return undefined;
  return { path: `${FOLDER}/${segments[0]}/${segments[1]}/${segments[3]}`, variant };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
