/**
 * Reads the size in the header of an image, for files that the decoder refuses because they are truncated. Only for formats
 * that have it at a fixed place; that of AVIF is deep in nested boxes.
 */

/** Bytes at the start of a file that are searched. A JPEG has camera metadata before its size. */
export const HEADER_BYTES = 131_072;

/** Pixels as stored, before rotation. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size in the header of a file; undefined if the header is incomplete, says 0 pixels, or for other formats. */
export function headerSize(format: string, start: Uint8Array): Size | undefined {
  const view = new DataView(start.buffer, start.byteOffset, start.byteLength);
  try {
    const size = READERS[format]?.(view);
    return size && size.width > 0 && size.height > 0 ? size : undefined;
  } catch (error) {
    // The header ends before the size.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const PNG_HEADER = 0x49484452;
const WEBP_CHUNKS = { lossy: "VP8 ", lossless: "VP8L", extended: "VP8X" } as const;
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
  const chunk = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)));
  if (chunk === WEBP_CHUNKS.extended) return { width: 1 + threeBytes(view, 24), height: 1 + threeBytes(view, 27) };
  if (chunk === WEBP_CHUNKS.lossy)
    return { width: view.getUint16(26, true) & FOURTEEN_BITS, height: view.getUint16(28, true) & FOURTEEN_BITS };
  if (chunk !== WEBP_CHUNKS.lossless || view.getUint8(20) !== LOSSLESS_SIGNATURE) return undefined;
  const bits = view.getUint32(21, true);
  return { width: 1 + (bits & FOURTEEN_BITS), height: 1 + ((bits >>> 14) & FOURTEEN_BITS) };
}

function threeBytes(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

/** Skips segments up to the start of a frame, which has the size. */
function jpegSize(view: DataView): Size | undefined {
  for (let at = 2; view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1);
    // Any number of fill bytes may precede a marker.
    if (marker === 0xff) at++;
    else if (isFrame(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    else at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** Start-of-frame markers: 0xc0 to 0xcf without those of tables, extensions and arithmetic coding. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}
