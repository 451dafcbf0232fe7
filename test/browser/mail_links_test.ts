/** Links in mail messages, followed in a browser: an invitation, a forgotten password, another address. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type FakeSmtp, fakeSmtp } from "../support/fakes/smtp.ts";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(60_000);
let smtp: FakeSmtp;
let screens: ScreenRuntime;
beforeAll(async () => {
  smtp = fakeSmtp();
  screens = await openScreens({
    env: { MAIL_HOST: "127.0.0.1", MAIL_PORT: String(smtp.port), MAIL_FROM: "Wiki <wiki@example.com>" },
  });
});
afterAll(async () => {
  await screens.stop();
  smtp.stop();
});

/** The link in the message that came last, once it has come. */
async function link(messages: number): Promise<string> {
  await until(() => smtp.messages.length >= messages);
  const text = (smtp.messages.at(-1)?.text ?? "").replaceAll("=\r\n", "").replaceAll("=3D", "=");
  return /http:\/\/127\.0\.0\.1:\d+(\/[a-z/-]+\/[A-Za-z0-9]{24})/.exec(text)?.[1] ?? "";
}

test("who is invited chooses a password by the link and is signed in; the link works once", async () => {
  const body = { name: "Ina", email: "ina@example.com", send_invite: true };
  expect((await screens.runtime.ask("POST", "/api/users", { body })).status).toBe(200);
  const path = await link(1);
  expect(path).toStartWith("/register/invite/");
  const page = await screens.visit(null);
  await page.goto(path);
  await picture(page, "invited");
  expect(await errorsOf(page)).toEqual([]);
  await page.getByLabel("Password").fill("short");
  await page.locator("main form button").click();
  expect(await page.getByText("The password must be at least 8 characters.").count()).toBe(1);
  await page.getByLabel("Password").fill("chosen by myself");
  await page.locator("main form button").click();
  expect(await page.getByRole("status").textContent()).toContain("Your password is saved.");
  expect(await page.locator("header summary").textContent()).toContain("Ina");
  const again = await screens.visit(null);
  await again.goto(path);
  await again.getByLabel("Password").fill("another of mine");
  await again.locator("main form button").click();
  expect(await again.getByRole("alert").textContent()).toContain("Link not found");
});

test("who forgot a password is written to, and a stranger learns nothing from what the screen says", async () => {
  const page = await screens.visit(null);
  const ask = async (email: string) => {
    await page.goto("/login");
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    expect(await errorsOf(page)).toEqual([]);
    await page.getByLabel("E-mail address").fill(email);
    await page.getByRole("button", { name: "Send the email" }).click();
    return page.getByRole("status").textContent();
  };
  await picture(page, "forgotten");
  const shown = await ask("nobody@example.com");
  const before = smtp.messages.length;
  expect(await ask("ina@example.com")).toBe(shown);
  const path = await link(before + 1);
  expect(path).toStartWith("/password/reset/");
  await page.goto(path);
  await page.getByLabel("Password").fill("a second choice");
  await page.locator("main form button").click();
  expect(await page.locator("header summary").textContent()).toContain("Ina");
});

test("another address is confirmed by its link, after signing in where the browser is not", async () => {
  const who = await screens.user("Nora", []);
  const page = await screens.visit(who, { scripts: false, size: "phone" });
  await page.goto("/my-account/profile");
  await page.getByRole("button", { name: "Change the e-mail address" }).click();
  await page.getByLabel("New e-mail address").fill("nora@example.org");
  await page.getByLabel("Current password").fill(who.password);
  const before = smtp.messages.length;
  await page.getByRole("button", { name: "Send the email" }).click();
  expect(await page.locator("main").textContent()).toContain("An email with a link was sent to nora@example.org.");
  const path = await link(before + 1);
  const other = await screens.visit(null);
  await other.goto(path);
  await other.getByLabel("E-mail address").fill(who.email);
  await other.getByLabel("Password").fill(who.password);
  await other.locator("main form button").click();
  await picture(other, "confirm-address");
  expect(await errorsOf(other)).toEqual([]);
  await other.getByRole("button", { name: "Confirm" }).click();
  expect(await other.getByRole("status").textContent()).toContain("nora@example.org");
  await until(() => smtp.messages.at(-1)?.to[0] === who.email);
});

test("who manages users sees open invitations, sends one again and withdraws it", async () => {
  const body = { name: "Otto", email: "otto@example.com", send_invite: true };
  const { id } = (await screens.runtime.ask("POST", "/api/users", { body })).body;
  const first = await link(smtp.messages.length + 1);
  const page = await screens.visit(undefined, { scripts: false });
  await page.goto("/settings/users");
  await page.getByRole("table", { name: "Invitations" }).getByRole("link", { name: "Otto" }).click();
  expect(await page.locator("main").textContent()).toContain("Invited by Admin.");
  const before = smtp.messages.length;
  await page.getByRole("button", { name: "Send again" }).click();
  const second = await link(before + 1);
  expect(second).not.toBe(first);
  await page.goto("/settings/users");
  await page.locator(`form[action$="/${id}/invite/withdraw"] button`).click();
  expect(await page.getByRole("status").first().textContent()).toContain("The invitation is withdrawn.");
  await page.goto(second);
  await page.getByLabel("Password").fill("too late for this");
  await page.locator("main form button").click();
  expect(await page.getByRole("alert").textContent()).toContain("Link not found");
});
