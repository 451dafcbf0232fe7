/**
 * Settings that administrators change while the instance runs: they hold at once on the server that was asked and on the others, on screens that
 * are kept too; a variable wins over them; a contrast that nobody could read is refused; and what was changed is in the audit log.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { picture } from "../support/data/sample_pictures.ts";
import { doctorOf } from "../support/harness/doctor.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(120_000);

let one: TestRuntime;
let two: TestRuntime;
let cookie: string;
beforeAll(async () => {
  one = await bootTestRuntime();
  two = await bootTestRuntime({ beside: one });
  await one.ask("POST", "/api/books", { body: { name: "Runbooks" } });
  const body = { email: "admin@example.com", password: "correct horse battery" };
  const { headers } = await one.ask("POST", "/api/session", { as: null, body });
  cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
});
afterAll(async () => {
  await two.stop();
  await one.stop();
});

const set = (body: object, at = one) => at.ask("PUT", "/api/settings", { body });
const setting = async (name: string, at = one) => {
  const { body } = await at.ask("GET", "/api/settings");
  return body.data.find((each: { name: string }) => each.name === name);
};
/** A screen as a browser asks for it. */
const screen = async (path: string, { at = one, as = cookie, etag = "" } = {}) => {
  const headers = {
    accept: "text/html",
    ...(as !== "" && { cookie: as }),
    ...(etag !== "" && { "if-none-match": etag }),
  };
  return at.ask("GET", path, { as: null, headers });
};
const form = (path: string, fields: Record<string, string>) =>
  one.ask("POST", path, { as: null, form: fields, headers: { cookie, "sec-fetch-site": "same-origin" } });

test("a new name is on kept screens of this server at once, and on those of another; their entity tags change", async () => {
  const before = await Promise.all([one, two].map((at) => screen("/books/runbooks", { at })));
  for (const [n, at] of [one, two].entries()) {
    const etag = before[n]?.headers.get("etag") ?? "";
    expect(before[n]?.body).toContain("· Lectern</title>");
    expect((await screen("/books/runbooks", { at, etag })).status).toBe(304);
  }
  expect((await set({ app_name: "Wiki <&> Co" })).status).toBe(200);
  for (const [n, at] of [one, two].entries()) {
    const etag = before[n]?.headers.get("etag") ?? "";
    const read = () => screen("/books/runbooks", { at, etag });
    const after = at === one ? await read() : await until(read, ({ status }) => status === 200);
    expect(after.body).toContain("· Wiki &lt;&amp;&gt; Co</title>");
    expect((await at.ask("GET", "/api/system")).body.app_name).toBe("Wiki <&> Co");
    expect(JSON.parse((await screen("/manifest.json", { at, as: "" })).body).name).toBe("Wiki <&> Co");
  }
  await set({ app_name: null });
  expect(await setting("app_name")).toMatchObject({ value: "Lectern", is_set: false });
});

test("an accent that nobody could read is refused with its contrast, and another one is drawn for its scheme", async () => {
  const refused = await set({ app_color: "#ff9900", app_name: "Not stored" });
  expect(refused.status).toBe(422);
  expect(refused.body.error.validation.app_color).toEqual([
    "The contrast to the background is 1.9 to 1, and has to be at least 4.5 to 1.",
  ]);
  expect((await setting("app_name")).value).toBe("Lectern");
  expect((await set({ app_color: "red" })).status).toBe(422);
  expect((await set({ app_color_dark: "#003366" })).status).toBe(422);
  expect((await set({ app_color: "#24527a", app_color_dark: "#7fb4e6" })).status).toBe(200);
  const { body } = await screen("/books");
  const address = /href="([^"]*colors\.css[^"]*)"/.exec(body)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const styles = await two.ask("GET", address, { as: null });
  expect([styles.status, styles.headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"]);
  expect(styles.body).toContain('[data-theme="dark"]{--pico-primary:#7fb4e6;');
  expect((await one.ask("GET", "/web/colors.css?light=red;}&dark=", { as: null })).status).toBe(404);
  await set({ app_color: "", app_color_dark: "" });
  expect((await screen("/books")).body).not.toContain("colors.css");
});

test("visitors may read once that is chosen, and no more once it is taken back, on each server", async () => {
  const guest = { as: "" };
  const status = (at: TestRuntime) => async () => (await screen("/books", { ...guest, at })).status;
  const { data } = (await one.ask("GET", "/api/roles?filter[system_name]=public")).body;
  await one.ask("PUT", `/api/roles/${data[0].id}`, { body: { permissions: ["access-api", "book-view-all"] } });
  expect([await status(one)(), await status(two)()]).toEqual([303, 303]);
  await set({ app_public: true });
  expect(await status(one)()).toBe(200);
  expect(await until(status(two), (found) => found === 200)).toBe(200);
  await set({ app_public: false }, two);
  expect(await status(two)()).toBe(303);
  expect(await until(status(one), (found) => found === 303)).toBe(303);
});

test("links of the footer are shown to everybody, escaped, and addresses that run something are refused", async () => {
  const links = [
    { text: "Imprint <b>", url: "https://example.com/imprint" },
    { text: "Books", url: "/books" },
  ];
  expect((await set({ app_footer_links: links })).status).toBe(200);
  expect((await setting("app_footer_links")).value).toEqual(links);
  const { body } = await screen("/login", { as: "" });
  expect(body).toContain('<a href="https://example.com/imprint">Imprint &lt;b&gt;</a>');
  for (const url of ["javascript:alert(1)", "JavaScript:alert(1)", "//evil.example", "ftp://x", "https://"])
    expect((await set({ app_footer_links: [{ text: "x", url }] })).status).toBe(422);
  expect((await set({ app_footer_links: [{ text: "No address" }] })).status).toBe(422);
  await set({ app_footer_links: [] });
  expect((await screen("/login", { as: "" })).body).not.toContain("Imprint");
});

test("the default language is that of readers who have none, also in errors of the API", async () => {
  const title = async (at: TestRuntime) =>
    /<html lang="(\w+)"/.exec((await screen("/login", { at, as: "" })).body)?.[1];
  expect((await set({ app_lang: "xx" })).status).toBe(422);
  await set({ app_lang: "de" });
  expect(await title(one)).toBe("de");
  expect(
    await until(
      () => title(two),
      (found) => found === "de",
    ),
  ).toBe("de");
  expect((await two.ask("GET", "/api/books/999")).body.error.message).toBe("Buch nicht gefunden");
  await set({ app_lang: null });
  expect(await title(one)).toBe("en");
});

test("a role that people who register get is one that there is, and is not deleted", async () => {
  expect((await set({ registration_role: 99_999 })).status).toBe(422);
  const { body: role } = await one.ask("POST", "/api/roles", { body: { display_name: "Newcomers" } });
  await set({ registration_role: role.id });
  const refused = await one.ask("DELETE", `/api/roles/${role.id}`);
  expect(refused.body.error.message).toBe("This role cannot be deleted while set as the default registration role");
  await set({ registration_role: 0 });
  expect((await one.ask("DELETE", `/api/roles/${role.id}`)).status).toBe(204);
});

test("a variable wins, is shown locked by its name, and doctor names what it overrides", async () => {
  await set({ app_name: "Chosen", app_public: true });
  const locked = await bootTestRuntime({ beside: one, env: { APP_NAME: "By variable", APP_LANG: "de" } });
  expect(await setting("app_name", locked)).toMatchObject({ value: "By variable", locked_by: "APP_NAME" });
  expect((await locked.ask("GET", "/api/system")).body.app_name).toBe("By variable");
  const refused = await set({ app_name: "Other" }, locked);
  expect(refused.status).toBe(422);
  expect(refused.body.error.validation.app_name[0]).toContain("APP_NAME");
  const { body } = await screen("/settings/appearance", { at: locked });
  expect(body).toContain("APP_NAME");
  expect(body).not.toContain('name="app_name"');
  const { check } = doctorOf(() => locked);
  expect(await check("instance_settings/overridden")).toMatchObject({
    status: "warning",
    count: 1,
    examples: ["app_name, by APP_NAME"],
  });
  await locked.stop();
  expect(await setting("app_name")).toMatchObject({ value: "Chosen", locked_by: null });
  await set({ app_name: null, app_public: null });
});

test("the screens change what the API shows, say what is wrong, and the audit log names what was changed", async () => {
  const saved = await form("/settings/appearance", {
    ...{ app_name: "Docs", app_lang: "en", app_color: "", app_color_dark: "" },
    ...{ "app_footer_links[0][text]": "Help", "app_footer_links[0][url]": "/books", "app_footer_links[1][text]": "" },
  });
  expect(saved.status).toBe(303);
  expect(await setting("app_footer_links")).toMatchObject({ value: [{ text: "Help", url: "/books" }] });
  const wrong = await form("/settings/appearance", { app_name: "Docs 2", app_color: "#eeeeee" });
  expect(wrong.status).toBe(422);
  expect(wrong.body).toContain("has to be at least 4.5 to 1");
  expect(wrong.body).toContain('value="Docs 2"');
  const { data } = (await one.ask("GET", "/api/audit-log?sort=-id&filter[type]=settings_update")).body;
  expect(data[0].detail).toContain("app_footer_links");
  expect(JSON.stringify(data[0])).not.toContain("Docs");
  const { token } = await one.person("nobody", ["access-api"]);
  expect((await one.ask("PUT", "/api/settings", { as: token, body: { app_name: "x" } })).status).toBe(403);
});

const upload = (path: string, bytes: Uint8Array<ArrayBuffer>, name = "sent.png") => {
  const parts = new FormData();
  parts.append("image", new File([bytes], name));
  return one.ask("POST", path, { parts });
};
const fetched = (path: string, at = one) => at.runtime.http.handle(new Request(`http://localhost${path}`), "127.0.0.1");

test("an uploaded logo is written anew as PNG, shown, and gone once another one is there", async () => {
  const sent = await picture("png", { width: 2_000, height: 1_000 });
  const { status, body } = await upload("/api/settings/logo", sent);
  expect(status).toBe(200);
  const answer = await fetched(body.path);
  const stored = await answer.bytes();
  expect(answer.headers.get("content-type")).toBe("image/png");
  expect(answer.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
  expect([...stored.subarray(1, 4)]).toEqual([...Buffer.from("PNG")]);
  // Width and height in its header: scaled down to fit.
  expect([Buffer.from(stored).readUInt32BE(16), Buffer.from(stored).readUInt32BE(20)]).toEqual([512, 256]);
  expect((await one.ask("GET", "/api/system")).body.app_logo).toBe(`http://localhost${body.path}`);
  expect((await screen("/books")).body).toContain(`<img src="http://localhost${body.path}"`);
  const next = await upload("/api/settings/logo", await picture("png", { width: 64, height: 64 }));
  expect((await fetched(next.body.path)).status).toBe(200);
  expect((await fetched(body.path)).status).toBe(404);
  expect((await form("/settings/appearance/logo/none", {})).status).toBe(303);
  expect((await one.ask("GET", "/api/system")).body.app_logo).toBeNull();
  expect((await form("/settings/appearance/logo/reset", {})).status).toBe(303);
  expect((await one.ask("GET", "/api/system")).body.app_logo).toBe("http://localhost/logo.png");
});

test("SVG and what is no picture are refused as a logo, whatever their name", async () => {
  const svg = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  for (const name of ["logo.svg", "logo.png"])
    expect((await upload("/api/settings/logo", svg, name)).body.error.validation.image.length).toBeGreaterThan(0);
  expect((await fetched("/branding/logo-../../x.png")).status).toBe(404);
  expect((await fetched("/branding/logo.png")).status).toBe(404);
  expect((await set({ app_icon: "/etc/passwd" })).status).toBe(422);
});

test("an uploaded icon is that of documents, of /favicon.ico and of the manifest, in square sizes", async () => {
  const { body } = await upload("/api/settings/icon", await picture("png", { width: 80, height: 40 }));
  const file = await fetched(`${body.path}-192.png`);
  const bytes = Buffer.from(await file.bytes());
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([192, 192]);
  expect((await screen("/login", { as: "" })).body).toContain(
    `<link rel="icon" href="http://localhost${body.path}-32.png">`,
  );
  expect((await fetched("/favicon.ico", one)).headers.get("location")).toBe(`http://localhost${body.path}-32.png`);
  const manifest = JSON.parse((await screen("/manifest.json", { as: "" })).body);
  expect(manifest.icons[1].src).toBe(`http://localhost${body.path}-512.png`);
  await set({ app_icon: null });
  expect((await fetched("/favicon.ico", one)).status).toBe(200);
});

test("markup for the head has the nonce of each document, is on all screens but those of the settings, and is for administrators alone", async () => {
  const { etag = "" } = Object.fromEntries((await screen("/books/runbooks")).headers);
  const markup = '<meta name="owner" content="ops"><script nonce="guessed">window.counted = 1</script>';
  expect((await set({ app_custom_head: markup })).status).toBe(200);
  const nonces = new Set<string>();
  for (const at of [one, two]) {
    const read = () => screen("/books/runbooks", { at, etag });
    const { body, headers } = await until(read, ({ status }) => status === 200);
    const nonce = /<script nonce="([\w-]{32})" nonce="guessed">window\.counted = 1/.exec(body)?.[1] ?? "";
    expect(headers.get("content-security-policy")).toContain(`script-src 'self' 'nonce-${nonce}'`);
    expect(body.indexOf('name="owner"')).toBeLessThan(body.indexOf("</head>"));
    nonces.add(nonce);
    const kept = headers.get("etag") ?? "";
    expect((await screen("/books/runbooks", { at, etag: kept })).status).toBe(304);
  }
  expect(nonces.size).toBe(2);
  const settings = await screen("/settings/appearance");
  expect(settings.body).not.toContain('<meta name="owner"');
  expect(settings.headers.get("content-security-policy")).not.toContain("script-src");
  const manager = await one.person("manager", ["access-api", "settings-manage"]);
  const change = (body: object) => one.ask("PUT", "/api/settings", { as: manager.token, body });
  expect((await change({ app_custom_head: "<script>steal()</script>" })).status).toBe(403);
  expect((await change({ app_name: "Allowed" })).status).toBe(200);
  await set({ app_custom_head: null, app_name: null });
  expect((await screen("/books/runbooks")).body).not.toContain('name="owner"');
});

test("the screen of backups tells their age and warns of old ones; without a newer version it says nothing of one", async () => {
  expect((await one.ask("GET", "/api/backups")).body).toMatchObject({
    total: 0,
    last_success_at: null,
    interval_hours: 0,
  });
  expect((await screen("/settings/backups")).body).toContain("BACKUP_INTERVAL_HOURS");
  await one.store.sql`insert into scheduled_backups (started_at, ended_at, outcome, failed) values
    (now() - interval '9 days', now() - interval '9 days', '/backups/good.tar.zst (4 MB)', false),
    (now() - interval '1 hour', now() - interval '1 hour', 'No space left on device', true)`;
  const { body } = await one.ask("GET", "/api/backups");
  expect(body.data.map(({ failed }: { failed: boolean }) => failed)).toEqual([true, false]);
  expect(body.last_success_at).toBe(body.data[1].ended_at);
  const shown = (await screen("/settings/backups")).body;
  expect(shown).toContain("The last good backup was made 9 days ago.");
  expect(shown).toContain("No space left on device");
  const { body: update } = await one.ask("GET", "/api/system/update");
  expect(update).toMatchObject({ is_checked: false, newest: null, is_newer: false });
  await one.store.sql`delete from scheduled_backups`;
});
