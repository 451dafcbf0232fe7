import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Store, withSnapshot } from "lectern/db";
import { folderStore } from "../../core/files/file_store.ts";
import { heldFiles } from "../../core/files/held_files.ts";
import { createLog } from "../../core/log.ts";
import { createTestDatabase, openTestStore, type TestDatabase } from "../support/harness/test_database.ts";
import { until } from "../support/harness/until.ts";

const root = mkdtempSync(join(tmpdir(), "lectern-held-"));
const bytes = new TextEncoder().encode("content");
let database: TestDatabase;
let store: Store;

beforeAll(async () => {
  database = await createTestDatabase("empty");
  store = await openTestStore(database.name);
}, 120_000);
afterAll(async () => {
  await store.close();
  await database.drop();
  rmSync(root, { recursive: true, force: true });
});

test("a file that is removed during a backup stays until the backup ends", async () => {
  const { files, stop } = heldFiles(folderStore(root), store.db, createLog("silent"), 20);
  for (const key of ["a", "b", "c"]) await files.put(key, bytes);
  await files.remove("a");
  expect(await files.get("a")).toBeUndefined();
  await withSnapshot(store, {
    async rows() {
      await files.remove("b");
      await files.remove("c");
      await Bun.sleep(60);
      expect(await files.get("b")).toBeDefined();
    },
    async files() {
      // Stored again under its key, so that the removal no longer counts.
      await files.put("c", bytes);
      expect(await files.get("b")).toBeDefined();
    },
  });
  await until(async () => (await files.get("b")) === undefined);
  expect(await files.get("c")).toBeDefined();
  stop();
});

test("large tables are read to their end, and statements after them are answered", async () => {
  await store.sql`create table large (id integer, body text)`;
  await store.sql`insert into large select n, repeat(md5(n::text), 32) from generate_series(1, 30000) n`;
  let bytes = 0;
  await withSnapshot(store, {
    async rows({ copy }) {
      for (let times = 0; times < 3; times++) for await (const chunk of await copy("large")) bytes += chunk.byteLength;
    },
    async files() {},
  });
  expect(bytes).toBeGreaterThan(90_000_000);
});
