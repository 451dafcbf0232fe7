/**
 * Screens in each language that ships, on a phone and on a desk: nothing is wider than the window, no text of a button is cut, the document
 * names its language and runs in its direction, and after a change of the language the menu is in it.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { localeTag, type Texts } from "lectern/core";
import { openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(120_000);
const RIGHT_TO_LEFT = ["ar", "he"];
const WIDTHS = [390, 1440];

let screens: ScreenRuntime;
const paths: string[] = [];
beforeAll(async () => {
  screens = await openScreens();
  const make = async (path: string, body: object) => (await screens.runtime.ask("POST", path, { body })).body;
  const book = await make("/api/books", { name: "Handbook (2nd edition)", tags: [{ name: "Team", value: "Ops" }] });
  const chapter = await make("/api/chapters", { name: "Operations", book_id: book.id });
  const page = await make("/api/pages", { name: "Failover", chapter_id: chapter.id, markdown: "# Before\n\n## After" });
  await make("/api/comments", { page_id: page.id, html: "<p>Good</p>" });
  const at = `/books/${book.slug}`;
  paths.push(
    "/",
    at,
    `${at}/page/${page.slug}`,
    `${at}/page/${page.slug}/edit`,
    "/settings/users",
    "/search?query=failover",
  );
});
afterAll(() => screens.stop());

function texts(): Texts {
  const found = screens.runtime.contexts.get("web")?.texts;
  if (!found) throw new Error("There are no texts");
  return found;
}

/** What is cut or too wide on the screen: the body, and what one can press or read as a label. */
const SPILLS = `(() => {
  const cut = [...document.querySelectorAll("button, .button, summary, label, h1, h2, legend")].filter((each) => {
    const { overflowX, textOverflow } = getComputedStyle(each);
    return each.clientWidth > 1 && each.scrollWidth > each.clientWidth + 1 && overflowX !== "visible" && textOverflow !== "ellipsis";
  });
  const wide = document.documentElement.scrollWidth - innerWidth;
  return [...cut.map((each) => each.textContent.trim()), ...(wide > 0 ? [wide + " pixels too wide"] : [])];
})()`;

test("screens have room for the words of each language, in its direction", async () => {
  const page = await screens.visit();
  const wrong: unknown[] = [];
  for (const language of texts().languages()) {
    expect((await screens.runtime.ask("PUT", "/api/users/me", { body: { language } })).status).toBe(200);
    for (const path of paths) {
      await page.goto(path, { waitUntil: "domcontentloaded" });
      const html = page.locator("html");
      expect([language, path, await html.getAttribute("lang"), await html.getAttribute("dir")]).toEqual([
        ...[language, path, localeTag(language), RIGHT_TO_LEFT.includes(language) ? "rtl" : null],
      ]);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 844 });
        const found = (await page.evaluate(SPILLS)) as string[];
        if (found.length > 0) wrong.push([language, path, width, found]);
        await picture(page, `language-${language}-${width}${path.replaceAll(/\W+/g, "-")}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});

test("after a change of the language everything is in it, and languages are offered in themselves", async () => {
  const page = await screens.visit();
  await page.goto("/my-account/profile");
  const choice = page.locator("select[name=language]");
  expect(await choice.locator("option").allTextContents()).toContain("日本語");
  await choice.selectOption("uk");
  await page.locator("main form button").first().click();
  await page.locator("html[lang=uk]").waitFor();
  const { say } = texts();
  for (const text of ["Books", "Settings", "Search"])
    expect(await page.locator("nav.menu").textContent()).toContain(say(text, {}, "uk"));
  expect(await choice.inputValue()).toBe("uk");
});
