/** Pictures on the screen of a page: in forms that fit, with their size, linked to the original and enlarged in a dialog. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import sharp from "sharp";
import { landscape, pictureForm } from "../support/data/sample_gallery.ts";
import { moving } from "../support/data/sample_pictures.ts";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);

let screens: ScreenRuntime;
let id = 0;
let bookId = 0;
const urls: Record<string, string> = {};
const AT = "/books/photos/page/summer";

beforeAll(async () => {
  screens = await openScreens();
  const { ask } = screens.runtime;
  bookId = (await ask("POST", "/api/books", { body: { name: "Photos" } })).body.id;
  id = (await ask("POST", "/api/pages", { body: { book_id: bookId, name: "Summer", html: "<p>x</p>" } })).body.id;
  const files: Record<string, Uint8Array<ArrayBuffer>> = {
    "large.jpg": await landscape(3000, 2000),
    "middle.jpg": await landscape(1200, 800),
    "small.jpg": await landscape(300, 200),
    "moving.gif": await moving("gif"),
  };
  for (const [name, file] of Object.entries(files)) {
    const sent = await ask("POST", "/api/image-gallery", {
      parts: pictureForm(file, name, { type: "gallery", uploaded_to: id }),
    });
    urls[name] = sent.body.url;
  }
  urls.display = urls["large.jpg"]?.replace(/\/([^/]+)$/, "/scaled-1680-/$1") ?? "";
});
afterAll(() => screens.stop());

const write = async (html: string) =>
  (await screens.runtime.ask("PUT", `/api/pages/${id}`, { body: { html } })).body.html as string;
const shown = async () =>
  (await (await screens.visit()).request.get(AT))
    .text()
    .then((text) => /page-content"[^>]*>(.*?)<\/div>/s.exec(text)?.[1] ?? "");
const img = (html: string, at = 0) => html.match(/<img [^>]*>/g)?.[at] ?? "";

test("a large picture is there in two widths with its size, and the API answers what was written", async () => {
  const stored = await write(`<p id="a">Text</p><p id="b"><img src="${urls["large.jpg"]}" alt="The hills"></p>`);
  expect(stored).toContain(`<img src="${urls["large.jpg"]}" alt="The hills">`);
  const html = await shown();
  const folder = urls["large.jpg"]?.replace(/\/[^/]+$/, "");
  expect(img(html)).toContain(`srcset="${folder}/scaled-840-/large.jpg 840w, ${folder}/scaled-1680-/large.jpg 1680w"`);
  for (const attribute of [
    'width="3000"',
    'height="2000"',
    'loading="lazy"',
    'decoding="async"',
    `src="${urls["large.jpg"]}"`,
  ])
    expect(img(html)).toContain(attribute);
  expect(html).toMatch(new RegExp(`<a href="${urls["large.jpg"]}"[^>]*data-enlarge[^>]*><img`));
  expect((await screens.runtime.ask("GET", `/api/pages/${id}`)).body.html).toBe(stored);
  for (const [variant, width] of [
    ["scaled-840-", 840],
    ["scaled-1680-", 1680],
  ] as const) {
    const page = await screens.visit();
    const bytes = await (await page.request.get(`${folder}/${variant}/large.jpg`)).body();
    expect((await sharp(bytes).metadata()).width).toBe(width);
  }
});

test("small and moving pictures, those of others and those with a size or a link of their own stay as they are written", async () => {
  await write(
    [
      `<p><img src="${urls["small.jpg"]}" alt="s"></p><p><img src="${urls["moving.gif"]}" alt="m"></p>`,
      `<p><img src="https://example.com/x.png" alt="other"></p>`,
      `<p><img src="${urls["large.jpg"]}" alt="sized" width="600"></p>`,
      `<p><a href="https://example.com/"><em><img src="${urls["large.jpg"]}" alt="linked"></em></a></p>`,
      `<p><a href="${urls["large.jpg"]}" target="_blank"><img src="${urls.display}" alt="as uploaded"></a></p>`,
      `<p><img src="${urls["middle.jpg"]}" alt=""></p>`,
    ].join(""),
  );
  const html = await shown();
  expect(img(html, 0)).toContain('width="300" height="200"');
  for (const at of [0, 1, 2]) expect(img(html, at)).not.toContain("srcset");
  expect(img(html, 2)).not.toContain("width=");
  expect(img(html, 3)).toContain('width="600" loading="lazy" decoding="async" height="400"');
  expect(html).toMatch(/<a href="https:\/\/example.com\/"[^>]*><em><img [^>]*alt="linked"[^>]*><\/em><\/a>/);
  expect(html.match(/data-enlarge/g)).toHaveLength(3);
  expect(img(html, 5)).toContain('width="1680" height="1120"');
  expect(img(html, 6)).toContain("scaled-840-/middle.jpg 840w, ");
  expect(img(html, 6)).toContain("/middle.jpg 1200w");
});

test("a picture is enlarged by a click and by the keyboard, and Escape goes back to it", async () => {
  await write(
    `<p>Before</p><p><img src="${urls["large.jpg"]}" alt="The hills"></p><p><img src="${urls["middle.jpg"]}" alt="Nearer" width="300" class="align-left">Beside</p>`,
  );
  for (const [size, scheme] of [
    ["desktop", "light"],
    ["phone", "dark"],
  ] as const) {
    const page = await screens.visit(undefined, { size, scheme });
    await page.goto(AT);
    await page.getByRole("img", { name: "The hills" }).click();
    const dialog = page.getByRole("dialog", { name: "The hills" });
    await dialog.waitFor();
    await page.waitForFunction("document.querySelector('.enlarged img').naturalWidth === 3000");
    await picture(page, `shown-enlarged-${size}`);
    expect(await errorsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Close" }).click();
    await dialog.waitFor({ state: "detached" });
    await picture(page, `shown-page-${size}`);
    expect(await errorsOf(page)).toEqual([]);
    const loaded = (await page.evaluate("document.querySelector('.page-content img').currentSrc")) as string;
    expect(loaded).toContain(size === "phone" ? "scaled-840-" : "scaled-1680-");
  }
  const plain = await screens.visit(undefined, { scripts: false });
  await plain.goto(AT);
  await plain.getByRole("link", { name: "The hills" }).click();
  expect(plain.url()).toBe(urls["large.jpg"] ?? "");
});

test("a kept screen shows a replaced picture with its new size at once, and one that was missing", async () => {
  await write(
    `<p><img src="${urls["middle.jpg"]}" alt="m"></p><p><img src="${urls["small.jpg"]?.replace("small", "late")}" alt="l"></p>`,
  );
  expect(img(await shown())).toContain('width="1200"');
  expect(img(await shown(), 1)).not.toContain("width");
  const { data } = (await screens.runtime.ask("GET", "/api/image-gallery?filter[name]=middle.jpg")).body;
  await screens.runtime.ask("POST", `/api/image-gallery/${data[0].id}`, {
    parts: pictureForm(await landscape(500, 400), "b.jpg", { _method: "PUT" }),
  });
  expect(img(await shown())).toContain('width="500" height="400"');
  await screens.runtime.ask("POST", "/api/image-gallery", {
    parts: pictureForm(await landscape(70, 60), "late.jpg", { type: "gallery", uploaded_to: id }),
  });
  expect(img(await shown(), 1)).toContain('width="70" height="60"');
});
