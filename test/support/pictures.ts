import sharp from "sharp";

/** A plain picture, a dot unless a size is given. */
export async function picture(
  format: "png" | "jpeg" | "gif" | "webp" | "avif",
  { width = 8, height = 6, red = 200 }: { width?: number; height?: number; red?: number } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const plain = sharp({ create: { width, height, channels: 3, background: { r: red, g: 40, b: 40 } } });
  return new Uint8Array(await plain.toFormat(format).toBuffer());
}

/** A moving picture of so many frames, each another colour. */
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

/** A PNG of one colour that claims so many pixels in so few bytes: what decoders choke on. */
export function bomb(width: number, height: number): Uint8Array<ArrayBuffer> {
  const chunk = (name: string, data: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
    const sized = Buffer.alloc(4);
    sized.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(Bun.hash.crc32(body));
    return Buffer.concat([sized, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // One bit a pixel, grey.
  head.set([1, 0, 0, 0, 0], 8);
  const pixels = Bun.deflateSync(new Uint8Array(height * (1 + Math.ceil(width / 8))), {
    library: "zlib",
    windowBits: 15,
  } as never);
  return new Uint8Array(
    Buffer.concat([
      Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
      chunk("IHDR", head),
      chunk("IDAT", pixels),
      chunk("IEND", Buffer.alloc(0)),
    ]),
  );
}
