/** The permissions of an item in a browser: rules of roles, the badge of items that have some, and copies to the books of a shelf. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);
const NASTY = `<img src=x onerror=alert(1)>"'>&amp;`;

let screens: ScreenRuntime;
beforeAll(async () => {
  screens = await openScreens();
});
afterAll(() => screens.stop());

async function sound(page: Page, name: string): Promise<void> {
  await picture(page, `permissions-${name}`);
  expect([name, await errorsOf(page)]).toEqual([name, []]);
}
const ask = async (method: string, path: string, body?: unknown) =>
  (await screens.runtime.ask(method, path, body === undefined ? {} : { body })).body;

test("permissions of one item are set by role and for everybody else", async () => {
  const shelf = await ask("POST", "/api/shelves", { name: "Shelf" });
  const book = await ask("POST", "/api/books", { name: `Secret ${NASTY}` });
  const chapter = await ask("POST", "/api/chapters", { book_id: book.id, name: "Chapter" });
  const made = await ask("POST", "/api/pages", { chapter_id: chapter.id, name: "Page", html: "<p>x</p>" });
  const page = await screens.visit();
  const at = `/books/${book.slug}`;
  for (const path of [`/shelves/${shelf.slug}`, `${at}/chapter/${chapter.slug}`, `${at}/page/${made.slug}`]) {
    await page.goto(`${path}/permissions`);
    expect(await page.getByRole("row").count()).toBeGreaterThan(3);
    expect(await errorsOf(page)).toEqual([]);
  }
  await page.goto(`${at}/permissions`);
  await page.getByLabel("Rules for Viewer").selectOption("own");
  await page.getByLabel("Viewer: View").check();
  await page.getByLabel("Rules for Everyone else").selectOption("own");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The permissions are saved.").waitFor();
  await sound(page, "item-permissions");
  const { role_permissions, fallback_permissions } = await ask("GET", `/api/content-permissions/book/${book.id}`);
  expect(role_permissions).toMatchObject([{ role_id: 3, view: true, create: false, update: false, delete: false }]);
  expect(fallback_permissions).toMatchObject({ inheriting: false, view: false });
  expect(await page.getByLabel("Viewer: View").isChecked()).toBe(true);
  await page.getByLabel("Rules for Everyone else").selectOption("");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The permissions are saved.").waitFor();
  expect((await ask("GET", `/api/content-permissions/book/${book.id}`)).fallback_permissions.inheriting).toBe(true);
});

test("boxes of a role are out of reach until its own rules are chosen, and none is dropped in silence", async () => {
  const book = await ask("POST", "/api/books", { name: "Boxes" });
  const page = await screens.visit();
  await page.goto(`/books/${book.slug}/permissions`);
  const box = page.getByLabel("Viewer: View");
  expect([await box.count(), await page.getByLabel("Rules for Viewer").inputValue()]).toEqual([1, ""]);
  expect([await box.isVisible(), await box.isDisabled()]).toEqual([false, true]);
  await page.getByLabel("Rules for Viewer").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  expect([await box.isVisible(), await box.isChecked()]).toEqual([true, true]);
  await sound(page, "permission-boxes");
  // The box is checked, and then not wanted: it goes with its rules.
  await page.getByLabel("Rules for Viewer").selectOption("");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The permissions are saved.").waitFor();
  expect((await ask("GET", `/api/content-permissions/book/${book.id}`)).role_permissions).toEqual([]);
  const plain = await screens.visit(undefined, { scripts: false });
  await plain.goto(`/books/${book.slug}/permissions`);
  expect(await plain.getByLabel("Viewer: View").isVisible()).toBe(false);
  await plain.getByLabel("Rules for Viewer").selectOption("own");
  await plain.getByLabel("Viewer: View").check();
  await plain.getByLabel("Rules for Viewer").selectOption("");
  await plain.getByRole("button", { name: "Save" }).click();
  expect(await plain.getByRole("alert").textContent()).toContain("the boxes of Viewer have no effect");
  await plain.getByLabel("Rules for Viewer").selectOption("own");
  await plain.getByLabel("Viewer: View").check();
  await plain.getByRole("button", { name: "Save" }).click();
  await plain.getByText("The permissions are saved.").waitFor();
  const { role_permissions } = await ask("GET", `/api/content-permissions/book/${book.id}`);
  expect(role_permissions).toMatchObject([{ role_id: 3, view: true, create: false }]);
  await plain.getByLabel("Rules for Viewer").selectOption("");
  await plain.getByRole("button", { name: "Save" }).click();
  await plain.getByText("The permissions are saved.").waitFor();
  expect((await ask("GET", `/api/content-permissions/book/${book.id}`)).role_permissions).toEqual([]);
});

test("rules of a page that also allow creating, which has no box there, are given up without scripts", async () => {
  const { id: book_id, slug } = await ask("POST", "/api/books", { name: "Boxless" });
  const made = await ask("POST", "/api/pages", { book_id, name: "Page", html: "<p>x</p>" });
  const at = `/api/content-permissions/page/${made.id}`;
  await ask("PUT", at, { role_permissions: [{ role_id: 3, view: true, create: true, update: false, delete: false }] });
  const plain = await screens.visit(undefined, { scripts: false });
  await plain.goto(`/books/${slug}/page/${made.slug}/permissions`);
  await plain.getByLabel("Rules for Viewer").selectOption("");
  await plain.getByRole("button", { name: "Save" }).click();
  await plain.getByText("The permissions are saved.").waitFor();
  expect((await ask("GET", at)).role_permissions).toEqual([]);
});

test("rules that somebody else has set meanwhile are not overwritten unseen", async () => {
  const book = await ask("POST", "/api/books", { name: "Overtaken" });
  const at = `/api/content-permissions/book/${book.id}`;
  const page = await screens.visit();
  await page.goto(`/books/${book.slug}/permissions`);
  const rule = { role_id: 3, view: true, create: false, update: false, delete: false };
  await ask("PUT", at, { role_permissions: [rule] });
  const save = async (text: string) => {
    await page.getByLabel("Rules for Editor").selectOption("own");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText(text).waitFor();
    return (await ask("GET", at)).role_permissions;
  };
  expect(await save("Someone else changed these permissions in the meantime.")).toMatchObject([rule]);
  expect(await page.getByLabel("Viewer: View").isChecked()).toBe(true);
  expect(await save("The permissions are saved.")).toHaveLength(2);
});

test("an item with permissions of its own is marked on its screen from the first request after the change on", async () => {
  const shelf = await ask("POST", "/api/shelves", { name: "Marked shelf" });
  const book = await ask("POST", "/api/books", { name: "Marked book" });
  const chapter = await ask("POST", "/api/chapters", { book_id: book.id, name: "Marked chapter" });
  const made = await ask("POST", "/api/pages", { chapter_id: chapter.id, name: "Marked page", html: "<p>x</p>" });
  const at = `/books/${book.slug}`;
  const items = [
    ["bookshelf", shelf.id, `/shelves/${shelf.slug}`],
    ["book", book.id, at],
    ["chapter", chapter.id, `${at}/chapter/${chapter.slug}`],
    ["page", made.id, `${at}/page/${made.slug}`],
  ] as const;
  const views = ["bookshelf", "book", "chapter", "page"].map((kind) => `${kind}-view-all`);
  const page = await screens.visit();
  const other = await screens.visit(await screens.user("Watcher", views), { size: "phone", scheme: "dark" });
  const mark = (on: Page) => on.locator("main .own-permissions");
  for (const [kind, id, path] of items) {
    await page.goto(path);
    expect([path, await mark(page).count()]).toEqual([path, 0]);
    const fallback_permissions = { inheriting: false, view: true, create: false, update: false, delete: false };
    await ask("PUT", `/api/content-permissions/${kind}/${id}`, { fallback_permissions });
    await page.goto(path);
    await sound(page, `marked-${kind}`);
    await mark(page).click();
    await page.waitForURL(`**${path}/permissions`);
    // Who may not manage them reads the same, and is led nowhere.
    await other.goto(path);
    await sound(other, `phone-marked-${kind}`);
    expect([path, await mark(other).textContent(), await other.locator("a.own-permissions").count()]).toEqual([
      path,
      " Own permissions",
      0,
    ]);
  }
  await ask("PUT", `/api/content-permissions/page/${made.id}`, { fallback_permissions: { inheriting: true } });
  await page.goto(`${at}/page/${made.slug}`);
  expect(await mark(page).count()).toBe(0);
  expect((await page.goto("/permissions/pages/99999"))?.status()).toBe(404);
});

test("the permissions of a shelf are saved, and copied to its books after a question", async () => {
  const book = await ask("POST", "/api/books", { name: "On the shelf" });
  const shelf = await ask("POST", "/api/shelves", { name: `Down ${NASTY}`, books: [book.id] });
  const fallback_permissions = { inheriting: false, view: true, create: false, update: true, delete: false };
  const page = await screens.visit();
  await page.goto(`/shelves/${shelf.slug}/permissions`);
  await sound(page, "shelf-permissions");
  await page.getByLabel("Rules for Everyone else").selectOption("own");
  for (const name of ["View", "Change"]) await page.getByLabel(`Everyone else: ${name}`).check();
  await page.getByRole("button", { name: "Save and copy to the books" }).click();
  await page.locator("main .confirm").waitFor();
  await sound(page, "copy-permissions");
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await page.getByText("Books that got the permissions: 1.").waitFor();
  for (const item of [`bookshelf/${shelf.id}`, `book/${book.id}`])
    expect((await ask("GET", `/api/content-permissions/${item}`)).fallback_permissions).toEqual(fallback_permissions);
});

test("an owner that someone else has set meanwhile is kept, and shown", async () => {
  const book = await ask("POST", "/api/books", { name: "Handed over" });
  const heir = await screens.user("Heir", []);
  const page = await screens.visit();
  await page.goto(`/books/${book.slug}/permissions`);
  await ask("PUT", `/api/content-permissions/book/${book.id}`, { owner_id: heir.id });
  await page.getByLabel("Rules for Everyone else").selectOption("own");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Someone else changed these permissions in the meantime.").waitFor();
  expect(await page.getByLabel("Owner").inputValue()).toBe(String(heir.id));
  const stored = await ask("GET", `/api/content-permissions/book/${book.id}`);
  expect([stored.owner.id, stored.fallback_permissions.inheriting]).toEqual([heir.id, true]);
});
