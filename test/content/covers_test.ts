/** Covers of books and shelves: set, replaced and removed with their item, and no file left behind by a failure. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { definePlugin } from "lectern/core";
import sharp from "sharp";
import { fetched, imageFiles, pictureForm } from "../support/data/sample_gallery.ts";
import { bomb, moving, picture } from "../support/data/sample_pictures.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
let refuse = false;

beforeAll(async () => {
  const refuser = definePlugin({
    name: "refuser",
    requires: ["pages"],
    setup({ on }) {
      on("book_update", {
        inTransaction() {
          if (refuse) throw new Error("Refused by the test");
        },
      });
    },
  });
  runtime = await bootTestRuntime({ extra: [refuser] });
});
afterAll(() => runtime.stop());

for (const [segment, type] of [
  ["books", "cover_book"],
  ["shelves", "cover_bookshelf"],
] as const) {
  test(`a cover of ${segment} is scaled down, replaced, kept by other updates and taken away`, async () => {
    const large = await picture("jpeg", { width: 2048, height: 1024 });
    const made = (
      await runtime.ask("POST", `/api/${segment}`, { parts: pictureForm(large, "Sea side.jpg", { name: "Covered" }) })
    ).body;
    expect(made.cover).toMatchObject({
      name: "Sea side.jpg",
      type,
      uploaded_to: made.id,
      created_by: 1,
      updated_by: 1,
    });
    expect(made.cover.path).toMatch(new RegExp(`^/uploads/images/${type}/\\d{4}-\\d{2}/\\w{0,3}sea-side\\.jpg$`));
    const { width, height } = await sharp((await fetched(runtime, made.cover.url)).bytes).metadata();
    expect([width, height]).toEqual([512, 256]);

    const path = `/api/${segment}/${made.id}`;
    const listed = (await runtime.ask("GET", `/api/${segment}?filter[id]=${made.id}`)).body.data[0];
    expect(listed.cover).toEqual({ id: made.cover.id, name: made.cover.name, url: made.cover.url });
    expect((await runtime.ask("PUT", path, { body: { description: "x" } })).body.cover).toEqual(made.cover);
    expect((await runtime.ask("GET", path)).body.cover).toEqual(made.cover);

    const small = await picture("png");
    const parts = pictureForm(small, "dot.png", { _method: "PUT" });
    const replaced = (await runtime.ask("POST", path, { parts })).body;
    expect(replaced.updated_at > made.updated_at).toBe(true);
    expect((await fetched(runtime, replaced.cover.url)).bytes).toEqual(small);
    expect((await fetched(runtime, made.cover.url)).status).toBe(404);

    const before = imageFiles(runtime).length;
    expect((await runtime.ask("PUT", path, { body: { image: null } })).body.cover).toBeNull();
    expect((await fetched(runtime, replaced.cover.url)).status).toBe(404);
    await runtime.ask("POST", path, { parts: pictureForm(small, "dot.png", { _method: "PUT" }) });
    // An empty file field of a multipart form changes nothing; in a form without files it removes the cover.
    const silent = new FormData();
    silent.set("_method", "PUT");
    silent.set("image", "");
    expect((await runtime.ask("POST", path, { parts: silent })).body.cover).not.toBeNull();
    expect((await runtime.ask("POST", path, { form: { _method: "PUT", image: "" } })).body.cover).toBeNull();
    expect(imageFiles(runtime)).toHaveLength(before - 1);
    expect((await runtime.ask("GET", "/api/image-gallery")).body.total).toBe(0);
    expect((await runtime.ask("GET", `/api/image-gallery/${replaced.cover.id}`)).status).toBe(404);
  });
}

test("a moving cover goes on moving, also where it is scaled down", async () => {
  const film = await moving("gif", 3, 600);
  const { body } = await runtime.ask("POST", "/api/books", { parts: pictureForm(film, "film.gif", { name: "Film" }) });
  const { pages, width } = await sharp((await fetched(runtime, body.cover.url)).bytes).metadata();
  expect([pages, width]).toEqual([3, 512]);
});

test("a moving PNG stays as it is, frames and all, even where one of them would be smaller", async () => {
  const film = bomb(800, 600, { depth: 8, colour: "rgb", frames: 3 });
  const { body } = await runtime.ask("POST", "/api/books", { parts: pictureForm(film, "film.png", { name: "Film" }) });
  expect((await fetched(runtime, body.cover.url)).bytes).toEqual(film);
});

test("half a film is no cover", async () => {
  for (const [name, film] of [
    ["film.gif", await moving("gif", 3, 60)],
    ["film.webp", await moving("webp", 3, 60)],
    ["film.png", bomb(60, 60, { frames: 3 })],
  ] as const) {
    const half = film.slice(0, film.length - 20);
    const { status, body } = await runtime.ask("POST", "/api/books", {
      parts: pictureForm(half, name, { name: "Half" }),
    });
    expect([name, status, body.error?.validation]).toEqual([name, 422, { image: ["The image is damaged."] }]);
  }
});

test("others write while many large covers are decoded", async () => {
  const large = bomb(4000, 4000, { depth: 8, colour: "rgb", interlaced: true });
  const other = (await runtime.person("other", ["access-api", "bookshelf-create-all", "bookshelf-view-all"])).token;
  let decoded = 0;
  // More than there are connections for transactions.
  const covers = Array.from({ length: 10 }, async (_, at) => {
    const parts = pictureForm(large, "large.png", { name: `Large ${at}` });
    const { status } = await runtime.ask("POST", "/api/books", { parts });
    decoded += 1;
    return status;
  });
  for (let at = 0; at < 3; at++)
    expect((await runtime.ask("POST", "/api/shelves", { as: other, body: { name: `Quick ${at}` } })).status).toBe(200);
  expect(decoded).toBeLessThan(5);
  expect(await Promise.all(covers)).toEqual(covers.map(() => 200));
});

test("a cover that cannot be read changes nothing of the book, and a failed update keeps the old one", async () => {
  const dot = await picture("png");
  const { body } = await runtime.ask("POST", "/api/books", { parts: pictureForm(dot, "dot.png", { name: "Steady" }) });
  const kept = imageFiles(runtime);
  const path = `/api/books/${body.id}`;
  const cut = (await picture("png", { width: 300, height: 300 })).slice(0, 60);
  const broken = await runtime.ask("POST", path, {
    parts: pictureForm(cut, "cut.png", { _method: "PUT", name: "Changed" }),
  });
  expect([broken.status, broken.body.error.validation]).toEqual([422, { image: ["The image is damaged."] }]);
  refuse = true;
  const failed = await runtime.ask("POST", path, {
    parts: pictureForm(await picture("png", { red: 3 }), "b.png", { _method: "PUT" }),
  });
  refuse = false;
  expect(failed.status).toBe(500);
  expect((await runtime.ask("GET", path)).body).toMatchObject({ name: "Steady", cover: body.cover });
  expect(imageFiles(runtime)).toEqual(kept);
});

test("a cover stays while its book is in the bin, and goes with it for good", async () => {
  const { body } = await runtime.ask("POST", "/api/books", {
    parts: pictureForm(await picture("png"), "bin.png", { name: "Binned" }),
  });
  await runtime.ask("DELETE", `/api/books/${body.id}`);
  expect((await fetched(runtime, body.cover.url)).status).toBe(200);
  const entry = await runtime.ask(
    "GET",
    `/api/recycle-bin?filter[deletable_type]=book&filter[deletable_id]=${body.id}`,
  );
  await runtime.ask("DELETE", `/api/recycle-bin/${entry.body.data[0].id}`);
  expect((await fetched(runtime, body.cover.url)).status).toBe(404);
});

test("a cover is limited by the configured size of files", async () => {
  const tight = await bootTestRuntime({ env: { FILE_UPLOAD_SIZE_LIMIT: "1" } });
  const dot = await picture("png");
  const padded = Buffer.concat([dot, new Uint8Array(1_024_001)]) as Uint8Array<ArrayBuffer>;
  const message = ["The image may not be greater than 1000 kilobytes."];
  for (const segment of ["books", "shelves"]) {
    const { body } = await tight.ask("POST", `/api/${segment}`, {
      parts: pictureForm(padded, "a.png", { name: "Large" }),
    });
    expect(body.error.validation).toEqual({ image: message });
  }
  await tight.stop();
});
