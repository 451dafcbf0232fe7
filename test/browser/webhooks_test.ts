/** Webhooks in a browser, as an administrator sees them. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { openReceiver, type Receiver } from "../support/fakes/webhook_receiver.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";
import { until } from "../support/harness/until.ts";
import { webhooksIdle } from "../support/harness/webhook_queue.ts";

setDefaultTimeout(60_000);
const NASTY = `<img src=x onerror=alert(1)>"'>&amp;`;
const HOOKS = "/settings/webhooks";

let screens: ScreenRuntime;
let receiver: Receiver;
beforeAll(async () => {
  receiver = openReceiver();
  screens = await openScreens({
    env: { ALLOW_PRIVATE_HOSTS: "127.0.0.1/32" },
    constants: { webhooks: { pauses: "", patience: 1, patienceMinutes: 0 } },
  });
});
afterAll(async () => {
  await screens.stop();
  await receiver.stop();
});

async function visit(...asked: Parameters<ScreenRuntime["visit"]>): Promise<Page> {
  const page = await screens.visit(...asked);
  page.setDefaultTimeout(scaled(10_000));
  return page;
}
async function sound(page: Page, name: string): Promise<void> {
  await picture(page, `webhooks-${name}`);
  expect([name, await errorsOf(page)]).toEqual([name, []]);
}
const book = (name: string) => screens.runtime.ask("POST", "/api/books", { body: { name } });
const hooks = async () => (await screens.runtime.ask("GET", "/api/webhooks?sort=-id")).body.data;

test("a webhook is set up with some of the events, and its secret is shown once", async () => {
  const page = await visit();
  await page.goto(HOOKS);
  expect(await page.locator("main").textContent()).toContain("There are no webhooks yet");
  await sound(page, "none");
  await page.getByRole("button", { name: "New webhook" }).click();
  await sound(page, "new");
  await page.getByLabel("Name", { exact: true }).fill(NASTY);
  await page.getByLabel("Address to call").fill("http://user:password@example.com/");
  await page.getByRole("button", { name: "Create the webhook" }).click();
  expect(await page.locator("#events-fault").textContent()).toContain("required");
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe(NASTY);
  await sound(page, "refused");
  await page.getByRole("group", { name: "Books" }).getByLabel("created book").check();
  await page.getByRole("group", { name: "Pages" }).getByLabel("created page").check();
  await page.getByRole("button", { name: "Create the webhook" }).click();
  expect(await page.getByLabel("Address to call").getAttribute("aria-invalid")).toBe("true");
  expect(await page.getByLabel("created book").isChecked()).toBe(true);
  await page.getByLabel("Address to call").fill(`${receiver.url}/in`);
  await page.getByRole("button", { name: "Create the webhook" }).click();
  expect(await page.getByLabel("Secret", { exact: true }).inputValue()).toStartWith("whsec_");
  await sound(page, "made");
  page.on("dialog", (dialog) => void dialog.accept());
  await page.getByRole("button", { name: "I have saved the secret" }).click();
  expect(await page.getByRole("link", { name: NASTY, exact: true }).count()).toBe(1);
  expect((await hooks())[0]).toMatchObject({ name: NASTY, active: true, timeout: 3 });
  expect((await hooks())[0].events.sort()).toEqual(["book_create", "page_create"]);
});

test("its calls are listed and shown with request and answer, and made again", async () => {
  receiver.answer = () => new Response(NASTY);
  await book(NASTY);
  await webhooksIdle(screens.runtime);
  const page = await visit();
  await page.goto(HOOKS);
  await page.getByRole("link", { name: `Calls ${NASTY}` }).click();
  const row = page.getByRole("row").filter({ hasText: "book_create" });
  expect(await row.textContent()).toContain("Delivered");
  await sound(page, "calls");
  await row.getByRole("link").click();
  expect(await page.getByRole("region", { name: "Request body" }).textContent()).toContain('"event": "book_create"');
  expect(await page.getByRole("region", { name: "Start of the response" }).textContent()).toBe(NASTY);
  await sound(page, "call");
  await page.getByRole("button", { name: "Resend" }).click();
  expect(await page.getByRole("status").first().textContent()).toContain("The call is sent again.");
  await receiver.until(2);
});

test("one whose calls fail is switched off, says why, and is switched on again", async () => {
  receiver.answer = () => new Response("no", { status: 410 });
  await book("Second");
  await until(async () => !(await hooks())[0].active);
  const page = await visit();
  await page.goto(HOOKS);
  expect(await page.locator("tbody").textContent()).toContain("Disabled after failures");
  expect(await page.locator("tbody").textContent()).toContain("Response status from endpoint was 410");
  await sound(page, "switched-off");
  const dark = await visit(undefined, { size: "phone", scheme: "dark" });
  await dark.goto(HOOKS);
  await sound(dark, "phone-dark");
  await page.getByRole("link", { name: NASTY, exact: true }).click();
  expect(await page.getByRole("alert").textContent()).toContain("410");
  await sound(page, "edit");
  await dark.goto(page.url());
  await sound(dark, "edit-phone-dark");
  await dark.goto(`${page.url()}/deliveries`);
  await sound(dark, "calls-phone-dark");
  await dark.getByRole("link", { name: /^\d+$/ }).first().click();
  await sound(dark, "call-phone-dark");
  await page.getByLabel("Active").check();
  await page.getByLabel("Name", { exact: true }).fill("Chat");
  await page.getByRole("button", { name: "Save" }).click();
  expect(await page.locator("tbody").textContent()).toContain("Chat");
  expect((await hooks())[0]).toMatchObject({ active: true, name: "Chat" });
  await page.getByRole("link", { name: "Chat", exact: true }).click();
  await page.getByLabel("All events, including future ones").check();
  await page.getByLabel("Active").uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  expect((await hooks())[0]).toMatchObject({ active: false, events: ["all"] });
  await page.goto(`${HOOKS}/${(await hooks())[0].id}`);
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete the webhook" }).click();
  expect(await page.getByRole("status").first().textContent()).toContain("is deleted");
  expect(await hooks()).toEqual([]);
});
