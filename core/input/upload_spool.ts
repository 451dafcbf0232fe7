/**
 * The spool: uploaded files are temporary files in one folder until their request is answered, so that an upload takes disk
 * and no memory. They are removed with the answer, also when the client disconnects. Files that a crash leaves behind are
 * removed at boot and periodically after it: their names begin with the tag of their process, since several processes may
 * share the folder. A file that is to stay is put into a file store before the answer, without copying if both are on one
 * disk.
 */
import { mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { processState, processTag } from "../process_tag.ts";
import { HOUR_MS } from "../std/time.ts";
import { type Keep, spooledUpload } from "./uploads.ts";

/** The spooled files of one request. */
export interface RequestFiles {
  readonly keep: Keep;
  /** Whether there are files to remove. */
  isUsed(): boolean;
  /** Removes the files. */
  clear(): Promise<void>;
}

/** A folder of temporary files. */
export interface Spool {
  forRequest(): RequestFiles;
  /**
   * Removes the files of processes that have ended; of processes whose state is unknown, those not written to for
   * `olderThanMs`. Returns their number.
   */
  sweep(olderThanMs?: number): Promise<number>;
}

/** The age at which files of unknown processes are removed, in milliseconds; a running upload has been written to since. */
export const SPOOL_LEFTOVER_MS = HOUR_MS;

/** A spool in a folder, which is created with the first file. */
export function openSpool(folder: string): Spool {
  const root = resolve(folder);
  return {
    forRequest() {
      const paths: string[] = [];
      return {
        async keep(facts, content) {
          const path = join(root, `${processTag()}.${crypto.randomUUID()}`);
          await mkdir(root, { recursive: true, mode: 0o700 });
          paths.push(path);
          await writeAll(path, content);
          return spooledUpload(path, facts);
        },
        isUsed: () => paths.length > 0,
        async clear() {
          await Promise.all(paths.splice(0).map((path) => rm(path, { force: true })));
        },
      };
    },
    async sweep(olderThanMs = SPOOL_LEFTOVER_MS) {
      const names = await readdir(root).catch(() => [] as string[]);
      const swept = await Promise.all(names.map((name) => sweepOne(root, name, Date.now() - olderThanMs)));
      return swept.filter(Boolean).length;
    },
  };
}

async function writeAll(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    for await (const chunk of content) await file.writeFile(chunk);
  } finally {
    await file.close();
  }
}

async function sweepOne(root: string, name: string, before: number): Promise<boolean> {
  const state = processState(name.split(".")[0] ?? "");
  if (state === "alive") return false;
  const path = join(root, name);
  const found = await stat(path).catch(() => undefined);
  // Another process may have removed it.
  if (!found?.isFile() || (state === "unknown" && found.mtimeMs >= before)) return false;
  await rm(path, { force: true });
  return true;
}
