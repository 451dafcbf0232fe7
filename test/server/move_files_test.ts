/** The command `move-files`, as an operator runs it: to a bucket and back, killed in between, beside a running server. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fakeS3 } from "../support/fakes/s3.ts";
import { CLI, command, quickCommand } from "../support/harness/command.ts";
import { dataFolder, PROGRAM_ROOT, startProgram } from "../support/harness/program.ts";
import { until } from "../support/harness/until.ts";

const TIMEOUT_MS = 300_000;
const MARKER = "lectern-instance.json";
const FILES = 60;
const LARGE = 12_000_000;

const { path: folder, remove } = dataFolder("ready");
const s3 = fakeS3();
const env = {
  DATA_DIR: folder,
  LOG_LEVEL: "warn",
  FILES_STORE: "disk",
  FILES_S3_BUCKET: "files",
  FILES_S3_ENDPOINT: s3.endpoint,
  FILES_S3_KEY: "key",
  FILES_S3_SECRET: "secret",
};
const move = (...args: string[]) => quickCommand(["move-files", ...args], env);
const onDisk = (key: string) => join(folder, "files", key);
const content = new Map<string, Buffer>();

beforeAll(async () => {
  expect((await command(["files", "sweep"], env)).code).toBe(0);
  for (let n = 0; n < FILES; n++) content.set(`attachments/2026-01/${n}.txt`, Buffer.from(`file ${n} `.repeat(n)));
  content.set("images/gallery/large one.bin", Buffer.alloc(LARGE, "lectern"));
  for (const [key, bytes] of content) {
    mkdirSync(dirname(onDisk(key)), { recursive: true });
    writeFileSync(onDisk(key), bytes);
  }
}, TIMEOUT_MS);

afterAll(async () => {
  remove();
  await s3.stop();
});

/** The files in the bucket that differ from the originals or are missing. */
const different = () =>
  [...content].flatMap(([key, bytes]) => (bytes.equals(s3.objects.get(key) ?? Buffer.from("?")) ? [] : [key]));

test(
  "killed and started again, it continues, and every copy is the original",
  async () => {
    const child = Bun.spawn([process.execPath, CLI, "move-files", "--to", "s3"], {
      cwd: PROGRAM_ROOT,
      env: { ...process.env, DATABASE_URL: "", ...env },
      stdout: "ignore",
      stderr: "ignore",
    });
    await until(() => s3.objects.size >= FILES / 3);
    child.kill("SIGKILL");
    await child.exited;
    expect(s3.objects.has(MARKER)).toBe(false);
    // What was, is: the server would start with its former setting, and not with the other one.
    expect((await quickCommand(["jobs", "list"], env)).code).toBe(0);
    const early = await quickCommand(["jobs", "list"], { ...env, FILES_STORE: "s3" });
    expect([early.code, early.err.includes("move-files")]).toEqual([1, true]);

    // A copy that was damaged meanwhile is no copy.
    const [damaged = ""] = [...s3.objects.keys()].filter((key) => (s3.objects.get(key)?.length ?? 0) > 0);
    s3.objects.set(damaged, new Uint8Array([1, 2, 3]));
    const { code, out } = await move("--to", "s3");
    expect(code).toBe(0);
    const [, copied, before] =
      /Copied and verified (\d+) files \(\d+ bytes\), (\d+) were copied before/.exec(out) ?? [];
    expect(Number(copied) + Number(before)).toBe(content.size);
    expect(Number(before)).toBeGreaterThan(0);
    expect(out).toContain("Set FILES_STORE=s3");
    expect(different()).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  "afterwards only the new setting starts, and the journal is gone",
  async () => {
    const former = await quickCommand(["jobs", "list"], env);
    expect([former.code, former.err.includes('moved to "s3"')]).toEqual([1, true]);
    expect((await quickCommand(["jobs", "list"], { ...env, FILES_STORE: "s3" })).code).toBe(0);
    expect(existsSync(join(folder, "move-files-to-s3.sqlite"))).toBe(false);
  },
  TIMEOUT_MS,
);

test(
  "while a server runs it copies and does not finish; then it moves the files back",
  async () => {
    rmSync(join(folder, "files/attachments"), { recursive: true });
    const server = await startProgram(folder, { ...env, FILES_STORE: "s3" });
    const beside = await move("--to", "disk");
    expect([beside.code, beside.err.includes("A server runs over this database")]).toEqual([1, true]);
    expect(JSON.parse(readFileSync(onDisk(MARKER), "utf8")).movedTo).toBe("s3");
    server.signal("SIGTERM");
    await server.ended;
    const { code, out } = await move("--to", "disk");
    expect([code, out.includes(`${content.size} were copied before`)]).toEqual([0, true]);
    for (const [key, bytes] of content) expect(bytes.equals(readFileSync(onDisk(key)))).toBe(true);
    expect((await quickCommand(["jobs", "list"], env)).code).toBe(0);
  },
  TIMEOUT_MS,
);

test(
  "a bucket of another instance, a lost source and wrong arguments are refused",
  async () => {
    s3.objects.set(MARKER, new TextEncoder().encode(`{"instance":"00000000-0000-0000-0000-000000000000"}`));
    const other = await move("--to", "s3");
    expect([other.code, other.err.includes("belongs to another instance")]).toEqual([1, true]);
    rmSync(onDisk(MARKER));
    const lost = await move("--to", "s3");
    expect([lost.code, lost.err.includes("empty mount")]).toEqual([1, true]);
    expect((await move("--to", "tape")).code).toBe(2);
  },
  TIMEOUT_MS,
);

test(
  "a bucket that does not answer is named in one line, with the settings to check",
  async () => {
    const fresh = dataFolder();
    const here = { ...env, DATA_DIR: fresh.path };
    expect((await quickCommand(["files", "sweep"], here)).code).toBe(0);
    const unreached = await quickCommand(["move-files", "--to", "s3"], {
      ...here,
      FILES_S3_ENDPOINT: "http://127.0.0.1:1",
    });
    fresh.remove();
    expect([unreached.code, unreached.out]).toEqual([1, ""]);
    expect(unreached.err).toMatch(/^Cannot move files to "s3": .*check FILES_S3_ENDPOINT, .* is resolved$/);
  },
  TIMEOUT_MS,
);
