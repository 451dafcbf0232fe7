/**
 * Inspects, scales and crops images with libvips (sharp), which works on its own threads. Only the loaders of five formats
 * are allowed, so that nothing else (SVG, PDF, raw files) is ever parsed, whatever a file claims to be. A decoded image
 * takes far more memory than its file: the amount is estimated from the header, and a semaphore bounds the sum of what is
 * decoded at once.
 */
import {
  ApiError,
  beginWork,
  invalidFields,
  Semaphore,
  SNIFF_BYTES,
  sniff,
  timedWork,
  type Upload,
} from "lectern/core";
import type { Metadata, Sharp, SharpOptions } from "sharp";
import { hasAllFrames } from "./animation_integrity.ts";
import { HEADER_BYTES, headerSize } from "./header_size.ts";
import type { Described } from "./position_tags.ts";

/** What the header of an image says. */
export interface ImageInfo {
  readonly format: "png" | "jpeg" | "gif" | "webp" | "avif";
  /** Pixels as displayed, after the rotation of the EXIF orientation. */
  readonly width: number;
  readonly height: number;
  readonly animated: boolean;
}

/** The bytes of an image, or the upload that holds them. */
export type ImageSource = Upload | Uint8Array;

/** A size in pixels; without a height only the width is bounded. */
export interface Box {
  readonly width: number;
  readonly height?: number;
}

/**
 * Errors of images that could not be decoded, as opposed to other formats and to sizes beyond the limits; false after a
 * timeout.
 */
const DAMAGE = new WeakMap<object, boolean>();

/** Whether an image was refused because its bytes cannot be decoded; `permanent` leaves out timeouts. */
export function isDamage(error: unknown, { permanent = false } = {}): boolean {
  if (typeof error !== "object" || error === null) return false;
  return permanent ? DAMAGE.get(error) === true : DAMAGE.has(error);
}

/**
 * Decodes images. Every function throws ApiError 422 for what is no image, is damaged or too large, and 503 if too many images
 * wait to be decoded.
 */
export interface ImageDecoder {
  /** Reads the header only. */
  inspect(source: ImageSource): Promise<ImageInfo>;
  /** What describes an image beside its pixels; undefined where that cannot be read. */
  described(source: ImageSource): Promise<Described | undefined>;
  /**
   * Scales an image to fit a box, never up, rotated upright, in its own format. Animations stay animated; undefined for those
   * of which the decoder would keep the first frame only.
   */
  resizeToFit(source: ImageSource, box: Box): Promise<Uint8Array | undefined>;
  /** Scales and crops the first frame to exactly this size around its centre, rotated upright. */
  crop(source: ImageSource, box: Required<Box>): Promise<Uint8Array>;
  /**
   * Makes a PNG of the first frame that fits a box, never scaled up, rotated upright, with nothing but its pixels. "square" fills the box, with
   * transparency beside the picture.
   */
  asPng(source: ImageSource, box: Required<Box>, form?: "square"): Promise<Uint8Array<ArrayBuffer>>;
  /** Checks that all frames of an animation can be decoded. Does nothing for still images. */
  checkFrames(source: ImageSource): Promise<void>;
}

/** Formats of which the decoder reads all frames; of others it reads the first. */
const ANIMATED_FORMATS = new Set(["gif", "webp"]);
const LOADERS = ["Jpeg", "Png", "Webp", "Nsgif", "Heif"];
const AT_ONCE = 2;
const MAX_WAITING = 100;
/** Shorter than the timeouts of common clients. */
const PATIENCE_MS = 20_000;
/** Seconds after which a client that was turned away may try again. */
const RETRY_AFTER_S = 10;
/** Timeout of libvips for one operation. */
const MAX_SECONDS = 60;
const TRANSPARENT = { r: 0, g: 0, b: 0, alpha: 0 };
const JPEG_QUALITY = 85;
/** Names of texts of PNG that hold EXIF, XMP or IPTC in another form. */
const UNTOLD = /^Raw profile type /;
/** Bytes at the start of a PNG that are searched for the chunk of animations, which precedes the pixels. */
const PNG_HEADER_BYTES = 65_536;
/** Memory budget in bytes, for each pixel of the limit. */
const BYTES_PER_PIXEL = 5;
/** Frames are decoded one at a time; the pixels of all frames may be this many times the limit of an image. */
const ANIMATION_FACTOR = 10;
/** Width and height that frames are scaled down to when they are only checked. */
const CHECK_SIZE = 8;
/** Bytes for each pixel that the AVIF decoder takes, as measured: its planes, their copies and the converted colours. */
const AVIF_BYTES = 18;
const WEBP_BYTES = 4;
/** About a quarter of an image that is decoded line by line is held at once, as measured. */
const SEQUENTIAL_PART = 4;

let library: Promise<typeof import("sharp").default> | undefined;

/** Loads libvips with the allowed loaders: when the server listens or at the first image, since commands seldom need it. */
export function loadSharp(): Promise<typeof import("sharp").default> {
  library ??= import("sharp").then(({ default: sharp }) => {
    sharp.block({ operation: ["VipsForeignLoad"] });
    sharp.unblock({
      operation: LOADERS.flatMap((kind) => [`VipsForeignLoad${kind}File`, `VipsForeignLoad${kind}Buffer`]),
    });
    // The same image is seldom decoded twice, so libvips's cache would only take memory.
    sharp.cache(false);
    return sharp;
  });
  return library;
}

interface Header {
  readonly info: ImageInfo;
  /** Estimated memory for decoding, in bytes. */
  readonly bytes: number;
}

/** Makes a decoder of images of at most `maxPixels` pixels. */
export function createImageDecoder(maxPixels: number): ImageDecoder {
  const maxBytes = maxPixels * BYTES_PER_PIXEL;
  const decoding = new Semaphore({
    name: "image_decoding",
    permits: AT_ONCE,
    maxWeight: maxBytes,
    queue: { maxWaiting: MAX_WAITING, waitMs: PATIENCE_MS, busy },
  });
  const limits = { limitInputPixels: maxPixels };
  const allFrames = { limitInputPixels: maxPixels * ANIMATION_FACTOR, animated: true };
  const withApiErrors = async <R>(run: () => Promise<R>) => {
    // What fails here is no fault of the image.
    await loadSharp();
    try {
      return await run();
    } catch (error) {
      throw error instanceof ApiError ? error : decodeError(error, maxPixels);
    }
  };
  const readHeader = async (source: ImageSource) => {
    const header = await headerOf(source, await open(source, limits), maxPixels);
    if (header.bytes > maxBytes)
      throw invalidFields({ image: `The image takes more than ${millions(maxBytes)} megabytes once it is decoded.` });
    return header;
  };
  /** Runs a function that decodes the image, once the semaphore admits it. */
  const decode = <R>(source: ImageSource, run: (info: ImageInfo) => Promise<R>) =>
    withApiErrors(async () => {
      const { info, bytes } = await readHeader(source);
      return decoding.run(() => charged(() => run(info)), bytes);
    });
  return {
    inspect: (source) => withApiErrors(async () => (await readHeader(source)).info),
    described: async (source) => {
      const meta = await (await open(source, limits)).metadata().catch(() => undefined);
      if (!meta) return undefined;
      const { exif, xmp, iptc, comments = [] } = meta;
      return { exif, xmp, iptc, hasMore: comments.some(({ keyword }) => UNTOLD.test(keyword)) };
    },
    resizeToFit: (source, box) =>
      decode(source, async ({ animated, format }) => {
        const staysAnimated = animated && ANIMATED_FORMATS.has(format);
        const image = (await open(source, { ...limits, animated: staysAnimated })).autoOrient();
        const bytes = await encode(image.resize({ ...box, fit: "inside", withoutEnlargement: true }));
        return animated && !staysAnimated ? undefined : bytes;
      }),
    crop: (source, box) =>
      decode(source, async () => encode((await open(source, limits)).autoOrient().resize({ ...box, fit: "cover" }))),
    asPng: (source, box, form) =>
      decode(source, async () => {
        const image = (await open(source, limits)).autoOrient();
        const scaled =
          form === "square"
            ? image.resize({ ...box, fit: "contain", background: TRANSPARENT })
            : image.resize({ ...box, fit: "inside", withoutEnlargement: true });
        return new Uint8Array(await scaled.png().toBuffer());
      }),
    checkFrames: (source) =>
      withApiErrors(async () => {
        const { info, bytes } = await readHeader(source);
        if (!info.animated) return;
        if (!(await hasAllFrames(info.format, contentOf(source)))) throw new Error("Frames are missing");
        if (ANIMATED_FORMATS.has(info.format))
          await decoding.run(() => charged(async () => decodeFrames(await open(source, allFrames))), bytes);
      }),
  };
}

/** Decodes an image at the expense of the request. */
function charged<R>(decode: () => Promise<R>): Promise<R> {
  beginWork();
  return timedWork(decode);
}

/** Decodes every frame and discards the result, scaled down so that it takes little memory. */
async function decodeFrames(animation: Sharp): Promise<void> {
  await animation.resize({ width: CHECK_SIZE, height: CHECK_SIZE, fit: "fill", kernel: "nearest" }).raw().toBuffer();
}

async function headerOf(source: ImageSource, image: Sharp, maxPixels: number): Promise<Header> {
  const start = await startOf(source, SNIFF_BYTES);
  const format = sniff(start);
  if (format === undefined) throw new Error("Unsupported image format");
  const meta = await image.metadata().catch((error) => damagedHeader(source, format, maxPixels, error));
  if ("info" in meta) return meta;
  const { width, height, autoOrient, pages = 1, pageHeight } = meta;
  const animated =
    pages > 1 || (format === "png" && (await isAnimatedPng(source))) || (format === "avif" && isAnimatedAvif(start));
  const info = {
    format,
    animated,
    width: autoOrient.width || width,
    height: pageHeight ?? (autoOrient.height || height),
  };
  return { info, bytes: width * (pageHeight ?? height) * memoryOf(format, meta) };
}

/** The header of a damaged image that the decoder refuses. Throws the decoder's error if there is no size in it either. */
async function damagedHeader(
  source: ImageSource,
  format: ImageInfo["format"],
  maxPixels: number,
  error: unknown,
): Promise<Header> {
  const size = headerSize(format, await startOf(source, HEADER_BYTES));
  if (!size || size.width * size.height > maxPixels) throw error;
  return { info: { format, ...size, animated: false }, bytes: size.width * size.height * WEBP_BYTES };
}

async function startOf(source: ImageSource, length: number): Promise<Uint8Array> {
  return source instanceof Uint8Array ? source.subarray(0, length) : source.head(length);
}

/** Bytes of memory for each pixel while decoding. Some formats hold all pixels at once. */
function memoryOf(format: ImageInfo["format"], meta: Metadata): number {
  if (format === "avif") return AVIF_BYTES;
  if (format === "webp") return WEBP_BYTES;
  const pixel = meta.channels * (meta.depth === "ushort" ? 2 : 1);
  if (!meta.isProgressive) return pixel / SEQUENTIAL_PART;
  // A progressive JPEG is held as coefficients of two bytes, half as many with chroma subsampling.
  return format === "jpeg" && meta.chromaSubsampling !== "4:2:0" ? pixel * 2 : pixel;
}

async function* contentOf(source: ImageSource): AsyncGenerator<Uint8Array> {
  if (source instanceof Uint8Array) yield source;
  else yield* source.stream();
}

/** The major brand of an AVIF says whether it is a sequence. */
function isAnimatedAvif(start: Uint8Array): boolean {
  return String.fromCharCode(...start.subarray(8, 12)) === "avis";
}

/** An animated PNG has an acTL chunk before its first IDAT chunk; decoders of plain PNG skip it. */
async function isAnimatedPng(source: ImageSource): Promise<boolean> {
  const start = await startOf(source, PNG_HEADER_BYTES);
  const bytes = Buffer.from(start.buffer, start.byteOffset, start.byteLength);
  const control = bytes.indexOf("acTL");
  const pixels = bytes.indexOf("IDAT");
  return control > 0 && (pixels < 0 || control < pixels);
}

/** Opens an image. A spooled upload is read from its file. */
async function open(source: ImageSource, options: SharpOptions): Promise<Sharp> {
  const input = source instanceof Uint8Array ? source : (source.spooled ?? (await source.bytes()));
  const sharp = await loadSharp();
  return sharp(input, { failOn: "error", sequentialRead: true, ...options }).timeout({ seconds: MAX_SECONDS });
}

/** Encodes in the format of the input. */
async function encode(image: Sharp): Promise<Uint8Array> {
  return new Uint8Array(await image.jpeg({ quality: JPEG_QUALITY, force: false }).toBuffer());
}

/** An error of libvips as ApiError 422 of the field `image`. */
function decodeError(error: unknown, maxPixels: number): ApiError {
  const isLarge = error instanceof Error && /pixel limit/i.test(error.message);
  if (isLarge)
    return invalidFields({
      image: `The image has too many pixels, at most ${millions(maxPixels)} megapixels are accepted.`,
    });
  const damage = invalidFields({ image: "The image is damaged." });
  DAMAGE.set(damage, !(error instanceof Error && /timeout/i.test(error.message)));
  return damage;
}

function busy(): ApiError {
  const headers = { "retry-after": String(RETRY_AFTER_S) };
  return new ApiError(503, "Too many pictures are being read at the moment. Try again later.", { headers });
}

function millions(count: number): number {
  return Math.floor(count / 1_000_000);
}
