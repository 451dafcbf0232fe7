/** What one can see of a theme: a view, a text, an icon and a colour of the example stand in place of the house's. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { resolve } from "node:path";
import { loadTheme } from "../../core/cli/theme.ts";
import plugins from "../../plugins/mod.ts";
import { faultsOf, openScreens, picture, type ScreenHouse } from "../support/screens.ts";

setDefaultTimeout(60_000);
let screens: ScreenHouse;
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
  const colour = await page
    .locator("main form button")
    .evaluate("(button) => getComputedStyle(button).backgroundColor");
  expect(colour).toBe("rgb(91, 59, 140)");
  await picture(page, "theme-example");
  expect(await faultsOf(page)).toEqual([]);
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
