/** Settings in a browser: users, roles, audit log, recycle bin and maintenance. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { png } from "../support/data/sample_pictures.ts";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);
const NASTY = `<img src=x onerror=alert(1)>"'>&amp;`;

let screens: ScreenRuntime;
beforeAll(async () => {
  screens = await openScreens();
});
afterAll(() => screens.stop());

async function sound(page: Page, name: string): Promise<void> {
  await picture(page, `settings-${name}`);
  expect([name, await errorsOf(page)]).toEqual([name, []]);
}
const ask = async (method: string, path: string, body?: unknown) =>
  (await screens.runtime.ask(method, path, body === undefined ? {} : { body })).body;
const main = (page: Page) => page.locator("main");
const rowOf = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });
async function unguarded(page: Page): Promise<void> {
  await page
    .locator("main form[method=post]")
    .first()
    .evaluate((form) => form.setAttribute("novalidate", ""));
}

test("users are found, made, changed, and leave what they own to somebody", async () => {
  const page = await screens.visit();
  await page.goto("/settings/users");
  await page.getByRole("button", { name: "New user" }).click();
  await sound(page, "new-user");
  await unguarded(page);
  await page.getByLabel("Name", { exact: true }).fill(NASTY);
  await page.getByLabel("E-mail address").fill("no address");
  await page.getByLabel("Viewer").check();
  await page.getByLabel("Password").fill("short");
  expect(await page.getByLabel("Send an invitation email").count()).toBe(0);
  await page.getByRole("button", { name: "Create the user" }).click();
  await sound(page, "new-user-refused");
  expect(await main(page).textContent()).toContain("The email must be a valid email address.");
  expect(await main(page).textContent()).toContain("The password must be at least 8 characters.");
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe(NASTY);
  expect(await page.getByLabel("Viewer").isChecked()).toBe(true);
  await page.getByLabel("E-mail address").fill("rita@example.com");
  await page.getByLabel("Password").fill("a long enough one");
  await page.getByRole("button", { name: "Create the user" }).click();
  expect(await page.locator("h1").textContent()).toContain(NASTY);
  const id = Number(new URL(page.url()).pathname.split("/").at(-1));
  await sound(page, "user");
  await page.getByLabel("Editor").check();
  await page.getByLabel("Language").selectOption("de");
  await page.getByRole("button", { name: "Save" }).click();
  const roles = (await ask("GET", `/api/users/${id}`)).roles;
  expect(roles.map(({ display_name }: { display_name: string }) => display_name)).toEqual(["Editor", "Viewer"]);
  for (let at = 0; at < 35; at++)
    await ask("POST", "/api/users", { name: `Extra ${at}`, email: `extra${at}@example.com` });
  await page.goto("/settings/users");
  await sound(page, "users");
  await page.getByRole("link", { name: "Next" }).click();
  expect(await main(page).textContent()).toContain("Page 2 of 2");
  for (const [search, found] of [
    ["rita@", 1],
    ["<img", 1],
    ["%", 0],
  ] as const) {
    await page.getByLabel("Name or e-mail address").fill(search);
    await page.getByRole("button", { name: "Find" }).click();
    expect([search, await rowOf(page, "rita@example.com").count()]).toEqual([search, found]);
  }
  const book = await ask("POST", "/api/books", { name: "Rita's book" });
  await ask("PUT", `/api/content-permissions/book/${book.id}`, { owner_id: id });
  await page.goto(`/settings/users/${id}`);
  await page.getByRole("button", { name: "Delete" }).click();
  await page.locator("dialog .confirm").waitFor();
  await sound(page, "delete-user");
  await page.locator("dialog").getByLabel("New owner of their content").selectOption("1");
  await page.locator("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("The user is deleted.").waitFor();
  expect((await ask("GET", `/api/books/${book.id}`)).owned_by).toMatchObject({ id: 1 });
  await page.goto("/settings/users/1/delete");
  await page.getByRole("button", { name: "Delete" }).click();
  expect(await page.getByRole("alert").textContent()).toContain("You cannot delete the only admin");
});

test("a role is made by its grid, copied, changed and deleted", async () => {
  const page = await screens.visit();
  await page.goto("/settings/roles");
  await sound(page, "roles");
  await page.getByRole("button", { name: "New role" }).click();
  await page.getByLabel("Name", { exact: true }).fill(NASTY);
  await page.getByLabel("All: Books, View").check();
  await page.getByLabel("Own: Pages, Change").check();
  await page.getByLabel("Use the API").check();
  await sound(page, "new-role");
  await page.getByRole("button", { name: "Create the role" }).click();
  const id = Number(new URL(page.url()).pathname.split("/").at(-1));
  expect((await ask("GET", `/api/roles/${id}`)).permissions).toEqual([
    "access-api",
    "book-view-all",
    "page-update-own",
  ]);
  await page.getByLabel("All: Books, View").uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  expect((await ask("GET", `/api/roles/${id}`)).permissions).toEqual(["access-api", "page-update-own"]);
  await sound(page, "role");
  await page.getByRole("button", { name: "Copy" }).click();
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe(`Copy of ${NASTY}`);
  expect(await page.getByLabel("Own: Pages, Change").isChecked()).toBe(true);
  await page.goto(`/settings/roles/${id}/delete`);
  await sound(page, "delete-role");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText("The role is deleted.").waitFor();
  await page.goto("/settings/roles/1");
  expect(await page.getByLabel("Manage users").isDisabled()).toBe(true);
  await unguarded(page);
  await page.getByLabel("Name", { exact: true }).fill("A");
  await page.getByRole("button", { name: "Save" }).click();
  expect(await main(page).textContent()).toContain("The display name must be at least 3 characters.");
  await page.goto("/settings/roles/1/delete");
  await page.getByRole("button", { name: "Delete" }).click();
  expect(await page.getByRole("alert").textContent()).toContain("system role");
});

test("the log is filtered, links to items, and names those that are deleted", async () => {
  const book = await ask("POST", "/api/books", { name: `Log ${NASTY}` });
  const { id, token } = await screens.runtime.person("Logged", ["access-api", "book-create-all"]);
  await screens.runtime.ask("POST", "/api/books", { as: token, body: { name: "By another" } });
  const page = await screens.visit();
  await page.goto("/settings/audit");
  await sound(page, "audit");
  await rowOf(page, `Log ${NASTY}`).getByRole("link", { name: "img" }).click();
  await page.waitForURL(`**/books/${book.slug}`);
  await page.goto("/settings/audit");
  await page.getByLabel("What").selectOption("book_create");
  await page.getByLabel("Who").selectOption(String(id));
  await page.getByRole("button", { name: "Filter" }).click();
  expect(await page.getByRole("row").count()).toBe(2);
  const today = new Date().toISOString().slice(0, 10);
  for (const [query, found] of [
    [`from=${today}&to=${today}`, true],
    ["from=2020-01-01&to=2020-01-02", false],
    ["ip=127.", true],
    ["ip=%25", false],
    ["type=nonsense", false],
    ["from=<script>&user=x", false],
  ] as const) {
    await page.goto(`/settings/audit?${query}`);
    expect([query, (await page.getByRole("row").count()) > 1]).toEqual([query, found]);
  }
  await ask("DELETE", `/api/books/${book.id}`);
  await page.goto(`/settings/audit/item/book/${book.id}`);
  expect(new URL(page.url()).pathname).toBe("/settings/recycle-bin");
  expect(await rowOf(page, `Log ${NASTY}`).count()).toBe(1);
});

test("what lies in the bin is restored, removed, and emptied", async () => {
  const make = async (name: string) => {
    const book = await ask("POST", "/api/books", { name });
    const chapter = await ask("POST", "/api/chapters", { book_id: book.id, name: "Chapter" });
    await ask("POST", "/api/pages", { chapter_id: chapter.id, name: "Page", html: "<p>x</p>" });
    await ask("DELETE", `/api/books/${book.id}`);
    return book.id as number;
  };
  const [back, gone] = [await make(`Back ${NASTY}`), await make("Gone")];
  const page = await screens.visit();
  await page.goto("/settings/recycle-bin");
  await sound(page, "bin");
  expect(await rowOf(page, "Gone").textContent()).toContain("Chapters: 1, Pages: 1");
  await rowOf(page, "Back").getByRole("button", { name: "Restore" }).click();
  await page.locator("dialog .confirm").waitFor();
  await sound(page, "restore");
  await page.locator("dialog").getByRole("button", { name: "Restore" }).click();
  await page.getByText("Items restored: 3").waitFor();
  expect((await screens.runtime.ask("GET", `/api/books/${back}`)).status).toBe(200);
  await rowOf(page, "Gone").getByRole("button", { name: "Delete permanently" }).click();
  await page.locator("dialog").getByRole("button", { name: "Delete permanently" }).click();
  await page.getByText("Items permanently deleted: 3").waitFor();
  expect((await screens.runtime.store.sql`select id from books where id = ${gone}`).length).toBe(0);
  await make("Third");
  await page.goto("/settings/recycle-bin/empty");
  await sound(page, "empty-bin");
  await page.getByRole("button", { name: "Delete permanently" }).click();
  await page.getByText("The recycle bin is empty.").waitFor();
});

test("the maintenance screen shows version and plugins, and runs its actions", async () => {
  const book = await ask("POST", "/api/books", { name: "Pictures" });
  const made = await ask("POST", "/api/pages", { book_id: book.id, name: "Page", html: "<p>x</p>" });
  const parts = new FormData();
  for (const [name, value] of Object.entries({ type: "gallery", uploaded_to: String(made.id), name: NASTY }))
    parts.set(name, value);
  parts.set("image", new File([png()], "dot.png", { type: "image/png" }));
  await screens.runtime.ask("POST", "/api/image-gallery", { parts });
  const older = "now() - interval '2 days'";
  await screens.runtime.store.sql.unsafe(`update images set created_at = ${older}, updated_at = ${older}`);
  await screens.runtime.store.sql`insert into jobs (name, payload, dead, attempts, last_error)
    values ('nobody_does_this', '{}', true, 5, ${NASTY})`;
  const page = await screens.visit();
  await page.goto("/settings/system");
  await sound(page, "system");
  expect(await main(page).textContent()).toContain("PostgreSQL");
  expect(await page.getByRole("row").count()).toBe(screens.runtime.runtime.booted.length + 1);
  await page.goto("/settings/maintenance");
  await sound(page, "maintenance");
  expect(await rowOf(page, "nobody_does_this").textContent()).toContain(NASTY);
  await page.getByRole("button", { name: "Find unused images" }).click();
  await sound(page, "unused-images");
  expect(await rowOf(page, NASTY).count()).toBe(1);
  await page.getByRole("button", { name: "Delete all" }).click();
  await page.locator("dialog").getByRole("button", { name: "Delete permanently" }).click();
  await page.getByText("Images deleted: 1").waitFor();
  await page.goto("/settings/maintenance/files");
  await sound(page, "lost-files");
  await page.goto("/settings/maintenance");
  await page.getByRole("button", { name: "Retry all (1)" }).click();
  await page.getByText("Jobs queued for retry: 1").waitFor();
  await screens.runtime.store.sql`update jobs set dead = true where name = 'nobody_does_this'`;
  await page.goto("/settings/maintenance/jobs/delete");
  await page.getByRole("button", { name: "Discard all" }).click();
  await page.getByText("Jobs discarded: 1").waitFor();
});

test("users who may not see settings get a message, and no menu of settings", async () => {
  const who = await screens.user("Plain", ["book-view-all"]);
  const page = await screens.visit(who);
  await page.goto("/");
  expect(await page.getByRole("link", { name: "Settings" }).count()).toBe(0);
  const book = await ask("POST", "/api/books", { name: "Closed" });
  const paths = [
    "users",
    "users/create",
    "users/1",
    "roles",
    "roles/1",
    "audit",
    "recycle-bin",
    "system",
    "maintenance",
  ];
  for (const path of [...paths.map((each) => `/settings/${each}`), `/books/${book.slug}/permissions`]) {
    const response = await page.goto(path);
    expect([path, response?.status()]).toEqual([path, 403]);
  }
  const half = await screens.visit(await screens.user("Half", ["settings-manage"]));
  await half.goto("/settings/system");
  expect(await half.getByRole("link", { name: "Audit log" }).count()).toBe(0);
  const stranger = await screens.visit(null);
  await stranger.goto("/settings/users");
  expect(new URL(stranger.url()).pathname).toBe("/login");
});

test("every screen holds on a phone and in the dark", async () => {
  const book = await ask("POST", "/api/books", { name: "Small" });
  await ask("DELETE", `/api/books/${(await ask("POST", "/api/books", { name: "Binned" })).id}`);
  const page = await screens.visit(undefined, { size: "phone", scheme: "dark" });
  const paths = ["users", "users/create", "users/1", "users/1/delete", "roles", "roles/1", "audit", "recycle-bin"];
  const further = ["recycle-bin/empty", "system", "maintenance", "maintenance/images", "maintenance/files"];
  for (const path of [...paths, ...further].map((each) => `/settings/${each}`)) {
    await page.goto(path);
    await sound(page, `phone-${path.slice(10).replaceAll("/", "-")}`);
  }
  await page.goto(`/books/${book.slug}/permissions`);
  await sound(page, "phone-item-permissions");
});
