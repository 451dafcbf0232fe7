/**
 * Attachments over the API: what answers hold and in which order checks come, files and links in turn, who sees and
 * changes what hangs on a page, what the address outside /api sends, and what bad input leaves behind: nothing. That
 * nothing is left is looked up on disk, in the folders of stored files and of files on their way.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { ApiError, definePlugin, SYSTEM } from "lectern/core";
import { type Ask, bootHouse, type TestHouse } from "../support/house.ts";

const VIEWS = ["access-api", "book-view-all", "page-view-all"];
const LIMIT = 50_000 * 1024;
let house: TestHouse;
let book = 0;
let page = 0;
let other = 0;

beforeAll(async () => {
  const spoiler = definePlugin({
    name: "spoiler",
    setup: ({ onAny }) =>
      onAny({
        join({ name, result }) {
          if (name === "attachment_create" && (result as { name: string }).name === "Undone")
            throw new ApiError(409, "Undone");
        },
      }),
  });
  house = await bootHouse({ extra: [spoiler] });
  book = (await house.ask("POST", "/api/books", { body: { name: "Files" } })).body.id;
  page = await makePage("Holder");
  other = await makePage("Other holder");
}, 60_000);
afterAll(() => house.stop());

async function makePage(name: string): Promise<number> {
  return (await house.ask("POST", "/api/pages", { body: { book_id: book, name, html: "<p>x</p>" } })).body.id;
}

function form(fields: Record<string, string | File>): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.append(name, value);
  return made;
}

async function attach(fields: Record<string, string | File>, ask: Ask = {}) {
  return house.ask("POST", "/api/attachments", {
    parts: form({ name: "Bolts", uploaded_to: String(page), ...fields }),
    ...ask,
  });
}

/** Stored files and files on their way, as paths below the data folder. */
function onDisk(): { stored: string[]; spooled: string[] } {
  const below = (folder: string) => {
    const root = join(house.dataDir, folder);
    if (!existsSync(root)) return [];
    const entries = readdirSync(root, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  };
  return { stored: below("files"), spooled: below("spool") };
}

async function rowCount(): Promise<number> {
  return (await house.ask("GET", "/api/attachments?count=1")).body.total;
}

/** Runs something that must leave files and rows as they were. */
async function leavesNothing(run: () => Promise<void>): Promise<void> {
  const before = { ...onDisk(), rows: await rowCount() };
  await run();
  expect({ ...onDisk(), rows: await rowCount() }).toEqual({ ...before, spooled: [] });
}

test("a file is stored, read back as base64 and downloaded, and goes with its attachment", async () => {
  const made = await attach({ file: new File(["bolts;12\n"], "Inventory List.CSV", { type: "text/csv" }) });
  expect(made.body).toMatchObject({
    name: "Bolts",
    extension: "CSV",
    uploaded_to: page,
    external: false,
    created_by: 1,
  });
  const path = `/api/attachments/${made.body.id}`;
  const read = await house.ask("GET", path);
  expect(read.body).toMatchObject({
    created_by: { id: 1, slug: "admin" },
    content: btoa("bolts;12\n"),
    links: {
      html: `<a target="_blank" href="http://localhost/attachments/${made.body.id}">Bolts</a>`,
      markdown: `[Bolts](http://localhost/attachments/${made.body.id})`,
    },
  });
  const sent = await house.ask("GET", `/attachments/${made.body.id}`);
  expect([sent.status, sent.body]).toEqual([200, "bolts;12\n"]);
  expect(sent.headers.get("content-disposition")).toBe('attachment; filename="Bolts.CSV"');
  expect(onDisk()).toMatchObject({ stored: [expect.any(String)], spooled: [] });
  expect((await house.ask("DELETE", path)).status).toBe(204);
  expect(onDisk().stored).toEqual([]);
  expect((await house.ask("GET", path)).body.error).toEqual({ message: "Attachment not found", code: 404 });
});

test("fields may come after the file, the method among them", async () => {
  const { id } = (await attach({ file: new File(["one"], "one.txt") })).body;
  const parts = form({ file: new File(["two"], "two.log"), name: "Two", _method: "PUT" });
  const changed = await house.ask("POST", `/api/attachments/${id}`, { parts });
  expect(changed.body).toMatchObject({ id, name: "Two", extension: "log", order: 1 });
  expect((await house.ask("GET", `/api/attachments/${id}`)).body.content).toBe(btoa("two"));
  expect(onDisk().stored).toHaveLength(1);
  const unnamed = await house.ask("PUT", `/api/attachments/${id}`, {
    parts: form({ file: new File(["3"], "three.md") }),
  });
  expect(unnamed.body).toMatchObject({ name: "three.md", extension: "md" });
  await house.ask("DELETE", `/api/attachments/${id}`);
});

test("a link replaces a file and the file a link, and nothing is left of what was before", async () => {
  const { id } = (await attach({ file: new File(["one"], "one.txt") })).body;
  const path = `/api/attachments/${id}`;
  const linked = await house.ask("PUT", path, { body: { link: "https://example.com/x" } });
  expect(linked.body).toMatchObject({ external: true, extension: "" });
  expect(onDisk().stored).toEqual([]);
  expect((await house.ask("GET", path)).body.content).toBe("https://example.com/x");
  const sent = await house.ask("GET", `/attachments/${id}`);
  expect([sent.status, sent.headers.get("location")]).toEqual([302, "https://example.com/x"]);
  await house.ask("PUT", path, { parts: form({ file: new File(["back"], "b.txt") }) });
  expect((await house.ask("GET", path)).body).toMatchObject({ external: false, content: btoa("back") });
  await house.ask("DELETE", path);
});

test("of a file and a link the link wins; beside a file an empty link says nothing", async () => {
  const both = await attach({ file: new File(["x"], "x.txt"), link: "https://example.com" });
  expect(both.body).toMatchObject({ external: true, extension: "" });
  expect(onDisk().stored).toEqual([]);
  const file = await attach({ file: new File(["x"], "x.txt"), link: "" });
  expect(file.body).toMatchObject({ external: false, extension: "txt", order: both.body.order + 1 });
  for (const { body } of [both, file]) await house.ask("DELETE", `/api/attachments/${body.id}`);
});

test("an attachment moves to another page and is seen where its page is seen", async () => {
  const stranger = await house.person("stranger", ["access-api"]);
  const reader = await house.person("reader", VIEWS);
  const { id } = (await attach({ link: "https://example.com" })).body;
  const moved = await house.ask("PUT", `/api/attachments/${id}`, { body: { uploaded_to: other } });
  expect(moved.body).toMatchObject({ uploaded_to: other, order: 1 });
  for (const path of [`/api/attachments/${id}`, `/attachments/${id}`]) {
    expect((await house.ask("GET", path, { as: stranger.token })).status).toBe(404);
    expect((await house.ask("GET", path, { as: reader.token })).status).not.toBe(404);
    expect((await house.ask("GET", path, { as: null })).status).toBe(401);
  }
  expect((await house.ask("GET", "/api/attachments", { as: stranger.token })).body).toEqual({ data: [], total: 0 });
  await house.ask("DELETE", `/api/attachments/${id}`);
});

test("rights are asked for in the order of the contract", async () => {
  const reader = await house.person("reader", VIEWS);
  const attacher = await house.person("attacher", [...VIEWS, "attachment-create-all"]);
  const owner = await house.person("owner", [
    ...VIEWS,
    "page-update-all",
    "attachment-create-all",
    "attachment-update-own",
    "attachment-delete-own",
  ]);
  const link = { name: "n", uploaded_to: page, link: "https://example.com" };
  const status = async (method: string, path: string, as: string, body?: unknown) =>
    (await house.ask(method, path, { as, body })).status;
  expect(await status("POST", "/api/attachments", reader.token, {})).toBe(403);
  expect(await status("POST", "/api/attachments", attacher.token, {})).toBe(422);
  expect(await status("POST", "/api/attachments", attacher.token, { ...link, uploaded_to: 987654 })).toBe(422);
  expect(await status("POST", "/api/attachments", attacher.token, link)).toBe(403);
  const own = (await house.ask("POST", "/api/attachments", { as: owner.token, body: link })).body.id;
  const foreign = (await house.ask("POST", "/api/attachments", { body: link })).body.id;
  expect(await status("PUT", `/api/attachments/${foreign}`, owner.token, { name: "x" })).toBe(403);
  expect(await status("DELETE", `/api/attachments/${foreign}`, owner.token)).toBe(403);
  expect(await status("PUT", `/api/attachments/${own}`, reader.token, { name: "" })).toBe(422);
  expect(await status("PUT", `/api/attachments/${own}`, reader.token, { name: "x" })).toBe(403);
  expect(await status("PUT", `/api/attachments/${own}`, owner.token, { name: "x" })).toBe(200);
  expect(await status("DELETE", `/api/attachments/${own}`, owner.token)).toBe(204);
  expect(await status("DELETE", `/api/attachments/${foreign}`, house.token)).toBe(204);
});

test("attachments made at once each get their own place on the page", async () => {
  const fresh = await makePage("Crowded");
  const body = { name: "n", uploaded_to: fresh, link: "https://example.com" };
  const made = await Promise.all(Array.from({ length: 8 }, () => house.ask("POST", "/api/attachments", { body })));
  expect(made.map((one) => one.body.order).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test("a page takes its attachments out of sight, and along when it is removed for good", async () => {
  const gone = await makePage("Gone");
  const { id } = (await attach({ uploaded_to: String(gone), file: new File(["x"], "x.txt") })).body;
  const stored = onDisk().stored.length;
  await house.ask("DELETE", `/api/pages/${gone}`);
  expect((await house.ask("GET", `/api/attachments/${id}`)).status).toBe(404);
  expect(onDisk().stored).toHaveLength(stored);
  const context = house.contexts.get("attachments");
  const hanging = context?.slot("hanging").filter(({ kind }) => kind === "page") ?? [];
  await context?.perform("app_boot", SYSTEM, {}, async (_, work) => {
    for (const { destroy } of hanging) await destroy([gone], work);
    return {};
  });
  expect(onDisk().stored).toHaveLength(stored - 1);
});

test("files of every name and none are taken, and what they are called breaks no answer", async () => {
  const names: [sent: string, extension: string][] = [
    ["no-extension", ""],
    ["../../etc/passwd.txt", "txt"],
    ["..\\boot.ini", "ini"],
    ["a\u0000b.txt", "txt"],
    ["photo\u202egpj.exe", "exe"],
    ['quote".html', "html"],
    ["line\r\nbreak.csv", "csv"],
    [`${"n".repeat(300)}.${"x".repeat(30)}`, "x".repeat(20)],
    [".htaccess", "htaccess"],
    ["日本語.PDF", "PDF"],
  ];
  for (const [sent, extension] of names) {
    const made = await attach({ name: sent.slice(0, 255), file: new File(["x"], sent, { type: "text/html" }) });
    expect([made.status, made.body.extension]).toEqual([200, extension]);
    for (const query of ["", "?open=true"]) {
      const { status, headers } = await house.ask("GET", `/attachments/${made.body.id}${query}`);
      expect([status, headers.get("x-content-type-options")]).toEqual([200, "nosniff"]);
      expect(headers.get("content-security-policy")).toStartWith("sandbox;");
      const isShown = query !== "" && extension === "PDF";
      expect(headers.get("content-disposition")).toStartWith(
        isShown ? "inline;" : /txt/.test(extension) && query ? "inline;" : "attachment;",
      );
    }
    await house.ask("DELETE", `/api/attachments/${made.body.id}`);
  }
});

test("names have up to 255 characters, and a file of no bytes is a file", async () => {
  const long = await attach({ name: "ü".repeat(255), file: new File([], "empty.bin") });
  expect(long.body).toMatchObject({ name: "ü".repeat(255), extension: "bin" });
  expect((await house.ask("GET", `/api/attachments/${long.body.id}`)).body.content).toBe("");
  expect((await house.ask("GET", `/attachments/${long.body.id}`)).body).toBe("");
  await house.ask("DELETE", `/api/attachments/${long.body.id}`);
  await leavesNothing(async () => {
    const { status, body } = await attach({ name: "n".repeat(256), file: new File(["x"], "x.txt") });
    expect([status, body.error.validation]).toEqual([
      422,
      { name: ["The name may not be greater than 255 characters."] },
    ]);
  });
});

test("types other than the rules want are refused by name, and nothing is stored", async () => {
  const cases: [fields: Record<string, string | File>, faults: Record<string, string[]>][] = [
    [{ file: "words" }, { file: ["The file must be provided as a valid file."] }],
    [
      { link: new File(["x"], "x.txt") },
      { link: ["The link must be a string.", "The link must be at least 1 kilobytes."] },
    ],
    [
      { link: "https://example.com", name: new File(["x"], "x.txt") },
      { name: ["The name must be a string.", "The name must be at least 1 kilobytes."] },
    ],
    [
      { link: "https://example.com", uploaded_to: new File(["1"], "1") },
      { uploaded_to: ["The uploaded to must be an integer."] },
    ],
    [{ link: " \tJavaScript:x" }, { link: ["The provided link may not be safe."] }],
  ];
  for (const [fields, faults] of cases)
    await leavesNothing(async () => {
      const { status, body } = await attach(fields);
      expect(status).toBe(422);
      expect(body.error.validation).toMatchObject(faults);
    });
});

test("a link that browsers would run leads nowhere", async () => {
  const { id } = (await attach({ link: "java\tscript:alert(1)" })).body;
  expect((await house.ask("GET", `/attachments/${id}`)).status).toBe(404);
  expect((await house.ask("GET", `/api/attachments/${id}`)).body.links.html).toContain(
    `href="http://localhost/attachments/${id}"`,
  );
  await house.ask("DELETE", `/api/attachments/${id}`);
});

test("a file may have 51,200,000 bytes and not one more", async () => {
  const fits = await attach({ file: new File([new Uint8Array(LIMIT)], "large.bin") });
  expect(fits.status).toBe(200);
  const size = Number((await house.ask("HEAD", `/attachments/${fits.body.id}`)).headers.get("content-length"));
  expect(size).toBe(LIMIT);
  await house.ask("DELETE", `/api/attachments/${fits.body.id}`);
  await leavesNothing(async () => {
    const { status, body } = await attach({ file: new File([new Uint8Array(LIMIT + 1)], "large.bin") });
    expect(status).toBe(422);
    expect(body.error.validation).toEqual({ file: ["The file may not be greater than 50000 kilobytes."] });
  });
});

test("a body beyond all limits is answered in the one shape of errors", async () => {
  await leavesNothing(async () => {
    const { status, body } = await attach({ file: new File([new Uint8Array(LIMIT * 1.6)], "huge.bin") });
    expect([status, body.error.code]).toEqual([413, 413]);
  });
});

test("what fails after the file was stored takes the file back", async () => {
  await leavesNothing(async () => {
    const { status } = await attach({ name: "Undone", file: new File(["x"], "x.txt") });
    expect(status).toBe(409);
  });
});

test("a client that stops halfway leaves no file and no row", async () => {
  const answered = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      begun.resolve();
      const response = await house.house.gates.answer(request, "127.0.0.1");
      answered.resolve();
      return response;
    },
  });
  await leavesNothing(async () => {
    const socket = connect(server.port ?? 0, "localhost");
    const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="half.bin"\r\n\r\n';
    const head = `POST /api/attachments HTTP/1.1\r\nHost: localhost\r\nAuthorization: Token ${house.token}\r\n`;
    socket.write(`${head}Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 9000000\r\n\r\n${part}`);
    socket.write(new Uint8Array(1_000_000));
    await begun.promise;
    socket.destroy();
    await answered.promise;
  });
  await server.stop(true);
});
