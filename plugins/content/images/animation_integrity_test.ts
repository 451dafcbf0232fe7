import { expect, test } from "bun:test";
import { hasAllFrames } from "./animation_integrity.ts";

/** Two frames of one pixel, the second with a colour table of its own, a comment between them. */
const GIF = Buffer.from(
  "47494638396101000100800000ff000000ff00" +
    "21f90400000000002c00000000010001000002024401" +
    "0021fe026869002c0000000001000100800000ff00ff000202440100" +
    "3b",
  "hex",
);

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test("a GIF is complete with all its blocks, in chunks of any size, and incomplete within a block", async () => {
  for (const size of [1, 7, 1000]) expect(await hasAllFrames("gif", inChunks(GIF, size))).toBe(true);
  const ends: number[] = [];
  for (let length = 0; length < GIF.length; length++)
    if (await hasAllFrames("gif", inChunks(GIF.subarray(0, length), 5))) ends.push(length);
  // After the colour table, the timing, each frame, and the comment between them.
  expect(ends).toEqual([19, 27, 42, 48, 69]);
});

test("a PNG is complete with its end chunk", async () => {
  const png = Buffer.from("89504e470d0a1a0a" + "0000000349444154aabbcc00000000" + "0000000049454e4400000000", "hex");
  expect(await hasAllFrames("png", inChunks(png, 3))).toBe(true);
  for (let length = 0; length < png.length; length++)
    expect(await hasAllFrames("png", inChunks(png.subarray(0, length), 3))).toBe(false);
  expect(await hasAllFrames("jpeg", inChunks(png, 3))).toBe(true);
});
