/** Hosts and their statistics in a browser, as an administrator sees them. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { installed, sampleHosts, type TestHost } from "../support/data/sample_hosts.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);
const NASTY = `<img src=x onerror=alert(1)>"'>&amp;`;
const HOSTS = "/settings/integrations/hosts";

let screens: ScreenRuntime;
let dashboard: ReturnType<typeof sampleHosts>;
let risky: TestHost;
beforeAll(async () => {
  screens = await openScreens({ env: { HOSTS_REQUESTS_PER_MIN: "0" } });
  dashboard = sampleHosts(screens.runtime);
});
afterAll(() => screens.stop());

async function visit(...asked: Parameters<ScreenRuntime["visit"]>): Promise<Page> {
  const page = await screens.visit(...asked);
  page.setDefaultTimeout(scaled(10_000));
  return page;
}
async function sound(page: Page, name: string): Promise<void> {
  await picture(page, name);
  expect([name, await errorsOf(page)]).toEqual([name, []]);
}
const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

/** Hosts of several systems, one of them with hostile reports. */
async function grow(): Promise<void> {
  const systems = ["Ubuntu", "Ubuntu", "Ubuntu", "Debian", "Debian", "Rocky Linux", "Alpine Linux", NASTY];
  for (const [index, osType] of systems.entries()) {
    const host = await dashboard.host(index === 7 ? NASTY : `web-${index + 1}`);
    if (index === 7) risky = host;
    await dashboard.report(host, {
      osType,
      osVersion: index === 7 ? NASTY : "12",
      hostname: index === 7 ? NASTY : `web-${index + 1}.example.org`,
      needsReboot: index === 7,
      rebootReason: index === 7 ? NASTY : "",
      packages: [
        installed("bash", index % 2 ? "old" : ""),
        installed(index === 7 ? NASTY : "openssl", index > 4 ? "risk" : ""),
        installed("zlib"),
      ],
      repositories: [
        {
          name: "main",
          url: `https://deb.example.org/${NASTY}`,
          distribution: "stable",
          components: "main",
          repoType: "deb",
        },
      ],
    });
  }
}

test("an empty instance says so, on every screen", async () => {
  const page = await visit();
  await page.goto(HOSTS);
  expect(await page.locator("main").textContent()).toContain("There are no hosts yet");
  await sound(page, "hosts-none");
  await page.goto("/statistics");
  expect(await page.locator("main").textContent()).toContain("No host has reported yet.");
  await sound(page, "statistics-none");
});

test("a host is made, and reports with the command line that is shown once", async () => {
  const page = await visit();
  await page.goto(HOSTS);
  await page.getByRole("button", { name: "New host" }).click();
  await sound(page, "hosts-new");
  await page.getByLabel("Name", { exact: true }).fill("x".repeat(300));
  await page.getByLabel("Name", { exact: true }).evaluate((field) => field.removeAttribute("maxlength"));
  await page.getByLabel("Name", { exact: true }).fill("x".repeat(300));
  await page.getByRole("button", { name: "Create the host" }).click();
  expect(await page.getByLabel("Name", { exact: true }).getAttribute("aria-invalid")).toBe("true");
  await page.getByLabel("Name", { exact: true }).fill("This machine");
  await page.getByRole("button", { name: "Create the host" }).click();
  const fetched = await page.getByLabel("1. Fetch the script on the machine").inputValue();
  const report = await page.getByLabel("2. Report once").inputValue();
  expect(await page.getByLabel("API key", { exact: true }).getAttribute("type")).toBe("password");
  await sound(page, "hosts-made");
  const folder = `${screens.runtime.dataDir}/reporting`;
  const run = Bun.spawn(["sh", "-c", `mkdir ${folder} && cd ${folder} && ${fetched} && NO_REFRESH=1 ${report}`], {
    stdout: "pipe",
  });
  expect(await new Response(run.stdout).text()).toContain("Host updated successfully");
  page.on("dialog", (dialog) => void dialog.accept());
  await page.getByRole("button", { name: "I have saved the API key" }).click();
  await page.waitForURL(/hosts\/\d+$/);
  expect(await page.locator("h1").textContent()).toContain("Active");
  expect(await page.locator("main").textContent()).toContain("reporter.sh");
});

test("the list is filtered and paged, and shows what hosts say as text", async () => {
  await grow();
  const page = await visit();
  await page.goto(HOSTS);
  expect(await rowOf(page, NASTY).first().textContent()).toContain("Active");
  expect(await page.locator("main img").count()).toBe(0);
  await sound(page, "hosts");
  await page.getByLabel("Needs").selectOption({ label: "Security updates" });
  await page.getByRole("button", { name: "Filter" }).click();
  const names = (await page.locator("tbody tr td:first-child a").allTextContents()).filter((name) =>
    name.startsWith("web"),
  );
  expect(names).toEqual(["web-6", "web-7"]);
  await page.getByLabel("Name contains").fill("web-6");
  await page.getByRole("button", { name: "Filter" }).click();
  expect(await page.locator("tbody tr").count()).toBe(1);
  await page.getByLabel("Name contains").fill("nothing of the kind");
  await page.getByRole("button", { name: "Filter" }).click();
  expect(await page.locator("main").textContent()).toContain("No host matches these filters.");
  for (let number = 0; number < 30; number++) await dashboard.host(`more-${String(number).padStart(2, "0")}`);
  await page.goto(`${HOSTS}?status=pending&name=more`);
  expect(await page.locator("tbody tr").count()).toBe(30);
  await page.goto(HOSTS);
  await page.getByRole("link", { name: "Next" }).click();
  expect(await page.getByText("Page 2 of 2").count()).toBe(1);
  const dark = await visit(undefined, { size: "phone", scheme: "dark" });
  await dark.goto(HOSTS);
  await sound(dark, "hosts-phone-dark");
  await dark.goto(`${HOSTS}/${risky.id}`);
  await sound(dark, "host-phone-dark");
});

test("a host shows what is outdated, is renamed, taken out and in again, and deleted after a question", async () => {
  const page = await visit();
  await page.goto(`${HOSTS}/${risky.id}`);
  expect(await page.locator("h1").textContent()).toContain(NASTY);
  expect(await page.locator("main").textContent()).toContain(`A restart is required: ${NASTY}`);
  expect(await rowOf(page, "bash").textContent()).toContain("Update");
  expect(await page.getByRole("region", { name: "Outdated packages" }).getByText("Security").count()).toBe(1);
  await sound(page, "host");
  await page.getByRole("button", { name: "Exclude from statistics" }).click();
  expect(await page.locator("h1").textContent()).toContain("Inactive: excluded");
  await page.getByRole("button", { name: "Include in statistics" }).click();
  expect(await page.locator("h1").textContent()).toContain("Active");
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Renamed");
  await page.getByRole("button", { name: "Save" }).click();
  expect(await page.locator("h1").textContent()).toContain("Renamed");
  await page.getByRole("button", { name: "Delete" }).click();
  expect(await page.getByRole("dialog").textContent()).toContain("Delete the host “Renamed”?");
  await page.getByRole("dialog").getByRole("button", { name: "Delete the host" }).click();
  expect(await page.getByRole("status").first().textContent()).toContain("is deleted");
  expect((await dashboard.ping(risky)).status).toBe(401);
});

test("the statistics show numbers, lines and bars, each chart with a title, a description and a table", async () => {
  const sql = screens.runtime.store.sql;
  await sql`insert into host_history (at, hosts, needing, at_risk, outdated, security, rebooting)
    select date_trunc('hour', now()) - make_interval(hours => n), 8 - n / 150, 4 - n / 300, 2, 40 + (n * 7) % 23, (n * 5) % 11, 1
    from generate_series(1, 700) as n`;
  await dashboard.report(await dashboard.host("strange"), { osType: NASTY, packages: [installed("bash", "old")] });
  const page = await visit();
  await page.goto("/");
  await page.goto("/statistics");
  const main = page.locator("main");
  for (const heading of ["Hosts over time", "Outdated packages and security updates", "Operating systems"]) {
    expect(await page.getByRole("heading", { name: heading }).count()).toBe(1);
    expect(await page.getByRole("img", { name: heading }).count()).toBe(1);
    expect(await page.locator("desc").count()).toBe(3);
  }
  expect(await main.locator("desc").first().textContent()).toMatch(/All hosts: from \d+ to \d+, maximum \d+\./);
  expect(await main.locator("svg image, main img").count()).toBe(0);
  expect(
    await page
      .getByRole("navigation", { name: "Main menu" })
      .getByRole("link", { name: "Statistics" })
      .getAttribute("aria-current"),
  ).toBe("page");
  await sound(page, "statistics");
  await page.getByText("Table: Operating systems").click();
  const table = page.getByRole("region", { name: "Operating systems" }).last();
  expect(await table.getByRole("row", { name: /^Ubuntu/ }).textContent()).toContain("3");
  await page.getByText("Table: Hosts over time").click();
  expect(await page.getByRole("region", { name: "Hosts over time" }).last().getByRole("row").count()).toBeGreaterThan(
    28,
  );
  await page.getByRole("link", { name: "Last 7 days" }).click();
  await sound(page, "statistics-week");
  for (const scheme of ["dark", "light"] as const) {
    const phone = await visit(undefined, { size: "phone", scheme });
    await phone.goto("/statistics?days=90");
    await sound(phone, `statistics-phone-${scheme}`);
  }
  await page.goto("/statistics?days=many");
  expect(await page.locator("h1").textContent()).toBe("Statistics");
});
