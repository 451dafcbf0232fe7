/** What a plugin adds to screens of others, in a browser: a toolbar's form, a button of the editor, footer, figure, permissions. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnyPlugin, definePlugin, html } from "lectern/core";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), "lectern-lending-"));
writeFileSync(join(folder, "loans.js"), "document.documentElement.dataset.loans = 'counted';");
writeFileSync(join(folder, "loans.css"), ".loans { color: rgb(90, 60, 20); }");

declare module "lectern/core" {
  interface Permissions {
    "loans-extend": true;
  }
}

const loans: AnyPlugin = definePlugin({
  name: "loans",
  requires: ["web"],
  permissions: ["loans-extend"],
  setup({ contracts: { web }, contribute, app }) {
    contribute("screen_part", {
      at: "page/toolbar",
      text: "Borrow",
      icon: "book",
      kind: "form",
      path: ({ id }) => `/loans/${id}`,
    });
    contribute("screen_part", {
      at: "page/toolbar",
      text: "Return",
      icon: "restore",
      isInMenu: true,
      kind: "form",
      path: ({ id }) => `/loans/${id}`,
    });
    contribute("screen_part", { at: "editor/toolbar", text: "Loans", icon: "book", path: () => "/books" });
    contribute("screen_part", {
      at: "editor/formatting",
      draw: () =>
        html`<button type="button" class="small secondary outline" data-before="~~" data-after="~~">S</button>`,
    });
    contribute("screen_part", {
      at: "editor/insert",
      draw: () =>
        html`<button type="button" data-html="<blockquote><p>Lent to Ann</p></blockquote>">Loan slip</button>`,
    });
    contribute("screen_part", {
      at: "screen/footer",
      draw: ({ title }) => html`<p class="loans"><small>Loans of “${title}”: 3</small></p>`,
    });
    contribute("screen_head", {
      scripts: [web.asset("loans.js", join(folder, "loans.js"))],
      styles: [web.asset("loans.css", join(folder, "loans.css"))],
      css: () => ".loans { font-weight: 700 }",
    });
    contribute("screen_part", { at: "statistics/figures", label: "Loans", path: "/books", read: () => 1_234 });
    contribute("permission_label", {
      permission: "loans-extend",
      label: "Extend loans",
      about: "Extend loans of others.",
      section: "Lending",
    });
    web.form(app.site, "/loans/:id", "user", (visit) => visit.goTo("/books", visit.ui.t("The page is yours.")));
  },
});

let screens: ScreenRuntime;
beforeAll(async () => {
  screens = await openScreens({ extra: [loans] });
  const { runtime } = screens;
  const book = (await runtime.ask("POST", "/api/books", { body: { name: "Atlas" } })).body.id;
  await runtime.ask("POST", "/api/pages", { body: { name: "Alps", book_id: book, markdown: "High" } });
});
afterAll(async () => {
  await screens.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("a form in the toolbar of a page is submitted, from the row and from the menu", async () => {
  const page = await screens.visit();
  await page.goto("/books/atlas/page/alps");
  expect(await errorsOf(page)).toEqual([]);
  await picture(page, "plugin-toolbar");
  await page.getByRole("button", { name: "Borrow" }).click();
  await page.waitForURL("**/books");
  expect(await page.locator(".notice.good").textContent()).toContain("The page is yours.");
  await page.goto("/books/atlas/page/alps");
  await page.locator(".actions summary").click();
  const colour = (selector: string) => page.evaluate(`getComputedStyle(document.querySelector("${selector}")).color`);
  expect(await colour(".actions li button")).toBe((await colour(".actions li a")) as string);
  await picture(page, "plugin-toolbar-menu");
  await page.getByRole("button", { name: "Return" }).click();
  await page.waitForURL("**/books");
});

test("files and CSS of a plugin are loaded on every screen, and allowed by the policy", async () => {
  const page = await screens.visit(null);
  await page.goto("/login");
  const footer = page.locator(".loans");
  expect(await footer.textContent()).toBe("Loans of “Sign in”: 3");
  expect(await page.evaluate("document.documentElement.dataset.loans")).toBe("counted");
  const style = "(({ color, fontWeight }) => [color, fontWeight])(getComputedStyle(document.querySelector('.loans')))";
  expect(await page.evaluate(style)).toEqual(["rgb(90, 60, 20)", "700"]);
});

test("a button that a plugin adds to the editor inserts its texts around the selection", async () => {
  const page = await screens.visit();
  await page.goto("/books/atlas/page/alps/edit");
  await page.locator("#source-text").selectText();
  await page.getByRole("button", { name: "S", exact: true }).click();
  expect(await page.locator("#field-content").inputValue()).toBe("~~High~~");
  expect(await page.getByRole("button", { name: "Loans" }).count()).toBe(1);
  expect(await errorsOf(page)).toEqual([]);
  await picture(page, "plugin-editor");
});

test("a choice that a plugin adds to the menu of the rich editor inserts its HTML", async () => {
  const { ask } = screens.runtime;
  const { data } = (await ask("GET", "/api/books")).body;
  await ask("POST", "/api/pages", { body: { name: "Lent", book_id: data[0].id, html: "<p>first</p>" } });
  const page = await screens.visit();
  await page.goto("/books/atlas/page/lent/edit");
  const text = page.getByRole("textbox", { name: "Content", exact: true });
  await text.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" /loan");
  await page.getByRole("option", { name: "Loan slip" }).waitFor();
  await page.keyboard.press("Enter");
  expect(await text.locator("blockquote").textContent()).toBe("Lent to Ann");
});

test("the statistics have the figure, and the form of a role the permission with its explanation", async () => {
  const page = await screens.visit();
  await page.goto("/statistics");
  expect(await page.locator(".figures a[href='/books'] >> xpath=../following-sibling::dd").textContent()).toBe("1,234");
  expect(await errorsOf(page)).toEqual([]);
  await picture(page, "plugin-figure");
  await page.goto("/settings/roles/create");
  expect(await page.getByLabel("Extend loans").getAttribute("value")).toBe("loans-extend");
  expect(await errorsOf(page)).toEqual([]);
  await picture(page, "plugin-role");
});
