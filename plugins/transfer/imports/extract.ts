import { chmod, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { SNIFF_BYTES, sniff, type Upload, uploadOf } from "lectern/core";
import type { ArchiveNode } from "./archive_model.ts";
import { unpack } from "./unpack.ts";
import type { Entry, Source } from "./zip.ts";

/** Files of an archive, unpacked for a while. */
export interface Extracted {
  fileOf(name: string, of: ArchiveNode): Upload;
  clear(): Promise<void>;
}

const MAX_EXTENSION = 20;

/** Unpacks files into a folder of their own, under numbers. Throws ArchiveError; nothing is left then. */
export async function extract(source: Source, files: ReadonlyMap<string, Entry>): Promise<Extracted> {
  const folder = await mkdtemp(join(tmpdir(), "lectern-import-"));
  const clear = () => rm(folder, { recursive: true, force: true });
  const kept = new Map<string, { path: string; picture: string | undefined }>();
  try {
    await chmod(folder, 0o700);
    for (const [name, entry] of files) {
      const path = join(folder, String(kept.size));
      await writeEntry(source, entry, path);
      const head = new Uint8Array(await Bun.file(path).slice(0, SNIFF_BYTES).arrayBuffer());
      kept.set(name, { path, picture: sniff(head) });
    }
  } catch (error) {
    await clear();
    throw error;
  }
  return {
    clear,
    fileOf(name, of) {
      const file = kept.get(name);
      if (!file) throw new Error(`Cannot import "${of.name}": its file "${name}" was not unpacked`);
      const { path, picture } = file;
      const end = of.kind === "attachment" ? extensionOf(name) : `.${picture === "jpeg" ? "jpg" : picture}`;
      return uploadOf(Bun.file(path), { name: `${of.kind}${end}`, type: "", spooled: path });
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

/** With its dot, in lower case. */
function extensionOf(name: string): string {
  return [...extname(name).toLowerCase()].slice(0, MAX_EXTENSION + 1).join("");
}
