/**
 * Pictures of users, of which each has one at most. Handlers of `user_update` cut an uploaded file to a square, which encodes it anew
 * and leaves out whatever else the file has, before the transaction; the file gets a name that nobody can guess and that is another
 * one for each picture, so that browsers keep it.
 */
import { type EventTransaction, type PluginContext, randomText, sql, type Upload } from "lectern/core";
import { prepared } from "lectern/db";
import { insertImage, removeImages } from "./changes.ts";
import type { ImagesContext } from "./contract.ts";
import { type CheckedImage, checkImage } from "./uploads.ts";

/** Pixels of a picture, for the largest form that screens show on displays of twice the resolution. */
const SIZE = { width: 256, height: 256 };
const NAME_LENGTH = 24;
const TYPE = "user" as const;

const find = prepared("images.avatarIds", (db, p: { userId: number }) =>
  db.selectFrom("images").select("id").where("type", "=", sql.lit(TYPE)).where("uploaded_to", "=", p.userId),
);

/** Pictures that were cut, by their upload. */
const PREPARED = new WeakMap<Upload, CheckedImage>();

/** Registers the handlers that save, remove and show the pictures of users. */
export function registerAvatars(
  { contribute, on }: Pick<PluginContext, "contribute" | "on">,
  context: ImagesContext,
): void {
  on("user_update", {
    beforeTransaction: async ({ draft: { image } }) => {
      if (image) PREPARED.set(image, await cut(context, image));
    },
    inTransaction: ({ id }, tx, { draft }) => save(context, id, draft.draft.image, tx),
  });
  on("user_delete", { inTransaction: ({ id }, tx) => remove(context, id, tx) });
  contribute("user_picture", {
    of: (user) =>
      sql<string | null>`(select images.path from images where images.type = 'user' and images.uploaded_to = ${user})`,
  });
}

async function cut(context: ImagesContext, image: Upload): Promise<CheckedImage> {
  return checkImage(context, await context.decoder.crop(image, SIZE));
}

async function save(
  context: ImagesContext,
  userId: number,
  image: Upload | null | undefined,
  tx: EventTransaction,
): Promise<void> {
  if (image === undefined) return;
  await remove(context, userId, tx);
  if (image === null) return;
  const checked = PREPARED.get(image) ?? (await cut(context, image));
  const fileName = `${randomText(NAME_LENGTH).toLowerCase()}.${checked.info.format}`;
  const draft = { type: TYPE, uploaded_to: userId, name: fileName, fileName, content: checked.content };
  await insertImage(context, draft, checked, tx);
}

async function remove(context: ImagesContext, userId: number, tx: EventTransaction): Promise<void> {
  const found = await find.execute(tx.db, { userId });
  if (found.length > 0)
    await removeImages(
      context,
      found.map(({ id }) => id),
      tx,
    );
}
