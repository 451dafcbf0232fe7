/** Drawings in the page editor, with a fake of draw.io: made, changed in place, and nothing taken from other origins. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { png } from "../support/data/sample_pictures.ts";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);

/**
 * Speaks as draw.io does: asks for the drawing, and exports what its button "save" says. Without `embed=1&proto=json` it says nothing. The
 * drawing that it was given is the title of its button, and the colour of the picture is that of `colour` in its address.
 */
const FAKE = `<!doctype html><title>Fake</title><button id="save">Save</button><button id="exit">Exit</button><script>
const say = (message) => parent.postMessage(JSON.stringify(message), "*");
addEventListener("message", ({ data }) => {
  const message = JSON.parse(data);
  if (message.action === "load") document.title = document.getElementById("save").title = message.xml.slice(0, 60) || "empty";
  if (message.action === "export") say({ event: "export", data: "data:image/png;base64,PICTURE" });
});
document.getElementById("save").onclick = () => say({ event: "save", xml: "<mxfile/>" });
document.getElementById("exit").onclick = () => say({ event: "exit" });
if (location.search.includes("embed=1") && location.search.includes("proto=json")) say({ event: "init" });
try { top.location = "/led-away"; } catch {}
</script>`.replace("PICTURE", Buffer.from(png()).toString("base64"));

let screens: ScreenRuntime;
let drawio: Bun.Server<undefined>;
let book: { id: number };
beforeAll(async () => {
  drawio = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response(FAKE, { headers: { "content-type": "text/html" } }),
  });
  screens = await openScreens({ env: { DRAWIO: `http://127.0.0.1:${drawio.port}/?ui=min` } });
  book = (await screens.runtime.ask("POST", "/api/books", { body: { name: "Drawn" } })).body;
});
afterAll(async () => {
  await screens.stop();
  await drawio.stop(true);
});

const newPage = async (name: string, content: object) =>
  (await screens.runtime.ask("POST", "/api/pages", { body: { book_id: book.id, name, ...content } })).body;
const images = async () =>
  (await screens.runtime.ask("GET", "/api/image-gallery?filter[type]=drawio&sort=id")).body.data as {
    id: number;
    url: string;
    uploaded_to: number;
  }[];
const edit = async (made: { slug: string }): Promise<Page> => {
  const page = await screens.visit();
  await page.goto(`/books/drawn/page/${made.slug}/edit`);
  return page;
};
const inDrawio = (page: Page) => page.frameLocator(".drawing-dialog iframe").frameLocator("iframe");

/** A drawing that a page has, as the editor of another time left it. */
async function drawingOn(page: { id: number }): Promise<{ id: number; html: string }> {
  const parts = new FormData();
  parts.set("type", "drawio");
  parts.set("uploaded_to", String(page.id));
  parts.set("image", new File([png()], "old.png", { type: "image/png" }));
  const { body } = await screens.runtime.ask("POST", "/api/image-gallery", { parts });
  return { id: body.id, html: body.content.html };
}

test("a new drawing becomes an image of the page, and is given to the editor as BookStack's pages have it", async () => {
  const made = await newPage("New", { markdown: "Start" });
  const page = await edit(made);
  await page.evaluate(
    `addEventListener.call(document.getElementById("editor"), "editor-insert", ({ detail }) => { window.told = detail; })`,
  );
  await page.getByRole("button", { name: "Drawing" }).click();
  await inDrawio(page).getByRole("button", { name: "Save" }).waitFor();
  expect(await inDrawio(page).getByRole("button", { name: "Save" }).getAttribute("title")).toBe("empty");
  expect((await errorsOf(page)).filter((error) => !/navigat/.test(error))).toEqual([]);
  await picture(page, "drawing");
  await inDrawio(page).getByRole("button", { name: "Save" }).click();
  await page.locator(".drawing-dialog").waitFor({ state: "detached" });
  const [drawing] = await images();
  expect(drawing).toMatchObject({ uploaded_to: made.id, type: "drawio" });
  const html = `<div drawio-diagram="${drawing?.id}"><img src="${drawing?.url}"></div>`;
  expect(await page.evaluate("window.told")).toEqual({ html, markdown: `\n\n${html}\n\n`, at: "cursor" });
  expect(page.url()).toEndWith("/edit");
});

test("a drawing is changed in place by a new image, in the source and in the rich editor", async () => {
  for (const kind of ["markdown", "html"] as const) {
    const made = await newPage(`Changed ${kind}`, { [kind]: "<p>x</p>" });
    const old = await drawingOn(made);
    const text = `<p>Before</p>\n\n${old.html}\n\n<p>After</p>`;
    await screens.runtime.ask("PUT", `/api/pages/${made.id}`, { body: { [kind]: text } });
    const page = await edit(made);
    if (kind === "html") await page.locator("#rich-text img[src]").click();
    await page.getByRole("button", { name: "Edit the drawing" }).click();
    const button = inDrawio(page).getByRole("button", { name: "Save" });
    expect(await button.getAttribute("title")).toStartWith("data:image/png;base64,iVBOR");
    await button.click();
    await page.locator(".drawing-dialog").waitFor({ state: "detached" });
    const drawing = (await images()).at(-1);
    expect(drawing?.id).toBeGreaterThan(old.id);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.waitForURL((url) => !url.pathname.endsWith("/edit"));
    const saved = (await screens.runtime.ask("GET", `/api/pages/${made.id}`)).body.raw_html as string;
    expect(saved).toContain(`drawio-diagram="${drawing?.id}"`);
    expect(saved).toContain(`src="${drawing?.url}"`);
    expect(saved).not.toContain(`drawio-diagram="${old.id}"`);
    // Its former revision shows what it showed.
    expect((await screens.runtime.ask("GET", `/api/image-gallery/${old.id}`)).status).toBe(200);
  }
});

test("what other windows and origins say is no drawing, and closing keeps the text", async () => {
  const made = await newPage("Untouched", { markdown: "Stay" });
  const before = (await images()).length;
  const page = await edit(made);
  await page.getByRole("button", { name: "Drawing" }).click();
  await inDrawio(page).getByRole("button", { name: "Save" }).waitFor();
  const forged = JSON.stringify({
    event: "export",
    data: `data:image/png;base64,${Buffer.from(png()).toString("base64")}`,
  });
  await page.evaluate(`{
    const frame = document.querySelector(".drawing-dialog iframe").contentWindow;
    frame.postMessage(${JSON.stringify(forged)}, "*");
    postMessage({ kind: "drawn", picture: "data:image/png;base64,AAAA" }, "*");
  }`);
  // Draw.io itself sends a picture of another kind.
  await inDrawio(page)
    .locator("body")
    .evaluate(
      "() => parent.postMessage(JSON.stringify({ event: 'export', data: 'data:image/svg+xml;base64,AAAA' }), '*')",
    );
  await inDrawio(page).getByRole("button", { name: "Exit" }).click();
  await page.locator(".drawing-dialog").waitFor({ state: "detached" });
  expect((await images()).length).toBe(before);
  expect(await page.locator("#field-content").inputValue()).toBe("Stay");
  const policy = async (path: string) =>
    (await page.request.get(`${screens.url}${path}`)).headers()["content-security-policy"] ?? "";
  expect(await policy("/web/drawings/frame")).toContain(`frame-src http://127.0.0.1:${drawio.port};`);
  expect(await policy(`/books/drawn/page/${made.slug}/edit`)).not.toContain(`127.0.0.1:${drawio.port}`);
});
