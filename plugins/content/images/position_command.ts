import type { CommandIo } from "lectern/cli";
import { sql } from "lectern/core";
import { prepared } from "lectern/db";
import { removeFile } from "./changes.ts";
import type { ImagesContext } from "./contract.ts";
import type { ImageInfo } from "./decoder.ts";
import { IN_GALLERY } from "./queries.ts";
import { newFileKey, unplaced } from "./uploads.ts";

const BATCH = 200;

const nextOriginals = prepared("images.nextOriginals", (db, p: { after: number }) =>
  db
    .selectFrom("images")
    .select(["id", "path", "file_key", "format", "width", "height", "animated"])
    .where("id", ">", p.after)
    .where(IN_GALLERY)
    .orderBy("id")
    .limit(sql.lit(BATCH)),
);

const putFile = prepared("images.putFile", (db, p: { id: number; from: string; to: string }) =>
  db
    .updateTable("images")
    .set({ file_key: p.to })
    .where("id", "=", p.id)
    .where("file_key", "=", p.from)
    .returning("id"),
);

type Row = Awaited<ReturnType<typeof nextOriginals.execute>>[number];

/**
 * Removes from the images that are stored already where they were taken, one by one. Addresses, times and authors stay, and no event is
 * performed, since nothing changes that pages show. With `isDryRun` they are only named.
 */
export async function removePositions(
  context: Pick<ImagesContext, "db" | "files" | "decoder">,
  { isDryRun }: { readonly isDryRun: boolean },
  io: CommandIo,
): Promise<number> {
  let count = 0;
  for (let after = 0; ; ) {
    const rows = await nextOriginals.execute(context.db, { after });
    for (const row of rows) {
      if (!(await removePosition(context, row, isDryRun))) continue;
      io.out(`${isDryRun ? "Says where it was taken:" : "Changed"} ${row.path}`);
      count++;
    }
    const last = rows.at(-1);
    if (!last) break;
    after = last.id;
  }
  io.out(`${count} of the gallery's pictures ${isDryRun ? "say" : "said"} where they were taken`);
  return 0;
}

async function removePosition(
  context: Pick<ImagesContext, "db" | "files" | "decoder">,
  row: Row,
  isDryRun: boolean,
): Promise<boolean> {
  const file = await context.files.get(row.file_key);
  if (!file) return false;
  const bytes = await file.bytes();
  // The column has the formats of `ImageInfo` alone. Of what cannot be read as an image nothing is removed.
  const made = await unplaced(context, bytes, row as Row & ImageInfo).catch(() => bytes);
  if (!(made instanceof Uint8Array) || Buffer.compare(bytes, made) === 0) return false;
  if (isDryRun) return true;
  const to = newFileKey();
  await context.files.put(to, made);
  const [changed] = await putFile.execute(context.db, { id: row.id, from: row.file_key, to });
  // Where it was replaced meanwhile, the new file is not needed.
  await removeFile(context, changed ? row.file_key : to);
  return changed !== undefined;
}
