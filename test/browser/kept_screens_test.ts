/**
 * Screens that the browser keeps: moving about sends what has not changed again in no bytes, with its styles, whose nonce is that of the kept policy;
 * what changed is shown at once; and after signing out Back shows nothing of it.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { errorsOf, openScreens, type ScreenRuntime, signIn } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);

const PAGE = "/books/runbooks/page/failover";
const STYLED = '<p style="color: rgb(150, 0, 0)">Call the DBA</p>';
const READER = ["access-api", "page-view-all", "book-view-all", "chapter-view-all"];

let screens: ScreenRuntime;
let id = 0;
beforeAll(async () => {
  screens = await openScreens();
  const { body: book } = await screens.runtime.ask("POST", "/api/books", { body: { name: "Runbooks" } });
  const body = { book_id: book.id, name: "Failover", html: STYLED };
  id = (await screens.runtime.ask("POST", "/api/pages", { body })).body.id;
});
afterAll(() => screens.stop());

/** What a navigation took: bytes with headers, and of the document alone. */
async function visit(page: Page): Promise<{ sent: number; whole: number; color: string }> {
  await page.goto(PAGE);
  return (await page.evaluate(`(() => {
    const [{ transferSize, encodedBodySize }] = performance.getEntriesByType("navigation");
    const { color } = getComputedStyle(document.querySelector(".page-content p"));
    return { sent: transferSize, whole: encodedBodySize, color };
  })()`)) as { sent: number; whole: number; color: string };
}

test("an unchanged screen is sent once, with its styles, a changed one at once, and none is left after signing out", async () => {
  const page = await screens.visit(null);
  await signIn(page, await screens.user("Ann", READER));
  const first = await visit(page);
  expect(first.sent).toBeGreaterThan(first.whole);
  for (let turn = 0; turn < 2; turn++) {
    const again = await visit(page);
    expect(again.color).toBe("rgb(150, 0, 0)");
    expect(again.sent).toBeLessThan(again.whole);
    expect(await errorsOf(page)).toEqual([]);
  }
  const body = { html: STYLED.replace("150, 0, 0", "0, 0, 200") };
  await screens.runtime.ask("PUT", `/api/pages/${id}`, { body });
  const changed = await visit(page);
  expect(changed.sent).toBeGreaterThan(changed.whole);
  expect(changed.color).toBe("rgb(0, 0, 200)");
  await page.goto("/books");
  // What the browser keeps is shown by Back as it is.
  await page.goBack();
  expect(await page.locator(".page-content").innerText()).toContain("Call the DBA");
  await page.locator("header summary").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("status").waitFor();
  await page.goBack();
  await page.waitForURL("**/login?next=*");
  expect(await page.locator("body").innerText()).not.toContain("Call the DBA");
});
