/**
 * Images of pages: what is accepted and what is not, thumbnails, who may do what, and that neither a failed request nor a crash
 * leaves a file without a row. The test draws the images, so that it can look into the answers.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { definePlugin } from "lectern/core";
import sharp from "sharp";
import { fetched, imageFiles, pictureForm } from "../support/data/sample_gallery.ts";
import { bomb, moving, picture } from "../support/data/sample_pictures.ts";
import {
  type Answer,
  bootTestRuntime,
  type RequestOptions,
  type TestRuntime,
} from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
let page = 0;
let refuse = false;

beforeAll(async () => {
  const refuser = definePlugin({
    name: "refuser",
    setup({ on }) {
      for (const name of ["image_create", "image_update"] as const)
        on(name, {
          inTransaction() {
            if (refuse) throw new Error("Refused by the test");
          },
        });
    },
  });
  runtime = await bootTestRuntime({ extra: [refuser], env: { FILE_UPLOAD_SIZE_LIMIT: "1" } });
  const book = (await runtime.ask("POST", "/api/books", { body: { name: "Album" } })).body.id;
  page = await newPage(book);
});
afterAll(() => runtime.stop());

async function newPage(book: number): Promise<number> {
  return (await runtime.ask("POST", "/api/pages", { body: { book_id: book, name: "Photos", html: "<p>x</p>" } })).body
    .id;
}

function send(
  content: Uint8Array<ArrayBuffer>,
  name: string,
  fields: object = {},
  ask: RequestOptions = {},
): Promise<Answer> {
  return runtime.ask("POST", "/api/image-gallery", {
    ...ask,
    parts: pictureForm(content, name, { type: "gallery", uploaded_to: page, ...fields }),
  });
}

const total = async () => (await runtime.ask("GET", "/api/image-gallery")).body.total as number;

test("a large photo gets a square and a display form, both upright, and keeps its own bytes", async () => {
  const original = new Uint8Array(
    await sharp({ create: { width: 1000, height: 2000, channels: 3, background: "#446688" } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer(),
  );
  const { status, body } = await send(original, "Tower Bridge.jpeg");
  expect(status).toBe(200);
  expect(body.name).toBe("Tower Bridge.jpeg");
  expect(body.path).toMatch(/^\/uploads\/images\/gallery\/\d{4}-\d{2}\/tower-bridge\.jpeg$/);
  const whole = await fetched(runtime, body.url);
  expect(whole.response.headers.get("content-type")).toBe("image/jpeg");
  expect(whole.bytes).toEqual(original);
  const square = await sharp((await fetched(runtime, body.thumbs.gallery)).bytes).metadata();
  expect([square.width, square.height, square.format]).toEqual([150, 150, "jpeg"]);
  const display = await sharp((await fetched(runtime, body.thumbs.display)).bytes).metadata();
  expect([display.width, display.height]).toEqual([1680, 840]);
});

test("all five kinds are taken, with smaller forms of the same kind", async () => {
  for (const kind of ["png", "jpeg", "gif", "webp", "avif"] as const) {
    const { status, body } = await send(await picture(kind, { width: 300, height: 200 }), `photo.${kind}`);
    expect([kind, status]).toEqual([kind, 200]);
    const { response, bytes } = await fetched(runtime, body.thumbs.gallery);
    expect(response.headers.get("content-type")).toBe(`image/${kind}`);
    expect((await sharp(bytes).metadata()).format as string).toBe(kind === "avif" ? "heif" : kind);
    expect((await fetched(runtime, body.thumbs.display)).bytes).toEqual((await fetched(runtime, body.url)).bytes);
  }
});

test("moving pictures keep moving: their display form is the picture itself", async () => {
  for (const kind of ["gif", "webp"] as const) {
    const film = await moving(kind);
    const { body } = await send(film, `film.${kind}`);
    expect(body.thumbs.display).toBe(body.url);
    expect((await fetched(runtime, body.url)).bytes).toEqual(film);
    expect((await sharp((await fetched(runtime, body.thumbs.gallery)).bytes).metadata()).pages ?? 1).toBe(1);
  }
});

test("what is no picture is refused with a 422 on the field, and nothing is stored", async () => {
  const [before, kept] = [await total(), imageFiles(runtime)];
  const whole = await picture("png", { width: 600, height: 600 });
  const extension = "The image must have a valid & supported image extension.";
  const kinds = "The image must be a file of type: jpeg, png, gif, webp, avif.";
  const text = (words: string) => new TextEncoder().encode(words) as Uint8Array<ArrayBuffer>;
  const cases: [string, Uint8Array<ArrayBuffer>, string[]][] = [
    ["notes.png", text("plain words"), [kinds]],
    ["notes.txt", whole, [extension]],
    ["drawing.svg", text("<svg xmlns='http://www.w3.org/2000/svg'/>"), [extension, kinds]],
    ["drawing.png", text("<svg xmlns='http://www.w3.org/2000/svg'/>"), [kinds]],
    ["page.jpg", text("<script>alert(1)</script>"), [kinds]],
    ["empty.png", new Uint8Array(0), [kinds]],
    ["head.png", whole.slice(0, 20), ["The image is damaged."]],
    // Nearly 100 megapixels of eight bytes, none of which can be let go before the last has come.
    [
      "deep.png",
      bomb(9999, 9999, { depth: 16, colour: "rgba", interlaced: true }),
      ["The image takes more than 500 megabytes once it is decoded."],
    ],
    ["bomb.png", bomb(30_000, 30_000), ["The image has too many pixels, at most 100 megapixels are accepted."]],
    [
      "large.png",
      Buffer.concat([whole, new Uint8Array(1_024_001)]) as Uint8Array<ArrayBuffer>,
      ["The image may not be greater than 1000 kilobytes."],
    ],
  ];
  for (const [name, content, messages] of cases) {
    const { status, body } = await send(content, name);
    expect([name, status, body.error?.validation]).toEqual([name, 422, { image: messages }]);
  }
  expect(await total()).toBe(before);
  expect(imageFiles(runtime)).toEqual(kept);
});

test("odd names become harmless addresses, and the name stays readable", async () => {
  const dot = await picture("png");
  const cases: [string, RegExp, string?][] = [
    ["../../etc/passwd.png", /\/etc-?passwd\.png$|\/etcpasswd\.png$|\/passwd\.png$/],
    ["a\\b.png", /\/[\w-]+\.png$/],
    ["\u202egnp.exe.png", /\/gnp-exe\.png$/, "gnp.exe.png"],
    ["日本語.png", /\/[\w]{10}\.png$/, "日本語.png"],
    [`${"n".repeat(251)}.png`, /\/n{240}\.png$/, `${"n".repeat(251)}.png`],
    [`${"n".repeat(300)}.png`, /\/\w{0,3}n{240}\.png$/, "n".repeat(255)],
    ["PHOTO.PNG", /\/photo\.PNG$/, "PHOTO.PNG"],
  ];
  for (const [name, path, shown] of cases) {
    const { status, body } = await send(dot, name);
    expect([name, status]).toEqual([name, 200]);
    expect(body.path).toMatch(path);
    if (shown !== undefined) expect(body.name).toBe(shown);
    expect((await fetched(runtime, body.url)).response.status).toBe(200);
  }
  const again = await send(dot, "PHOTO.PNG");
  expect(again.body.path).toMatch(/\/\w{3}photo\.PNG$/);
});

test("names are validated as the rules say", async () => {
  const dot = await picture("png");
  expect((await send(dot, "a.png", { name: "n".repeat(180) })).body.name).toBe("n".repeat(180));
  expect((await send(dot, "a.png", { name: "n".repeat(181) })).body.error.validation.name).toEqual([
    "The name may not be greater than 180 characters.",
  ]);
  const { body } = await send(dot, "Own name.png", { name: "" });
  expect(body.name).toBe("Own name.png");
  const emptied = await runtime.ask("PUT", `/api/image-gallery/${body.id}`, { body: { name: "" } });
  expect([emptied.status, emptied.body.error.validation]).toEqual([
    422,
    { name: ["The name must be at least 1 characters."] },
  ]);
});

test("another file takes the old one's address; its thumbnails follow, and the old file is gone", async () => {
  const { body } = await send(await picture("png", { width: 40, height: 40 }), "wall.png");
  const kept = imageFiles(runtime).length;
  const before = await fetched(runtime, body.thumbs.gallery);
  const changed = await runtime.ask("POST", `/api/image-gallery/${body.id}`, {
    parts: pictureForm(await picture("png", { width: 60, height: 30, red: 10 }), "other.png", { _method: "PUT" }),
  });
  expect(changed.status).toBe(200);
  expect(changed.body.url).toBe(body.url);
  expect(changed.body.name).toBe("wall.png");
  const { width, height } = await sharp((await fetched(runtime, body.url)).bytes).metadata();
  expect([width, height]).toEqual([60, 30]);
  expect((await fetched(runtime, body.thumbs.gallery)).bytes).not.toEqual(before.bytes);
  expect(imageFiles(runtime)).toHaveLength(kept);
  const wrong = await runtime.ask("POST", `/api/image-gallery/${body.id}`, {
    parts: pictureForm(await picture("gif"), "other.gif", { _method: "PUT" }),
  });
  expect([wrong.status, wrong.body.error.validation]).toEqual([
    422,
    { image: ["Image file replacements must be of the same type"] },
  ]);
});

test("a request that fails in its transaction leaves the files as they were", async () => {
  const { body } = await send(await picture("png"), "steady.png");
  const [kept, before] = [imageFiles(runtime), (await fetched(runtime, body.url)).bytes];
  refuse = true;
  const created = await send(await picture("png"), "never.png");
  const replaced = await runtime.ask("POST", `/api/image-gallery/${body.id}`, {
    parts: pictureForm(await picture("png", { red: 1 }), "b.png", { _method: "PUT" }),
  });
  refuse = false;
  expect([created.status, replaced.status]).toEqual([500, 500]);
  expect(imageFiles(runtime)).toEqual(kept);
  expect((await fetched(runtime, body.url)).bytes).toEqual(before);
});

test("deleting takes the row, the file and its forms at once", async () => {
  const kept = imageFiles(runtime);
  const { body } = await send(await picture("png", { width: 2000, height: 20 }), "wide.png");
  expect(imageFiles(runtime).length).toBe(kept.length + 4);
  expect((await runtime.ask("DELETE", `/api/image-gallery/${body.id}`)).status).toBe(204);
  expect(imageFiles(runtime)).toEqual(kept);
  expect((await fetched(runtime, body.url)).response.status).toBe(404);
});

test("who does not see the page sees no picture of it, and own is whose the picture is", async () => {
  const dot = await picture("png");
  const { body } = await send(dot, "secret.png");
  const path = `/api/image-gallery/${body.id}`;
  const stranger = await runtime.person("stranger", ["access-api", "image-update-all", "image-delete-all"]);
  expect((await runtime.ask("GET", path, { as: stranger.token })).status).toBe(404);
  expect((await runtime.ask("GET", `${path}/data`, { as: stranger.token })).status).toBe(404);
  expect((await runtime.ask("GET", `/api/image-gallery/url/data?url=${body.url}`, { as: stranger.token })).status).toBe(
    404,
  );
  expect((await runtime.ask("PUT", path, { as: stranger.token, body: { name: "x" } })).status).toBe(403);
  expect((await runtime.ask("DELETE", path, { as: stranger.token })).status).toBe(403);
  expect((await runtime.ask("GET", "/api/image-gallery", { as: stranger.token })).body.total).toBe(0);
  expect((await send(dot, "x.png", {}, { as: stranger.token })).status).toBe(403);
  const owner = await runtime.person("owner", [
    "access-api",
    "page-view-all",
    "image-create-all",
    "image-update-own",
    "image-delete-own",
  ]);
  const own = await send(dot, "mine.png", {}, { as: owner.token });
  expect(own.body.created_by).toMatchObject({ id: owner.id });
  expect((await runtime.ask("PUT", path, { as: owner.token, body: { name: "x" } })).status).toBe(403);
  expect((await runtime.ask("DELETE", `/api/image-gallery/${own.body.id}`, { as: owner.token })).status).toBe(204);
});

test("the bytes come by number and by address, and the addresses of others lead nowhere", async () => {
  const dot = await picture("png", { width: 1700, height: 3 });
  const { body } = await send(dot, "data.png");
  const raw = async (path: string) => {
    const request = new Request(runtime.baseUrl + path, { headers: { authorization: `Token ${runtime.token}` } });
    const response = await runtime.runtime.http.handle(request, "127.0.0.1");
    return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) };
  };
  expect((await raw(`/api/image-gallery/${body.id}/data`)).bytes).toEqual(dot);
  expect((await raw(`/api/image-gallery/url/data?url=${encodeURIComponent(body.url)}`)).bytes).toEqual(dot);
  const display = await raw(`/api/image-gallery/url/data?url=${encodeURIComponent(body.thumbs.display)}`);
  expect((await sharp(display.bytes).metadata()).width).toBe(1680);
  for (const url of [
    "https://example.com/uploads/images/gallery/2026-01/a.png",
    `${runtime.baseUrl}/x`,
    "::",
    body.url.replace("gallery", ".."),
    `${runtime.baseUrl}/uploads/images/gallery/2026-01/a%00.png`,
    `${runtime.baseUrl}/uploads/images/gallery/2026-01/thumbs-150-150/%00.png`,
  ])
    expect((await raw(`/api/image-gallery/url/data?url=${encodeURIComponent(url)}`)).status).toBe(404);
  expect((await raw("/api/image-gallery/url/data")).status).toBe(422);
});

test("pictures are found by the address they are shown with, and by its path", async () => {
  const { body } = await send(await picture("png"), "found.png");
  const ids = async (query: string) =>
    (await runtime.ask("GET", `/api/image-gallery?${query}`)).body.data.map(({ id }: { id: number }) => id);
  expect(await ids(`filter[url]=${encodeURIComponent(body.url)}`)).toEqual([body.id]);
  expect(await ids(`filter[url:like]=${encodeURIComponent(`${runtime.baseUrl}/%found.png`)}`)).toEqual([body.id]);
  expect(await ids(`filter[path]=${encodeURIComponent(body.path)}`)).toEqual([body.id]);
  expect(await ids(`filter[url]=${encodeURIComponent(body.path)}`)).toEqual([]);
});

test("images are found by book, and the pages that show one, only as far as the viewer sees the pages", async () => {
  const { ask, person, token } = runtime;
  const secret = (await ask("POST", "/api/books", { body: { name: "Secret" } })).body.id;
  const { body } = await send(await picture("png"), "used.png");
  const show = async (book_id: number, name: string, src: string) =>
    (await ask("POST", "/api/pages", { body: { book_id, name, html: `<p><img src="${src}"></p>` } })).body.id;
  const book = (await ask("GET", `/api/pages/${page}`)).body.book_id;
  await show(book, "Plain", body.url);
  await show(secret, "By a smaller form", body.thumbs.display.replace(/\/([^/]+)$/, "/scaled-840-/$1"));
  const hidden = (
    await send(await picture("png"), "hidden.png", { uploaded_to: await show(secret, "Other", "/x.png") })
  ).body;
  await ask("PUT", `/api/content-permissions/book/${secret}`, {
    body: { fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false } },
  });
  const reader = await person("onlooker", ["access-api", "page-view-all", "book-view-all"]);
  const uses = async (id: number, as: string) => (await ask("GET", `/api/image-gallery/${id}/uses`, { as })).body;
  const names = ({ data }: { data: { name: string }[] }) => data.map(({ name }) => name);
  expect(names(await uses(body.id, token))).toEqual(["Plain", "By a smaller form"]);
  expect(names(await uses(body.id, reader.token))).toEqual(["Plain"]);
  expect((await uses(hidden.id, reader.token)).error.code).toBe(404);
  const inBook = async (id: number, as: string) =>
    names((await ask("GET", `/api/image-gallery?count=500&filter[book_id]=${id}`, { as })).body);
  expect([await inBook(secret, token), await inBook(secret, reader.token)]).toEqual([["hidden.png"], []]);
  expect(await inBook(book, reader.token)).toContain("used.png");
});
