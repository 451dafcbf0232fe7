import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type FakeServer, fakeServer, refuse } from "./_fake_server.ts";
import { load as command } from "./command.ts";
import { type LoadOptions, load, STATE_FILE } from "./load.ts";

let folder = "";
let server: FakeServer;
let said: string[] = [];
let slept: number[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "loader-"));
  server = fakeServer();
  said = [];
  slept = [];
});

afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

async function files(contents: Record<string, string | Uint8Array>): Promise<void> {
  for (const [path, text] of Object.entries(contents)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

function run(options: Partial<LoadOptions> = {}) {
  const listener = { begin() {}, step() {}, say: (line: string) => void said.push(line) };
  const all = { folder, baseUrl: server.url, token: server.token, concurrency: 4, ...options };
  return load(all, listener, async (ms) => void slept.push(ms));
}

async function onCommandLine(...args: string[]): Promise<{ code: number; text: string }> {
  const lines: string[] = [];
  const io = {
    out: (line: string) => void lines.push(line),
    err: (line: string) => void lines.push(line),
    env: {},
    columns: 80,
    tty: false,
  };
  return { code: await command.run(args, io), text: lines.join("\n") };
}

const CREATED = (created: number) => ({ created, updated: 0, skipped: 0, failed: 0 });

test("folders become books and chapters, deeper folders show in the names of their pages", async () => {
  await files({
    "start.md": "# Start here\n\nHello",
    "guides/index.md": "All guides",
    "guides/http/server.md": "# Server\n\nListens",
    "guides/http/tls/keys.md": "# Keys\n\nSecret",
    ".hidden/no.md": "no",
    "node_modules/x/no.md": "no",
    "guides/picture.png": "no",
  });
  const report = await run();
  expect([report.books, report.chapters, report.pages]).toEqual([CREATED(2), CREATED(1), CREATED(4)]);
  expect(
    server
      .all("books")
      .map(({ name }) => name)
      .sort()[0],
  ).toBe("Guides");
  const chapter = server.all("chapters")[0];
  expect(chapter).toMatchObject({
    name: "Http",
    book_id: server.all("books").find(({ name }) => name === "Guides")?.id,
  });
  expect(server.page("Server")).toMatchObject({ chapter_id: chapter?.id, markdown: "Listens" });
  expect(server.page("tls / Keys")).toMatchObject({ chapter_id: chapter?.id });
  expect(server.page("Guides")).toMatchObject({ chapter_id: null, priority: 0, markdown: "All guides" });
});

test("front matter gives title, tags, order and description; titles are truncated to the limit of the API", async () => {
  await files({
    "a/one.md": `---\ntitle: The first\ndescription: What it is\ntags: [x, {team: ops}]\nsidebar_position: 7\n---\nText`,
    "a/two.md": "Second",
    "a/long.md": `# ${"x".repeat(300)}\n\nLong`,
  });
  await run();
  expect(server.page("The first")).toMatchObject({
    priority: 7,
    markdown: "What it is\n\nText",
    tags: [
      { name: "x", value: "" },
      { name: "team", value: "ops" },
    ],
  });
  expect(server.page("Two")).toMatchObject({ priority: 9 });
  expect(server.all("pages").every(({ name }) => name.length <= 255)).toBe(true);
});

test("an empty file becomes a page with its title as text", async () => {
  await files({ "a/nothing-here.md": "", "a/titled.md": "# Only a title\n" });
  expect((await run()).pages).toEqual(CREATED(2));
  expect(server.page("Nothing here")?.markdown).toBe("Nothing here");
  expect(server.page("Only a title")?.markdown).toBe("Only a title");
});

test("a file that is not UTF-8 is read as Windows-1252 and reported", async () => {
  await files({ "a/old.md": new Uint8Array([...Buffer.from("# Caf"), 0xe9, 10, 10, 0x80]) });
  await run();
  expect(server.page("Café")?.markdown).toBe("€");
  expect(said.join()).toContain('"a/old.md" is not UTF-8');
});

test("links between files become links to pages at the server's own address; missing images and code are unchanged", async () => {
  await files({
    "a/one.md":
      "# One\n\n[two](two.md) [deep](../b/c/three#big-one) [self](#part) [out](https://x.org/two.md) [gone](no.md) ![p](p.png)\n`[two](two.md)`\n\n## Part\n",
    "a/two.md": "# Two\n\n[one](./one.md) [chapter](/b/c)",
    "b/c/three.mdx": "# Three\n\n## Big one\n",
  });
  const report = await run();
  const [two, three, chapter] = [server.page("Two"), server.page("Three"), server.all("chapters")[0]];
  const [a, b] = ["A", "B"].map((name) => server.all("books").find((book) => book.name === name));
  expect(server.page("One")?.markdown).toBe(
    `[two](https://docs.example.com/books/${a?.slug}/page/${two?.slug}) [deep](https://docs.example.com/books/${b?.slug}/page/${three?.slug}#bkmrk-big one)` +
      " [self](#bkmrk-part) [out](https://x.org/two.md) [gone](no.md) ![p](p.png)\n`[two](two.md)`\n\n## Part",
  );
  expect(two?.markdown).toContain(`/books/${b?.slug}/chapter/${chapter?.slug})`);
  expect(report).toMatchObject({ linksRewritten: 5, linksUnresolved: 1, imagesSkipped: 1 });
  expect(report.notFound.toSorted()).toEqual(['"a/one.md" links to no.md', '"a/one.md" shows p.png']);
});

test("anchors are resolved in GitHub's form, the title's anchor is the page, and removed files are counted", async () => {
  await files({
    "a/one.md": "# One\n\n## Linux & more\n\n[a](#linux--more) [b](#linux-more) [c](#one)",
    "a/two.md": "# Two\n\n[d](one.md#linux--more) [e](one.md#one)",
    "a/gone.md": "# Gone",
  });
  await run();
  const [book] = server.all("books");
  const one = `https://docs.example.com/books/${book?.slug}/page/${server.page("One")?.slug}`;
  expect(server.page("One")?.markdown).toContain(`[a](#bkmrk-linux & more) [b](#bkmrk-linux & more) [c](${one})`);
  expect(server.page("Two")?.markdown).toBe(`[d](${one}#bkmrk-linux & more) [e](${one})`);
  await rm(join(folder, "a/gone.md"));
  expect((await run()).orphans).toBe(1);
});

test("a second run sends nothing, and a changed file is updated", async () => {
  await files({ "a/one.md": "# One\n\n[two](two.md)", "a/two.md": "# Two\n\nText" });
  await run();
  server.log.length = 0;
  expect((await run()).pages).toEqual({ created: 0, updated: 0, skipped: 2, failed: 0 });
  expect(server.log.filter((line) => !line.startsWith("GET"))).toEqual([]);
  await files({ "a/two.md": "# Two\n\nOther text" });
  expect((await run()).pages).toEqual({ created: 0, updated: 1, skipped: 1, failed: 0 });
  expect(server.page("Two")?.markdown).toBe("Other text");
});

test("an item deleted on the server is created again", async () => {
  await files({ "a/one.md": "# One\n\nText", "a/two.md": "# Two\n\nText" });
  await run();
  server.rows.pages?.delete(server.page("One")?.id ?? 0);
  expect((await run()).pages).toEqual({ created: 1, updated: 0, skipped: 1, failed: 0 });
});

test("a load that is killed at any request and repeated neither duplicates nor loses anything", async () => {
  const contents = Object.fromEntries(
    Array.from({ length: 6 }, (_, n) => [`a/c${n % 2}/p${n}.md`, `# Same\n\n[x](p${(n + 2) % 6}.md) ${n}`]),
  );
  await files(contents);
  for (let kill = 1; kill < 24; kill++) {
    await server.stop();
    server = fakeServer();
    // The state is stored by address, and the new server has another port.
    await rm(join(folder, STATE_FILE), { force: true });
    await killedAfter(kill);
    expect(await onCommandLine(folder, "--base-url", server.url, "--token", server.token)).toMatchObject({ code: 0 });
    expect([server.all("books").length, server.all("chapters").length, server.all("pages").length]).toEqual([1, 2, 6]);
    expect(new Set(server.all("pages").map(({ markdown }) => markdown?.at(-1))).size).toBe(6);
  }
}, 60_000);

/** Runs the command in a process that is killed once the server has handled `requests` requests. */
async function killedAfter(requests: number): Promise<void> {
  const code = `import { load } from ${JSON.stringify(join(import.meta.dir, "command.ts"))};
    await load.run(${JSON.stringify([folder, "--base-url", server.url, "--token", server.token])}, { out() {}, err() {}, env: {}, columns: 80, tty: false });`;
  const child = Bun.spawn([process.execPath, "-e", code], { stdout: "ignore", stderr: "inherit" });
  let seen = 0;
  server.interfere = (_request, act) => {
    const answer = act();
    if (++seen === requests) child.kill("SIGKILL");
    return answer;
  };
  await child.exited;
  server.interfere = () => undefined;
}

test("a rate limit is waited for as Retry-After says", async () => {
  await files({ "a/one.md": "# One\n\nText" });
  let refused = 0;
  server.interfere = ({ method }) =>
    method === "POST" && refused++ < 2
      ? refuse(429, "Too Many Attempts.", undefined, { "retry-after": "7" })
      : undefined;
  expect((await run()).pages).toEqual(CREATED(1));
  expect(Math.round((slept[0] ?? 0) / 1000)).toBe(7);
  expect(said.join()).toContain("waiting 7 s");
});

test("a server error after a page was created is retried without creating it twice", async () => {
  await files({ "a/one.md": "# One\n\nText" });
  let failed = false;
  server.interfere = ({ method, path }, act) => {
    if (failed || method !== "POST" || path !== "/api/pages") return undefined;
    failed = true;
    act();
    return refuse(502, "Bad gateway");
  };
  expect((await run()).pages).toEqual(CREATED(1));
  expect(server.all("pages")).toHaveLength(1);
  expect(slept).toEqual([500]);
});

test("a rejected page is reported with its field, the others are loaded, and the exit code is 1", async () => {
  await files({ "a/bad.md": "# Bad\n\nText", "a/good.md": "# Good\n\nText" });
  server.interfere = ({ body, method }) =>
    method === "POST" && body.name === "Bad"
      ? refuse(422, "The given data was invalid.", { tags: ["The tags must be an array."] })
      : undefined;
  const { code, text } = await onCommandLine(folder, "--base-url", `${server.url}/api/`, "--token", server.token);
  expect(code).toBe(1);
  expect(text).toContain(
    'Cannot load "a/bad.md": POST /api/pages answers 422: field "tags": The tags must be an array.',
  );
  expect(text).toContain("1 created, 0 updated, 0 skipped, 1 failed");
  expect(server.page("Good")).toBeDefined();
});

test("a wrong token is reported once, without showing it", async () => {
  await files({ "a/one.md": "# One\n\nText" });
  const { code, text } = await onCommandLine(folder, "--base-url", server.url, "--token", "someid:wrongsecret");
  expect(code).toBe(1);
  expect(text).toContain("answers 401: No matching API token was found");
  expect(text).toContain("check --token or LECTERN_TOKEN");
  expect(text).not.toContain("wrongsecret");
});

test("a token without a secret is rejected before anything is sent", async () => {
  const { code, text } = await onCommandLine(folder, "--base-url", server.url, "--token", "abc");
  expect([code, text]).toEqual([2, "Give a token as ID:SECRET by --token or LECTERN_TOKEN"]);
});

test("books are added to a shelf of the given name, which is created once", async () => {
  await files({ "a/one.md": "x", "b/two.md": "y" });
  await run({ shelf: "Handbooks" });
  await files({ "c/three.md": "z" });
  await run({ shelf: "Handbooks" });
  expect(server.all("shelves")).toHaveLength(1);
  expect(server.all("shelves")[0]?.books).toEqual(
    ["A", "B", "C"].map((name) => server.all("books").find((book) => book.name === name)?.id ?? 0),
  );
});

test("symbolic links that lead out of the folder are not followed", async () => {
  await files({ "a/one.md": "x" });
  await symlink("/etc/hostname", join(folder, "a/host.md"));
  await symlink(tmpdir(), join(folder, "a/away"));
  expect((await run()).pages).toEqual(CREATED(1));
  expect(said.filter((line) => line.includes("not followed"))).toHaveLength(2);
});

test("a dry run shows the plan and sends nothing", async () => {
  await files({ "a/b/one.md": "# One\n" });
  const { code, text } = await onCommandLine(folder, "--dry-run");
  expect(code).toBe(0);
  expect(text).toContain("1 books, 1 chapters, 1 pages; nothing was sent");
  expect(server.log).toEqual([]);
});
