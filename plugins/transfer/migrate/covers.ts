/**
 * Covers of books and shelves. They are written in the transaction of their item and keep the address they have at the
 * source. Where a cover cannot be fetched, the failure is reported, the item is copied without it, and a later run tries
 * again.
 */
import type { EventTransaction } from "lectern/core";
import { insertRow, isUnchanged, updateRow, writeWithin } from "./changes.ts";
import type { MigrateContext } from "./contract.ts";
import { columnsOf, imagePath, keepImage, preferredPath } from "./images.ts";
import { idIn, objectOf, textOf } from "./values.ts";

/** A cover. `desired` is undefined where it cannot be fetched; `bytes` where it is copied already. */
export interface Cover {
  readonly id: number;
  readonly desired: (ReturnType<typeof columnsOf> & { readonly path: string }) | undefined;
  readonly bytes: Uint8Array | undefined;
}

/** Fetches the cover of an item; undefined for none. */
export async function fetchCover(context: MigrateContext, shown: unknown): Promise<Cover | undefined> {
  const image = objectOf(shown);
  const id = idIn(image);
  if (id === undefined || imagePath(image) === "") return undefined;
  await context.state.reserve("cover", [{ id, slug: preferredPath(image), name: textOf(image.name), scope: 0 }]);
  const path = context.state.get("cover", id)?.slug ?? "";
  context.targets.addImage(imagePath(image), path);
  const desired = { path, ...columnsOf(context, image) };
  if (isUnchanged(context, "cover", id, desired)) return { id, desired, bytes: undefined };
  try {
    return { id, desired, bytes: await context.source.image(textOf(image.url)) };
  } catch (error) {
    context.report.count("cover", "failed");
    context.report.add(
      "failed",
      `cover "${textOf(image.name)}": ${error instanceof Error ? error.message : String(error)}`,
    );
    return { id, desired: undefined, bytes: undefined };
  }
}

/** Writes the cover of an item within its transaction, replacing any other. */
export async function writeCover(
  context: MigrateContext,
  item: { readonly kind: "book" | "bookshelf"; readonly id: number },
  cover: Cover | undefined,
  tx: EventTransaction,
): Promise<void> {
  if (cover && !cover.desired) return;
  const keeper = context.keeper("images");
  const type = `cover_${item.kind}` as const;
  const targetId = context.state.get("cover", cover?.id)?.own_id ?? 0;
  const replaced = await tx.db
    .deleteFrom("images")
    .where("type", "=", type)
    .where("uploaded_to", "=", item.id)
    .where("id", "<>", targetId)
    .returning("file_key")
    .execute();
  for (const { file_key } of replaced) keeper.drop(file_key, tx);
  const { id = 0, desired, bytes } = cover ?? {};
  if (!desired || !bytes) return;
  const outcome = await writeWithin(
    context,
    {
      kind: "cover",
      id,
      desired,
      async write({ existing, id: imageId }) {
        const row = { type, uploaded_to: item.id, ...desired, ...(await keepImage(context, bytes, tx)) };
        if (existing) await updateRow(tx, "images", imageId, row);
        else await insertRow(tx, "images", { ...row, id: imageId });
        if (existing) keeper.drop(String(existing.file_key), tx);
      },
    },
    tx,
    undefined,
  );
  tx.afterCommit(() => context.report.count("cover", outcome));
}
