/**
 * Where a picture was taken, in what cameras and programs write beside its pixels: EXIF, XMP and IPTC. In EXIF it is a directory of its own,
 * which is removed in place; XMP and IPTC are only searched for names of places, since programs write these in many forms, so what
 * has one is left out whole by `positions.ts`. Notes of makers and comments, which hold anything, are not read.
 */

/** What describes a picture beside its pixels, as stored in its file. */
export interface Described {
  readonly exif?: Uint8Array | undefined;
  readonly xmp?: Uint8Array | undefined;
  readonly iptc?: Uint8Array | undefined;
  /** Whether it holds more, in forms that are not told apart, such as the raw profiles of PNG. */
  readonly hasMore: boolean;
}

const GPS_TAG = 0x8825;
const ENTRY_BYTES = 12;
/** Main image and thumbnail; files with a cycle end here. */
const MAX_DIRECTORIES = 4;
/** Entries of a directory; cameras write less than a hundred. */
const MAX_ENTRIES = 1_000;
/** Bytes of a value by its type, in TIFF. */
const TYPE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];
/** Names of properties of XMP that say a place, or parts of them. */
const PLACES_IN_XMP = [
  "GPS",
  "Location",
  ":City",
  ":Country",
  ":State",
  "CountryCode",
  "Sublocation",
  "ProvinceState",
  "geo:",
];
/** Datasets of the second record of IPTC: content location, city, sublocation, province, country. */
const PLACES_IN_IPTC = new Set([26, 27, 90, 92, 95, 100, 101]);
const EXIF_HEADER = Buffer.from("Exif\0\0", "latin1");

/** Whether a description says where a picture was taken. */
export function saysPosition({ exif, xmp, iptc, hasMore }: Described): boolean {
  return (
    hasMore ||
    (exif !== undefined && removeGps(Uint8Array.from(exif)) !== "none") ||
    (xmp !== undefined && saysPlaceInXmp(xmp)) ||
    (iptc !== undefined && saysPlaceInIptc(iptc))
  );
}

/** Whether XMP names a place. */
export function saysPlaceInXmp(xmp: Uint8Array): boolean {
  return PLACES_IN_XMP.some((name) => asBuffer(xmp).includes(name));
}

/** Whether IPTC names a place. */
export function saysPlaceInIptc(iptc: Uint8Array): boolean {
  const bytes = asBuffer(iptc);
  for (let at = bytes.indexOf("\x1c\x02", 0, "latin1"); at >= 0; at = bytes.indexOf("\x1c\x02", at + 1, "latin1"))
    if (PLACES_IN_IPTC.has(bytes[at + 2] ?? 0)) return true;
  return false;
}

/**
 * Removes the position from EXIF, in place and without moving anything else: "none" where there is none, "unreadable" where the
 * structure is damaged, so that the whole has to go.
 */
export function removeGps(exif: Uint8Array): "removed" | "none" | "unreadable" {
  const tiff = asBuffer(exif).subarray(0, EXIF_HEADER.length).equals(EXIF_HEADER)
    ? exif.subarray(EXIF_HEADER.length)
    : exif;
  try {
    return removeFromTiff(tiff) ? "removed" : "none";
  } catch (error) {
    // An offset leads out of the data, or there is more than a camera writes.
    if (error instanceof RangeError) return "unreadable";
    throw error;
  }
}

/** The bytes as a buffer over the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function removeFromTiff(tiff: Uint8Array): boolean {
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  const isLittle = view.getUint16(0) === 0x4949;
  const short = (at: number) => view.getUint16(at, isLittle);
  const long = (at: number) => view.getUint32(at, isLittle);
  const reads = { short, long, left: tiff.length };
  let hasRemoved = false;
  let directory = long(4);
  for (let turn = 0; directory !== 0 && turn < MAX_DIRECTORIES; turn++) {
    let count = entriesAt(reads, directory);
    for (let index = 0; index < count; index++) {
      const entry = directory + 2 + index * ENTRY_BYTES;
      if (short(entry) !== GPS_TAG) continue;
      blankDirectory(tiff, reads, long(entry + 8));
      // The entries behind it, and the offset of the next directory, move up.
      const end = directory + 2 + count * ENTRY_BYTES + 4;
      tiff.copyWithin(entry, entry + ENTRY_BYTES, end);
      tiff.fill(0, end - ENTRY_BYTES, end);
      count--;
      index--;
      view.setUint16(directory, count, isLittle);
      hasRemoved = true;
    }
    directory = long(directory + 2 + count * ENTRY_BYTES);
  }
  return hasRemoved;
}

interface Reads {
  short(at: number): number;
  long(at: number): number;
  /** Bytes of values that may still be written over: those of a camera do not overlap, so they are not more than the data. */
  left: number;
}

/** The number of entries of a directory. Throws RangeError for more than a camera writes, on which a server would work for minutes. */
function entriesAt({ short }: Reads, directory: number): number {
  const count = short(directory);
  if (count > MAX_ENTRIES) throw new RangeError("Too many entries");
  return count;
}

/** Writes zeros over a directory and the values that it refers to. */
function blankDirectory(tiff: Uint8Array, reads: Reads, directory: number): void {
  const { short, long } = reads;
  const count = entriesAt(reads, directory);
  for (let index = 0; index < count; index++) {
    const entry = directory + 2 + index * ENTRY_BYTES;
    const bytes = (TYPE_BYTES[short(entry + 2)] ?? 0) * long(entry + 4);
    reads.left -= bytes;
    if (reads.left < 0) throw new RangeError("Values overlap");
    if (bytes > 4) tiff.fill(0, long(entry + 8), long(entry + 8) + bytes);
  }
  tiff.fill(0, directory, directory + 2 + count * ENTRY_BYTES);
}
