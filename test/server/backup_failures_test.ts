/** What an operator reads where a disk or an object store fails while a backup is written, read or restored. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { quickCommand } from "../support/harness/command.ts";
import { dataFolder } from "../support/harness/program.ts";

const LONG = 180_000;
const root = dataFolder();
const archive = join(root.path, "full.tar.zst");
const source = { DATA_DIR: join(root.path, "source"), LOG_LEVEL: "warn" };
/** An object store that refuses every key. */
const refusing = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    await request.arrayBuffer();
    const body = "<Error><Code>InvalidAccessKeyId</Code><Message>The key does not exist.</Message></Error>";
    return new Response(body, { status: 403, headers: { "content-type": "application/xml" } });
  },
});

beforeAll(async () => {
  expect((await quickCommand(["files", "sweep"], source)).code).toBe(0);
  expect((await quickCommand(["backup", archive], source)).code).toBe(0);
}, LONG);
afterAll(async () => {
  root.remove();
  await refusing.stop(true);
});

test(
  "an object store that refuses the key is named in one line, with the settings to check and without the secret",
  async () => {
    const bucket = {
      FILES_STORE: "disk",
      FILES_S3_ENDPOINT: `http://127.0.0.1:${refusing.port}`,
      FILES_S3_KEY: "wrong",
      FILES_S3_SECRET: "very-secret",
    };
    const name = "s3://backups/one.tar.zst";
    for (const args of [
      ["backup", name],
      ["restore", name, "--replace"],
    ]) {
      const { code, err } = await quickCommand(args, { ...source, ...bucket });
      expect(code).toBe(1);
      expect(err).toMatch(
        /^Cannot use the backup "s3:\/\/backups\/one.tar.zst": .*check FILES_S3_ENDPOINT, .* is resolved$/,
      );
      expect(err).not.toContain("very-secret");
    }
  },
  LONG,
);

test(
  "a file store that takes no file leaves the store empty, and the restore can be run again",
  async () => {
    const target = { DATA_DIR: join(root.path, "target"), LOG_LEVEL: "warn" };
    mkdirSync(target.DATA_DIR);
    const files = join(target.DATA_DIR, "files");
    writeFileSync(files, "");
    const failed = await quickCommand(["restore", archive], target);
    expect([failed.code, failed.out]).toEqual([1, ""]);
    expect(failed.err).toMatch(/^Cannot use the backup ".*": Cannot store the file ".*": E[A-Z]+: .* is resolved$/);
    rmSync(files);
    expect(await quickCommand(["restore", archive], target)).toMatchObject({ code: 0, err: "" });
  },
  LONG,
);
