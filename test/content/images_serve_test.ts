/** How images are served, how they get out of pages into the gallery, and the cleanup of unused ones. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import sharp from "sharp";
import images from "../../plugins/content/images/plugin.ts";
import { fetched, imageFiles, pictureForm } from "../support/data/sample_gallery.ts";
import { picture } from "../support/data/sample_pictures.ts";
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
const local = (url: string) => url.replace(runtime.baseUrl, "");
const total = async () => (await runtime.ask("GET", "/api/image-gallery")).body.total as number;

test("files are served with a tag, in ranges, and can run nothing", async () => {
  const { body } = await send(await picture("png", { width: 50, height: 50 }), "served.png");
  const { response, bytes } = await fetched(runtime, body.url);
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(response.headers.get("content-security-policy")).toContain("sandbox");
  const ask = (headers: Record<string, string>) =>
    runtime.runtime.http.handle(new Request(body.url, { headers }), "127.0.0.1");
  expect((await ask({ "if-none-match": response.headers.get("etag") ?? "" })).status).toBe(304);
  const part = await ask({ range: "bytes=1-3" });
  expect([part.status, await part.text()]).toEqual([206, "PNG"]);
  expect(Number(response.headers.get("content-length"))).toBe(bytes.length);
  for (const path of ["gallery/../../x", "gallery/2026-01/%2e%2e%2fx", "gallery/2026-01/x.png/", "", "a/b/c/d/e"])
    expect((await fetched(runtime, `${runtime.baseUrl}/uploads/images/${path}`)).response.status).toBe(404);
});

test("images in base64 are stored for users who may add images, and lose their source otherwise", async () => {
  const base64 = Buffer.from(await picture("webp", { width: 30, height: 20 })).toString("base64");
  const body = { html: `<p><img src="data:image/webp;base64,${base64}"></p>` };
  const before = await total();
  const kept = await runtime.ask("PUT", `/api/pages/${page}`, { body });
  const [, url = ""] = /src="([^"]+)"/.exec(kept.body.raw_html) ?? [];
  expect(url).toMatch(/\/uploads\/images\/gallery\/\d{4}-\d{2}\/embedded-image-\w{8}\.webp$/);
  expect((await fetched(runtime, url)).response.headers.get("content-type")).toBe("image/webp");
  const square = await fetched(runtime, url.replace(/\/([^/]+)$/, "/thumbs-150-150/$1"));
  expect((await sharp(square.bytes).metadata()).width).toBe(150);
  expect(await total()).toBe(before + 1);
  const writer = await runtime.person("writer", ["access-api", "page-view-all", "page-update-all"]);
  expect((await runtime.ask("PUT", `/api/pages/${page}`, { as: writer.token, body })).body.raw_html).toContain(
    'src=""',
  );
  const broken = Buffer.concat([Buffer.from(base64, "base64").subarray(0, 25)]).toString("base64");
  const lost = await runtime.ask("PUT", `/api/pages/${page}`, {
    body: { html: `<p><img src="data:image/webp;base64,${broken}"></p>` },
  });
  expect(lost.body.raw_html).toContain('src=""');
  expect(await total()).toBe(before + 1);
});

test("a sweep of files keeps pictures and their forms", async () => {
  const { body } = await send(await picture("png", { width: 1700, height: 9 }), "swept.png");
  const claim = (await runtime.contexts.get("images"))?.slot("file_claims").find(({ plugin }) => plugin === "images");
  const keys = imageFiles(runtime);
  expect([...((await claim?.used([...keys, "2026-01/nobody", "2026-01/nobody.display"])) ?? [])].sort()).toEqual(keys);
  expect((await fetched(runtime, body.thumbs.display)).response.status).toBe(200);
});

test("pictures can be kept from the public, and from those who do not see the page", async () => {
  for (const [audience, statuses] of [
    ["users", { nobody: 401, stranger: 200, admin: 200 }],
    ["readers", { nobody: 404, stranger: 404, admin: 200 }],
  ] as const) {
    const own = await bootTestRuntime({ env: { IMAGE_ACCESS: audience } });
    const book = (
      await own.ask("POST", "/api/books", { parts: pictureForm(await picture("png"), "c.png", { name: "B" }) })
    ).body;
    const id = (await own.ask("POST", "/api/pages", { body: { book_id: book.id, name: "P", html: "<p>x</p>" } })).body
      .id;
    const image = await own.ask("POST", "/api/image-gallery", {
      parts: pictureForm(await picture("png"), "p.png", { type: "gallery", uploaded_to: id }),
    });
    const stranger = await own.person("stranger", ["access-api"]);
    const asked: Record<string, string | null> = { nobody: null, stranger: stranger.token, admin: own.token };
    const small = image.body.url.replace(/\/([^/]+)$/, "/scaled-840-/$1");
    for (const url of [image.body.url, small, image.body.thumbs.gallery, book.cover.url])
      for (const [who, status] of Object.entries(statuses)) {
        const answer = await own.ask("GET", local(url), { as: asked[who] ?? null });
        expect([audience, who, answer.status]).toEqual([audience, who, status]);
        if (status === 200) expect(answer.headers.get("cache-control")).toContain("private");
      }
    await own.stop();
  }
});

test("the cleanup removes unused images, and lists them beforehand", async () => {
  const own = await bootTestRuntime();
  const book = (await own.ask("POST", "/api/books", { body: { name: "B" } })).body.id;
  const id = (await own.ask("POST", "/api/pages", { body: { book_id: book, name: "P", html: "<p>x</p>" } })).body.id;
  const add = async (name: string) =>
    (
      await own.ask("POST", "/api/image-gallery", {
        parts: pictureForm(await picture("png"), name, { type: "gallery", uploaded_to: id }),
      })
    ).body;
  const [shown, once, never] = [await add("shown.png"), await add("once.png"), await add("never.png")];
  for (const image of [once, shown])
    await own.ask("PUT", `/api/pages/${id}`, { body: { html: `<p><img src="${image.thumbs.display}"></p>` } });
  const run = async (...args: string[]) => {
    const lines: string[] = [];
    const io = {
      out: (line: string) => lines.push(line),
      err: (line: string) => lines.push(line),
      env: {},
      columns: 80,
      tty: false,
    };
    const command = images.commands.images;
    const code = await command?.run(args, io as never, own.contexts.get("images"));
    return { code, text: lines.join("\n") };
  };
  expect((await run("tidy")).code).toBe(2);
  expect((await run("cleanup", "--older-than", "soon")).code).toBe(2);
  expect((await run("cleanup")).text).toBe("0 of the gallery's pictures were shown nowhere");
  const now = ["--older-than", "0"];
  expect((await run("cleanup", "--dry-run", ...now)).text).toContain(`Would remove ${never.path}`);
  expect((await own.ask("GET", "/api/image-gallery")).body.total).toBe(3);
  await run("cleanup", ...now);
  const left = async () =>
    (await own.ask("GET", "/api/image-gallery?sort=id")).body.data.map(({ name }: { name: string }) => name);
  expect(await left()).toEqual(["shown.png", "once.png"]);
  await run("cleanup", "--ignore-revisions", ...now);
  expect(await left()).toEqual(["shown.png"]);
  await own.stop();
});
