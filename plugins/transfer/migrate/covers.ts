/**
 * Covers of books and shelves. They are written in the transaction of their item, under the address they have at the
 * source. One that cannot be had costs the cover and not the item: it is told of, and fetched by a later run.
 */
import { type EventTransaction, sql } from "lectern/core";
import { rows } from "lectern/db";
import { type Columns, insertRow, isKept, keepWithin, updateRow } from "./keep.ts";
import { columnsOf, picturePath, wishedPath } from "./pictures.ts";
import type { Run } from "./run_parts.ts";
import { idIn, objectOf, textOf } from "./values.ts";

/** The cover of a book or shelf: what it shall be here, undefined where it cannot be had; bytes unless it is here already. */
export interface Cover {
  readonly id: number;
  readonly wanted: Columns | undefined;
  readonly bytes: Uint8Array | undefined;
}

/** Reads the cover of an item; undefined where there is none. */
export async function fetchCover(run: Run, shown: unknown): Promise<Cover | undefined> {
  const image = objectOf(shown);
  const id = idIn(image);
  if (id === undefined || picturePath(image) === "") return undefined;
  await run.state.reserve("cover", [{ id, slug: wishedPath(image), name: textOf(image.name), scope: 0 }]);
  const path = run.state.get("cover", id)?.slug ?? "";
  run.places.addPicture(picturePath(image), path);
  const wanted = { path, ...columnsOf(run, image) };
  if (isKept(run, "cover", id, wanted)) return { id, wanted, bytes: undefined };
  try {
    return { id, wanted, bytes: await run.source.picture(textOf(image.url)) };
  } catch (error) {
    run.report.count("cover", "failed");
    run.report.add(
      "failed",
      `cover "${textOf(image.name)}": ${error instanceof Error ? error.message : String(error)}`,
    );
    return { id, wanted: undefined, bytes: undefined };
  }
}

/** Writes the cover of an item within its transaction, in place of any other. */
export async function writeCover(
  run: Run,
  item: { readonly kind: "book" | "bookshelf"; readonly id: number },
  cover: Cover | undefined,
  tx: EventTransaction,
): Promise<void> {
  if (cover && !cover.wanted) return;
  const keeper = run.keeper("images");
  const type = `cover_${item.kind}`;
  const ownId = run.state.get("cover", cover?.id)?.own_id ?? 0;
  const gone = await rows<{ file_key: string }>(
    tx.db,
    sql`delete from images where type = ${type} and uploaded_to = ${item.id}::integer and id <> ${ownId}::integer
      returning file_key`,
  );
  for (const { file_key } of gone) keeper.drop(file_key, tx);
  const { id = 0, wanted, bytes } = cover ?? {};
  if (!wanted || !bytes) return;
  const outcome = await keepWithin(
    run,
    {
      kind: "cover",
      id,
      wanted,
      async write({ own, id: imageId }) {
        const row = { type, uploaded_to: item.id, ...wanted, ...(await keeper.keep(bytes, tx)) };
        if (own) await updateRow(tx, "images", imageId, row);
        else await insertRow(tx, "images", { ...row, id: imageId });
        if (own) keeper.drop(String(own.file_key), tx);
      },
    },
    tx,
    undefined,
  );
  tx.afterCommit(() => run.report.count("cover", outcome));
}
