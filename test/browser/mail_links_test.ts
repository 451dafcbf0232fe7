/** Links in mail messages, followed in a browser: an invitation, a forgotten password. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type FakeSmtp, fakeSmtp } from "../support/fakes/smtp.ts";
import { errorsOf, openScreens, picture, type ScreenRuntime, signIn } from "../support/harness/screens.ts";
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
  return /http:\/\/127\.0\.0\.1:\d+(\/[a-z/]+\/[A-Za-z0-9]{24})/.exec(text)?.[1] ?? "";
}

test("who is invited chooses a password by the link and signs in with it; the link works once", async () => {
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
  await signIn(page, { email: "ina@example.com", password: "chosen by myself" });
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
  await signIn(page, { email: "ina@example.com", password: "a second choice" });
  expect(await page.locator("header summary").textContent()).toContain("Ina");
});
