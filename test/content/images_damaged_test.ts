/** Images that decoders call damaged although their headers are right: clients send such, and the original keeps them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import sharp from "sharp";
import { fetched, pictureForm } from "../support/data/sample_gallery.ts";
import { bomb, moving, picture } from "../support/data/sample_pictures.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
let page = 0;
beforeAll(async () => {
  runtime = await bootTestRuntime();
  const book = (await runtime.ask("POST", "/api/books", { body: { name: "Album" } })).body.id;
  page = (await runtime.ask("POST", "/api/pages", { body: { book_id: book, name: "Photos", html: "<p>x</p>" } })).body
    .id;
});
afterAll(() => runtime.stop());

const send = (content: Uint8Array<ArrayBuffer>, name: string) =>
  runtime.ask("POST", "/api/image-gallery", {
    parts: pictureForm(content, name, { type: "gallery", uploaded_to: page }),
  });

test("a picture whose head is right and whose bytes are damaged is kept as it is, without smaller forms", async () => {
  const whole = await picture("png", { width: 600, height: 600 });
  const noise = crypto.getRandomValues(new Uint8Array(60_000));
  const noisy = sharp(noise, { raw: { width: 200, height: 100, channels: 3 } });
  const jpeg = new Uint8Array(await noisy.jpeg().toBuffer());
  const still = {
    gif: new Uint8Array(await noisy.gif().toBuffer()),
    webp: new Uint8Array(await noisy.webp().toBuffer()),
  };
  const lossless = new Uint8Array(await noisy.webp({ lossless: true }).toBuffer());
  const [dot, wrongSum] = [await picture("png"), await picture("png")];
  // The checksum at the end of the chunk with the pixels.
  const sum = Buffer.from(wrongSum.buffer).indexOf("IEND") - 5;
  wrongSum[sum] = (wrongSum[sum] ?? 0) ^ 0xff;
  const cases: [string, string, Uint8Array<ArrayBuffer>][] = [
    ["wrong_sum.png", "image/png", wrongSum],
    ["half.png", "image/png", whole.slice(0, whole.length / 2)],
    ["half.jpg", "image/jpeg", jpeg.slice(0, jpeg.length / 2)],
    ["head.png", "image/png", whole.slice(0, 33)],
    ["half.gif", "image/gif", (await moving("gif", 3, 60)).slice(0, -20)],
    ["half_still.gif", "image/gif", still.gif.slice(0, still.gif.length / 2)],
    ["half_still.webp", "image/webp", still.webp.slice(0, still.webp.length / 2)],
    ["half_lossless.webp", "image/webp", lossless.slice(0, lossless.length / 2)],
    ["half_moving.webp", "image/webp", (await moving("webp", 3, 60)).slice(0, -20)],
    ["half_moving.png", "image/png", bomb(60, 60, { frames: 3 }).slice(0, -20)],
  ];
  for (const [name, type, content] of cases) {
    const { status, body } = await send(content, name);
    expect([name, status, body.thumbs]).toEqual([name, 200, { gallery: null, display: null }]);
    expect(body.content.html).toContain(`<img src="${body.url}"`);
    expect((await runtime.ask("GET", `/api/image-gallery/${body.id}`)).body.thumbs).toEqual(body.thumbs);
    const got = await fetched(runtime, body.url);
    expect([name, got.bytes]).toEqual([name, content]);
    const served = await runtime.ask("GET", new URL(body.url).pathname, { as: null });
    expect([served.headers.get("content-type"), served.headers.get("x-content-type-options")]).toEqual([
      type,
      "nosniff",
    ]);
    const small = new URL(body.url).pathname.replace(/\/([^/]+)$/, "/thumbs-150-150/$1");
    expect((await runtime.ask("GET", small, { as: null })).status).toBe(404);
  }
  // A whole file in its place makes it whole.
  const { body } = await send(wrongSum, "mended.png");
  const parts = pictureForm(dot, "mended.png", { _method: "PUT" });
  const mended = await runtime.ask("POST", `/api/image-gallery/${body.id}`, { parts });
  expect([mended.status, mended.body.thumbs.gallery]).toEqual([200, expect.stringContaining("/mended.png")]);
});

test("a damaged picture inside a page is kept as well, one that claims too many pixels or nothing is not", async () => {
  const gif = (await picture("gif", { width: 90, height: 40 })).slice(0, -10);
  const [book] = (await runtime.ask("GET", "/api/books")).body.data;
  const html = `<p><img src="data:image/gif;base64,${Buffer.from(gif).toString("base64")}"></p>`;
  const { body } = await runtime.ask("POST", "/api/pages", {
    body: { book_id: book.id, name: "Half a picture", html },
  });
  const [, url = ""] = /src="([^"]*)"/.exec(body.raw_html) ?? [];
  expect((await fetched(runtime, url)).bytes).toEqual(gif);
  const huge = bomb(30_000, 30_000).slice(0, 33);
  expect((await send(huge, "huge.png")).body.error.validation.image).toHaveLength(1);
  expect((await send(jpegStart(), "start.jpg")).body.error.validation.image).toEqual(["The image is damaged."]);
});

test("a wide picture that came damaged inside a page is decoded in vain once, and displayed as it is", async () => {
  const noise = crypto.getRandomValues(new Uint8Array(2000 * 20 * 3));
  const whole = await sharp(noise, { raw: { width: 2000, height: 20, channels: 3 } })
    .jpeg()
    .toBuffer();
  const half = new Uint8Array(whole.subarray(0, whole.length / 2));
  const [book] = (await runtime.ask("GET", "/api/books")).body.data;
  const html = `<p><img src="data:image/jpeg;base64,${Buffer.from(half).toString("base64")}"></p>`;
  const { body } = await runtime.ask("POST", "/api/pages", {
    body: { book_id: book.id, name: "Half a panorama", html },
  });
  const [, url = ""] = /src="([^"]*)"/.exec(body.raw_html) ?? [];
  const display = await fetched(runtime, url.replace(/\/([^/]+)$/, "/scaled-1680-/$1"));
  expect([display.status, display.bytes]).toEqual([200, half]);
  const kept = await rows<{ damaged: boolean }>(
    runtime.db,
    sql`select damaged from images where path = ${new URL(url).pathname}`,
  );
  expect(kept).toEqual([{ damaged: true }]);
});

/** A JPEG that ends before it tells its size. */
function jpegStart(): Uint8Array<ArrayBuffer> {
  return new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1]);
}
