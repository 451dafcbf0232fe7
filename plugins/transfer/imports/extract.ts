import { chmod, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { SNIFF_BYTES, sniff, type Upload, uploadOf } from "lectern/core";
import type { ArchiveNode } from "./archive_model.ts";
import { unpack } from "./unpack.ts";
import type { Entry, Source } from "./zip.ts";

/** Files of an archive in a temporary folder. */
export interface ExtractedFiles {
  /** The file of a node as an upload. Throws where it was not unpacked. */
  fileOf(name: string, of: ArchiveNode): Upload;
  /** Removes the folder. */
  clear(): Promise<void>;
}

const MAX_EXTENSION = 20;

/** Unpacks files into a new temporary folder, named by numbers. Throws ArchiveError, after removing the folder. */
export async function extract(source: Source, files: ReadonlyMap<string, Entry>): Promise<ExtractedFiles> {
  const folder = await mkdtemp(join(tmpdir(), "lectern-import-"));
  const clear = () => rm(folder, { recursive: true, force: true });
  const unpacked = new Map<string, { path: string; picture: string | undefined }>();
  try {
    await chmod(folder, 0o700);
    for (const [name, entry] of files) {
      const path = join(folder, String(unpacked.size));
      await writeEntry(source, entry, path);
      const head = new Uint8Array(await Bun.file(path).slice(0, SNIFF_BYTES).arrayBuffer());
      unpacked.set(name, { path, picture: sniff(head) });
    }
  } catch (error) {
    await clear();
    throw error;
  }
  return {
    clear,
    fileOf(name, of) {
      const file = unpacked.get(name);
      if (!file) throw new Error(`Cannot import "${of.name}": its file "${name}" was not unpacked`);
      const { path, picture } = file;
      const extension = of.kind === "attachment" ? extensionOf(name) : `.${picture === "jpeg" ? "jpg" : picture}`;
      return uploadOf(Bun.file(path), { name: `${of.kind}${extension}`, type: "" });
    },
  };
}

async function writeEntry(source: Source, entry: Entry, path: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await unpack(source, entry, (chunk) => file.writeFile(chunk));
  } finally {
    await file.close();
  }
}

/** The extension of a name with its dot, in lower case. */
function extensionOf(name: string): string {
  return [...extname(name).toLowerCase()].slice(0, MAX_EXTENSION + 1).join("");
}
