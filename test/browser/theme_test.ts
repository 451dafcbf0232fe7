/** A theme in a browser: a view, a text, an icon and a colour of the example replace those that ship. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);
const CORE = JSON.stringify(resolve(import.meta.dir, "../../core/mod.ts"));
const folder = mkdtempSync(join(tmpdir(), "lectern-themes-"));
let screens: ScreenRuntime;
beforeAll(async () => {
  const themes = { folder: resolve(import.meta.dir, "../../themes") };
  screens = await openScreens({ env: { APP_THEME: "example" }, choices: { settings: { themes } } });
});
afterAll(async () => {
  await screens.stop();
  rmSync(folder, { recursive: true, force: true });
});

function writeTheme(name: string, code: string): void {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, "functions.ts"), code);
}

test("the example changes a view, a text, an icon and a colour, and leaves the rest", async () => {
  const page = await screens.visit(null);
  await page.goto("/login");
  expect(await page.locator("aside.house-rules").textContent()).toContain("Every runbook has an owner.");
  expect(await page.locator("footer.bottom").count()).toBe(1);
  expect(await page.locator("h1").textContent()).toBe("Come in");
  expect(await page.locator(".brand path").count()).toBe(2);
  expect(await page.locator(".brand path").first().getAttribute("d")).toStartWith("M12 6c-2");
  const colour = await page.evaluate("getComputedStyle(document.querySelector('main form button')).backgroundColor");
  expect(colour).toBe("rgb(91, 59, 140)");
  await picture(page, "theme-example");
  expect(await errorsOf(page)).toEqual([]);
});

test("files of a theme are served by their names alone, and none of another or above it", async () => {
  const get = async (path: string) => (await fetch(screens.url + path)).status;
  expect(await get("/theme/example/theme.css")).toBe(200);
  for (const path of [
    "/theme/example/../functions.ts",
    "/theme/example/..%2ffunctions.ts",
    "/theme/example/%2e%2e/functions.ts",
    "/theme/other/theme.css",
    "/theme/example/%00theme.css",
    "/theme/example/nowhere.css",
  ])
    expect([path, await get(path)]).toEqual([path, 404]);
});

test("the original's hooks about screens add screens, draw around views, and stand around requests", async () => {
  const seen: string[] = [];
  Object.assign(globalThis, { seen });
  writeTheme(
    "hooks",
    `import { defineTheme, html } from ${CORE};
    export default defineTheme(({ listen }) => {
      listen("routes_register_web", (router) => {
        router.get("/hello", ({ ui }) => ({ title: "Hello", body: html\`<h1>\${ui.t("Sign in")} & welcome</h1>\` }));
      });
      listen("routes_register_web_auth", (router) => {
        router.get("/inside", () => new Response("inside"));
      });
      listen("theme_register_views", (views) => {
        views.renderBefore("layout/footer", () => html\`<p id="later">two</p>\`, 60);
        views.renderBefore("layout/footer", () => html\`<p id="sooner">one</p>\`);
        views.renderAfter("layout/footer", () => html\`<p id="after">three</p>\`);
      });
      listen("web_middleware_before", (request) => {
        seen.push(new URL(request.url).pathname);
        return request.url.endsWith("/closed") ? new Response("Closed today", { status: 503 }) : undefined;
      });
      listen("web_middleware_after", (_, response) => {
        response.headers.set("x-theme", "yes");
        return undefined;
      });
    });`,
  );
  const own = await openScreens({ env: { APP_THEME: "hooks" }, choices: { settings: { themes: { folder } } } });
  const page = await own.visit(null);
  const answer = await page.goto("/hello");
  expect(await page.locator("h1").textContent()).toBe("Sign in & welcome");
  expect(await page.locator("#sooner + #later + footer + #after").count()).toBe(1);
  expect(answer?.headers()["x-theme"]).toBe("yes");
  await page.goto("/inside");
  expect(new URL(page.url()).pathname).toBe("/login");
  expect((await page.goto("/closed"))?.status()).toBe(503);
  expect((await fetch(`${own.url}/api/books`)).headers.has("x-theme")).toBe(false);
  expect(seen).toContain("/hello");
  await own.stop();
});

test("markup in head/ runs its scripts and styles on every screen, and no other script runs", async () => {
  writeTheme("headed", "export default { setup() {} };\n");
  mkdirSync(join(folder, "headed/head"));
  const head = join(folder, "headed/head");
  writeFileSync(join(head, "20.html"), "<style>h1 { color: rgb(1, 2, 3) }</style>\n<!-- <script>no()</script> -->");
  writeFileSync(
    join(head, "10.html"),
    `<meta name="head" content="a script: <script>"><script>document.documentElement.dataset.head = "<link>";</script>`,
  );
  const own = await openScreens({ env: { APP_THEME: "headed" }, choices: { settings: { themes: { folder } } } });
  const page = await own.visit(null);
  for (const path of ["/login", "/nowhere"]) {
    await page.goto(path);
    expect(await page.evaluate("document.documentElement.dataset.head")).toBe("<link>");
    expect(await page.evaluate("getComputedStyle(document.querySelector('h1')).color")).toBe("rgb(1, 2, 3)");
    expect(await page.locator("head > meta[name=head]").getAttribute("content")).toBe("a script: <script>");
    expect(await errorsOf(page)).toEqual([]);
  }
  await page.evaluate("document.body.append(Object.assign(document.createElement('script'), { text: 'hit = 1' }))");
  expect(await page.evaluate("typeof hit")).toBe("undefined");
  await own.stop();
});
