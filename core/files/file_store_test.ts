import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testFileStore } from "../../test/support/harness/file_store_suite.ts";
import { below, folderStore } from "./file_store.ts";

const folder = mkdtempSync(join(tmpdir(), "lectern-files-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("put() stores bytes that get() returns until remove()", async () => {
  const store = below(folderStore(folder), "images");
  expect(await store.put("2026-01/rack.png", new Uint8Array([1, 2, 3]))).toBe(3);
  expect(await (await store.get("2026-01/rack.png"))?.bytes()).toEqual(new Uint8Array([1, 2, 3]));
  await store.remove("2026-01/rack.png");
  expect(await store.get("2026-01/rack.png")).toBeUndefined();
  await store.remove("2026-01/rack.png");
});

test.each(["../up", "a/../../up", "/etc/passwd", "a//b", "", ".hidden", "a/./b", "a\\b", "nul\0l", "x".repeat(501)])(
  "put() refuses the key %p",
  async (key) => {
    await expect((async () => folderStore(folder).put(key, new Uint8Array()))()).rejects.toThrow(
      "Cannot use the file key",
    );
  },
);

test("put() leaves no file when the content fails", async () => {
  const broken = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new Uint8Array(10));
      controller.error(new Error("client went away"));
    },
  });
  await expect(folderStore(folder).put("half/file.bin", broken)).rejects.toThrow(
    'Cannot store the file "half/file.bin"',
  );
  expect(readdirSync(join(folder, "half"))).toEqual([]);
});

testFileStore(() => folderStore(join(folder, "suite")), "the store in a folder");
