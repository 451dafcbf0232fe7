/**
 * Removes from pictures where they were taken: photographs of phones say it within metres, and whoever fetches one could read where its
 * author lives. The pixels, the orientation and what else is said of a picture stay as they are, so nothing is encoded again: JPEG, PNG and
 * WebP are copied piece by piece without the pieces that name a place, and EXIF and AVIF are changed in place. Unless something says a
 * place, a file stays as it is, byte for byte.
 */
import type { ImageInfo } from "./decoder.ts";
import { asBuffer, type Described, removeGps, saysPlaceInIptc, saysPlaceInXmp } from "./position_tags.ts";

const XMP_NAME = "http://ns.adobe.com/xap/1.0/\0";
const MORE_XMP_NAME = "http://ns.adobe.com/xmp/extension/\0";
const EXIF_NAME = "Exif\0\0";
/** What pictures and films that phones append to a photograph begin with. */
const APPENDED = ["Exif\0", "ftyp", "http://ns.adobe.com/"];
const PNG_SIGNATURE_BYTES = 8;
const RIFF_HEADER_BYTES = 12;
const XMP_FLAG = 0x04;

/** A copy of a file without the place where the picture was taken; `described` is what the decoder finds in it. */
export function withoutPosition(format: ImageInfo["format"], file: Uint8Array, described: Described): Uint8Array {
  const bytes = Buffer.from(file);
  if (format === "jpeg") return jpegWithout(bytes);
  if (format === "png") return pngWithout(bytes);
  if (format === "webp") return webpWithout(bytes);
  if (format === "avif") blankInPlace(bytes, described);
  return bytes;
}

function startsWith(bytes: Buffer, name: string): boolean {
  return bytes.subarray(0, name.length).equals(Buffer.from(name, "latin1"));
}

function jpegWithout(bytes: Buffer): Uint8Array {
  const kept = [bytes.subarray(0, 2)];
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff && bytes[at + 1] !== 0xda) {
    // Any number of fill bytes may precede a marker.
    const length = bytes[at + 1] === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
    const segment = bytes.subarray(at, at + length);
    if (isKeptSegment(segment)) kept.push(segment);
    at += length;
  }
  const end = endOfScans(bytes, at);
  const appended = bytes.subarray(end);
  kept.push(bytes.subarray(at, end));
  if (!APPENDED.some((sign) => appended.includes(sign, 0, "latin1"))) kept.push(appended);
  return Buffer.concat(kept);
}

/** Whether a segment may stay; the position is removed from EXIF. */
function isKeptSegment(segment: Buffer): boolean {
  const content = segment.subarray(4);
  if (segment[1] === 0xed) return !saysPlaceInIptc(content);
  if (segment[1] !== 0xe1) return true;
  if (startsWith(content, EXIF_NAME)) return removeGps(content) !== "unreadable";
  if (startsWith(content, XMP_NAME)) return !saysPlaceInXmp(content);
  // A part of XMP that is cut into several, so that a name may be in none of them.
  return !startsWith(content, MORE_XMP_NAME);
}

/** Where the image ends that begins with the scan at `from`. */
function endOfScans(bytes: Buffer, from: number): number {
  let at = from;
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    if (bytes[at + 1] === 0xd9) return at + 2;
    at += 2 + bytes.readUInt16BE(at + 2);
    // Within a scan 0xff is followed by 0, or by the number of a restart.
    for (at = bytes.indexOf(0xff, at); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
      const next = bytes[at + 1] ?? 0;
      if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) break;
    }
    if (at < 0) break;
  }
  return bytes.length;
}

function pngWithout(bytes: Buffer): Uint8Array {
  const kept = [bytes.subarray(0, PNG_SIGNATURE_BYTES)];
  let at = PNG_SIGNATURE_BYTES;
  while (at + 12 <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    const chunk = bytes.subarray(at, at + 12 + length);
    if (isKeptChunk(chunk)) kept.push(chunk);
    at += 12 + length;
  }
  kept.push(bytes.subarray(at));
  return Buffer.concat(kept);
}

function isKeptChunk(chunk: Buffer): boolean {
  const name = chunk.toString("latin1", 4, 8);
  const content = chunk.subarray(8, -4);
  if (name === "eXIf") {
    const found = removeGps(content);
    if (found === "removed") chunk.writeUInt32BE(Bun.hash.crc32(chunk.subarray(4, -4)), chunk.length - 4);
    return found !== "unreadable";
  }
  if (!/^(?:tEXt|zTXt|iTXt)$/.test(name)) return true;
  // EXIF, XMP and IPTC as hexadecimal text.
  if (startsWith(content, "Raw profile type ")) return false;
  if (!startsWith(content, "XML:com.adobe.xmp\0")) return true;
  const isPlain = name === "tEXt" || (name === "iTXt" && content["XML:com.adobe.xmp\0".length] === 0);
  return isPlain && !saysPlaceInXmp(content);
}

function webpWithout(bytes: Buffer): Uint8Array {
  const kept = [bytes.subarray(0, RIFF_HEADER_BYTES)];
  let at = RIFF_HEADER_BYTES;
  while (at + 8 <= bytes.length) {
    const length = bytes.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    const content = bytes.subarray(at + 8, at + 8 + length);
    const name = bytes.toString("latin1", at, at + 4);
    const isLost =
      (name === "EXIF" && removeGps(content) === "unreadable") || (name === "XMP " && saysPlaceInXmp(content));
    if (!isLost) kept.push(bytes.subarray(at, end));
    at = end;
  }
  const made = Buffer.concat(kept);
  if (made.length === bytes.length) return made;
  made.writeUInt32LE(made.length - 8, 4);
  const header = RIFF_HEADER_BYTES + 8;
  if (made.toString("latin1", RIFF_HEADER_BYTES, RIFF_HEADER_BYTES + 4) === "VP8X" && !hasXmp(made))
    made[header] = (made[header] ?? 0) & ~XMP_FLAG;
  return made;
}

function hasXmp(webp: Buffer): boolean {
  for (let at = RIFF_HEADER_BYTES; at + 8 <= webp.length; ) {
    if (webp.toString("latin1", at, at + 4) === "XMP ") return true;
    const length = webp.readUInt32LE(at + 4);
    at += 8 + length + (length % 2);
  }
  return false;
}

/** AVIF names its parts by their places in the file, so nothing may move. */
function blankInPlace(bytes: Buffer, { exif, xmp }: Described): void {
  if (exif) {
    const tiff = startsWith(asBuffer(exif), EXIF_NAME) ? exif.subarray(EXIF_NAME.length) : exif;
    const at = bytes.indexOf(tiff);
    const found = bytes.subarray(at, at + tiff.length);
    if (at >= 0 && removeGps(found) === "unreadable") found.fill(0);
  }
  if (xmp && saysPlaceInXmp(xmp)) {
    const at = bytes.indexOf(xmp);
    if (at >= 0) bytes.fill(" ", at, at + xmp.length);
  }
}
