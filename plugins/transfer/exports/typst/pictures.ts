import { join } from "node:path";
import sharp from "sharp";
import type { Picture } from "./place.ts";

/** Wider than any paper needs, in pixels. */
const MAX_WIDTH = 2000;
const QUALITY = 85;

/**
 * Pictures in a form the engine takes, upright and no larger than paper needs; one that cannot be read is left out, as
 * the engine would refuse the whole document for it.
 */
export async function prepared(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, Picture>> {
  const made = new Map<string, Picture | undefined>();
  const pictures = new Map<string, Picture>();
  for (const [address, file] of Object.entries(files)) {
    if (!made.has(file)) made.set(file, await convert(folder, file));
    const picture = made.get(file);
    if (picture) pictures.set(address, picture);
  }
  return pictures;
}

async function convert(folder: string, file: string): Promise<Picture | undefined> {
  try {
    const picture = sharp(join(folder, file), { failOn: "error" });
    const { format, hasAlpha } = await picture.metadata();
    const isPhoto = format === "jpeg" || (format !== "png" && format !== "gif" && !hasAlpha);
    const name = `${file}.${isPhoto ? "jpg" : "png"}`;
    const small = picture.autoOrient().resize({ width: MAX_WIDTH, withoutEnlargement: true });
    const { width, height } = await (isPhoto ? small.jpeg({ quality: QUALITY }) : small.png()).toFile(
      join(folder, name),
    );
    return { file: name, width, height };
  } catch {
    // Damaged: its text stands in for it.
    return undefined;
  }
}
