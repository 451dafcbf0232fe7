import { join } from "node:path";
import sharp from "sharp";
import type { ImageFile } from "./layout.ts";

/** In pixels; more than any paper size needs. */
const MAX_WIDTH = 2000;
const QUALITY = 85;
/** Dots per inch at which drawings of lines become pixels. */
const DENSITY = 300;

/**
 * Converts images to formats that Typst reads, upright and no larger than paper needs. Unreadable images are left out, as
 * Typst would reject the whole document.
 */
export async function prepareImages(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, ImageFile>> {
  const converted = new Map<string, ImageFile | undefined>();
  const images = new Map<string, ImageFile>();
  for (const [address, file] of Object.entries(files)) {
    if (!converted.has(file)) converted.set(file, await convertImage(folder, file));
    const image = converted.get(file);
    if (image) images.set(address, image);
  }
  return images;
}

async function convertImage(folder: string, file: string): Promise<ImageFile | undefined> {
  try {
    const image = sharp(join(folder, file), { failOn: "error", density: DENSITY });
    const { format, hasAlpha } = await image.metadata();
    const isPhoto = format === "jpeg" || (format !== "png" && format !== "gif" && !hasAlpha);
    const name = `${file}.${isPhoto ? "jpg" : "png"}`;
    const resized = image.autoOrient().resize({ width: MAX_WIDTH, withoutEnlargement: true });
    const { width, height } = await (isPhoto ? resized.jpeg({ quality: QUALITY }) : resized.png()).toFile(
      join(folder, name),
    );
    return { file: name, width, height };
  } catch {
    // The image is damaged; its alternative text is shown instead.
    return undefined;
  }
}
