/** The settings of the instance in a browser: what they change is seen, they work without scripts, and nothing is wrong with their screens. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { picture as sample } from "../support/data/sample_pictures.ts";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(120_000);

let screens: ScreenRuntime;
beforeAll(async () => {
  screens = await openScreens({ env: { REGISTRATION_RESTRICT: "example.com" } });
});
afterAll(() => screens.stop());

test("name, color, links and logo are set on a screen, without scripts, and shown to readers at once", async () => {
  const page = await screens.visit(undefined, { scripts: false });
  await page.goto("/settings/appearance");
  await page.getByLabel("Name of the instance").fill("Workshop");
  await page.getByLabel("Color of links and buttons").fill("#eeeeee");
  await page.getByRole("button", { name: "Save" }).click();
  const color = page.getByLabel("Color of links and buttons");
  expect(await color.getAttribute("aria-invalid")).toBe("true");
  expect(await page.locator("main").textContent()).toContain("has to be at least 4.5 to 1");
  await color.fill("#7a2452");
  await page.getByLabel("Text of link 1").fill("Imprint");
  await page.getByLabel("Address of link 1").fill("https://example.com/imprint");
  await page.getByRole("button", { name: "Save" }).click();
  expect(await page.title()).toBe("Name and look · Workshop");
  expect(await page.getByRole("link", { name: "Imprint" }).getAttribute("href")).toBe("https://example.com/imprint");
  const background = await page.evaluate(
    "getComputedStyle(document.querySelector('main form button')).backgroundColor",
  );
  expect(background).toBe("rgb(122, 36, 82)");
  const file = {
    name: "logo.png",
    mimeType: "image/png",
    buffer: Buffer.from(await sample("png", { width: 80, height: 40 })),
  };
  const logo = page.getByRole("form", { name: "Logo" });
  await logo.getByLabel("Picture").setInputFiles(file);
  await logo.getByRole("button", { name: "Upload" }).click();
  const shown = page.locator("header.top .brand img");
  expect(await shown.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth)).toBe(80);
});

test("the screens have no violation, at any width, light and dark, and say what a variable sets", async () => {
  for (const look of [{ size: "desktop" }, { size: "phone", scheme: "dark" }] as const) {
    const page = await screens.visit(undefined, look);
    for (const name of ["appearance", "access", "mail"]) {
      await page.goto(`/settings/${name}`);
      await picture(page, `instance-${name}-${look.size}`);
      expect([name, await errorsOf(page)]).toEqual([name, []]);
      const beyond = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
      expect([name, beyond]).toEqual([name, 0]);
    }
    await page.goto("/settings/access");
    expect(await page.locator("main").textContent()).toContain("Set by REGISTRATION_RESTRICT in the environment");
  }
});
