import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** The script of the library. */
export interface Library {
  readonly version: string;
  /** Its file, which is sent piece by piece: readers who are slow hold no 5.4 MB each. */
  readonly plain: Blob;
  /** Its bytes by gzip, 1.6 MB in place of 5.4 MB: made by another thread at the first call, and kept. Rejects where the file cannot be read. */
  zipped(): Promise<Uint8Array<ArrayBuffer>>;
}

/** The library; undefined where its package is not installed. Reads nothing but the version. */
export function findLibrary(): Library | undefined {
  const path = installedAt();
  if (path === undefined) return undefined;
  const { version } = JSON.parse(readFileSync(join(dirname(path), "../package.json"), "utf8")) as { version: string };
  const plain = Bun.file(path);
  let kept: Promise<Uint8Array<ArrayBuffer>> | undefined;
  return {
    version,
    plain,
    async zipped() {
      kept ??= plain.bytes().then(async (bytes) => new Uint8Array(await promisify(gzip)(bytes)));
      try {
        return await kept;
      } catch (error) {
        kept = undefined;
        throw error;
      }
    },
  };
}

/** The library in one file, as its package has it: it imports nothing, so nothing has to be bundled. */
function installedAt(): string | undefined {
  try {
    return fileURLToPath(import.meta.resolve("mermaid/dist/mermaid.min.js"));
  } catch {
    // The package is optional.
    return undefined;
  }
}
