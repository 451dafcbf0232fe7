/**
 * Images for tests. Ordinary ones come from sharp; what sharp would not write, such as animated PNGs and those that claim far
 * more pixels than they have bytes, is built here byte by byte.
 */
import { deflateSync } from "node:zlib";
import sharp from "sharp";

/** A plain picture, a dot unless a size is given. */
export async function picture(
  format: "png" | "jpeg" | "gif" | "webp" | "avif",
  { width = 8, height = 6, red = 200 }: { width?: number; height?: number; red?: number } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const plain = sharp({ create: { width, height, channels: 3, background: { r: red, g: 40, b: 40 } } });
  return new Uint8Array(await plain.toFormat(format).toBuffer());
}

/** An animated image of so many frames, each another colour. */
export async function moving(format: "gif" | "webp", frames = 3, size = 20): Promise<Uint8Array<ArrayBuffer>> {
  const stills = Array.from({ length: frames }, (_, at) => ({
    create: { width: size, height: size, channels: 3 as const, background: { r: 80 * at, g: 0, b: 90 } },
  }));
  const films = await Promise.all(stills.map((still) => sharp(still).png().toBuffer()));
  return new Uint8Array(
    await sharp(films, { join: { animated: true } })
      .toFormat(format)
      .toBuffer(),
  );
}

/** A single dot as PNG. */
export function png(): Uint8Array<ArrayBuffer> {
  const base64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  return new Uint8Array(Buffer.from(base64, "base64"));
}

/** How a drawn PNG is stored. */
interface Stored {
  /** Bits of each channel. */
  readonly depth?: 1 | 8 | 16;
  readonly colour?: "grey" | "rgb" | "rgba";
  readonly interlaced?: boolean;
  /** More than one makes an animated PNG. */
  readonly frames?: number;
}

const CHANNELS = { grey: 1, rgb: 3, rgba: 4 } as const;
const COLOURS = { grey: 0, rgb: 2, rgba: 6 } as const;
/** First column and row, and steps between them, of the passes of an interlaced PNG. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** A PNG of one colour that claims many pixels in few bytes: a decompression bomb. */
export function bomb(
  width: number,
  height: number,
  { depth = 1, colour = "grey", interlaced = false, frames = 1 }: Stored = {},
): Uint8Array<ArrayBuffer> {
  const head = Buffer.concat([number(width), number(height)], 13);
  head.set([depth, COLOURS[colour], 0, 0, interlaced ? 1 : 0], 8);
  const bits = depth * CHANNELS[colour];
  const rows = (columns: number, lines: number) => (columns > 0 ? lines * (1 + Math.ceil((columns * bits) / 8)) : 0);
  const bytes = interlaced
    ? PASSES.reduce(
        (sum, [x, y, dx, dy]) => sum + rows(Math.ceil((width - x) / dx), Math.max(0, Math.ceil((height - y) / dy))),
        0,
      )
    : rows(width, height);
  const pixels = deflateSync(new Uint8Array(bytes));
  const control = (at: number) =>
    chunk(
      "fcTL",
      Buffer.concat([
        number(at),
        number(width),
        number(height),
        number(0),
        number(0),
        number(0x1000a),
        Buffer.alloc(2),
      ]),
    );
  const more = Array.from({ length: frames - 1 }, (_, at) => [
    control(2 * at + 1),
    chunk("fdAT", Buffer.concat([number(2 * at + 2), pixels])),
  ]);
  const moves = frames > 1 ? [chunk("acTL", Buffer.concat([number(frames), number(0)])), control(0)] : [];
  return new Uint8Array(
    Buffer.concat([
      Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
      chunk("IHDR", head),
      ...moves,
      chunk("IDAT", pixels),
      ...more.flat(),
      chunk("IEND", Buffer.alloc(0)),
    ]),
  );
}

function chunk(name: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  return Buffer.concat([number(data.length), body, number(Bun.hash.crc32(body))]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
