/**
 * An embedded store on a disk that is full: a file system of a few MB in memory, which root alone can mount; where it cannot be, the
 * test of initdb's text is all that runs.
 */
import { afterAll, expect, test } from "bun:test";
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dataFolder } from "../_stores.ts";
import { openStore, StoreError } from "../mod.ts";
import { tryLock } from "./file_lock.ts";
import { causeLine } from "./home.ts";

const MB = 4;
/** Bytes that are written at a time. */
const FILLED = 4_096;
const folder = join(dataFolder(), "small");
mkdirSync(folder);
const options = ["-t", "tmpfs", "-o", `size=${MB}m,mode=755`, "tmpfs", folder];
const isMounted = process.getuid?.() === 0 && Bun.spawnSync(["mount", ...options]).exitCode === 0;

afterAll(() => {
  if (isMounted) Bun.spawnSync(["umount", "--lazy", folder]);
  rmSync(folder, { recursive: true, force: true });
});

/** Writes until there is no room. */
function fill(): void {
  const path = join(folder, "filler");
  try {
    for (;;) appendFileSync(path, Buffer.alloc(FILLED));
  } catch (error) {
    expect((error as { code?: string }).code).toBe("ENOSPC");
  }
}

test("initdb on a disk without room for a store says so", async () => {
  const directory = 'initdb: error: could not create directory "x": No space left on device';
  expect(causeLine(`${directory}\ninitdb: removing contents of data directory "x"\n`)).toBe(directory);
  const fatal = "2026-01-01 00:00:00.000 UTC [1] FATAL:  could not write to file: No space left on device";
  expect(causeLine(`running bootstrap script ... ${fatal}\nchild process exited with exit code 1\n`)).toContain(fatal);
  expect(causeLine("initdb: removed\n\n")).toBe("initdb: removed");
  if (!isMounted) return;
  const failure = await openStore({ dataDir: join(folder, "data") }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StoreError);
  expect((failure as Error).message).toContain("No space left on device");
}, 60_000);

test("a lock can be taken on a full disk, excludes others, and one that cannot be says why", () => {
  const path = join(folder, "boot.lock");
  writeFileSync(path, "");
  if (isMounted) fill();
  const unlock = tryLock(path, "exclusive");
  expect(unlock).toBeFunction();
  expect(tryLock(path, "exclusive")).toBeUndefined();
  expect(tryLock(path, "shared")).toBeUndefined();
  unlock?.();
  const shared = tryLock(path, "shared");
  expect(tryLock(path, "exclusive")).toBeUndefined();
  shared?.();
  expect(() => tryLock(join(folder, "none", "boot.lock"), "exclusive")).toThrow(StoreError);
});
