/** Documents of other sites in a frame: shown where the operator allows their source, a link elsewhere. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { errorsOf, openScreens, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(90_000);

let screens: ScreenRuntime;
let player: Bun.Server<undefined>;
beforeAll(async () => {
  player = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () =>
      new Response(
        "<script>document.write(document.referrer ? 'plays' : 'no referrer'); top.location = '/led-away'</script>",
        {
          headers: { "content-type": "text/html" },
        },
      ),
  });
  screens = await openScreens({ env: { ALLOWED_IFRAME_SOURCES: `http://127.0.0.1:${player.port}` } });
  const { body: book } = await screens.runtime.ask("POST", "/api/books", { body: { name: "Videos" } });
  const html = `<iframe src="http://127.0.0.1:${player.port}/embed/1" width="400" height="300"></iframe>
    <iframe src="http://localhost:${player.port}/embed/2"></iframe>`;
  await screens.runtime.ask("POST", "/api/pages", { body: { book_id: book.id, name: "Tour", html } });
});
afterAll(async () => {
  await screens.stop();
  await player.stop(true);
});

test("a page shows documents of named sources, which cannot lead it away, and links to others", async () => {
  const page = await screens.visit();
  await page.goto("/books/videos/page/tour");
  const frame = page.frameLocator(`iframe[src="http://127.0.0.1:${player.port}/embed/1"]`);
  await frame.getByText("plays").waitFor();
  expect(await page.locator("iframe").count()).toBe(1);
  expect(await page.locator(".embedded a").getAttribute("href")).toBe(`http://localhost:${player.port}/embed/2`);
  expect(page.url()).toEndWith("/books/videos/page/tour");
  expect((await errorsOf(page)).filter((error) => !error.includes("navigat"))).toEqual([]);
});
