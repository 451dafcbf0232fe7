/** The account's own settings in a browser. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { png } from "../support/data/sample_pictures.ts";
import { errorsOf, openScreens, picture, type ScreenRuntime, signIn } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);
const NASTY = `<img src=x onerror=alert(1)>"'>&amp;`;
const AGENT_HEADERS = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };

let screens: ScreenRuntime;
beforeAll(async () => {
  screens = await openScreens();
});
afterAll(() => screens.stop());

async function sound(page: Page, name: string): Promise<void> {
  await picture(page, `account-${name}`);
  expect([name, await errorsOf(page)]).toEqual([name, []]);
}
const h1 = (page: Page) => page.locator("h1").first().textContent();
const notice = (page: Page) => page.getByRole("status").first().textContent();

test("a profile is changed, and what is refused is shown beside its field", async () => {
  const who = await screens.user("Ann", []);
  const page = await screens.visit(who);
  await page.goto("/my-account");
  expect(new URL(page.url()).pathname).toBe("/my-account/profile");
  await sound(page, "profile");
  expect(await page.locator("main").textContent()).toContain(who.email);
  await page.getByLabel("Name").fill(NASTY);
  await page.getByLabel("Language").selectOption("de");
  await page.getByRole("button", { name: "Save" }).click();
  expect((await screens.runtime.ask("GET", `/api/users/${who.id}`)).body.name).toBe(NASTY);
  expect(await page.getAttribute("html", "lang")).toBe("de");
  expect(await page.locator("header summary").textContent()).toContain(NASTY);
  // In the language that was chosen, as all of the screen is.
  expect(await notice(page)).toContain("Ihr Profil wurde gespeichert.");
  expect(await page.locator("#field-language option").allTextContents()).toContain("Français");
  await page.locator("#field-language").selectOption("");
  await page.locator("form[action$=profile] button").click();
  await page.locator("form[action$=profile]").evaluate((form) => form.setAttribute("novalidate", ""));
  await page.getByLabel("Name").fill("");
  await page.getByRole("button", { name: "Save" }).click();
  expect(await page.getByText("The name must be at least 1 characters.").count()).toBe(1);
});

test("a time zone and a picture are shown on every screen, and without scripts", async () => {
  const who = await screens.user("Tim", []);
  const page = await screens.visit(who, { scripts: false });
  await page.goto("/my-account/profile");
  expect(await page.locator("header .avatar").textContent()).toBe("T");
  await page.getByLabel("Picture").setInputFiles({ name: "me.png", mimeType: "image/png", buffer: Buffer.from(png()) });
  await page.getByLabel("Time zone").selectOption("Pacific/Auckland");
  await page.getByRole("button", { name: "Save" }).click();
  expect(await page.locator("header img.avatar").getAttribute("src")).toContain("/uploads/images/user/");
  await page.goto("/my-account/sessions");
  const shown = page.locator("td time").first();
  const at = new Date((await shown.getAttribute("datetime")) ?? "");
  const own = new Intl.DateTimeFormat("en-GB", {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: "Pacific/Auckland",
  });
  expect(await shown.textContent()).toBe(own.format(at));
  // Scripts leave it as it is.
  const scripted = await screens.visit(who);
  await scripted.goto("/my-account/profile");
  await sound(scripted, "pictured");
  await scripted.goto("/user/tim");
  expect(await scripted.locator("main time").first().textContent()).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d$/);
  await page.goto("/my-account/profile");
  await page.getByLabel("Remove the picture").check();
  await page.getByRole("button", { name: "Save" }).click();
  expect(await page.locator("header .avatar").textContent()).toBe("T");
});

test("whoever leaves finds an heir by name, gives the password and is signed out", async () => {
  const [who, heir] = [await screens.user("Leo", ["book-create-all"]), await screens.user("Heiress", [])];
  const page = await screens.visit(who, { size: "phone", scheme: "dark" });
  await page.goto("/my-account/profile");
  await page.getByRole("button", { name: "Delete your account" }).click();
  await sound(page, "leave");
  await page.getByLabel("Find a new owner by name").fill("heir");
  await page.getByRole("button", { name: "Find" }).click();
  await page.getByLabel("Heiress (heiress)").check();
  await page.getByLabel("Current password").fill("a guess");
  await page.getByRole("button", { name: "Delete your account" }).click();
  expect(await page.getByText("The current password is not right.").count()).toBe(1);
  expect(await page.getByLabel("Heiress (heiress)").isChecked()).toBe(true);
  await page.getByLabel("Current password").fill(who.password);
  await page.getByRole("button", { name: "Delete your account" }).click();
  expect(await notice(page)).toContain("Your account is deleted.");
  expect((await screens.runtime.ask("GET", `/api/users/${who.id}`)).status).toBe(404);
  expect((await screens.runtime.ask("GET", `/api/users/${heir.id}`)).status).toBe(200);
  await page.goto("/my-account/profile");
  expect(new URL(page.url()).pathname).toBe("/login");
});

test("light and dark are the browser's, and need no script", async () => {
  const page = await screens.visit(undefined, { scripts: false });
  await page.goto("/my-account/profile");
  await page.getByLabel("Appearance").last().selectOption("dark");
  await page.getByRole("button", { name: "Apply" }).click();
  expect(await page.getAttribute("html", "data-theme")).toBe("dark");
  expect(await page.locator("select[name=scheme]").inputValue()).toBe("dark");
  expect(await page.getAttribute("html", "data-density")).toBeNull();
  await page.getByLabel("Density").selectOption("compact");
  await page.getByRole("button", { name: "Apply" }).click();
  expect(await page.getAttribute("html", "data-density")).toBe("compact");
  expect(await page.getByLabel("Density").inputValue()).toBe("compact");
  expect(await page.evaluate("getComputedStyle(document.documentElement).fontSize")).toBe("15px");
  await page.locator("select[name=scheme]").selectOption("auto");
  await page.getByRole("button", { name: "Apply" }).click();
  expect(await page.getAttribute("html", "data-theme")).toBeNull();
});

test("a new password asks for the present one, signs out everywhere else and stays signed in here", async () => {
  const who = await screens.user("Ben", []);
  const [page, other] = [await screens.visit(who), await screens.visit(who)];
  await page.goto("/my-account/auth");
  await sound(page, "password");
  const change = async (current: string, fresh: string, repeated = fresh) => {
    await page.getByLabel("Current password").fill(current);
    await page.getByLabel("New password", { exact: true }).fill(fresh);
    await page.getByLabel("Confirm new password").fill(repeated);
    await page.getByRole("button", { name: "Change the password" }).click();
  };
  await change("a guess", "another long one");
  expect(await page.getByText("The current password is not right.").count()).toBe(1);
  await change(who.password, "another long one", "something else");
  expect(await page.getByText("The passwords do not match.").count()).toBe(1);
  await change(who.password, "short");
  expect(await page.getByText("The password must be at least 8 characters.").count()).toBe(1);
  await sound(page, "password-refused");
  await change(who.password, "another long one");
  expect(await notice(page)).toContain("Your password is changed");
  await page.goto("/my-account/profile");
  expect(await h1(page)).toBe("Profile");
  await other.goto("/my-account/profile");
  expect(new URL(other.url()).pathname).toBe("/login");
  await signIn(other, { email: who.email, password: "another long one" });
});

test("a token is made, works, is shown once, and is revoked", async () => {
  const who = await screens.user("Cleo", ["access-api", "book-view-all", "book-create-all"]);
  const page = await screens.visit(who);
  await page.goto("/my-account/tokens");
  expect(await page.getByText("test", { exact: true }).count()).toBe(1);
  await sound(page, "tokens");
  await page.getByRole("button", { name: "New token" }).click();
  await sound(page, "new-token");
  await page.getByLabel("Name").fill(NASTY);
  await page.getByLabel("Expires on").fill("2199-01-02");
  await page.getByLabel("Limit to the permissions selected below").check();
  await page.locator("details.choices summary").click();
  await page.getByLabel("book-view-all").check();
  await sound(page, "new-token-limited");
  await page.getByRole("button", { name: "Create the token" }).click();
  expect(await h1(page)).toBe("Your new API token");
  const id = await page.getByLabel("Token ID").inputValue();
  const secret = await page.getByLabel("Token secret").inputValue();
  expect(await page.getByLabel("Token secret").getAttribute("type")).toBe("password");
  await sound(page, "token-made");
  const ask = (method: string, path: string) =>
    screens.runtime.ask(method, path, { as: `${id}:${secret}`, ...(method === "POST" && { body: { name: "Book" } }) });
  expect([(await ask("GET", "/api/books")).status, (await ask("POST", "/api/books")).status]).toEqual([200, 403]);
  page.once("dialog", (dialog) => void dialog.accept());
  await page.getByRole("button", { name: "I have copied it" }).click();
  await page.waitForURL("**/my-account/tokens");
  const row = page.getByRole("row").filter({ hasText: id });
  expect(await row.textContent()).toContain(NASTY);
  expect(await row.textContent()).toContain("Selected permissions (1)");
  expect(await row.textContent()).not.toContain("Never");
  expect(await page.content()).not.toContain(secret);
  await row.getByRole("button", { name: "Revoke" }).click();
  await page.locator("dialog .confirm").waitFor();
  await sound(page, "revoke");
  await page.locator("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("The token is revoked.").waitFor();
  expect((await ask("GET", "/api/books")).status).toBe(401);
  await page.goto("/my-account/tokens/create");
  await page.locator("main form").evaluate((form) => form.setAttribute("novalidate", ""));
  await page.getByRole("button", { name: "Create the token" }).click();
  expect(await page.getByText("The name field is required.").count()).toBe(1);
});

test("tokens are offered to those alone who may use the API", async () => {
  const page = await screens.visit(await screens.user("Nora", ["book-view-all"]));
  await page.goto("/my-account/profile");
  expect(await page.getByRole("link", { name: "API tokens" }).count()).toBe(0);
  for (const path of ["tokens", "tokens/create"])
    expect([path, (await page.goto(`/my-account/${path}`))?.status()]).toEqual([path, 403]);
});

test("sessions are listed with this one marked, and ended; those of others are out of reach", async () => {
  const who = await screens.user("Dora", []);
  const { email, password } = who;
  const [page, other] = [await screens.visit(who), await screens.visit(who)];
  await screens.runtime.ask("POST", "/api/session", { as: null, body: { email, password }, headers: AGENT_HEADERS });
  await page.goto("/my-account/sessions");
  await sound(page, "sessions");
  expect(await page.getByRole("row").count()).toBe(4);
  expect(await page.getByText("Firefox on Linux").count()).toBe(1);
  expect(await page.getByRole("row").filter({ hasText: "This session" }).getByRole("button").count()).toBe(0);
  await page.getByRole("row").filter({ hasText: "Firefox" }).getByRole("button", { name: "End" }).click();
  expect(await notice(page)).toContain("The session is ended.");
  await page.getByRole("button", { name: "End all other sessions" }).click();
  expect(await page.getByRole("row").count()).toBe(2);
  await other.goto("/my-account/sessions");
  expect(new URL(other.url()).pathname).toBe("/login");
  const [foreign] = await screens.runtime.store.sql`insert into sessions (user_id, hash, address, agent)
    values (1, 'x', '192.0.2.1', ${NASTY}) returning id`;
  await page.evaluate(`(() => {
    const form = document.createElement("form");
    form.method = "post";
    form.action = "/my-account/sessions/${foreign?.id}/delete";
    document.body.append(form);
    form.submit();
  })()`);
  await page.getByText("Session not found").waitFor();
});

test("every screen holds on a phone and in the dark", async () => {
  const page = await screens.visit(undefined, { size: "phone", scheme: "dark" });
  for (const path of ["profile", "auth", "tokens", "tokens/create", "sessions"]) {
    await page.goto(`/my-account/${path}`);
    await sound(page, `phone-${path.replace("/", "-")}`);
  }
  const stranger = await screens.visit(null);
  await stranger.goto("/my-account/tokens");
  expect(new URL(stranger.url()).pathname).toBe("/login");
});
