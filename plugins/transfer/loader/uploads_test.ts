import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type FakeServer, fakeServer, refuse } from "./_fake_server.ts";
import { load } from "./load.ts";

let folder = "";
let server: FakeServer;
let said: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "loader-"));
  server = fakeServer();
  said = [];
});

afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

async function files(contents: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(contents)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

function run() {
  const listener = { begin() {}, step() {}, say: (line: string) => void said.push(line) };
  return load({ folder, baseUrl: server.url, token: server.token, concurrency: 4 }, listener, async () => {});
}

const images = () => server.all("image-gallery");
const urlOf = (name: string) => images().find((one) => one.name === name)?.url;

test("images are uploaded to the gallery once, and pages link to them there", async () => {
  await files({
    "a/one.md":
      "# One\n\n![p](../img/p%20x.png \"t\") <img src='/static.gif'> [full](../img/p%20x.png)\n\n![r][ref]\n\n[ref]: r.webp",
    "a/two.md":
      "# Two\n\n![p](<../img/p x.png>) ![gone](gone.png) ![svg](d.svg) ![far](https://x.test/p.png) `![p](r.webp)`",
    "img/p x.png": "first",
    "static/static.gif": "gif",
    "a/r.webp": "webp",
    "a/d.svg": "<svg/>",
    "img/unused.png": "x",
  });
  const report = await run();
  expect(report).toMatchObject({ imagesSkipped: 2, images: { created: 3, updated: 0, skipped: 0, failed: 0 } });
  expect(
    images()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(["p x.png", "r.webp", "static.gif"]);
  expect(server.page("One")?.markdown).toBe(
    `![p](${urlOf("p x.png")} "t") <img src='${urlOf("static.gif")}'> [full](${urlOf("p x.png")})\n\n![r][ref]\n\n[ref]: ${urlOf("r.webp")}`,
  );
  expect(server.page("Two")?.markdown).toBe(
    `![p](${urlOf("p x.png")}) ![gone](gone.png) ![svg](d.svg) ![far](https://x.test/p.png) \`![p](r.webp)\``,
  );
});

test("a second run uploads only images that changed or are missing", async () => {
  await files({
    "a/one.md": "# One\n\n![p](p.png) ![q](q.png) ![r](r.png)",
    "a/p.png": "1",
    "a/q.png": "2",
    "a/r.png": "3",
  });
  await run();
  server.log.length = 0;
  expect((await run()).images).toEqual({ created: 0, updated: 0, skipped: 3, failed: 0 });
  expect(server.log.filter((line) => !line.startsWith("GET"))).toEqual([]);
  const address = urlOf("p.png");
  await files({ "a/p.png": "changed" });
  const gone = images().find(({ name }) => name === "q.png")?.id ?? 0;
  server.rows["image-gallery"]?.delete(gone);
  expect((await run()).images).toEqual({ created: 1, updated: 1, skipped: 1, failed: 0 });
  expect([images().length, urlOf("p.png"), images().find(({ name }) => name === "p.png")?.size]).toEqual([
    3,
    address,
    7,
  ]);
  expect(server.page("One")?.markdown).toContain(`![q](${urlOf("q.png")})`);
});

test("a rejected image is reported, and its page is loaded", async () => {
  await files({ "a/one.md": "# One\n\n![p](p.png)", "a/p.png": "no picture" });
  server.interfere = ({ method, path }) =>
    method === "POST" && path === "/api/image-gallery"
      ? refuse(422, "The given data was invalid.", { image: ["The image failed to upload."] })
      : undefined;
  const report = await run();
  expect([report.pages.created, report.pages.failed, report.images.failed]).toEqual([1, 0, 1]);
  expect(said.join()).toContain('Cannot load "a/p.png"');
  expect(server.page("One")?.markdown).toBe("![p](p.png)");
});

test("a lost answer creates no duplicate image", async () => {
  await files({ "a/one.md": "# One\n\n![p](p.png)", "a/p.png": "1" });
  let lost = 0;
  server.interfere = ({ method, path }, act) => {
    if (method !== "POST" || path !== "/api/image-gallery" || lost++ > 0) return undefined;
    act();
    return refuse(502, "Bad gateway");
  };
  expect((await run()).images).toMatchObject({ created: 1, failed: 0 });
  expect([images().length, server.page("One")?.markdown]).toEqual([1, `![p](${urlOf("p.png")})`]);
});

test("linked files become attachments of the first page that links to them, once, and follow their changes", async () => {
  await files({
    "a/one.md":
      "# One\n\n[plan](../plan%20b.PDF#page=2) [again](/plan b.PDF) <a href='conf.d/x.conf'>x</a>\n\n[m]: m.csv",
    "a/two.md": "# Two\n\n[plan](<../plan b.PDF>) [none](none.pdf) ![pdf](m.csv) `[m](m.csv)`",
    "a/conf.d/x.conf": "x",
    "a/m.csv": "1,2",
    "plan b.PDF": "pdf",
    "unused.zip": "z",
  });
  const report = await run();
  expect(report.attachments).toEqual({ created: 3, updated: 0, skipped: 0, failed: 0 });
  expect(report.notFound.toSorted()).toEqual(['"a/two.md" links to none.pdf', '"a/two.md" shows m.csv']);
  const attachments = () => server.all("attachments");
  const address = (name: string) =>
    `https://docs.example.com/attachments/${attachments().find((one) => one.name === name)?.id}`;
  expect(attachments().map(({ name, uploaded_to }) => [name, uploaded_to !== undefined])).toHaveLength(3);
  expect(server.page("One")?.markdown).toContain(
    `[plan](${address("plan b.PDF")}) [again](/plan b.PDF) <a href='${address("x.conf")}'>x</a>\n\n[m]: ${address("m.csv")}`,
  );
  expect(server.page("Two")?.markdown).toStartWith(`[plan](${address("plan b.PDF")})`);
  server.log.length = 0;
  expect((await run()).attachments).toEqual({ created: 0, updated: 0, skipped: 3, failed: 0 });
  expect(server.log.filter((line) => !line.startsWith("GET"))).toEqual([]);
  await files({ "plan b.PDF": "another" });
  expect((await run()).attachments).toMatchObject({ created: 0, updated: 1 });
  expect(attachments().find(({ name }) => name === "plan b.PDF")?.size).toBe(7);
});
