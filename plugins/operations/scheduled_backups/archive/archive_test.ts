import { expect, test } from "bun:test";
import { Readable } from "node:stream";
import { createZstdCompress, zstdDecompressSync } from "node:zlib";
import { packTar } from "modern-tar";
import { fitOf, type Manifest, tableEntry, tableOf } from "./manifest.ts";
import { ArchiveError, readArchive, readManifest } from "./reader.ts";
import { type ArchiveWriter, writeArchive } from "./writer.ts";

const MANIFEST: Manifest = {
  format: 1,
  lectern: "9.9.9",
  createdAt: "2026-11-22T00:00:00.000Z",
  postgres: "18.4",
  files: true,
  ledgers: { core: [{ name: "0001_jobs", appliedAt: "2026-11-22T00:00:00Z" }] },
  schema: {
    schema: "public",
    extensions: [],
    before: [],
    tables: [{ name: "notes", columns: ["id"], create: "create table notes (id int)" }],
    after: [],
  },
  sequences: [],
};
const ROWS = new TextEncoder().encode("1\n2\n");
const ROWS_HASH = new Bun.CryptoHasher("sha256").update(ROWS).digest("hex");

/** The bytes of an archive. */
async function archived(fill: (writer: ArchiveWriter) => Promise<void>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  await writeArchive(async (archive) => {
    for await (const chunk of archive) chunks.push(chunk as Uint8Array);
  }, fill);
  return Buffer.concat(chunks);
}

/** A whole archive with the given entries between the manifest and the end. */
function whole(
  more: (writer: ArchiveWriter) => Promise<void> = async () => {},
  files = { count: 0, bytes: 0 },
  manifest: unknown = MANIFEST,
): Promise<Buffer> {
  return archived(async (writer) => {
    await writer.addJson("manifest.json", manifest);
    await writer.add(tableEntry("notes", 1), ROWS.byteLength, [ROWS]);
    await more(writer);
    const tables = { notes: { rows: 2, bytes: ROWS.byteLength, sha256: ROWS_HASH } };
    await writer.addJson("summary.json", { tables, files, sha256: writer.digest() });
  });
}

/** Reads an archive; resolves with its parts. */
async function parts(bytes: Uint8Array): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const add = async (name: string, body: AsyncIterable<Uint8Array>) => {
    for await (const chunk of body) found[name] = (found[name] ?? "") + new TextDecoder().decode(chunk);
  };
  await readArchive(Readable.from([bytes]), () => ({ table: add, file: (key, _size, body) => add(key, body) }));
  return found;
}

/** An archive of a plain tar, as other programs could make it. */
async function compressed(tar: Uint8Array): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(Readable.from([tar]).pipe(createZstdCompress()) as AsyncIterable<Buffer>));
}

test("an archive is read as it was written, and its manifest alone", async () => {
  const file = new TextEncoder().encode("content");
  const bytes = await whole((writer) => writer.add("files/notes/ä.txt", file.byteLength, [file]), {
    count: 1,
    bytes: 7,
  });
  expect(await parts(bytes)).toEqual({ notes: "1\n2\n", "notes/ä.txt": "content" });
  expect(await readManifest(Readable.from([bytes]))).toEqual(MANIFEST);
});

test("files whose names leave the folder of files are refused", async () => {
  for (const name of ["files/../../evil", "files//etc/passwd", "files/notes/../../x", "files/.hidden", "files/a\\b"]) {
    const bytes = await whole((writer) => writer.add(name, 1, [new Uint8Array(1)]), { count: 1, bytes: 1 });
    await expect(parts(bytes)).rejects.toThrow("leaves the folder of files");
  }
});

test("entries that are no plain files, unknown or out of place are refused", async () => {
  const tar = zstdDecompressSync(await whole());
  const link = await packTar([
    { header: { name: "files/notes/a", type: "symlink", linkname: "/etc/passwd", size: 0 } },
  ]);
  await expect(parts(await compressed(Buffer.concat([link.subarray(0, 512), tar])))).rejects.toThrow(
    "is no plain file",
  );
  await expect(parts(await whole((writer) => writer.add("etc/passwd", 0, [])))).rejects.toThrow("unknown entry");
  await expect(parts(await whole((writer) => writer.add(tableEntry("notes", 3), 0, [])))).rejects.toThrow(
    "where they belong",
  );
  await expect(parts(await whole((writer) => writer.add(tableEntry("users", 1), 0, [])))).rejects.toThrow(
    "where they belong",
  );
});

test("an archive is refused at whatever byte it ends or is altered", async () => {
  const bytes = await whole();
  const tar = zstdDecompressSync(bytes);
  for (let at = 0; at < bytes.length; at += 7) {
    const read = await parts(bytes.subarray(0, at)).catch((error: unknown) => error);
    // The last bytes are the end of the compression; all content is before them and has a hash of its own.
    if (bytes.length - at > 32) expect(read).toBeInstanceOf(ArchiveError);
    else if (!(read instanceof ArchiveError)) expect(read).toEqual({ notes: "1\n2\n" });
  }
  // Altered before it was compressed, so that the compression does not notice. The ends of blocks are padding.
  const content = tar.indexOf("1\n2\n");
  for (const at of [
    content,
    content + 1,
    tar.indexOf('"9.9.9"') + 1,
    tar.indexOf(ROWS_HASH),
    tar.indexOf("summary.json"),
  ]) {
    const altered = Buffer.from(tar);
    altered[at] = (altered[at] ?? 0) ^ 1;
    await expect(parts(await compressed(altered))).rejects.toBeInstanceOf(ArchiveError);
  }
});

test("an archive without its end, or with more after it, is refused", async () => {
  const open = await archived(async (writer) => {
    await writer.addJson("manifest.json", MANIFEST);
    await writer.add(tableEntry("notes", 1), ROWS.byteLength, [ROWS]);
  });
  await expect(parts(open)).rejects.toThrow("its end is missing");
  const twice = await whole((writer) => writer.addJson("summary.json", {}));
  await expect(parts(twice)).rejects.toThrow("its end is damaged");
});

test("the format of a later version is named", async () => {
  const bytes = await whole(undefined, undefined, { format: 2, other: true });
  await expect(parts(bytes)).rejects.toThrow("its format is 2, and this Lectern reads formats up to 1");
  await expect(readManifest(Readable.from([bytes]))).rejects.toThrow("its format is 2");
});

test("an archive with migrations that are not installed does not fit, and says which", () => {
  const step = async () => {};
  const core = { name: "core", migrations: { "0001_jobs": step } };
  expect(fitOf(MANIFEST, [core])).toEqual({ problem: undefined, absent: [], migrates: false });
  expect(fitOf(MANIFEST, [{ name: "core", migrations: {} }]).problem).toContain(
    'it lacks the migration "core 0001_jobs"',
  );
  const newer = { name: "core", migrations: { "0001_jobs": step, "0002_more": step } };
  expect(fitOf(MANIFEST, [newer])).toEqual({ problem: undefined, absent: [], migrates: true });
  expect(fitOf(MANIFEST, [])).toEqual({ problem: undefined, absent: ["core"], migrates: false });
});

test("names of tables are encoded in the names of entries", () => {
  for (const name of ["pages", "Weird/Name", "..", "ä %", "a.b"])
    expect(tableOf(tableEntry(name, 12))).toEqual({ name, part: 12 });
  expect(tableOf("tables/%zz/000001")).toBeUndefined();
});

test("an error of the source or of the sink ends the other and is thrown", async () => {
  const failing = writeArchive(
    async (archive) => {
      for await (const _chunk of archive);
    },
    async () => Promise.reject(new Error("no rows")),
  );
  await expect(failing).rejects.toThrow("no rows");
  let added = 0;
  const full = writeArchive(
    async () => Promise.reject(new Error("disk full")),
    async (writer) => {
      for (; added < 400; added++) await writer.add(tableEntry("notes", added + 1), 1 << 20, [new Uint8Array(1 << 20)]);
    },
  );
  await expect(full).rejects.toThrow("disk full");
  expect(added).toBeLessThan(10);
});
