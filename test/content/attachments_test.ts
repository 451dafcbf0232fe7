/**
 * Attachments over the API: what answers hold, the order of checks, switching between files and links, who sees and changes the
 * attachments of a page, and what the address outside /api serves.
 */
import { expect, test } from "bun:test";
import { SYSTEM } from "lectern/core";
import { form, openAttachments } from "../support/harness/attachments.ts";

const VIEWS = ["access-api", "book-view-all", "page-view-all"];
const stage = openAttachments();

test("a file is stored, read back as base64 and downloaded, and goes with its attachment", async () => {
  const { attach, runtime, onDisk, page } = stage();
  const made = await attach({ file: new File(["bolts;12\n"], "Inventory List.CSV", { type: "text/csv" }) });
  expect(made.body).toMatchObject({
    name: "Bolts",
    extension: "CSV",
    uploaded_to: page,
    external: false,
    created_by: 1,
  });
  const path = `/api/attachments/${made.body.id}`;
  const read = await runtime.ask("GET", path);
  expect(read.body).toMatchObject({
    created_by: { id: 1, slug: "admin" },
    content: btoa("bolts;12\n"),
    links: {
      html: `<a target="_blank" href="http://localhost/attachments/${made.body.id}">Bolts</a>`,
      markdown: `[Bolts](http://localhost/attachments/${made.body.id})`,
    },
  });
  const sent = await runtime.ask("GET", `/attachments/${made.body.id}`);
  expect([sent.status, sent.body]).toEqual([200, "bolts;12\n"]);
  expect(sent.headers.get("content-disposition")).toBe('attachment; filename="Bolts.CSV"');
  expect(onDisk()).toMatchObject({ stored: [expect.any(String)], spooled: [] });
  expect((await runtime.ask("DELETE", path)).status).toBe(204);
  expect(onDisk().stored).toEqual([]);
  expect((await runtime.ask("GET", path)).body.error).toEqual({ message: "Attachment not found", code: 404 });
});

test("fields may come after the file, the method among them", async () => {
  const { attach, runtime, onDisk } = stage();
  const { id } = (await attach({ file: new File(["one"], "one.txt") })).body;
  const parts = form({ file: new File(["two"], "two.log"), name: "Two", _method: "PUT" });
  const changed = await runtime.ask("POST", `/api/attachments/${id}`, { parts });
  expect(changed.body).toMatchObject({ id, name: "Two", extension: "log", order: 1 });
  expect((await runtime.ask("GET", `/api/attachments/${id}`)).body.content).toBe(btoa("two"));
  expect(onDisk().stored).toHaveLength(1);
  const unnamed = await runtime.ask("PUT", `/api/attachments/${id}`, {
    parts: form({ file: new File(["3"], "three.md") }),
  });
  expect(unnamed.body).toMatchObject({ name: "three.md", extension: "md" });
  await runtime.ask("DELETE", `/api/attachments/${id}`);
});

test("a link replaces a file and the file a link, and nothing is left of what was before", async () => {
  const { attach, runtime, onDisk } = stage();
  const { id } = (await attach({ file: new File(["one"], "one.txt") })).body;
  const path = `/api/attachments/${id}`;
  const linked = await runtime.ask("PUT", path, { body: { link: "https://example.com/x" } });
  expect(linked.body).toMatchObject({ external: true, extension: "" });
  expect(onDisk().stored).toEqual([]);
  expect((await runtime.ask("GET", path)).body.content).toBe("https://example.com/x");
  const sent = await runtime.ask("GET", `/attachments/${id}`);
  expect([sent.status, sent.headers.get("location")]).toEqual([302, "https://example.com/x"]);
  await runtime.ask("PUT", path, { parts: form({ file: new File(["back"], "b.txt") }) });
  expect((await runtime.ask("GET", path)).body).toMatchObject({ external: false, content: btoa("back") });
  await runtime.ask("DELETE", path);
});

test("of a file and a link the link wins; beside a file an empty link says nothing", async () => {
  const { attach, runtime, onDisk } = stage();
  const both = await attach({ file: new File(["x"], "x.txt"), link: "https://example.com" });
  expect(both.body).toMatchObject({ external: true, extension: "" });
  expect(onDisk().stored).toEqual([]);
  const file = await attach({ file: new File(["x"], "x.txt"), link: "" });
  expect(file.body).toMatchObject({ external: false, extension: "txt", order: both.body.order + 1 });
  for (const { body } of [both, file]) await runtime.ask("DELETE", `/api/attachments/${body.id}`);
});

test("an attachment moves to another page and is seen where its page is seen", async () => {
  const { attach, runtime, other } = stage();
  const stranger = await runtime.person("stranger", ["access-api"]);
  const reader = await runtime.person("reader", VIEWS);
  const { id } = (await attach({ link: "https://example.com" })).body;
  const moved = await runtime.ask("PUT", `/api/attachments/${id}`, { body: { uploaded_to: other } });
  expect(moved.body).toMatchObject({ uploaded_to: other, order: 1 });
  for (const path of [`/api/attachments/${id}`, `/attachments/${id}`]) {
    expect((await runtime.ask("GET", path, { as: stranger.token })).status).toBe(404);
    expect((await runtime.ask("GET", path, { as: reader.token })).status).not.toBe(404);
    expect((await runtime.ask("GET", path, { as: null })).status).toBe(401);
  }
  expect((await runtime.ask("GET", "/api/attachments", { as: stranger.token })).body).toEqual({ data: [], total: 0 });
  await runtime.ask("DELETE", `/api/attachments/${id}`);
});

test("an attachment is not taken away from a page by who may not change that page", async () => {
  const { attach, runtime } = stage();
  const { id } = (await attach({ link: "https://example.com" })).body;
  const mover = await runtime.person("mover", [
    ...VIEWS,
    "book-create-all",
    "page-create-all",
    "page-update-own",
    "attachment-update-all",
  ]);
  const as = mover.token;
  const book = (await runtime.ask("POST", "/api/books", { as, body: { name: "Own" } })).body.id;
  const own = (await runtime.ask("POST", "/api/pages", { as, body: { book_id: book, name: "Own", html: "<p>x</p>" } }))
    .body;
  const taken = await runtime.ask("PUT", `/api/attachments/${id}`, { as, body: { uploaded_to: own.id } });
  expect([own.owned_by.id, taken.status]).toEqual([mover.id, 403]);
});

test("permissions are checked in the order of the contract", async () => {
  const { runtime, page } = stage();
  const reader = await runtime.person("reader", VIEWS);
  const attacher = await runtime.person("attacher", [...VIEWS, "attachment-create-all"]);
  const owner = await runtime.person("owner", [
    ...VIEWS,
    "page-update-all",
    "attachment-create-all",
    "attachment-update-own",
    "attachment-delete-own",
  ]);
  const link = { name: "n", uploaded_to: page, link: "https://example.com" };
  const status = async (method: string, path: string, as: string, body?: unknown) =>
    (await runtime.ask(method, path, { as, body })).status;
  expect(await status("POST", "/api/attachments", reader.token, {})).toBe(403);
  expect(await status("POST", "/api/attachments", attacher.token, {})).toBe(422);
  expect(await status("POST", "/api/attachments", attacher.token, { ...link, uploaded_to: 987654 })).toBe(422);
  expect(await status("POST", "/api/attachments", attacher.token, link)).toBe(403);
  const own = (await runtime.ask("POST", "/api/attachments", { as: owner.token, body: link })).body.id;
  const foreign = (await runtime.ask("POST", "/api/attachments", { body: link })).body.id;
  expect(await status("PUT", `/api/attachments/${foreign}`, owner.token, { name: "x" })).toBe(403);
  expect(await status("DELETE", `/api/attachments/${foreign}`, owner.token)).toBe(403);
  expect(await status("PUT", `/api/attachments/${own}`, reader.token, { name: "" })).toBe(422);
  expect(await status("PUT", `/api/attachments/${own}`, reader.token, { name: "x" })).toBe(403);
  expect(await status("PUT", `/api/attachments/${own}`, owner.token, { name: "x" })).toBe(200);
  expect(await status("DELETE", `/api/attachments/${own}`, owner.token)).toBe(204);
  expect(await status("DELETE", `/api/attachments/${foreign}`, runtime.token)).toBe(204);
});

test("attachments made at once each get their own place on the page", async () => {
  const { runtime, makePage } = stage();
  const fresh = await makePage("Crowded");
  const body = { name: "n", uploaded_to: fresh, link: "https://example.com" };
  const made = await Promise.all(Array.from({ length: 8 }, () => runtime.ask("POST", "/api/attachments", { body })));
  expect(made.map((one) => one.body.order).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test("attachments of a page are hidden with it, and removed when it is removed for good", async () => {
  const { attach, runtime, makePage, onDisk } = stage();
  const gone = await makePage("Gone");
  const { id } = (await attach({ uploaded_to: String(gone), file: new File(["x"], "x.txt") })).body;
  const stored = onDisk().stored.length;
  await runtime.ask("DELETE", `/api/pages/${gone}`);
  expect((await runtime.ask("GET", `/api/attachments/${id}`)).status).toBe(404);
  expect(onDisk().stored).toHaveLength(stored);
  const context = runtime.contexts.get("attachments");
  const dependents = context?.slot("dependents").filter(({ kind }) => kind === "page") ?? [];
  await runtime.runtime.bus.perform("app_boot", SYSTEM, {}, async (_, tx) => {
    for (const { destroy } of dependents) await destroy([gone], tx, "page");
    return {};
  });
  expect(onDisk().stored).toHaveLength(stored - 1);
});

test("an attachment is moved among those of its page, and several at once leave each a place of its own", async () => {
  const { attach, runtime } = stage();
  const book = (await runtime.ask("POST", "/api/books", { body: { name: "Sorted" } })).body.id;
  const page = (await runtime.ask("POST", "/api/pages", { body: { book_id: book, name: "Sorted", markdown: "x" } }))
    .body.id;
  const ids: number[] = [];
  for (const name of ["A", "B", "C", "D"])
    ids.push((await attach({ name, uploaded_to: String(page), link: "https://example.com" })).body.id);
  const [a = 0, b = 0, , d = 0] = ids;
  const order = (id: number, at: unknown) => runtime.ask("PUT", `/api/attachments/${id}`, { body: { order: at } });
  const listed = async () => {
    const { data } = (await runtime.ask("GET", `/api/attachments?filter[uploaded_to]=${page}&sort=order`)).body;
    return data.map((one: { name: string; order: number }) => `${one.name}${one.order}`).join(" ");
  };
  expect((await order(d, 1)).body).toMatchObject({ id: d, order: 1 });
  expect(await listed()).toBe("D1 A2 B3 C4");
  expect((await order(a, 99)).body).toMatchObject({ id: a, order: 4 });
  expect(await listed()).toBe("D1 B2 C3 A4");
  for (const bad of [0, "first", 9_999_999_999]) expect((await order(b, bad)).status).toBe(422);
  const moved = await Promise.all(ids.map((id) => order(id, 2)));
  expect(moved.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await listed()).replace(/[A-D]/g, "")).toBe("1 2 3 4");
});
