/** Pictures with a position as phones write it, made here: each form of it is found and removed, and nothing else changes. */
import { expect, test } from "bun:test";
import sharp from "sharp";
import type { ImageInfo } from "./decoder.ts";
import { type Described, removeGps, saysPosition } from "./position_tags.ts";
import { withoutPosition } from "./positions.ts";

const XMP = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="52,31.2N"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;
const EXIF = {
  IFD0: { Make: "Acme", Copyright: "Ada" },
  IFD3: {
    GPSLatitudeRef: "N",
    GPSLatitude: "52/1 31/1 1234/100",
    GPSLongitudeRef: "E",
    GPSLongitude: "13/1 24/1 987/100",
  },
};

const noise = Uint8Array.from({ length: 64 * 48 * 3 }, (_, at) => (at * 7919) % 251);

/** A photograph that lies on its side, with its position in EXIF and XMP. */
async function photograph(format: ImageInfo["format"]): Promise<Uint8Array> {
  const plain = sharp(noise, { raw: { width: 64, height: 48, channels: 3 } });
  return new Uint8Array(
    await plain.withMetadata({ orientation: 6 }).withExifMerge(EXIF).withXmp(XMP).toFormat(format).toBuffer(),
  );
}

async function describe(file: Uint8Array): Promise<Described> {
  const { exif, xmp, iptc, comments = [] } = await sharp(file).metadata();
  return { exif, xmp, iptc, hasMore: comments.some(({ keyword }) => keyword.startsWith("Raw profile")) };
}

async function cleaned(format: ImageInfo["format"], file: Uint8Array) {
  const made = withoutPosition(format, file, await describe(file));
  return { made, described: await describe(made), meta: await sharp(made).metadata() };
}

const pixels = async (file: Uint8Array) => Bun.hash(await sharp(file).raw().toBuffer());
/** The degrees as they are stored, in both orders of bytes. */
const degrees = [Buffer.from("34000000010000001f00000001000000", "hex"), Buffer.from("34010000001f00000001", "hex")];

for (const format of ["jpeg", "png", "webp", "avif"] as const)
  test(`a ${format} loses its position, and keeps orientation, author and pixels`, async () => {
    const file = await photograph(format);
    expect(saysPosition(await describe(file))).toBe(true);
    const { made, described, meta } = await cleaned(format, file);
    expect(saysPosition(described)).toBe(false);
    expect(Buffer.from(made).includes("GPSLatitude")).toBe(false);
    expect(degrees.some((each) => Buffer.from(made).includes(each))).toBe(false);
    expect(Buffer.from(made).includes("Acme")).toBe(true);
    if (format !== "avif") expect(meta.orientation).toBe(6);
    expect(await pixels(made)).toBe(await pixels(file));
  });

test("a JPEG loses places of IPTC, XMP in several parts, and the film that a phone appends", async () => {
  const file = Buffer.from(await photograph("jpeg"));
  const segment = (marker: number, content: string) => {
    const bytes = Buffer.from(content, "latin1");
    return Buffer.concat([Buffer.from([0xff, marker, (bytes.length + 2) >> 8, (bytes.length + 2) & 255]), bytes]);
  };
  const iptc = segment(0xed, "Photoshop 3.0\0" + "8BIM\x04\x04\0\0\0\0\0\x0b\x1c\x02\x5a\0\x06Berlin\0");
  const more = segment(0xe1, `http://ns.adobe.com/xmp/extension/\0${"0".repeat(32)}\0\0\0\x40\0\0\0\0Berlin`);
  const comment = segment(0xfe, "Kept comment");
  const film = Buffer.from("\0\0\0\x18ftypmp42 +52.5200+013.4050/", "latin1");
  const whole = Buffer.concat([file.subarray(0, 2), iptc, more, comment, file.subarray(2), film]);
  const { made } = await cleaned("jpeg", whole);
  for (const gone of ["Berlin", "ftyp", "+52.52"]) expect(Buffer.from(made).includes(gone)).toBe(false);
  expect(Buffer.from(made).includes("Kept comment")).toBe(true);
  expect(await pixels(made)).toBe(await pixels(file));
});

test("a file that says no place is known as such, and damaged files are taken as they are", async () => {
  const plain = await sharp(noise, { raw: { width: 64, height: 48, channels: 3 } })
    .withExif({ IFD0: { Copyright: "Ada" } })
    .jpeg()
    .toBuffer();
  expect(saysPosition(await describe(plain))).toBe(false);
  const file = await photograph("jpeg");
  for (let length = 0; length < file.length; length += 13) {
    const made = withoutPosition("jpeg", file.subarray(0, length), { hasMore: true });
    expect(made.length).toBeLessThanOrEqual(length);
    for (const format of ["png", "webp", "avif"] as const)
      withoutPosition(format, file.subarray(0, length), { hasMore: true });
  }
});

/** EXIF with a directory of a position whose entries all name the same values, which are all the rest of it. */
function overlapping(entries: number, bytes: number): Buffer {
  const [directory, tag] = [26, Buffer.alloc(12)];
  const exif = Buffer.alloc(bytes);
  exif.write("II*\0\b\0\0\0\x01\0", "latin1");
  tag.writeUInt16LE(0x8825);
  tag.writeUInt32LE(directory, 8);
  tag.copy(exif, 10);
  exif.writeUInt16LE(entries, directory);
  const values = directory + 2 + entries * 12;
  tag.writeUInt16LE(1, 2);
  tag.writeUInt32LE(bytes - values, 4);
  tag.writeUInt32LE(values, 8);
  for (let index = 0; index < entries; index++) tag.copy(exif, directory + 2 + index * 12);
  return exif;
}

test("removeGps() takes what no camera writes for damaged, on which it would work for minutes", () => {
  expect(removeGps(overlapping(1, 200))).toBe("removed");
  expect(removeGps(overlapping(2, 200))).toBe("unreadable");
  expect(removeGps(overlapping(5_000, 65_000))).toBe("unreadable");
  const empty = Buffer.alloc(40_000);
  empty.write("II*\0\b\0\0\0\xff\x08", "latin1");
  expect(removeGps(empty)).toBe("unreadable");
});
