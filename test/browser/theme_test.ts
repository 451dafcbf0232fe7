/** A theme in a browser: a view, a text, an icon and a colour of the example replace those that ship. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { resolve } from "node:path";
import { defineTheme, html } from "lectern/core";
import { loadTheme } from "../../core/cli/theme.ts";
import { pluginOf } from "../../core/themes/theme.ts";
import plugins from "../../plugins/mod.ts";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);
let screens: ScreenRuntime;
beforeAll(async () => {
  const theme = await loadTheme("example", plugins, resolve(import.meta.dir, "../../themes"));
  screens = await openScreens({ env: { APP_THEME: "example" }, extra: [theme] });
});
afterAll(() => screens.stop());

test("the example changes a view, a text, an icon and a colour, and leaves the rest", async () => {
  const page = await screens.visit(null);
  await page.goto("/login");
  expect(await page.locator("aside.house-rules").textContent()).toContain("Every runbook has an owner.");
  expect(await page.locator("footer.bottom").count()).toBe(1);
  expect(await page.locator("h1").textContent()).toBe("Come in");
  expect(await page.locator(".brand path").count()).toBe(2);
  expect(await page.locator(".brand path").first().getAttribute("d")).toStartWith("M12 6c-2");
  const colour = await page.evaluate("getComputedStyle(document.querySelector('main form button')).backgroundColor");
  expect(colour).toBe("rgb(91, 59, 140)");
  await picture(page, "theme-example");
  expect(await errorsOf(page)).toEqual([]);
});

test("files of a theme are served by their names alone, and none of another or above it", async () => {
  const get = async (path: string) => (await fetch(screens.url + path)).status;
  expect(await get("/theme/example/theme.css")).toBe(200);
  for (const path of [
    "/theme/example/../functions.ts",
    "/theme/example/..%2ffunctions.ts",
    "/theme/example/%2e%2e/functions.ts",
    "/theme/other/theme.css",
    "/theme/example/%00theme.css",
    "/theme/example/nowhere.css",
  ])
    expect([path, await get(path)]).toEqual([path, 404]);
});

test("the original's hooks about screens add screens, draw around views, and stand around requests", async () => {
  const seen: string[] = [];
  const theme = defineTheme(({ listen }) => {
    listen("routes_register_web", (router) => {
      router.get("/hello", ({ ui }) => ({ title: "Hello", body: html`<h1>${ui.t("Sign in")} & welcome</h1>` }));
    });
    listen("routes_register_web_auth", (router) => {
      router.get("/inside", () => new Response("inside"));
    });
    listen("theme_register_views", (views) => {
      views.renderBefore("layout/footer", () => html`<p id="later">two</p>`, 60);
      views.renderBefore("layout/footer", () => html`<p id="sooner">one</p>`);
      views.renderAfter("layout/footer", () => html`<p id="after">three</p>`);
    });
    listen("web_middleware_before", (request) => {
      seen.push(new URL(request.url).pathname);
      return request.url.endsWith("/closed") ? new Response("Closed today", { status: 503 }) : undefined;
    });
    listen("web_middleware_after", (_, response) => {
      response.headers.set("x-theme", "yes");
      return undefined;
    });
  });
  const own = await openScreens({ extra: [pluginOf("hooks", theme, plugins)] });
  const page = await own.visit(null);
  const answer = await page.goto("/hello");
  expect(await page.locator("h1").textContent()).toBe("Sign in & welcome");
  expect(await page.locator("#sooner + #later + footer + #after").count()).toBe(1);
  expect(answer?.headers()["x-theme"]).toBe("yes");
  await page.goto("/inside");
  expect(new URL(page.url()).pathname).toBe("/login");
  expect((await page.goto("/closed"))?.status()).toBe(503);
  expect((await fetch(`${own.url}/api/books`)).headers.has("x-theme")).toBe(false);
  expect(seen).toContain("/hello");
  await own.stop();
});
