/**
 * The size that the head of a picture claims, read here: decoders refuse files that end early before they tell it. Only for
 * kinds that have it at a known place; of AVIF it stands deep in nested boxes.
 */

/** Bytes of the start of a file that are looked through. JPEG has notes of the camera before its size. */
export const HEAD_BYTES = 131_072;

/** Pixels as they are stored, not turned. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size in the start of a file of a kind; undefined where the head does not reach as far, or claims no pixels. */
export function claimedSize(format: string, start: Uint8Array): Size | undefined {
  const view = new DataView(start.buffer, start.byteOffset, start.byteLength);
  try {
    const size = READERS[format]?.(view);
    return size && size.width > 0 && size.height > 0 ? size : undefined;
  } catch (error) {
    // The head ends before its size.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const PNG_HEADER = 0x49484452;
const WEBP_KINDS = { lossy: "VP8 ", lossless: "VP8L", extended: "VP8X" } as const;
const LOSSLESS_SIGNATURE = 0x2f;
const FOURTEEN_BITS = 0x3fff;

const READERS: Readonly<Record<string, (view: DataView) => Size | undefined>> = {
  png: (view) =>
    view.getUint32(12) === PNG_HEADER ? { width: view.getUint32(16), height: view.getUint32(20) } : undefined,
  gif: (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  jpeg: jpegSize,
  webp: webpSize,
};

function webpSize(view: DataView): Size | undefined {
  const kind = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)));
  if (kind === WEBP_KINDS.extended) return { width: 1 + threeBytes(view, 24), height: 1 + threeBytes(view, 27) };
  if (kind === WEBP_KINDS.lossy)
    return { width: view.getUint16(26, true) & FOURTEEN_BITS, height: view.getUint16(28, true) & FOURTEEN_BITS };
  if (kind !== WEBP_KINDS.lossless || view.getUint8(20) !== LOSSLESS_SIGNATURE) return undefined;
  const bits = view.getUint32(21, true);
  return { width: 1 + (bits & FOURTEEN_BITS), height: 1 + ((bits >>> 14) & FOURTEEN_BITS) };
}

function threeBytes(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

/** Walks over the segments up to the one that begins a frame. */
function jpegSize(view: DataView): Size | undefined {
  for (let at = 2; view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1);
    // Any number of filling bytes may stand before a marker.
    if (marker === 0xff) at++;
    else if (isFrame(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    else at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** Markers of frames, among which stand those of tables and of arithmetic coding. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}
