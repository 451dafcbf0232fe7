/** Signing in and out in a browser. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { errorsOf, openScreens, picture, type ScreenRuntime, signIn } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);
let screens: ScreenRuntime;
beforeAll(async () => {
  screens = await openScreens();
});
afterAll(() => screens.stop());

test("a guest is asked to sign in, sees what is wrong, and is redirected to the screen they asked for", async () => {
  const page = await screens.visit(null);
  await page.goto("/settings/nowhere");
  expect(await page.locator("h1").textContent()).toBe("Not found");
  expect(await errorsOf(page)).toEqual([]);
  await page.goto("/login?next=/api/docs");
  expect(await errorsOf(page)).toEqual([]);
  await picture(page, "sign-in");
  await page.getByLabel("E-mail address").fill("admin@example.com");
  await page.getByLabel("Password").fill("wrong one");
  await page.locator("main form button").click();
  expect(await page.getByRole("alert").textContent()).toContain("These credentials do not match");
  expect(await page.getByLabel("E-mail address").inputValue()).toBe("admin@example.com");
  await page.getByLabel("Password").fill("correct horse battery");
  await page.locator("main form button").click();
  await page.waitForURL("**/api/docs");
});

test("signing out ends the session, and a session planted before is worth nothing", async () => {
  const page = await screens.visit(null);
  const planted = "A".repeat(40);
  await page.context().addCookies([{ name: "bookstack_session", value: planted, url: screens.url }]);
  await signIn(page, { email: "admin@example.com", password: "correct horse battery" });
  const cookie = async () => (await page.context().cookies()).find(({ name }) => name === "bookstack_session");
  const signedIn = await cookie();
  expect(signedIn?.value).not.toBe(planted);
  expect(signedIn).toMatchObject({ httpOnly: true, sameSite: "Lax" });
  await page.locator("header summary").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  expect(await page.getByRole("status").textContent()).toContain("You are signed out.");
  expect(await cookie()).toBeUndefined();
  const headers = { cookie: `bookstack_session=${signedIn?.value}` };
  expect((await fetch(`${screens.url}/api/session`, { headers })).status).toBe(401);
});

test("no address of another site is led on to", async () => {
  const page = await screens.visit(null);
  for (const next of ["https://evil.test/", "//evil.test", "/\\evil.test", "javascript:alert(1)"]) {
    await page.goto(`/login?next=${encodeURIComponent(next)}`);
    expect(await page.locator("input[name=next]").inputValue()).toBe("/");
  }
});

test("a form on another site signs nobody in or out, and no other site frames a screen", async () => {
  const page = await screens.visit();
  const foreign = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () =>
      new Response(
        `<iframe src="${screens.url}/login"></iframe><form method="post" action="${screens.url}/logout"><button>Win</button></form>`,
        { headers: { "content-type": "text/html" } },
      ),
  });
  // Another host name of the same machine is another site.
  await page.goto(`http://localhost:${foreign.port}/`);
  expect(await page.frames()[1]?.locator("form").count()).toBe(0);
  await page.getByRole("button", { name: "Win" }).click();
  await page.waitForURL("**/logout");
  expect(await page.locator("main").textContent()).toContain("another site");
  await page.goto("/api/session");
  expect(await page.textContent("body")).toContain("admin@example.com");
  await foreign.stop(true);
});

test("screens speak the language the browser asks for, until the user chooses another", async () => {
  const french = await screens.visit(null, { language: "fr-FR" });
  await french.goto("/login");
  expect([await french.locator("h1").textContent(), await french.getAttribute("html", "lang")]).toEqual([
    "Se connecter",
    "fr-FR",
  ]);
  await french.goto("/nowhere");
  expect(await french.locator("main").textContent()).toContain("L’adresse nowhere est introuvable.");
  const { id, email, password } = await screens.user("Uwe", []);
  await screens.runtime.ask("PUT", `/api/users/${id}`, { body: { language: "de" } });
  const page = await screens.visit(null, { language: "fr-FR" });
  await page.goto("/login");
  await page.getByLabel("Adresse e-mail").fill(email);
  await page.getByLabel("Mot de passe").fill(password);
  await page.locator("main form button").click();
  await page.locator("header summary").click();
  expect(await page.getByRole("button", { name: "Abmelden" }).count()).toBe(1);
  expect(await errorsOf(page)).toEqual([]);
});
