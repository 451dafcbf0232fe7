import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSpool } from "../input/upload_spool.ts";
import { processTag } from "../process_tag.ts";
import { folderStore } from "./file_store.ts";
import { sweepFiles } from "./orphan_sweep.ts";

const folder = mkdtempSync(join(tmpdir(), "lectern-sweep-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const LONG_AGO = new Date("2026-01-05T11:00:00Z");

function age(path: string): void {
  utimesSync(path, LONG_AGO, LONG_AGO);
}

test("a sweep removes old orphaned files and nothing else", async () => {
  const root = join(folder, "files");
  const store = folderStore(root);
  for (const key of ["notes/a", "notes/lost", "notes/young", "gone/b"]) await store.put(key, new Uint8Array(3));
  const half = crypto.randomUUID();
  mkdirSync(join(root, ".partial"), { recursive: true });
  writeFileSync(join(root, ".partial", half), "half");
  for (const path of ["notes/a", "notes/lost", "gone/b", `.partial/${half}`]) age(join(root, path));
  const claims = [{ plugin: "notes", used: async (keys: readonly string[]) => keys.filter((key) => key === "a") }];

  const planned = await sweepFiles(store, claims, { dryRun: true });
  expect(planned.orphans.map(({ key }) => key).sort()).toEqual([`.partial/${half}`, "notes/lost"]);
  expect([...planned.unclaimed]).toEqual([["gone", 1]]);
  expect(readdirSync(join(root, "notes")).sort()).toEqual(["a", "lost", "young"]);

  expect(await sweepFiles(store, claims, { dryRun: false })).toMatchObject({ kept: 3 });
  expect(readdirSync(join(root, "notes")).sort()).toEqual(["a", "young"]);
  expect([readdirSync(join(root, ".partial")), readdirSync(join(root, "gone"))]).toEqual([[], ["b"]]);
});

test("a spool holds a request's files until they are cleared, and removes those that a crash left", async () => {
  const root = join(folder, "spool");
  const spool = openSpool(root);
  const content = async function* () {
    yield new TextEncoder().encode("ab");
    yield new TextEncoder().encode("c");
  };
  const files = spool.forRequest();
  const upload = await files.keep({ name: "x\0.txt", type: "text/plain" }, content());
  expect([upload.name, upload.size, await new Response(upload.stream()).text()]).toEqual(["x.txt", 3, "abc"]);

  const store = folderStore(join(folder, "kept"));
  expect(await store.put("notes/x", upload)).toBe(3);
  await files.clear();
  expect(readdirSync(root)).toEqual([]);
  expect(new TextDecoder().decode(await (await store.get("notes/x"))?.bytes())).toBe("abc");

  writeFileSync(join(root, "leftover"), "");
  writeFileSync(join(root, "young"), "");
  age(join(root, "leftover"));
  // A process that ended, one that reuses its id, one of another machine, and this one.
  const [place, , started] = processTag().split("-");
  const gone = Bun.spawnSync([process.execPath, "--version"]).pid;
  const names = [
    `${place}-${gone}-1.a`,
    `${place}-${process.pid}-${Number(started) + 1}.b`,
    `ab-1-1.c`,
    `${processTag()}.d`,
  ];
  for (const name of names) writeFileSync(join(root, name), "");
  expect(await spool.sweep()).toBe(process.platform === "linux" ? 3 : 2);
  for (const name of ["young", "ab-1-1.c", `${processTag()}.d`]) expect(readdirSync(root)).toContain(name);
  expect(readdirSync(root)).not.toContain(`${place}-${gone}-1.a`);
});
