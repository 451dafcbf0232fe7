/**
 * A start over a file store that is not that of the database is refused: an empty mount, the files of another instance, another
 * database. The program runs as an operator would run it.
 */
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "lectern/db";
import { fakeS3 } from "../support/fakes/s3.ts";
import { command, quickCommand } from "../support/harness/command.ts";
import { dataFolder } from "../support/harness/program.ts";

const TIMEOUT_MS = 300_000;
const MARKER = "lectern-instance.json";

const folders = [dataFolder(), dataFolder(), dataFolder()] as const;
const [folder, other, fresh] = folders.map(({ path }) => path) as [string, string, string];
const s3 = fakeS3();
const bucket = {
  FILES_S3_BUCKET: "files",
  FILES_S3_ENDPOINT: s3.endpoint,
  FILES_S3_KEY: "key",
  FILES_S3_SECRET: "secret",
};

afterAll(async () => {
  for (const { remove } of folders) remove();
  await s3.stop();
});

/** Boots everything that a start boots, without listening. */
const boots = (dataDir: string, more: Record<string, string> = {}) =>
  quickCommand(["jobs", "list"], { DATA_DIR: dataDir, LOG_LEVEL: "warn", ...more });

/** Creates an instance, as its first start does. */
const start = (dataDir: string, more: Record<string, string> = {}) =>
  quickCommand(["files", "sweep"], { DATA_DIR: dataDir, LOG_LEVEL: "warn", ...more });

test(
  "the first start marks the files, and one over an empty mount is refused until that is accepted",
  async () => {
    expect((await command(["files", "sweep"], { DATA_DIR: folder, LOG_LEVEL: "warn" })).code).toBe(0);
    const marker = join(folder, "files", MARKER);
    const { instance } = JSON.parse(readFileSync(marker, "utf8"));
    expect(instance).toMatch(/^[0-9a-f-]{36}$/);

    renameSync(join(folder, "files"), join(folder, "unmounted"));
    mkdirSync(join(folder, "files"));
    const refused = await boots(folder);
    expect([refused.code, refused.out]).toEqual([1, ""]);
    expect(refused.err).toContain(instance);
    expect(refused.err).toContain("empty mount");
    expect(refused.err).toContain('run "lectern files accept"');
    expect(existsSync(marker)).toBe(false);
    // A backup of it would lack all files, and push out those that have them.
    const backup = join(folder, "backup.tar.zst");
    const unbacked = await quickCommand(["backup", backup], { DATA_DIR: folder, LOG_LEVEL: "warn" });
    expect([unbacked.code, unbacked.out, existsSync(backup)]).toEqual([1, "", false]);
    expect(unbacked.err).toStartWith("Cannot back up: the database belongs to the instance");

    // Mounted again, it starts as before.
    rmSync(join(folder, "files"), { recursive: true });
    renameSync(join(folder, "unmounted"), join(folder, "files"));
    expect((await boots(folder)).code).toBe(0);

    rmSync(join(folder, "files"), { recursive: true });
    const accepted = await quickCommand(["files", "accept"], { DATA_DIR: folder });
    expect([accepted.code, accepted.out]).toEqual([
      0,
      `Accepted the folder "${folder}/files" as the files of this database`,
    ]);
    expect((await boots(folder)).code).toBe(0);
  },
  TIMEOUT_MS,
);

test(
  "files of another instance, and a new database over known files, are refused",
  async () => {
    expect((await start(other)).code).toBe(0);
    const own = readFileSync(join(folder, "files", MARKER));
    writeFileSync(join(folder, "files", MARKER), readFileSync(join(other, "files", MARKER)));
    const refused = await boots(folder);
    expect([refused.code, refused.err.includes("belongs to the instance")]).toEqual([1, true]);
    writeFileSync(join(folder, "files", MARKER), own);

    // The database is gone, as after a mount of its folder alone was lost.
    mkdirSync(join(fresh, "files"));
    writeFileSync(join(fresh, "files", MARKER), own);
    const empty = await start(fresh);
    expect([empty.code, empty.err.includes("the database knows no files yet")]).toEqual([1, true]);
  },
  TIMEOUT_MS,
);

test(
  "another bucket is refused like an empty mount, and one that does not answer is a warning",
  async () => {
    const refused = await boots(folder, bucket);
    expect([refused.code, refused.err.includes('the bucket "files" at')]).toEqual([1, true]);
    const away = await boots(folder, { ...bucket, FILES_S3_ENDPOINT: "http://127.0.0.1:9" });
    expect(away.code).toBe(0);
    expect(away.err + away.out).toContain("Cannot read the marker of the file store");
  },
  TIMEOUT_MS,
);

test(
  "a start that was killed before it had written the marker is completed by the next one",
  async () => {
    const store = await openStore({ dataDir: folder });
    await store.sql`update file_marker set marked = false`;
    await store.close();
    rmSync(join(folder, "files", MARKER));
    expect((await start(folder)).code).toBe(0);
    expect(existsSync(join(folder, "files", MARKER))).toBe(true);
  },
  TIMEOUT_MS,
);

test(
  "an instance of a version without markers gets one at its first start",
  async () => {
    const open = () => openStore({ dataDir: folder });
    const store = await open();
    await store.sql`drop table file_marker`;
    await store.sql`delete from lectern_ledger.core where name = '0007_file_marker'`;
    await store.close();
    rmSync(join(folder, "files", MARKER));
    expect((await start(folder)).code).toBe(0);
    const again = await open();
    const [row] = await again.sql`select id::text as instance, marked from file_marker`;
    await again.close();
    expect({ marked: true, ...JSON.parse(readFileSync(join(folder, "files", MARKER), "utf8")) }).toEqual({ ...row });
  },
  TIMEOUT_MS,
);

test(
  "with DATA_REQUIRED no new store is created",
  async () => {
    rmSync(fresh, { recursive: true });
    mkdirSync(fresh, { mode: 0o755 });
    const refused = await start(fresh, { DATA_REQUIRED: "true" });
    expect([refused.code, refused.err.includes("DATA_REQUIRED")]).toEqual([1, true]);
    expect(existsSync(join(fresh, "postgres"))).toBe(false);
    expect((await start(folder, { DATA_REQUIRED: "true" })).code).toBe(0);
    // A plan needs no instance, and a check says what a start would do.
    expect((await quickCommand(["plan"], { DATA_DIR: fresh, DATA_REQUIRED: "true" })).code).toBe(0);
    expect((await quickCommand(["check"], { DATA_DIR: fresh, DATA_REQUIRED: "true" })).code).toBe(1);
  },
  TIMEOUT_MS,
);
