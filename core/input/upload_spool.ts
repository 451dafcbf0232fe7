/**
 * Where files lie while a request that brought them is answered: temporary files in one folder, so that an upload costs
 * disk and no memory. Each request keeps its own list and clears it with the answer, also where the client stopped
 * halfway; what a crash left behind is swept when the runtime boots, and now and then after that: files are named by the
 * process they belong to, since others may have theirs in the same folder. Whoever wants to keep a file puts it into a store of
 * files before the answer, which takes it over without copying where both lie on one disk.
 */
import { mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { processState, processTag } from "../files/process_tag.ts";
import { type Keep, uploadOf } from "./uploads.ts";

/** The files of one request. */
export interface SpoolVisit {
  readonly keep: Keep;
  /** Whether there is anything to clear. */
  isUsed(): boolean;
  /** Removes what is left of the request's files. */
  clear(): Promise<void>;
}

/** A folder of temporary files. */
export interface Spool {
  visit(): SpoolVisit;
  /**
   * Removes files of processes that are gone, and of those that cannot be asked after what nobody has written to for a
   * while; answers how many there were.
   */
  sweep(olderThanMs?: number): Promise<number>;
}

/** For files of processes that cannot be asked; a request that brings a file and is still under way has written to it since. */
export const SPOOL_LEFTOVER_MS = 3_600_000;

/** A spool in a folder, which is made when the first file comes. */
export function openSpool(folder: string): Spool {
  const root = resolve(folder);
  return {
    visit() {
      const paths: string[] = [];
      return {
        async keep(facts, content) {
          const path = join(root, `${processTag()}.${crypto.randomUUID()}`);
          await mkdir(root, { recursive: true, mode: 0o700 });
          paths.push(path);
          await writeAll(path, content);
          return uploadOf(Bun.file(path), { ...facts, spooled: path });
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
  const fate = processState(name.split(".")[0] ?? "");
  if (fate === "alive") return false;
  const path = join(root, name);
  const found = await stat(path).catch(() => undefined);
  // Another process may have been quicker.
  if (!found?.isFile() || (fate === "unknown" && found.mtimeMs >= before)) return false;
  await rm(path, { force: true });
  return true;
}
