/**
 * The example plugins as a stranger publishes them and an operator uses them: packed and installed by npm, named in package.json,
 * and used over HTTP. That the types of their files hold is tested in `examples_test.ts`. The tests depend on each other's order
 * over one folder and one server.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFileServer } from "../support/fakes/file_server.ts";
import { CLIENT, openIdentityProvider } from "../support/fakes/identity_provider.ts";
import { openReceiver, type Received } from "../support/fakes/webhook_receiver.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { freePort } from "../support/harness/ports.ts";
import { dataFolder, type Program, startProgram } from "../support/harness/program.ts";
import { writeTutorialFiles } from "../support/harness/tutorial.ts";

setDefaultTimeout(scaled(120_000));
const ROOT = join(import.meta.dir, "../..");
const FIXTURES = join(ROOT, "test/fixtures/plugins");
const EXAMPLES = ["lectern-notifier", "lectern-oidc", "lectern-approval", "lectern-mail-http", "lectern-files-http"];
const PACKAGES = ["lectern-glossary", ...EXAMPLES];
const PASSWORD = "correct horse battery";
const MAIL_KEY = "key of the provider";

const made = realpathSync(mkdtempSync(join(tmpdir(), "lectern-packages-")));
const home = realpathSync(mkdtempSync(join(tmpdir(), "lectern-operator-")));
const data = dataFolder();
const receiver = openReceiver();
const mailApi = openReceiver();
const fileServer = openFileServer();
const identities = await openIdentityProvider();
let server: Program;
let env: Record<string, string>;

beforeAll(async () => {
  const port = String(await freePort());
  env = {
    PORT: port,
    APP_URL: `http://127.0.0.1:${port}`,
    ADMIN_PASSWORD: PASSWORD,
    ALLOW_PRIVATE_HOSTS: "127.0.0.1/32",
    NOTIFIER_ADDRESS: receiver.url,
    OIDC_ISSUER: identities.issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    MAIL_HTTP_ADDRESS: mailApi.url,
    MAIL_HTTP_KEY: MAIL_KEY,
    MAIL_FROM: "Wiki <wiki@example.com>",
    FILES_STORE: "http",
    FILES_HTTP_ADDRESS: fileServer.url,
  };
});
afterAll(async () => {
  server?.signal("SIGTERM");
  await server?.ended;
  await Promise.all([receiver, mailApi, fileServer, identities].map((each) => each.stop()));
  data.remove();
  for (const folder of [made, home]) rmSync(folder, { recursive: true, force: true });
});

const start = () => startProgram(data.path, env, { cwd: home, args: ["serve"] });

/** Runs a command to its end in a folder. */
async function run(cwd: string, command: readonly string[]) {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...process.env, DATABASE_URL: "" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out, err };
}

/** The paths of the files below a folder. */
function filesOf(folder: string): string[] {
  return [...new Bun.Glob("**/*").scanSync({ cwd: folder })].sort();
}

/** A browser that keeps cookies and follows no redirect. */
function browser() {
  const jar = new Map<string, string>();
  const send = async (url: string, form?: Record<string, string>) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const body = form && { method: "POST", body: new URLSearchParams(form) };
    const headers = { accept: "text/html", origin: env.APP_URL ?? "", cookie };
    const response = await fetch(new URL(url, env.APP_URL), { ...body, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") jar.delete(name);
      else jar.set(name, value);
    }
    return { status: response.status, text: await response.text(), location: response.headers.get("location") ?? "" };
  };
  return { send, signIn: (email: string) => send("/login", { email, password: PASSWORD }) };
}

/** Creates a user with a role of these permissions; no invitation is sent. */
async function person(name: string, permissions: readonly string[]): Promise<string> {
  const role = (await server.ask("POST", "/api/roles", { display_name: name, permissions })).body.id;
  const email = `${name.toLowerCase()}@example.com`;
  const created = await server.ask("POST", "/api/users", { name, email, password: PASSWORD, roles: [role] });
  expect(created.status).toBe(200);
  return email;
}

test("npm packs and installs the six with all their files", async () => {
  const npm = Bun.which("npm") !== null;
  for (const section of [2, 4, 7]) writeTutorialFiles(section, made);
  for (const folder of [join(made, "glossary"), ...EXAMPLES.map((name) => join(FIXTURES, name))]) {
    const pack = npm ? ["npm", "pack", "--pack-destination", made] : ["bun", "pm", "pack", "--destination", made];
    expect(await run(folder, pack)).toMatchObject({ code: 0 });
  }
  const tarballs = readdirSync(made).filter((name) => name.endsWith(".tgz"));
  expect(tarballs.sort()).toEqual(PACKAGES.map((name) => `${name}-1.0.0.tgz`).sort());
  writeFileSync(
    join(home, "package.json"),
    JSON.stringify({ private: true, lectern: { plugins: ["lectern/plugins", ...PACKAGES] } }),
  );
  const install = npm ? ["npm", "install", "--offline", "--no-audit", "--no-fund"] : ["bun", "add"];
  expect(await run(home, [...install, ...tarballs.map((name) => join(made, name))])).toMatchObject({ code: 0 });
  for (const name of PACKAGES) {
    const source = name === "lectern-glossary" ? join(made, "glossary") : join(FIXTURES, name);
    const files = filesOf(source).filter((path) => !path.endsWith("_test.ts"));
    expect([name, filesOf(join(home, "node_modules", name))]).toEqual([name, files]);
  }
});

test("the glossary of the tutorial has its API and its screen", async () => {
  server = await start();
  const created = await server.ask("POST", "/api/terms", {
    name: "Failover",
    definition: "Another machine takes over",
  });
  expect(created.body).toMatchObject({ id: 1, slug: "failover" });
  const admin = browser();
  await admin.signIn("admin@example.com");
  expect((await admin.send("/glossary")).text).toContain("<dd>Another machine takes over</dd>");
});

test("an uploaded file is stored on the file server and served from there", async () => {
  await server.ask("POST", "/api/books", { name: "Runbooks" });
  await server.ask("POST", "/api/pages", { book_id: 1, name: "Disks", markdown: "Replace them" });
  const form = new FormData();
  form.append("name", "Bolts");
  form.append("uploaded_to", "1");
  form.append("file", new File(["bolts;12\n"], "bolts.csv"));
  const headers = { authorization: server.authorization };
  const sent = await fetch(`${env.APP_URL}/api/attachments`, { method: "POST", headers, body: form });
  expect(sent.status).toBe(200);
  // Beside what was uploaded there are the files that say whose store it is, and that a server sees it.
  const uploaded = [...fileServer.files.keys()].filter(
    (key) => !/^lectern-(?:instance|server-[\w-]+)\.json$/.test(key),
  );
  expect(uploaded).toEqual([expect.stringMatching(/^attachments\//)]);
  const read = await fetch(`${env.APP_URL}/attachments/1`, { headers: { ...headers, range: "bytes=6-7" } });
  expect([read.status, await read.text()]).toEqual([206, "12"]);
});

test("mail goes to the provider's API: again after a temporary failure, once after a permanent one", async () => {
  const invite = (email: string) => server.ask("POST", "/api/users", { name: "Ina", email, send_invite: true });
  const triesFor = (email: string) => mailApi.received.filter(({ json }) => json.to === email);
  mailApi.answer = ({ json }) => {
    if (json.to === "gone@example.com") return new Response("", { status: 422 });
    return new Response("", { status: triesFor(json.to).length === 1 ? 503 : 200 });
  };
  await invite("gone@example.com");
  await invite("late@example.com");
  await mailApi.until(() => triesFor("late@example.com").length === 2);
  expect(triesFor("gone@example.com")).toHaveLength(1);
  expect(triesFor("late@example.com")[1]?.json).toMatchObject({
    from: env.MAIL_FROM,
    subject: "You have been invited to Lectern",
  });
  expect(mailApi.received[0]?.headers.get("authorization")).toBe(`Bearer ${MAIL_KEY}`);
  expect(server.output()).not.toContain(MAIL_KEY);
});

test("a reader's change waits until a reviewer applies it, and the audit log says so", async () => {
  const may = ["access-api", "book-view-all", "page-view-all", "page-update-all"];
  const [author, reviewer] = [browser(), browser()];
  await author.signIn(await person("Ada", may));
  await reviewer.signIn(await person("Rita", [...may, "approval-review"]));
  const markdown = async () => (await server.ask("GET", "/api/pages/1")).body.markdown;

  const page = await author.send("/books/runbooks/page/disks");
  expect(page.text).toContain('href="/approval/pages/1"');
  expect((await reviewer.send("/books/runbooks/page/disks")).text).not.toContain('href="/approval/pages/1"');
  const refused = await author.send("/books/runbooks/page/disks/edit", {
    ...{ name: "Disks", source: "markdown", content: "Burn them", act: "save" },
  });
  expect([refused.text.match(/Propose this change[^<]*/)?.[0], await markdown()]).toEqual([
    "Propose this change: a reviewer decides about it.",
    "Replace them",
  ]);

  const form = (await author.send("/approval/pages/1")).text;
  const base_revision = /name="base_revision" value="(\d+)"/.exec(form)?.[1] ?? "";
  const propose = (content: string) => author.send("/approval/pages/1", { base_revision, content });
  expect((await propose("Replace them in pairs")).location).toBe("/link/1");
  await propose("Replace them on Mondays");
  const empty = await propose("");
  expect([empty.status, empty.text]).toEqual([422, expect.stringContaining('action="/approval/pages/1"')]);
  expect((await author.send("/approval")).status).toBe(403);
  expect((await author.send("/approval/1/apply", {})).status).toBe(403);

  const list = (await reviewer.send("/approval")).text;
  expect(list).toContain("Replace them in pairs");
  expect((await reviewer.send("/approval/1/apply", {})).location).toBe("/approval");
  expect(await markdown()).toBe("Replace them in pairs");
  // The page has changed since the second one was written.
  await reviewer.send("/approval/2/apply", {});
  expect(await markdown()).toBe("Replace them in pairs");
  await reviewer.send("/approval/2/reject", {});
  expect((await server.ask("GET", "/api/proposals")).body).toEqual({ data: [], total: 0 });

  const log = await server.ask("GET", "/api/audit-log?filter[type]=approval_propose&count=1");
  expect(log.body).toMatchObject({ total: 2, data: [{ detail: "(1) Disks", user: { name: "Ada" } }] });
  const admin = browser();
  await admin.signIn("admin@example.com");
  expect((await admin.send("/settings/audit")).text).toContain("proposed a change to");
  expect((await admin.send("/settings/roles/create")).text).toContain("Review proposals");
});

test("OpenID Connect signs a known user in, and refuses every token that is not for this sign-in", async () => {
  const email = await person("Olga", ["access-api", "book-view-all"]);
  /** Goes from the start of a sign-in to the answer of its callback. */
  const signIn = async (who = browser(), other = who) => {
    const begun = await who.send("/oidc/login?next=/books/runbooks");
    const granted = await fetch(begun.location, { redirect: "manual" });
    return other.send(granted.headers.get("location") ?? "");
  };
  expect((await browser().send("/login?next=/books")).text).toContain('href="/oidc/login?next=%2Fbooks"');

  identities.claims = { sub: "7", email: email.toUpperCase(), email_verified: true };
  const olga = browser();
  const signed = await signIn(olga);
  expect([signed.status, signed.location]).toEqual([303, "/books/runbooks"]);
  expect((await olga.send("/books/runbooks")).text).toContain("Olga");
  const log = await server.ask("GET", "/api/audit-log?filter[type]=auth_login&sort=-id&count=1");
  expect(log.body).toMatchObject({ data: [{ user: { name: "Olga" }, detail: expect.stringContaining("oidc") }] });

  const right = identities.claims;
  const past = Math.floor(Date.now() / 1000) - 3600;
  const wrong = [
    { iss: "https://other.example.com" },
    { aud: "other" },
    { exp: past },
    { nonce: "other" },
    { email_verified: false },
  ];
  for (const claims of wrong) {
    identities.claims = { ...right, ...claims };
    expect([claims, (await signIn()).status]).toEqual([claims, 403]);
  }
  identities.claims = { ...right, email: "stranger@example.com" };
  expect((await signIn()).status).toBe(403);
  identities.claims = right;
  // Another browser than the one that began the sign-in.
  expect((await signIn(browser(), browser())).status).toBe(400);
  identities.isForging = true;
  expect((await signIn()).status).toBe(403);
  identities.isForging = false;
  expect((await signIn()).status).toBe(303);
});

test("a notice that could not be posted survives a killed server, and arrives after the next start", async () => {
  receiver.received.length = 0;
  receiver.answer = () => new Response("", { status: 503 });
  const isNew = ({ json }: Received) => json.event === "page_create" && json.page.name === "Fans";
  await server.ask("POST", "/api/pages", { book_id: 1, name: "Fans", markdown: "Clean them" });
  await receiver.until((received) => received.some(isNew));
  // What became of a try is not readable here; a server killed before it knows repeats the job when its lease has ended.
  await Bun.sleep(300);
  server.signal("SIGKILL");
  await server.ended;
  receiver.answer = () => new Response();
  const before = receiver.received.filter(isNew).length;
  server = await start();
  await receiver.until((received) => received.filter(isNew).length > before);
  const ids = receiver.received.filter(isNew).map(({ json }) => json.id);
  expect(new Set(ids).size).toBe(1);
  expect(receiver.received.find(isNew)?.json.page).toEqual({ id: 2, name: "Fans", slug: "fans" });
});
