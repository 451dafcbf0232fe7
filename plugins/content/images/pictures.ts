/**
 * What has to look into the bytes of a picture: is it one, how large, does it move, and smaller forms of it. libvips does
 * it on threads of its own. Only decoders of the five kinds are let in, so that nothing else (SVG, PDF, raw files) is ever
 * parsed whatever a file claims. A decoded picture takes far more memory than its file: what it will take is judged by its
 * head, and only so much is decoded at once.
 */
import { ApiError, Semaphore, SNIFF_BYTES, sniff, type Upload } from "lectern/core";
import sharp, { type Metadata, type Sharp, type SharpOptions } from "sharp";
import { claimedSize, HEAD_BYTES } from "./head_size.ts";
import { isWhole } from "./whole.ts";

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

/** Errors of pictures whose bytes could not be decoded, unlike those that are none or ask for too much; true where they never can. */
const DAMAGE = new WeakMap<object, boolean>();

/** Whether a picture was refused since its bytes cannot be decoded; `forGood` leaves out those that took too long. */
export function isDamage(error: unknown, { forGood = false } = {}): boolean {
  if (typeof error !== "object" || error === null) return false;
  return forGood ? DAMAGE.get(error) === true : DAMAGE.has(error);
}

/** Looks into pictures. Every function throws ApiError 422 for what is none, is broken or too large, 503 where too many wait. */
export interface Pictures {
  /** Reads the head only. */
  facts(source: Source): Promise<Facts>;
  /**
   * Scaled to fit a box, never enlarged, upright, in its own format. Moving pictures go on moving; undefined for those of
   * which the decoder would keep the first frame alone.
   */
  fitted(source: Source, box: Box): Promise<Uint8Array | undefined>;
  /** The middle of a picture, upright and standing still, scaled to exactly this size. */
  cropped(source: Source, box: Required<Box>): Promise<Uint8Array>;
  /** Reads all frames of a moving picture, of which the first is good; a still one is not looked at. */
  watched(source: Source): Promise<void>;
}

/** Kinds whose frames the decoder knows; of others it reads the first. */
const FILMS = new Set(["gif", "webp"]);
const LOADERS = ["Jpeg", "Png", "Webp", "Nsgif", "Heif"];
const AT_ONCE = 2;
const MAX_WAITING = 100;
/** Before clients give up by themselves. */
const PATIENCE_MS = 20_000;
/** Seconds after which a client that was turned away may try again. */
const RETRY_AFTER_S = 10;
/** No honest picture takes longer. */
const MAX_SECONDS = 60;
const JPEG_QUALITY = 85;
/** How far an animated PNG's chunk that says so may lie behind its head; it stands before the pixels. */
const PNG_HEAD_BYTES = 65_536;
/** Of memory, for each pixel that may be sent. */
const BYTES_PER_PIXEL = 5;
/** Frames are read one after another, and together may be so many times as large as a picture. */
const FILM_TIMES = 10;
const FILM_SAMPLE = 8;
/** What the decoder of AVIF takes for a pixel, as measured; its planes, their copies and the colours made of them. */
const AVIF_BYTES = 18;
const WEBP_BYTES = 4;
/** Of a picture that is read line by line, about this part is held at once, as measured. */
const LINES_PART = 4;

sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: LOADERS.flatMap((kind) => [`VipsForeignLoad${kind}File`, `VipsForeignLoad${kind}Buffer`]) });
// Pictures are seldom seen twice; what is kept of them would only be memory.
sharp.cache(false);

/** What the head of a picture tells. */
interface Head {
  readonly facts: Facts;
  /** What decoding it will about take of memory. */
  readonly bytes: number;
}

/** Makes the functions that look into pictures of at most so many pixels. */
export function makePictures(maxPixels: number): Pictures {
  const maxBytes = maxPixels * BYTES_PER_PIXEL;
  const decoding = new Semaphore({
    permits: AT_ONCE,
    maxWeight: maxBytes,
    queue: { maxWaiting: MAX_WAITING, waitMs: PATIENCE_MS, busy },
  });
  const limits = { limitInputPixels: maxPixels };
  const film = { limitInputPixels: maxPixels * FILM_TIMES, animated: true };
  const checked = async <R>(run: () => Promise<R>) => {
    try {
      return await run();
    } catch (error) {
      throw error instanceof ApiError ? error : refused(error, maxPixels);
    }
  };
  const headed = async (source: Source) => {
    const head = await headOf(source, await opened(source, limits), maxPixels);
    if (head.bytes > maxBytes)
      throw errorText(`The image takes more than ${megas(maxBytes)} megabytes once it is decoded.`);
    return head;
  };
  /** Decodes when it is this picture's turn. */
  const decoded = <R>(source: Source, run: (facts: Facts) => Promise<R>) =>
    checked(async () => {
      const { facts, bytes } = await headed(source);
      return decoding.run(() => run(facts), bytes);
    });
  return {
    facts: (source) => checked(async () => (await headed(source)).facts),
    fitted: (source, box) =>
      decoded(source, async ({ animated, format }) => {
        const moves = animated && FILMS.has(format);
        const picture = (await opened(source, { ...limits, animated: moves })).autoOrient();
        const bytes = await output(picture.resize({ ...box, fit: "inside", withoutEnlargement: true }));
        return animated && !moves ? undefined : bytes;
      }),
    cropped: (source, box) =>
      decoded(source, async () => output((await opened(source, limits)).autoOrient().resize({ ...box, fit: "cover" }))),
    watched: (source) =>
      checked(async () => {
        const { facts, bytes } = await headed(source);
        if (!facts.animated) return;
        if (!(await isWhole(facts.format, contentOf(source)))) throw new Error("Frames are missing");
        if (FILMS.has(facts.format)) await decoding.run(async () => watch(await opened(source, film)), bytes);
      }),
  };
}

/** Decodes every frame, and keeps next to nothing of it. */
async function watch(film: Sharp): Promise<void> {
  await film.resize({ width: FILM_SAMPLE, height: FILM_SAMPLE, fit: "fill", kernel: "nearest" }).raw().toBuffer();
}

async function headOf(source: Source, picture: Sharp, maxPixels: number): Promise<Head> {
  const start = await startOf(source, SNIFF_BYTES);
  const format = sniff(start);
  if (format === undefined) throw new Error("Unsupported image format");
  const meta = await picture.metadata().catch((error) => claimedHead(source, format, maxPixels, error));
  if ("facts" in meta) return meta;
  const { width, height, autoOrient, pages = 1, pageHeight } = meta;
  const animated =
    pages > 1 || (format === "png" && (await isMovingPng(source))) || (format === "avif" && isMovingAvif(start));
  const facts = {
    format,
    animated,
    width: autoOrient.width || width,
    height: pageHeight ?? (autoOrient.height || height),
  };
  return { facts, bytes: width * (pageHeight ?? height) * memoryOf(format, meta) };
}

/** What a damaged picture claims to be, where the decoder refuses it but its head tells; else what the decoder says. */
async function claimedHead(source: Source, format: Facts["format"], maxPixels: number, error: unknown): Promise<Head> {
  const size = claimedSize(format, await startOf(source, HEAD_BYTES));
  if (!size || size.width * size.height > maxPixels) throw error;
  return { facts: { format, ...size, animated: false }, bytes: size.width * size.height * WEBP_BYTES };
}

async function startOf(source: Source, length: number): Promise<Uint8Array> {
  return source instanceof Uint8Array ? source.subarray(0, length) : source.head(length);
}

/** Bytes of memory that a pixel takes while it is decoded: of some kinds all pixels are held at once. */
function memoryOf(format: Facts["format"], meta: Metadata): number {
  if (format === "avif") return AVIF_BYTES;
  if (format === "webp") return WEBP_BYTES;
  const pixel = meta.channels * (meta.depth === "ushort" ? 2 : 1);
  if (!meta.isProgressive) return pixel / LINES_PART;
  // A progressive JPEG is held as numbers of two bytes, of which half are missing where colours are coarse.
  return format === "jpeg" && meta.chromaSubsampling !== "4:2:0" ? pixel * 2 : pixel;
}

async function* contentOf(source: Source): AsyncGenerator<Uint8Array> {
  if (source instanceof Uint8Array) yield source;
  else yield* source.stream();
}

/** AVIF says with its first brand that it is a sequence. */
function isMovingAvif(start: Uint8Array): boolean {
  return String.fromCharCode(...start.subarray(8, 12)) === "avis";
}

/** PNG has its moving form in a chunk that decoders of plain PNG skip. */
async function isMovingPng(source: Source): Promise<boolean> {
  const head = await startOf(source, PNG_HEAD_BYTES);
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const control = bytes.indexOf("acTL");
  const pixels = bytes.indexOf("IDAT");
  return control > 0 && (pixels < 0 || control < pixels);
}

/** A spooled upload is read where it lies. */
async function opened(source: Source, options: SharpOptions): Promise<Sharp> {
  const input = source instanceof Uint8Array ? source : (source.spooled ?? (await source.bytes()));
  return sharp(input, { failOn: "error", sequentialRead: true, ...options }).timeout({ seconds: MAX_SECONDS });
}

async function output(picture: Sharp): Promise<Uint8Array> {
  return new Uint8Array(await picture.jpeg({ quality: JPEG_QUALITY, force: false }).toBuffer());
}

/** What libvips refused, as an error of the field that pictures come in. */
function refused(error: unknown, maxPixels: number): ApiError {
  const isLarge = error instanceof Error && /pixel limit/i.test(error.message);
  if (isLarge) return errorText(`The image has too many pixels, at most ${megas(maxPixels)} megapixels are accepted.`);
  const damage = errorText("The image is damaged.");
  DAMAGE.set(damage, !(error instanceof Error && /timeout/i.test(error.message)));
  return damage;
}

function busy(): ApiError {
  const headers = { "retry-after": String(RETRY_AFTER_S) };
  return new ApiError(503, "Too many pictures are being read at the moment. Try again later.", { headers });
}

function errorText(text: string): ApiError {
  return new ApiError(422, "The given data was invalid.", { validation: { image: [text] } });
}

function megas(count: number): number {
  return Math.floor(count / 1_000_000);
}
