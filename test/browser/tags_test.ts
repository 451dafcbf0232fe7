/** The index of tags in a browser: finding tags, and renaming and merging them, as a person would. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(90_000);

let screens: ScreenRuntime;
beforeAll(async () => {
  screens = await openScreens({ constants: { tag_renames: { itemsAtOnce: 3, batchItems: 2 } } });
  const make = async (path: string, body: object) => (await screens.runtime.ask("POST", path, { body })).body;
  const book = await make("/api/books", { name: "Runbooks", tags: [{ name: "team", value: "ops" }] });
  for (const [name, tag, value] of [
    ["Failover", "team", "ops"],
    ["Backups", "Team", "web & <b>db</b>"],
    ["Restore", "group", "ops"],
    ["Tea", "team", ""],
    ["Coffee", "قسم", "التشغيل"],
    [
      "Patching",
      "a name of tags that is so long that no telephone of the world shows it in one single line of text",
      "yes",
    ],
  ])
    await make("/api/pages", { name, book_id: book.id, html: "<p>x</p>", tags: [{ name: tag, value }] });
});
afterAll(() => screens.stop());

async function sound(page: Page, name: string): Promise<void> {
  await picture(page, `tags-${name}`);
  expect([name, await errorsOf(page)]).toEqual([name, []]);
}
const main = (page: Page) => page.getByRole("main");

test("tags are found from a tag of a page and from the menu, with their values and items", async () => {
  const page = await screens.visit();
  await page.goto("/books/runbooks/page/failover");
  await sound(page, "of-page");
  await page.getByRole("link", { name: "All values of the tag “team”" }).first().click();
  await page.waitForURL("**/tags?name=team");
  await sound(page, "values");
  const rows = main(page).getByRole("row");
  expect(await rows.allInnerTexts()).toHaveLength(1 + 3);
  await main(page).getByRole("link", { name: "Items with this tag: 2" }).click();
  await page.waitForURL("**/search?query=*");
  expect((await main(page).locator(".results li > a").allInnerTexts()).map((name) => name.trim()).sort()).toEqual([
    "Failover",
    "Runbooks",
  ]);
  await page.getByRole("navigation", { name: "Main menu" }).getByRole("link", { name: "Tags" }).click();
  await page.waitForURL("**/tags");
  await sound(page, "names");
  await main(page).getByLabel("Tag name").fill("EAM");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/tags?search=EAM");
  expect(await main(page).getByRole("row").count()).toBe(1 + 1);
  await main(page).getByLabel("Tag name").fill("50%");
  await page.keyboard.press("Enter");
  await main(page).getByText("No tag contains “50%”.").waitFor();
});

test("a tag is renamed and merged after the screen has said what changes, in the background where it is on many items", async () => {
  const page = await screens.visit();
  await page.goto("/tags");
  await main(page).getByRole("link", { name: "Rename “group”" }).click();
  await main(page).getByLabel("New name").fill("team");
  await page.keyboard.press("Enter");
  await main(page).getByText("Items that change: 1").waitFor();
  expect(await main(page).getByText("Items that have the new tag already: 4").count()).toBe(1);
  await sound(page, "merge");
  await main(page).getByRole("button", { name: "Merge" }).click();
  await page.waitForURL("**/tags?name=team");
  expect(await page.getByRole("status").first().innerText()).toContain("Items that have changed: 1.");
  await main(page).getByRole("button", { name: "Rename", exact: true }).click();
  await main(page).getByLabel("New name").fill("crew");
  await main(page).getByRole("button", { name: "See what changes" }).click();
  await main(page).getByText("Items that change: 5").waitFor();
  await main(page).getByRole("button", { name: "Rename" }).click();
  await page.waitForURL("**/tags?name=crew");
  expect(await page.getByRole("status").first().innerText()).toContain("Items that have changed: 5.");
  expect((await screens.runtime.ask("GET", "/api/tags/names?filter[name]=team")).body.total).toBe(0);
});

test("without scripts a value is renamed; who may not update is told so and offered nothing", async () => {
  const page = await screens.visit(undefined, { scripts: false, size: "phone", scheme: "dark" });
  await page.goto("/tags?name=crew");
  await main(page).getByRole("link", { name: "Rename “(no value)”" }).click();
  await main(page).getByLabel("New value").fill("nobody");
  await main(page).getByRole("button", { name: "See what changes" }).click();
  await picture(page, "tags-value-phone");
  await main(page).getByRole("button", { name: "Rename" }).click();
  await page.waitForURL("**/tags?name=crew");
  expect(await main(page).getByRole("row").filter({ hasText: "nobody" }).count()).toBe(1);
  await picture(page, "tags-values-phone");
  const reader = await screens.user("Reader", ["access-api", "book-view-all", "page-view-all"]);
  const theirs = await screens.visit(reader, { size: "phone" });
  await theirs.goto("/tags");
  expect(
    await main(theirs)
      .getByRole("link", { name: /^Rename/ })
      .count(),
  ).toBe(0);
  await sound(theirs, "names-phone");
  await theirs.goto("/tags/rename?name=crew&to_name=other");
  expect(await main(theirs).getByText("you may not edit them: 5").count()).toBe(1);
  expect(await main(theirs).getByRole("button", { name: "Rename" }).count()).toBe(0);
  await theirs.goto(`/tags/rename?name=crew&to_name=${"x".repeat(256)}`);
  expect(await main(theirs).getByText("It may have 255 characters.").count()).toBe(1);
});

test("the fields of tags are offered names and values that others use, each its own, the most used first", async () => {
  const page = await screens.visit();
  await page.goto("/create-book");
  const [name, value] = [page.getByLabel("Tag name").first(), page.getByLabel("Value").first()];
  const options = page.locator("#tag-suggestions option");
  const offered = async () => Promise.all((await options.all()).map((option) => option.getAttribute("value")));
  const isOffered = (wanted: string) =>
    page.locator(`#tag-suggestions option[value="${wanted}"]`).waitFor({ state: "attached" });
  await name.focus();
  await page.keyboard.type("cre");
  await isOffered("crew");
  expect(await offered()).toEqual(["crew"]);
  await page.keyboard.type("w");
  await page.keyboard.press("Tab");
  expect([
    await value.getAttribute("list"),
    await name.getAttribute("list"),
    (await offered()).includes("crew"),
  ]).toEqual([...["tag-suggestions", null], false]);
  await isOffered("ops");
  expect((await offered())[0]).toBe("ops");
  await value.fill("%");
  await options.first().waitFor({ state: "detached" });
});
