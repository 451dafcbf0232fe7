/**
 * Files in the store of a plugin, over HTTP in a made-up vault, as a stranger would write it: uploads and downloads go there, what
 * fails leaves no row, and the operator's choice decides.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { FileStoreProvider } from "lectern/contracts";
import { type ByteRange, definePlugin, type OutgoingFetch } from "lectern/core";
import { bootTestRuntime, type TestRuntime, testFileStore } from "../support/harness/test_runtime.ts";

/** The vault: PUT, HEAD, GET of a range, DELETE, and pages of ten names. */
const vault = { files: new Map<string, { content: Uint8Array; at: string }>(), isDown: false };
const server = Bun.serve({
  port: 0,
  async fetch(request) {
    if (vault.isDown) return new Response("", { status: 503 });
    const { pathname, searchParams } = new URL(request.url);
    const key = decodeURIComponent(pathname.slice(1));
    if (request.method === "PUT") {
      const content = await request.bytes();
      vault.files.set(key, { content, at: new Date().toISOString() });
      return Response.json({ size: content.length });
    }
    if (request.method === "DELETE") return new Response(null, { status: vault.files.delete(key) ? 204 : 404 });
    if (key === "") {
      const names = [...vault.files.keys()].filter((name) => name.startsWith(searchParams.get("prefix") ?? "")).sort();
      const from = Number(searchParams.get("from"));
      const shown = names.slice(from, from + 10).map((name) => {
        const { content, at } = vault.files.get(name) ?? { content: new Uint8Array(), at: "" };
        return { key: name, size: content.length, at };
      });
      return Response.json({ shown, next: from + 10 < names.length ? from + 10 : null });
    }
    const found = vault.files.get(key);
    if (!found) return new Response(null, { status: 404 });
    const [, start = "0", end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get("range") ?? "") ?? [];
    const part = found.content.slice(Number(start), end === undefined ? undefined : Number(end) + 1);
    return new Response(part, { headers: { "last-modified": found.at, "x-size": String(found.content.length) } });
  },
});

/** The plugin's store: what its author wrote. */
function vaultStore(fetch: OutgoingFetch, base: string): FileStoreProvider {
  const addressOf = (key: string) => `${base}/${key.split("/").map(encodeURIComponent).join("/")}`;
  const ask = async (address: string, init: BunFetchRequestInit = {}) => {
    const response = await fetch(address, init);
    if (!response.ok && response.status !== 404) throw new Error(`The vault answered ${response.status}`);
    return response;
  };
  return {
    name: "vault",
    async put(key, content) {
      const response = await ask(addressOf(key), { method: "PUT", body: content });
      return ((await response.json()) as { size: number }).size;
    },
    async get(key) {
      const head = await ask(addressOf(key), { method: "HEAD" });
      if (head.status === 404) return undefined;
      const size = Number(head.headers.get("x-size"));
      const part = ({ start, end }: ByteRange = { start: 0, end: size }) => {
        const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
        const headers = { range: `bytes=${start}-${end - 1}` };
        const copied = end > start ? ask(addressOf(key), { headers }) : Promise.resolve(new Response(new Uint8Array()));
        copied.then((response) => response.body?.pipeTo(writable)).catch((error) => writable.abort(error));
        return readable;
      };
      const modified = new Date(head.headers.get("last-modified") ?? 0);
      return { size, modified, stream: part, body: part, bytes: () => new Response(part()).bytes() };
    },
    async remove(key) {
      await ask(addressOf(key), { method: "DELETE" });
    },
    async *list(prefix = "") {
      let from: number | null = 0;
      while (from !== null) {
        const response = await ask(`${base}/?prefix=${encodeURIComponent(prefix)}&from=${from}`);
        const page = (await response.json()) as {
          shown: { key: string; size: number; at: string }[];
          next: number | null;
        };
        for (const { key, size, at } of page.shown) yield { key, size, modified: new Date(at) };
        from = page.next;
      }
    },
  };
}

const base = `http://localhost:${server.port}`;
const plugin = definePlugin({
  name: "vault",
  permissions: { net: ["localhost"] },
  setup: ({ contribute, fetch }) => contribute("file_store", vaultStore(fetch, base)),
});
const hasty = definePlugin({
  name: "hasty",
  permissions: { files: true },
  async setup({ files }) {
    await files.put("early.txt", new Uint8Array(1));
  },
});

testFileStore(() => vaultStore(fetch, base), "the store of a plugin");

const ENV = { FILES_STORE: "vault", ALLOW_PRIVATE_HOSTS: "127.0.0.0/8,::1/128" };
let runtime: TestRuntime;
let page: number;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [plugin], env: ENV });
  const book = (await runtime.ask("POST", "/api/books", { body: { name: "Files" } })).body.id;
  page = (await runtime.ask("POST", "/api/pages", { body: { name: "Files", book_id: book, html: "<p>x</p>" } })).body
    .id;
}, 120_000);
afterAll(async () => {
  await runtime.stop();
  await server.stop(true);
});
beforeEach(() => {
  vault.isDown = false;
});

const attach = (text: string) => {
  const parts = new FormData();
  parts.append("name", "Bolts");
  parts.append("uploaded_to", String(page));
  parts.append("file", new File([text], "bolts.csv"));
  return runtime.ask("POST", "/api/attachments", { parts });
};

test("uploads go to the chosen store, downloads and ranges come from there, and nothing is on the disk", async () => {
  vault.files.clear();
  const { body } = await attach("bolts;12\n");
  expect([...vault.files.keys()]).toEqual([expect.stringMatching(/^attachments\//)]);
  const read = (headers = {}) => runtime.ask("GET", `/attachments/${body.id}`, { headers });
  expect((await read()).body).toBe("bolts;12\n");
  const part = await read({ range: "bytes=6-7" });
  expect([part.status, part.body]).toEqual([206, "12"]);
  expect(existsSync(join(runtime.dataDir, "files"))).toBe(false);
  await runtime.ask("DELETE", `/api/attachments/${body.id}`);
  expect(vault.files.size).toBe(0);
});

test("files without a row are found in the chosen store", async () => {
  vault.files.set("attachments/lost.csv", { content: new Uint8Array(3), at: "2026-01-01T00:00:00Z" });
  const { body } = await runtime.ask("GET", "/api/system/files");
  expect(JSON.stringify(body)).toContain("attachments/lost.csv");
  vault.files.clear();
});

test("where the store fails, an upload is refused as a whole, and works again afterwards", async () => {
  vault.isDown = true;
  const refused = await attach("bolts");
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([500, expect.not.stringContaining("vault")]);
  vault.isDown = false;
  const { body } = await runtime.ask("GET", "/api/attachments");
  expect([body.total, vault.files.size]).toEqual([0, 0]);
  expect((await attach("bolts")).status).toBe(200);
});

test("a store that the operator did not choose, a wrong name, and files before the boot has ended stop the boot", async () => {
  const failing = (env: Record<string, string>, extra = [plugin]) =>
    bootTestRuntime({ extra, env: { ...ENV, ...env } }).then(
      () => "",
      (error: Error) => error.message,
    );
  expect(await failing({ FILES_STORE: "" })).toContain(
    'Each of "disk" and "vault" is a file store: set FILES_STORE to the one to use',
  );
  expect(await failing({ FILES_STORE: "valut" })).toContain('did you mean "vault"?');
  expect(await failing({}, [])).toContain('FILES_STORE names "vault"');
  expect(await failing({}, [hasty, plugin])).toContain('Cannot use files yet: the store "vault" is that of a plugin');
  const onDisk = await bootTestRuntime({ extra: [plugin, hasty], env: { ...ENV, FILES_STORE: "disk" } });
  expect(existsSync(join(onDisk.dataDir, "files", "hasty", "early.txt"))).toBe(true);
  await onDisk.stop();
});
