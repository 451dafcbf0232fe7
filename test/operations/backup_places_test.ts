import { afterAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { BootError } from "../../core/errors.ts";
import { bucketStore } from "../../plugins/operations/s3_files/bucket.ts";
import { removeOldest } from "../../plugins/operations/scheduled_backups/backup_folder.ts";
import { backupFolder, backupPlace } from "../../plugins/operations/scheduled_backups/places.ts";
import { fakeS3 } from "../support/fakes/s3.ts";

const root = mkdtempSync(join(tmpdir(), "lectern-places-"));
const service = fakeS3();
afterAll(async () => {
  rmSync(root, { recursive: true, force: true });
  await service.stop();
});
const s3Settings = {
  filesS3Endpoint: service.endpoint,
  filesS3Key: "id",
  filesS3Secret: "secret",
  filesS3Region: "us-east-1",
  filesS3VirtualHost: false,
  filesS3PartMb: 8,
  filesS3Parallel: 2,
  filesS3TimeoutSeconds: 60,
  filesS3Attempts: 2,
  filesS3SignedSeconds: 0,
  filesS3PublicEndpoint: "",
  filesS3Bucket: "",
};
const sourcesOf = (settings: typeof s3Settings, filesAt = { name: "disk", place: join(root, "data/files") }) => ({
  filesAt,
  openPlace(_scheme: string, place: string) {
    const files = bucketStore.openOther?.(place, settings);
    if (!files) throw new Error("Buckets are not opened");
    return { files, check: bucketStore.check };
  },
});
const config = sourcesOf(s3Settings);
const content = Buffer.alloc(12_000_000, 7);

for (const place of [join(root, "folder"), "s3://backups/wiki"]) {
  test(`backups in ${place.startsWith("s3") ? "a bucket" : "a folder"} are written, read, listed and removed`, async () => {
    const folder = backupFolder(place, config);
    const one = folder.place("lectern-20260101T000000Z.tar.zst");
    expect(await one.size()).toBeUndefined();
    await expect(one.read()).rejects.toThrow("there is no such file");
    await one.write(Readable.from([content.subarray(0, 5_000_000), content.subarray(5_000_000)]));
    expect(await one.size()).toBe(content.length);
    expect((await buffer(await one.read())).equals(content)).toBe(true);
    expect((await buffer(await backupPlace(one.name, config).read())).equals(content)).toBe(true);
    expect(await folder.list()).toEqual(["lectern-20260101T000000Z.tar.zst"]);
    await folder.remove("lectern-20260101T000000Z.tar.zst");
    expect(await folder.list()).toEqual([]);
  });

  test(`a backup that fails leaves nothing in ${place.startsWith("s3") ? "a bucket" : "a folder"}`, async () => {
    const folder = backupFolder(place, config);
    async function* failing() {
      yield content;
      throw new Error("no more rows");
    }
    await expect(folder.place("half.tar.zst").write(Readable.from(failing()))).rejects.toThrow();
    expect(await folder.list()).toEqual([]);
  });

  test(`the newest backups of ${place.startsWith("s3") ? "a bucket" : "a folder"} are kept, and files of other names`, async () => {
    const folder = backupFolder(place, config);
    const days = [1, 2, 3].map((day) => `2026010${day}T000000Z.tar.zst`);
    const names = days.flatMap((day) => [`lectern-${day}`, `lectern-before-0.3.0-${day}`]);
    for (const name of [...names, "photo.jpg", "lectern-mine.tar.zst"])
      await folder.place(name).write(Readable.from([content.subarray(0, 10)]));
    expect(await removeOldest(folder, 0)).toEqual([]);
    expect(await removeOldest(folder, 2)).toEqual([
      "lectern-20260101T000000Z.tar.zst",
      "lectern-before-0.3.0-20260101T000000Z.tar.zst",
    ]);
    expect(await folder.list()).toHaveLength(6);
  });
}

test("an unfinished file of a killed backup is removed by the next one after a day", async () => {
  const path = join(root, "daily.tar.zst");
  writeFileSync(`${path}.partial-old`, "half");
  writeFileSync(`${path}.partial-new`, "half");
  const longAgo = new Date(Date.now() - 2 * 86_400_000);
  utimesSync(`${path}.partial-old`, longAgo, longAgo);
  await backupPlace(path, config).write(Readable.from([content.subarray(0, 10)]));
  expect(readdirSync(root).filter((name) => name.startsWith("daily"))).toEqual([
    "daily.tar.zst",
    "daily.tar.zst.partial-new",
  ]);
});

test("a place among the files of the instance, a folder and an incomplete address are refused", async () => {
  expect(() => backupPlace(join(root, "data/files/a.tar.zst"), config)).toThrow("the files of the instance are there");
  const inBucket = sourcesOf(s3Settings, { name: "s3", place: "files" });
  expect(() => backupFolder("s3://files/backups", inBucket)).toThrow("the files of the instance are there");
  expect(backupFolder("s3://other/backups", inBucket)).toBeDefined();
  expect(() => backupPlace("s3://bucket", config)).toThrow('wanted "s3://bucket/name"');
  expect(() => backupPlace("s3://b/a", sourcesOf({ ...s3Settings, filesS3Key: "" }))).toThrow("FILES_S3_KEY");
  await expect(backupPlace(root, config).write(Readable.from([content]))).rejects.toThrow("it is a folder");
  expect(existsSync(`${root}.partial`)).toBe(false);
});

test("a backup replaces no folder, no device and no file that is no backup, and says what is in its way", async () => {
  const archive = () => Readable.from([Buffer.from([0x28, 0xb5, 0x2f, 0xfd])]);
  const write = (name: string) => backupPlace(join(root, name), config).write(archive());
  await write("present.tar.zst");
  await write("present.tar.zst");
  writeFileSync(join(root, "notes.txt"), "precious");
  await expect(write("notes.txt")).rejects.toThrow("there is a file that is no backup");
  expect(readFileSync(join(root, "notes.txt"), "utf8")).toBe("precious");
  expect(spawnSync("mkfifo", [join(root, "pipe")]).status).toBe(0);
  await expect(write("pipe")).rejects.toThrow("it is a device, a pipe or a socket");
  expect(statSync(join(root, "pipe")).isFIFO()).toBe(true);
  const below = write("notes.txt/below.tar.zst");
  await expect(below).rejects.toBeInstanceOf(BootError);
  await expect(below).rejects.toThrow(/^Cannot write the backup ".*": E/);
  mkdirSync(join(root, "a folder"));
  await expect(backupPlace(join(root, "a folder"), config).read()).rejects.toThrow("it is a folder");
});

test("unfinished files of former backups are removed after a day, also those named by the time", async () => {
  const folder = join(root, "unfinished");
  mkdirSync(folder);
  const old = ["lectern-20260101T000000Z", "lectern-before-0.3.0-20260101T000000Z", "mine"];
  const partials = old.map((name) => `${name}.tar.zst.partial-0a1b2c3d`);
  for (const name of [...partials, "lectern-20260102T000000Z.tar.zst.partial-0a1b2c3d"])
    writeFileSync(join(folder, name), "");
  for (const name of partials) utimesSync(join(folder, name), new Date(0), new Date(0));
  await backupFolder(folder, config)
    .place("lectern-20260103T000000Z.tar.zst")
    .write(Readable.from(["x"]));
  expect(readdirSync(folder).sort()).toEqual([
    "lectern-20260102T000000Z.tar.zst.partial-0a1b2c3d",
    "lectern-20260103T000000Z.tar.zst",
    "mine.tar.zst.partial-0a1b2c3d",
  ]);
});
