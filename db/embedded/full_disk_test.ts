/**
 * An embedded store on a disk that is full: a file system of a few MB in memory, which root alone can mount; where it cannot be, the
 * test of initdb's text is all that runs.
 */
import { afterAll, expect, test } from "bun:test";
import { appendFileSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dataFolder } from "../_stores.ts";
import { openStore, StoreError, type StoreEvent } from "../mod.ts";
import { tryLock } from "./file_lock.ts";
import { causeLine, prepareHome } from "./home.ts";
import { keepReserve, RESERVE_BYTES } from "./reserve.ts";

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

test("a store starts on a full disk with the room that is kept for that, once, and keeps it again when there is some", async () => {
  if (!isMounted) return;
  const large = join(dataFolder(), "large");
  mkdirSync(large);
  expect(Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=240m,mode=755", "tmpfs", large]).exitCode).toBe(0);
  const dataDir = join(large, "data");
  const reserve = join(dataDir, "postgres/reserve");
  const filler = join(large, "filler");
  const events: StoreEvent[] = [];
  const open = () => openStore({ dataDir, onEvent: (event) => void events.push(event) });
  const fillUp = () => Bun.spawnSync(["dd", "if=/dev/zero", `of=${filler}`, "bs=4k", "oflag=append", "conv=notrunc"]);
  try {
    const first = await open();
    await first.sql`create table kept as select 7 as n`;
    await keepReserve(prepareHome(dataDir));
    await first.close();
    expect(statSync(reserve).size).toBe(RESERVE_BYTES);
    fillUp();
    const second = await open();
    expect([...(await second.sql`select n from kept`)]).toEqual([{ n: 7 }]);
    expect([events, existsSync(reserve)]).toEqual([
      [{ kind: "reserve_used", folder: join(dataDir, "postgres") }],
      false,
    ]);
    // There is not enough.
    await keepReserve(prepareHome(dataDir));
    await second.close();
    fillUp();
    const failure = await open().catch((error: unknown) => error);
    expect((failure as Error).message).toContain("No space left on device");
    rmSync(filler);
    const third = await open();
    expect([...(await third.sql`select n from kept`)]).toEqual([{ n: 7 }]);
    await third.close();
    await keepReserve(prepareHome(dataDir));
    expect([existsSync(reserve), events.length]).toEqual([true, 1]);
  } finally {
    Bun.spawnSync(["umount", "--lazy", large]);
  }
}, 120_000);

test("a server that runs on a full disk and refuses new connections gets the room, and without any says what to do", async () => {
  if (!isMounted) return;
  const large = join(dataFolder(), "running");
  mkdirSync(large);
  expect(Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=240m,mode=755", "tmpfs", large]).exitCode).toBe(0);
  const dataDir = join(large, "data");
  const cluster = join(dataDir, "postgres/cluster");
  const events: StoreEvent[] = [];
  const open = () => openStore({ dataDir, onEvent: (event) => void events.push(event) });
  /** The next connection has to write the file with the descriptions of the system's tables. */
  const fillUp = () => {
    for (const file of new Bun.Glob("**/pg_internal.init").scanSync(cluster)) rmSync(join(cluster, file));
    Bun.spawnSync(["dd", "if=/dev/zero", `of=${join(large, "filler")}`, "bs=4k", "oflag=append", "conv=notrunc"]);
  };
  const first = await open();
  try {
    await first.sql`create table kept as select 7 as n`;
    await keepReserve(prepareHome(dataDir));
    fillUp();
    const second = await open();
    expect([...(await second.sql`select n from kept`)]).toEqual([{ n: 7 }]);
    expect(events).toEqual([{ kind: "reserve_used", folder: join(dataDir, "postgres") }]);
    await second.close();
    fillUp();
    const failure = await open().catch((error: unknown) => error);
    expect((failure as Error).message).toEndWith("No space left on device; free some room on its disk");
    expect([...(await first.sql`select n from kept`)]).toEqual([{ n: 7 }]);
  } finally {
    await first.close();
    Bun.spawnSync(["umount", "--lazy", large]);
  }
}, 120_000);

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
