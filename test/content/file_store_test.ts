/**
 * Files in the store of a plugin, that of the example `lectern-files-http` under the name "vault": uploads and downloads go there, what
 * fails leaves no row, and the operator's choice decides.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { FileStoreProvider } from "lectern/contracts";
import { definePlugin, type OutgoingFetch } from "lectern/core";
import { httpStore } from "../fixtures/plugins/lectern-files-http/store.ts";
import { openFileServer } from "../support/fakes/file_server.ts";
import { bootTestRuntime, type TestRuntime, testFileStore } from "../support/harness/test_runtime.ts";

const vault = openFileServer();
const vaultStore = (fetch: OutgoingFetch): FileStoreProvider => ({ ...httpStore(fetch, vault.url), name: "vault" });

const plugin = definePlugin({
  name: "vault",
  grants: { net: ["127.0.0.1"] },
  setup: ({ contribute, fetch }) => contribute("file_store", vaultStore(fetch)),
});
const hasty = definePlugin({
  name: "hasty",
  grants: { files: true },
  async setup({ files }) {
    await files.put("early.txt", new Uint8Array(1));
  },
});

testFileStore(() => vaultStore(fetch), "the store of a plugin");

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
  await vault.stop();
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
