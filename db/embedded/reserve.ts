/**
 * Room on the disk that the embedded server needs for a start: it writes its log ahead before it answers anybody. A file of that size is
 * given up where a start fails for want of room, so that what is stored can be read, and is made again once there is enough.
 */
import { randomBytes } from "node:crypto";
import { existsSync, rmSync, statfsSync } from "node:fs";
import { open, rename, statfs } from "node:fs/promises";
import { join } from "node:path";
import { type Home, own } from "./home.ts";

/** Bytes that are kept: two segments of the log. */
export const RESERVE_BYTES: number = 32 * 2 ** 20;
/** Bytes that have to be free for it, so that the reserve is not what fills a small disk. */
const ENOUGH_BYTES = 4 * RESERVE_BYTES;
const CHUNK_BYTES = 2 ** 20;
/** Bytes below which a disk is taken for full: a segment of the log does not fit. */
const FULL_BYTES = RESERVE_BYTES / 2;

const fileOf = ({ folder }: Pick<Home, "folder">) => join(folder, "reserve");

/** Whether a start failed for want of room, by what the server printed; on a full disk it may not even have printed that. */
export function isDiskFull({ folder }: Pick<Home, "folder">, printed: string): boolean {
  if (/No space left on device|Disk quota exceeded/.test(printed)) return true;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < FULL_BYTES;
}

/** Gives the room back to the disk. Returns whether there was any. */
export function giveUpReserve(home: Pick<Home, "folder">): boolean {
  const file = fileOf(home);
  if (!existsSync(file)) return false;
  rmSync(file);
  return true;
}

/** Makes the file where it is missing and there is enough room; else nothing. Throws errors of the file system. */
export async function keepReserve(home: Home): Promise<void> {
  const file = fileOf(home);
  if (existsSync(file)) return;
  const { bavail, bsize } = await statfs(home.folder);
  if (bavail * bsize < ENOUGH_BYTES) return;
  const made = `${file}.new`;
  const handle = await open(made, "w", 0o600);
  try {
    // File systems that compress would keep no room for zeros.
    for (let at = 0; at < RESERVE_BYTES; at += CHUNK_BYTES) await handle.write(randomBytes(CHUNK_BYTES));
    await handle.sync();
  } finally {
    await handle.close();
  }
  own(made, home.account);
  await rename(made, file);
}
