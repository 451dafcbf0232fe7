/**
 * Copies images of pages. Bytes are fetched before the transaction, and only where the image is new or was replaced at the
 * source; they are stored unchanged, at the address they have there unless it is taken here. Pages also show images that no
 * listing has, since the page they were uploaded to was deleted: those are fetched by their address and attached to the page
 * that shows them.
 */
import type { Insertable } from "kysely";
import type { Json } from "lectern/cli";
import { type EventTransaction, isUpload, type Upload, uploadOf } from "lectern/core";
import type { Tables } from "lectern/db";
import { insertRow, updateRow, writeItem, writeWithin } from "./changes.ts";
import { type History, historyOf } from "./content.ts";
import type { MigrateContext, Outcome } from "./contract.ts";
import { hashOf, idIn, textOf } from "./values.ts";

/** The path of an image at the source; "" where neither `path` nor `url` has it. */
export function imagePath(image: Json): string {
  const path = textOf(image.path);
  if (path.startsWith("/uploads/images/")) return path;
  const url = textOf(image.url);
  const at = url.indexOf("/uploads/images/");
  return at < 0 ? "" : url.slice(at).replace(/[?#].*$/, "");
}

/** The preferred path here: that of the source where it is valid here, else a similar one. */
export function preferredPath(image: Json): string {
  const path = imagePath(image);
  if (/^\/uploads\/images\/[a-z_]+\/\d{4}-\d\d\/[^/\s"'<>?#\\]+\.[a-z]{3,4}$/i.test(path)) return path;
  const file = path.slice(path.lastIndexOf("/") + 1) || "picture.png";
  return `/uploads/images/${textOf(image.type) || "gallery"}/${textOf(image.created_at).slice(0, 7)}/${file}`;
}

/** The columns of an image's file, which the plugin of images fills. */
export type StoredImage = Pick<
  Insertable<Tables["images"]>,
  "file_key" | "format" | "width" | "height" | "animated" | "damaged"
>;

/** The columns of an image besides its file. */
export function columnsOf(context: MigrateContext, image: Json): Omit<History, "owned_by"> & { readonly name: string } {
  const { owned_by: _, ...history } = historyOf(context, image);
  return { name: textOf(image.name), ...history };
}

/** Stores the file of an image. Returns the columns that the plugin of images fills. */
export async function keepImage(
  context: MigrateContext,
  bytes: Uint8Array,
  tx: EventTransaction,
): Promise<StoredImage> {
  // The keeper of the plugin "images" returns these columns; other keepers have others.
  return (await context.keeper("images").keep(bytes, tx)) as StoredImage;
}

/** Copies an image of a page, given its row of a listing. Returns undefined where its page was not copied. */
export async function copyImage(context: MigrateContext, id: number, image: Json): Promise<Outcome | undefined> {
  const pageId = context.state.targetIdOf("page", idIn(image.uploaded_to));
  if (pageId === undefined) return undefined;
  const type = image.type === "drawio" ? "drawio" : "gallery";
  const facts = { type, uploaded_to: pageId, ...columnsOf(context, image) } as const;
  return writeItem(context, {
    kind: "image",
    id,
    desired: { ...facts, path: imagePath(image) },
    prepare: () => context.source.image(textOf(image.url), id),
    async write({ existing, id: targetId, entry }, tx, bytes) {
      const keeper = context.keeper("images");
      const { name } = facts;
      const fileName = entry.slug.slice(entry.slug.lastIndexOf("/") + 1);
      const row = { ...facts, path: entry.slug };
      const create = async (final: { content: Uint8Array | Upload }, inner: EventTransaction) => {
        const stored = await keepImage(
          context,
          isUpload(final.content) ? await final.content.bytes() : final.content,
          inner,
        );
        return insertRow(inner, "images", { ...row, ...stored, id: targetId });
      };
      const update = async (_: unknown, inner: EventTransaction) => {
        const saved = await updateRow(inner, "images", targetId, {
          ...row,
          ...(await keepImage(context, bytes, inner)),
        });
        keeper.drop(String(existing?.file_key), inner);
        return saved;
      };
      if (existing) {
        const draft = { name, image: uploadOf(new Blob([bytes]), { name: fileName, type: "" }) };
        await tx.perform("image_update", { row: existing, draft }, update);
      } else await tx.perform("image_create", { type, uploaded_to: pageId, name, fileName, content: bytes }, create);
    },
  });
}

/** An image that no listing has, with a generated id. */
export interface UnlistedImage {
  readonly id: number;
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Fetches the images that a text shows and no listing has. Those that cannot be fetched are later reported as unresolved addresses. */
export async function fetchUnlistedImages(context: MigrateContext, text: string): Promise<UnlistedImage[]> {
  const unlisted: UnlistedImage[] = [];
  for (const path of context.addresses.unknownImages(text)) {
    // Negative, since ids of a source are positive.
    const id = -1 - (Number.parseInt(hashOf({ path }).slice(0, 8), 16) >>> 2);
    const bytes = await context.source.image(path).catch(() => undefined);
    if (!bytes) continue;
    const slug = preferredPath({ path, type: "gallery" });
    await context.state.reserve("image", [{ id, slug, name: "", scope: 0 }]);
    context.targets.addImage(path, context.state.get("image", id)?.slug ?? slug);
    unlisted.push({ id, path, bytes });
  }
  return unlisted;
}

/** Writes unlisted images within the transaction of the page that shows them. */
export async function writeUnlistedImages(
  context: MigrateContext,
  page: { readonly id: number; readonly columns: History },
  unlisted: readonly UnlistedImage[],
  tx: EventTransaction,
): Promise<void> {
  const { owned_by: _, ...history } = page.columns;
  for (const { id, path, bytes } of unlisted) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const row = { type: "gallery", uploaded_to: page.id, name, ...history } as const;
    const itemWrite = {
      kind: "image" as const,
      id,
      desired: { path },
      async write({ id: targetId, entry }: { id: number; entry: { slug: string } }) {
        const create = async (_: unknown, inner: EventTransaction) => {
          const stored = await keepImage(context, bytes, inner);
          return insertRow(inner, "images", { ...row, ...stored, path: entry.slug, id: targetId });
        };
        const draft = { type: row.type, uploaded_to: page.id, name, fileName: name, content: bytes };
        await tx.perform("image_create", draft, create);
      },
    };
    const outcome = await writeWithin(context, itemWrite, tx, undefined);
    tx.afterCommit(() => context.report.count("image", outcome));
  }
}
