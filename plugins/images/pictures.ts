/**
 * What has to look into the bytes of a picture: is it one, how large, does it move, and smaller forms of it. libvips does
 * it on threads of its own. Only decoders of the five kinds are let in, so that nothing else (SVG, PDF, raw files) is ever
 * parsed whatever a file claims; pixels are counted before they are decoded, and only a few pictures are decoded at once,
 * since a decoded one takes far more memory than its file.
 */
import { ApiError, SNIFF_BYTES, sniff, type Upload } from "lectern/core";
import sharp, { type Sharp, type SharpOptions } from "sharp";

/** What a picture is, without its pixels. */
export interface Facts {
  readonly format: "png" | "jpeg" | "gif" | "webp" | "avif";
  /** Pixels as shown, turned as the camera was held. */
  readonly width: number;
  readonly height: number;
  readonly animated: boolean;
}

/** Bytes of a picture, or the upload that holds them. */
export type Source = Upload | Uint8Array;

/** A size in pixels; without a height, as high as it comes. */
export interface Box {
  readonly width: number;
  readonly height?: number;
}

/** Looks into pictures. Every function throws ApiError 422 for what is none, is broken, or has too many pixels. */
export interface Pictures {
  /** Reads the head only. */
  facts(source: Source): Promise<Facts>;
  /** Scaled to fit a box, never enlarged, upright, in its own format; moving pictures go on moving. */
  fitted(source: Source, box: Box): Promise<Uint8Array>;
  /** The middle of a picture, upright and standing still, scaled to exactly this size. */
  cropped(source: Source, box: Required<Box>): Promise<Uint8Array>;
}

const LOADERS = ["Jpeg", "Png", "Webp", "Nsgif", "Heif"];
const AT_ONCE = 2;
/** No honest picture takes longer. */
const MAX_SECONDS = 60;
const JPEG_QUALITY = 85;
/** How far an animated PNG's chunk that says so may lie behind its head; it stands before the pixels. */
const PNG_HEAD_BYTES = 65_536;

sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: LOADERS.flatMap((kind) => [`VipsForeignLoad${kind}File`, `VipsForeignLoad${kind}Buffer`]) });
// Pictures are seldom seen twice; what is kept of them would only be memory.
sharp.cache(false);

/** Makes the functions that look into pictures of at most so many pixels. */
export function makePictures(maxPixels: number): Pictures {
  const turn = turns(AT_ONCE);
  const limits = { limitInputPixels: maxPixels };
  const judged = async <R>(run: () => Promise<R>) => {
    try {
      return await run();
    } catch (error) {
      throw refused(error, maxPixels);
    }
  };
  const facts = async (source: Source) => factsOf(source, await opened(source, limits));
  return {
    facts: (source) => judged(() => facts(source)),
    fitted: (source, box) =>
      turn(() =>
        judged(async () => {
          const { animated } = await facts(source);
          const picture = (await opened(source, { ...limits, animated })).autoOrient();
          return output(picture.resize({ ...box, fit: "inside", withoutEnlargement: true }));
        }),
      ),
    cropped: (source, box) =>
      turn(() =>
        judged(async () => output((await opened(source, limits)).autoOrient().resize({ ...box, fit: "cover" }))),
      ),
  };
}

async function factsOf(source: Source, picture: Sharp): Promise<Facts> {
  const head = source instanceof Uint8Array ? source.subarray(0, SNIFF_BYTES) : await source.head(SNIFF_BYTES);
  const format = sniff(head);
  const { width, height, autoOrient, pages = 1, pageHeight } = await picture.metadata();
  if (format === undefined) throw new Error("Unsupported image format");
  const animated = pages > 1 || (format === "png" && (await isMovingPng(source)));
  return { format, animated, width: autoOrient.width || width, height: pageHeight ?? (autoOrient.height || height) };
}

/** PNG has its moving form in a chunk that decoders of plain PNG skip. */
async function isMovingPng(source: Source): Promise<boolean> {
  const head = source instanceof Uint8Array ? source.subarray(0, PNG_HEAD_BYTES) : await source.head(PNG_HEAD_BYTES);
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const control = bytes.indexOf("acTL");
  const pixels = bytes.indexOf("IDAT");
  return control > 0 && (pixels < 0 || control < pixels);
}

/** A spooled upload is read where it lies. */
async function opened(source: Source, options: SharpOptions): Promise<Sharp> {
  const input = source instanceof Uint8Array ? source : (source.spooled ?? (await source.bytes()));
  return sharp(input, { failOn: "error", ...options }).timeout({ seconds: MAX_SECONDS });
}

async function output(picture: Sharp): Promise<Uint8Array> {
  return new Uint8Array(await picture.jpeg({ quality: JPEG_QUALITY, force: false }).toBuffer());
}

/** What libvips refused, as a fault of the field that pictures come in. */
function refused(error: unknown, maxPixels: number): ApiError {
  const isLarge = error instanceof Error && /pixel limit/i.test(error.message);
  const text = isLarge
    ? `The image has too many pixels, at most ${Math.floor(maxPixels / 1_000_000)} megapixels are accepted.`
    : "The image is damaged.";
  return new ApiError(422, "The given data was invalid.", { validation: { image: [text] } });
}

/** Lets so many run at once; the others wait in order. */
function turns(atOnce: number): <R>(run: () => Promise<R>) => Promise<R> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (run) => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
