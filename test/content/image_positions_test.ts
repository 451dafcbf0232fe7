/** Photographs with a position: uploaded, replaced, embedded and as covers they lose it, unless the operator keeps it. */
import { expect, setDefaultTimeout, test } from "bun:test";
import sharp from "sharp";
import { imagesCommand } from "../../plugins/content/images/commands.ts";
import { fetched, imageFiles, pictureForm } from "../support/data/sample_gallery.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(60_000);

/** A photograph of a phone that was held upright. */
async function photograph(width = 900, height = 600): Promise<Uint8Array<ArrayBuffer>> {
  const gps = {
    GPSLatitudeRef: "N",
    GPSLatitude: "52/1 31/1 1234/100",
    GPSLongitudeRef: "E",
    GPSLongitude: "13/1 24/1 0/1",
  };
  const plain = sharp({ create: { width, height, channels: 3, background: "#567" } });
  return new Uint8Array(
    await plain
      .withMetadata({ orientation: 6 })
      .withExifMerge({ IFD0: { Artist: "Ada" }, IFD3: gps })
      .jpeg()
      .toBuffer(),
  );
}

const GPS_POINTER = Buffer.from("2588", "hex");
const hasPosition = async (runtime: TestRuntime, url: string) => {
  const { exif } = await sharp((await fetched(runtime, url)).bytes).metadata();
  return exif?.includes(GPS_POINTER) === true;
};

async function uploads(runtime: TestRuntime) {
  const { ask } = runtime;
  const file = await photograph();
  const book = (await ask("POST", "/api/books", { parts: pictureForm(file, "cover.jpg", { name: "Album" }) })).body;
  const id = (await ask("POST", "/api/pages", { body: { book_id: book.id, name: "P", html: "<p>x</p>" } })).body.id;
  const sent = (
    await ask("POST", "/api/image-gallery", { parts: pictureForm(file, "a.jpg", { type: "gallery", uploaded_to: id }) })
  ).body;
  const src = `data:image/jpeg;base64,${Buffer.from(file).toString("base64")}`;
  const page = await ask("PUT", `/api/pages/${id}`, { body: { html: `<p><img src="${src}"></p>` } });
  const [, embedded = ""] = /src="(http[^"]+)"/.exec(page.body.raw_html) ?? [];
  return { file, sent, urls: [sent.url, embedded, book.cover.url] as string[] };
}

test("an original and what is shown of it do not say where it was taken, and stand upright", async () => {
  const runtime = await bootTestRuntime();
  const { file, sent, urls } = await uploads(runtime);
  for (const url of urls) expect([url, await hasPosition(runtime, url)]).toEqual([url, false]);
  const original = (await fetched(runtime, sent.url)).bytes;
  const meta = await sharp(original).metadata();
  expect([meta.orientation, meta.exif?.includes("Ada"), meta.autoOrient]).toEqual([
    6,
    true,
    { width: 600, height: 900 },
  ]);
  expect(await sharp(original).raw().toBuffer()).toEqual(await sharp(file).raw().toBuffer());
  await runtime.ask("POST", `/api/image-gallery/${sent.id}`, {
    parts: pictureForm(await photograph(3000, 2000), "b.jpg", { _method: "PUT" }),
  });
  expect(await hasPosition(runtime, sent.url)).toBe(false);
  const form = (folder: string) => sent.url.replace(/\/([^/]+)$/, `/${folder}/$1`);
  for (const [folder, width, height] of [
    ["scaled-840-", 840, 1260],
    ["scaled-1680-", 1680, 2520],
  ] as const) {
    const shown = await sharp((await fetched(runtime, form(folder))).bytes).metadata();
    expect([shown.width, shown.height, shown.orientation, shown.exif]).toEqual([width, height, undefined, undefined]);
  }
  await runtime.stop();
});

test("an operator can keep the position in originals, and remove it from those that are stored", async () => {
  const runtime = await bootTestRuntime({ choices: { settings: { images: { keepPositions: true } } } });
  const { file, sent, urls } = await uploads(runtime);
  expect(await hasPosition(runtime, urls[0] ?? "")).toBe(true);
  expect((await fetched(runtime, sent.url)).bytes).toEqual(file);
  const context = runtime.contexts.get("images");
  const lines: string[] = [];
  const say = (line: string) => lines.push(line);
  const run = (...args: string[]) =>
    imagesCommand.run(["positions", ...args], { out: say, err: say, env: {}, columns: 80, tty: false }, context);
  expect(await run("--dry-run")).toBe(0);
  expect(await hasPosition(runtime, sent.url)).toBe(true);
  const files = imageFiles(runtime).length;
  expect(await run()).toBe(0);
  expect(lines.at(-1)).toBe("2 of the gallery's pictures said where they were taken");
  expect([await hasPosition(runtime, sent.url), await hasPosition(runtime, urls[1] ?? "")]).toEqual([false, false]);
  const after = (await runtime.ask("GET", `/api/image-gallery/${sent.id}`)).body;
  expect([after.updated_at, after.updated_by]).toEqual([sent.updated_at, sent.updated_by]);
  expect(imageFiles(runtime).length).toBe(files);
  await run();
  expect(lines.at(-1)).toStartWith("0 of");
  await runtime.stop();
});
