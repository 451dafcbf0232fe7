/**
 * The job of one attachment: copies its file out of the file store to a temporary one, reads its text in a process (`extraction/`), and
 * stores it. A file that cannot be read ends in a state with its reason; what is no fault of the file, such as a store that does not
 * answer, fails the try, and the job is tried again. A file whose process, or server, ended several times is given up.
 */
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoredFile } from "lectern/core";
import { beginReading, findRow, refreshWords, settleReading } from "./changes.ts";
import type { TextsContext } from "./contract.ts";
import { extractText } from "./extraction/extractor.ts";
import type { Extracted } from "./extraction/order.ts";
import { HEAD_BYTES, mayHaveText } from "./extraction/signatures.ts";

/** How often a file is begun to be read, where no try comes to an end. */
const MAX_TRIES = 3;
const BYTES_PER_MB = 1024 * 1024;

/** Reads the text of an attachment that waits for it; of another one, which was renamed, the words of its name. */
export async function readAttachment(context: TextsContext, id: number, signal: AbortSignal): Promise<void> {
  const { db, search } = context;
  const row = await findRow(id, db);
  if (!row) return;
  if (row.state !== "waiting" || row.file_key === null) {
    await refreshWords(id, search, db);
    return;
  }
  const keeper = context.keeper();
  if (!keeper) return;
  const fileKey = row.file_key;
  const found = await readFile(context, await keeper.read(fileKey), {
    signal,
    begin: () => beginReading(id, fileKey, db),
  });
  if (!found) return;
  const { state } = found;
  const reason = state === "none" ? null : found.reason;
  const text = state === "read" ? found.text : null;
  await settleReading({ id, fileKey, state, reason, text }, row.name, search, db);
  if (state === "failed") context.log.info("Cannot read the text of an attachment", { attachment: id, reason });
}

interface Reading {
  readonly signal: AbortSignal;
  /** Notes the try; undefined if the file was replaced meanwhile. */
  begin(): Promise<number | undefined>;
}

/** What is in a file; undefined if it was replaced meanwhile. */
async function readFile(
  { limits }: TextsContext,
  file: StoredFile | undefined,
  { signal, begin }: Reading,
): Promise<Extracted | undefined> {
  if (!file) return { state: "failed", reason: "lost" };
  if (file.size === 0 || !mayHaveText(await headOf(file))) return { state: "none" };
  if (file.size > limits.fileMegabytes * BYTES_PER_MB) return { state: "failed", reason: "too large" };
  const tries = await begin();
  if (tries === undefined) return undefined;
  if (tries > MAX_TRIES) return { state: "failed", reason: "interrupted" };
  const folder = await mkdtemp(join(tmpdir(), "lectern-text-"));
  try {
    const path = join(folder, "file");
    await copy(file, path);
    return await extractText(path, limits, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function headOf(file: StoredFile): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.stream({ start: 0, end: Math.min(HEAD_BYTES, file.size) })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function copy(file: StoredFile, path: string): Promise<void> {
  const target = await open(path, "wx", 0o600);
  try {
    for await (const chunk of file.stream()) await target.write(chunk);
  } finally {
    await target.close();
  }
}
