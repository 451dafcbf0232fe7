/** Pictures while writing: described, sized and aligned in the rich editor, chosen from those uploaded, replaced and deleted on their screen. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { landscape, pictureForm } from "../support/data/sample_gallery.ts";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(60_000);

let screens: ScreenRuntime;
let book: { id: number; slug: string };
const images: { id: number; url: string; name: string }[] = [];

const ask: ScreenRuntime["runtime"]["ask"] = (...given) => screens.runtime.ask(...given);
const newPage = async (name: string, content: object, inBook = book.id) =>
  (await ask("POST", "/api/pages", { body: { book_id: inBook, name, ...content } })).body;
const htmlOf = async (page: { id: number }) =>
  ((await ask("GET", `/api/pages/${page.id}`)).body.raw_html as string).replaceAll(/ id="[^"]*"|\n/g, "");
const upload = async (name: string, to: number, size: readonly [number, number] = [1200, 800]) => {
  const parts = pictureForm(await landscape(...size), name, { type: "gallery", uploaded_to: to });
  return (await ask("POST", "/api/image-gallery", { parts })).body;
};
const rich = (page: Page) => page.getByRole("textbox", { name: "Content", exact: true });
const save = async (page: Page) => {
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.waitForURL((url) => !url.pathname.endsWith("/edit"));
};
const edit = async (made: { slug: string }, look = {}) => {
  const page = await screens.visit(undefined, look);
  await page.goto(`/books/${book.slug}/page/${made.slug}/edit`);
  return page;
};
const give = (page: Page, selector: string, names: readonly string[], bytes: Uint8Array) =>
  page.evaluate(`{
    const data = new DataTransfer();
    for (const name of ${JSON.stringify(names)})
      data.items.add(new File([new Uint8Array([${[...bytes]}])], name, { type: name.endsWith(".jpg") ? "image/jpeg" : name.endsWith(".pdf") ? "application/pdf" : "" }));
    const target = document.querySelector(${JSON.stringify(selector)});
    const box = target.getBoundingClientRect();
    target.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data, clientX: box.left + 30, clientY: box.top + 30 }));
  }`);

beforeAll(async () => {
  screens = await openScreens();
  book = (await ask("POST", "/api/books", { body: { name: "Album" } })).body;
  const made = await newPage("Trips", { html: "<p>x</p>" });
  for (const name of ["valley.jpg", "summit.jpg", "camp.jpg"]) images.push(await upload(name, made.id));
  const [valley] = images;
  await ask("PUT", `/api/pages/${made.id}`, { body: { html: `<p><img src="${valley?.url}"></p>` } });
});
afterAll(() => screens.stop());

test("a dropped picture is described, captioned, sized and aligned in the rich editor, each a step of undo", async () => {
  const made = await newPage("Rich", { html: "<p>Start</p>" });
  const page = await edit(made);
  await rich(page).waitFor();
  await give(page, ".rich-text", ["view.jpg"], await landscape(600, 400));
  const drawn = page.locator(".rich-text img[src*='gallery']");
  await drawn.waitFor();
  await page.getByRole("group", { name: "Description of view.jpg" }).getByLabel("What the image shows").fill("Hills");
  await page.keyboard.press("Tab");
  await page.keyboard.type("In May");
  await page.keyboard.press("Tab");
  await page.locator(".rich-text [data-tag=figcaption]").waitFor();
  await picture(page, "rich-described");
  expect(await errorsOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Done" }).click();
  await drawn.click();
  const tools = page.getByRole("group", { name: "Picture", exact: true });
  await tools.getByRole("button", { name: "Align right" }).click();
  await page.getByRole("slider").focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  expect(await tools.getByLabel("Width in pixels").inputValue()).toBe("580");
  const box = await page.locator(".rich-handle.end-end").boundingBox();
  if (!box) throw new Error("The picture has no handle");
  await page.mouse.move(box.x + 7, box.y + 7);
  await page.mouse.down();
  await page.mouse.move(box.x - 173, box.y - 100, { steps: 4 });
  await page.mouse.up();
  expect(await tools.getByLabel("Width in pixels").inputValue()).toBe("400");
  await picture(page, "rich-tools");
  expect(await errorsOf(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.locator(".rich-text").focus();
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+y");
  await save(page);
  await picture(page, "rich-read");
  const html = await htmlOf(made);
  const [, url = ""] = /src="([^"]+)"/.exec(html) ?? [];
  expect(html).toContain(
    `<figure><img src="${url}" alt="Hills" class="align-right" width="400"><figcaption>In May</figcaption></figure>`,
  );
});

test("dropped files become attachments with a link in the text, and pictures are described in Markdown", async () => {
  const made = await newPage("Source", { markdown: "Start" });
  const page = await edit(made);
  const content = page.getByLabel("Content in Markdown");
  await content.fill("Start\n\n");
  await give(page, "textarea[name=content]", ["plan.pdf", "view.jpg", "notes.zip"], await landscape(60, 40));
  await until(async () => (await page.locator("#field-content").inputValue()).includes("[notes.zip](http"));
  await page.getByRole("group", { name: "Description of view.jpg" }).getByLabel("Caption").fill("In May");
  await page.keyboard.press("Enter");
  await picture(page, "source-described");
  expect(await errorsOf(page)).toEqual([]);
  await save(page);
  const { markdown } = (await ask("GET", `/api/pages/${made.id}`)).body;
  expect(markdown).toMatch(/!\[view\]\(http[^ )]+view\.jpg "In May"\)/);
  const { data } = (await ask("GET", `/api/attachments?filter[uploaded_to]=${made.id}&sort=id`)).body;
  expect(data.map(({ name }: { name: string }) => name)).toEqual(["plan.pdf", "notes.zip"]);
  for (const { id, name } of data) expect(markdown).toContain(`[${name}](${screens.url}/attachments/${id})`);
  // In the rich editor a caption of Markdown is its title, too.
  const again = await edit(made);
  await again.getByRole("button", { name: "Rich text" }).click();
  await again.locator(".rich-text img[src*='view']").click();
  const caption = again.getByRole("group", { name: "Picture", exact: true }).getByLabel("Caption");
  expect(await caption.inputValue()).toBe("In May");
  await caption.fill("In June");
  await caption.press("Enter");
  await save(again);
  expect((await ask("GET", `/api/pages/${made.id}`)).body.markdown).toBe(markdown.replace("In May", "In June"));
});

test("uploaded images are found by page, book and name in the editor, and one is inserted at the cursor", async () => {
  const made = await newPage("Chosen", { html: "<p>Start</p>" });
  for (const size of ["desktop", "phone"] as const) {
    const page = await edit(made, { size, scheme: size === "phone" ? "dark" : "light" });
    await rich(page).waitFor();
    await page.getByRole("button", { name: "Choose an uploaded image" }).click();
    const dialog = page.getByRole("dialog", { name: "Uploaded images" });
    // The page has none of its own: those of its book are shown.
    await dialog.getByRole("button", { name: "camp.jpg" }).waitFor();
    await picture(page, `manager-dialog-${size}`);
    expect(await errorsOf(page)).toEqual([]);
    await dialog.getByLabel("Search by name").fill("summ");
    await dialog.getByRole("button", { name: "camp.jpg" }).waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "summit.jpg" }).focus();
    await page.keyboard.press("Enter");
    await page.locator(".rich-text img[src*='summit']").waitFor();
    if (size === "desktop") await page.reload();
    else await save(page);
  }
  expect(await htmlOf(made)).toContain(`<img src="${images[1]?.url}" alt="summit">`);
});

test("an image is renamed, replaced under its address and deleted on its screen, with the pages that show it", async () => {
  const [valley] = images;
  if (!valley) throw new Error("There is no image");
  for (const [size, scheme] of [
    ["desktop", "light"],
    ["phone", "dark"],
  ] as const) {
    const page = await screens.visit(undefined, { size, scheme });
    await page.goto(`/images?book=${book.id}&name=a`);
    await picture(page, `manager-grid-${size}`);
    expect(await errorsOf(page)).toEqual([]);
    await page.goto(`/images/${valley.id}`);
    await picture(page, `manager-image-${size}`);
    expect(await errorsOf(page)).toEqual([]);
  }
  const plain = await screens.visit(undefined, { scripts: false });
  await plain.goto(`/books/${book.slug}/page/trips`);
  await plain.goto((await plain.locator("a[href^='/images?of=']").getAttribute("href")) ?? "");
  await plain.getByRole("link", { name: "valley.jpg" }).click();
  await plain.getByLabel("Name").fill("The valley");
  await plain
    .getByLabel("Replace the file")
    .setInputFiles({ name: "b.jpg", mimeType: "image/jpeg", buffer: Buffer.from(await landscape(70, 50)) });
  await plain.getByRole("button", { name: "Save" }).click();
  await plain.getByText("The image is saved.").waitFor();
  const changed = (await ask("GET", `/api/image-gallery/${valley.id}`)).body;
  expect([changed.name, changed.url]).toEqual(["The valley", valley.url]);
  await plain.getByRole("button", { name: "Delete" }).click();
  await plain.getByRole("link", { name: "Trips" }).waitFor();
  await picture(plain, "manager-delete");
  await plain.getByRole("button", { name: "Delete" }).click();
  await plain.getByText("The image is deleted.").waitFor();
  expect((await ask("GET", `/api/image-gallery/${valley.id}`)).status).toBe(404);
});
