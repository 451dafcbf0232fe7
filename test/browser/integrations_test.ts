/** Dashboard keys and enrolment keys in a browser, and who may not see them. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { raw, sampleHosts } from "../support/data/sample_hosts.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(60_000);
const NASTY = `<img src=x onerror=alert(1)>"'>&amp;`;
const KEYS = "/settings/integrations/dashboard";

let screens: ScreenRuntime;
let dashboard: ReturnType<typeof sampleHosts>;
beforeAll(async () => {
  screens = await openScreens();
  dashboard = sampleHosts(screens.runtime);
});
afterAll(() => screens.stop());

async function visit(...asked: Parameters<ScreenRuntime["visit"]>): Promise<Page> {
  const page = await screens.visit(...asked);
  page.setDefaultTimeout(scaled(10_000));
  return page;
}
async function sound(page: Page, name: string): Promise<void> {
  await picture(page, `integrations-${name}`);
  expect([name, await errorsOf(page)]).toEqual([name, []]);
}
const cardOf = (page: Page, name: string) => page.getByRole("listitem").filter({ has: page.getByText(name) });
const keys = async (): Promise<{ id: number; token_name: string; is_active: boolean; expires_at: string | null }[]> =>
  (await screens.runtime.ask("GET", "/api/v1/dashboard/keys?sort=-id")).body.data;
const read = (basic: string, address = "127.0.0.1") =>
  raw(screens.runtime, "GET", "/api/v1/dashboard/stats", { authorization: `Basic ${basic}` }, undefined, address);

test("a key is made, its secret is shown once and hidden, and everything that is copied works", async () => {
  const page = await visit();
  await page.goto("/settings/integrations");
  expect(new URL(page.url()).pathname).toBe(KEYS);
  expect(await page.locator("main").textContent()).toContain("There are no keys yet");
  await sound(page, "no-keys");
  await page.getByRole("button", { name: "New dashboard key" }).click();
  await sound(page, "new-key");
  await page.getByLabel("Name", { exact: true }).fill(NASTY);
  await page.getByLabel("Allowed addresses").fill("127.0.0.1\n192.0.2.0/24, 2001:db8::/32");
  await page.getByLabel("Expires").fill("2031-07-01T12:00");
  await page.getByLabel("Time zone of the expiry").selectOption("Europe/Berlin");
  await page.getByRole("button", { name: "Create the key" }).click();
  expect(await page.locator("h1").textContent()).toBe("Your new key");
  const [made] = await keys();
  expect(made).toMatchObject({
    token_name: NASTY,
    allowed_ip_ranges: ["127.0.0.1", "192.0.2.0/24", "2001:db8::/32"],
  } as object);
  expect(made?.expires_at).toStartWith("2031-07-01T10:00:00");

  const secret = page.getByLabel("Secret", { exact: true });
  expect(await secret.getAttribute("type")).toBe("password");
  await page.locator(".copyable", { has: secret }).getByRole("button", { name: "Show" }).click();
  expect(await secret.getAttribute("type")).toBe("text");
  const key = await page.getByLabel("Key", { exact: true }).inputValue();
  const basic = await page.getByLabel("Base64 of key:secret").inputValue();
  expect(atob(basic)).toBe(`${key}:${await secret.inputValue()}`);
  expect((await read(basic)).status).toBe(200);
  await sound(page, "key-made");

  const text = (label: string) => page.getByLabel(label).inputValue();
  type Service = Record<string, { widget: { mappings: unknown[]; url: string; username: string } }>;
  const widgets: [label: string, mappings: number][] = [
    ["Homepage: three metrics", 3],
    ["Homepage: all fourteen metrics", 11],
  ];
  for (const [label, mappings] of widgets) {
    const [service] = Bun.YAML.parse(await text(label)) as Service[];
    expect(service?.["Patch status"]?.widget).toMatchObject({
      type: "customapi",
      url: `${screens.url}/api/v1/dashboard/stats`,
      refreshInterval: 60_000,
    } as object);
    expect(service?.["Patch status"]?.widget.mappings).toHaveLength(mappings);
  }
  expect(await text("Homepage: environment variables")).toContain(`HOMEPAGE_VAR_PATCH_KEY=${key}`);
  expect(await text("Homarr: fields of the integration")).toContain(`API Key: ${key}`);
  expect(Bun.YAML.parse(await text("Glance: widget"))).toMatchObject([{ type: "custom-api" }]);
  expect(Bun.YAML.parse(await text("Prometheus: scrape job"))).toMatchObject([{ basic_auth: { username: key } }]);
  expect(await text("Try it with curl")).toContain(`curl -fsS -u '${key}:`);
  expect(await page.locator(".copyable").count()).toBe(10);

  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const copy = page.locator(".copyable", { has: page.getByLabel("Try it with curl") }).getByRole("button");
  await copy.click();
  await copy.getByText("Copied").waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toContain("curl -fsS");

  // The secret has not been copied: leaving asks for confirmation, once.
  let asked = 0;
  page.on("dialog", (dialog) => {
    asked += 1;
    void dialog.dismiss();
  });
  const away = page.getByRole("button", { name: "I have saved the secret" });
  await away.click().catch(() => {});
  await until(() => asked > 0);
  expect([asked, await page.locator("h1").textContent()]).toEqual([1, "Your new key"]);
  await away.click();
  await page.waitForURL(`**${KEYS}`);
  expect(asked).toBe(1);
  expect(await page.content()).not.toContain(atob(basic).split(":")[1] as string);
});

test("who copied the secret leaves without being asked", async () => {
  const page = await visit();
  await page.goto(`${KEYS}/new`);
  await page.getByLabel("Name", { exact: true }).fill("Copied");
  await page.getByRole("button", { name: "Create the key" }).click();
  const secret = page.getByLabel("Secret", { exact: true });
  await page.locator(".copyable", { has: secret }).getByRole("button", { name: "Copy" }).click();
  let asked = false;
  page.on("dialog", (dialog) => {
    asked = true;
    void dialog.accept();
  });
  await page.getByRole("button", { name: "I have saved the secret" }).click();
  await page.waitForURL(`**${KEYS}`);
  expect(asked).toBe(false);
});

test("the list answers why a widget is red", async () => {
  const key = await dashboard.key({ token_name: "Wall", allowed_ip_ranges: ["192.0.2.7"] });
  const basic = btoa(`${key.token_key}:${key.token_secret}`);
  await read(basic, "192.0.2.7");
  await read(basic, "198.51.100.9");
  const page = await visit();
  await page.goto(KEYS);
  const card = cardOf(page, "Wall");
  const cardText = (await card.textContent())?.replace(/\s+/g, " ") ?? "";
  expect(cardText).toContain("from 192.0.2.7");
  expect(cardText).toContain("The address 198.51.100.9 is not allowed");
  expect(cardText).toMatch(/Expires ?never/);
  expect(await card.getByLabel("Key").inputValue()).toBe(key.token_key);
  expect(await cardOf(page, NASTY).count()).toBe(1);
  const limit = page.getByRole("region", { name: "Requests per address" });
  expect(await limit.getByRole("row", { name: /192\.0\.2\.7/ }).textContent()).toContain("1 of 100");
  await page.getByText("Dashboard setups within the limit").first().click();
  const fits = page.getByRole("region", { name: "Dashboard setups within the limit" });
  expect(
    (await fits.getByRole("row").allTextContents()).map((row) => /(Yes|Barely|No)$/.exec(row.trim())?.[1]),
  ).toEqual([undefined, "Yes", "Barely", "No", "Yes", "Barely"]);
  await sound(page, "keys");

  const dark = await visit(undefined, { size: "phone", scheme: "dark" });
  await dark.goto(KEYS);
  await sound(dark, "keys-phone-dark");
  await dark.goto(`${KEYS}/new`);
  await sound(dark, "new-key-phone-dark");
  await dark.goto(`${KEYS}/${key.id}/setup`);
  await sound(dark, "setup-phone-dark");
});

test("a key is disabled and enabled without a question, changed by its form, and deleted after one", async () => {
  const key = await dashboard.key({ token_name: "Kitchen" });
  const page = await visit();
  await page.goto(KEYS);
  const card = cardOf(page, "Kitchen");
  await card.getByRole("button", { name: "Disable" }).click();
  expect(await page.getByRole("status").first().textContent()).toContain("The key “Kitchen” is disabled.");
  expect(await card.textContent()).toContain("Inactive");
  expect((await dashboard.read(key)).body).toEqual({ error: "API key is disabled" });
  await card.getByRole("button", { name: "Enable" }).click();
  expect(await card.textContent()).toContain("Active");
  expect((await dashboard.read(key)).status).toBe(200);

  await card.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Allowed addresses").fill("not an address");
  await page.getByRole("button", { name: "Save" }).click();
  expect(await page.getByLabel("Allowed addresses").getAttribute("aria-invalid")).toBe("true");
  expect(await page.locator("#field-allowed_ip_ranges-fault").textContent()).toContain("neither an address nor");
  expect(await page.getByLabel("Allowed addresses").inputValue()).toBe("not\naddress".replace("\n", " an "));
  await sound(page, "key-refused");
  await page.getByLabel("Allowed addresses").fill("");
  await page.getByLabel("Name", { exact: true }).fill("Kitchen wall");
  await page.getByLabel("Expires").fill("2020-01-01T00:00");
  await page.getByRole("button", { name: "Save" }).click();
  expect(await cardOf(page, "Kitchen wall").textContent()).toContain("Expired");
  expect(await cardOf(page, "Kitchen wall").textContent()).toContain("(expired)");
  expect((await dashboard.read(key)).body).toEqual({ error: "API key has expired" });

  await cardOf(page, "Kitchen wall").getByRole("button", { name: "Set up" }).click();
  expect(Bun.YAML.parse(await page.getByLabel("Homepage: three metrics").inputValue())).toBeArray();
  await sound(page, "setup");
  await page.goBack();
  await cardOf(page, "Kitchen wall").getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.textContent()).toContain("Delete the key “Kitchen wall”?");
  expect(await dialog.textContent()).toContain("stop working");
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Cancel");
  await sound(page, "delete-key");
  await page.keyboard.press("Enter");
  expect(await dialog.isVisible()).toBe(false);
  await cardOf(page, "Kitchen wall").getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("button", { name: "Delete the key" }).click();
  expect(await page.getByRole("status").first().textContent()).toContain("is deleted");
  expect(await cardOf(page, "Kitchen wall").count()).toBe(0);
  expect((await dashboard.read(key)).body).toEqual({ error: "Invalid API key" });
});

test("without scripts the same is done by screens of their own", async () => {
  const key = await dashboard.key({ token_name: "Plain" });
  const page = await visit(undefined, { scripts: false });
  await page.goto(KEYS);
  await cardOf(page, "Plain").getByRole("button", { name: "Delete" }).click();
  expect(new URL(page.url()).pathname).toBe(`${KEYS}/${key.id}/delete`);
  await page.getByRole("button", { name: "Delete the key" }).click();
  expect((await keys()).some(({ id }) => id === key.id)).toBe(false);
  await page.goto(`${KEYS}/new`);
  await page.getByLabel("Name", { exact: true }).fill("Scriptless");
  await page.getByRole("button", { name: "Create the key" }).click();
  expect(await page.getByLabel("Secret", { exact: true }).inputValue()).toMatch(/^[0-9a-f]{64}$/);
});

test("a key of enrolment lets a script make a host", async () => {
  const page = await visit();
  await page.goto("/settings/integrations/enrolment");
  await sound(page, "no-enrolment");
  await page.getByRole("button", { name: "New enrolment key" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Installer");
  await page.getByLabel("Hosts per day").fill("2");
  await page.getByRole("button", { name: "Create the key" }).click();
  const command = await page.getByLabel("Enrol a host with curl").inputValue();
  await sound(page, "enrolment-made");
  const run = Bun.spawn(["sh", "-c", command], { stdout: "pipe" });
  expect(await new Response(run.stdout).json()).toMatchObject({ message: "Host enrolled successfully" });
  await page.goto("/settings/integrations/enrolment");
  expect(await cardOf(page, "Installer").textContent()).toContain("Hosts per day");
  expect(await cardOf(page, "Plain").count()).toBe(0);
});

test("only who manages settings comes here", async () => {
  const visitor = await visit(null);
  await visitor.goto(KEYS);
  expect(new URL(visitor.url()).pathname).toBe("/login");
  const someone = await visit(await screens.user("Someone", ["users-manage", "book-view-all"]));
  for (const path of [KEYS, `${KEYS}/new`, "/settings/integrations/hosts", "/settings/webhooks", "/statistics"]) {
    const response = await someone.goto(path);
    expect([path, response?.status()]).toEqual([path, 403]);
  }
  await someone.goto("/");
  expect(await someone.getByRole("link", { name: "Statistics" }).count()).toBe(0);
});
