/**
 * Covers of books and shelves (content-api 4.6). They take part in the events of their items: the picture is decoded before,
 * and written in the transaction that writes the item, so that neither exists without the other.
 */
import { type EventTransaction, type PluginContext, sql, type Upload } from "lectern/core";
import { rows } from "lectern/db";
import type { ImageRow } from "./contract.ts";
import { nameOf } from "./names.ts";
import type { Parts } from "./parts.ts";
import { facts } from "./show.ts";
import { type CheckedImage, checkImage, insertImage, removeImages } from "./write.ts";

const BOX = { width: 512, height: 512 };

/** A cover that is ready to be stored. */
interface Prepared {
  readonly content: Upload | Uint8Array;
  readonly checked: CheckedImage;
}

/** By the upload it was made of; gone with it. */
const PREPARED = new WeakMap<Upload, Prepared>();

/** Gives books and shelves their covers. */
export function keepCovers({ contribute, on }: Pick<PluginContext, "contribute" | "on">, parts: Parts): void {
  for (const kind of ["book", "bookshelf"] as const) {
    on(`${kind}_create`, {
      beforeTransaction: ({ image }) => prepareCover(parts, image),
      inTransaction: ({ id }, tx, { draft }) => setCover(parts, kind, id, draft.image, tx),
    });
    on(`${kind}_update`, {
      beforeTransaction: ({ draft }) => prepareCover(parts, draft.image),
      inTransaction: ({ id }, tx, { draft }) => setCover(parts, kind, id, draft.draft.image, tx),
    });
    contribute("dependents", { kind, destroy: (ids, tx) => removeCovers(parts, kind, ids, tx) });
    for (const moment of ["listed", "saved", "read"] as const)
      contribute("response_fields", {
        kind,
        moment,
        async add(ids) {
          const covers = await coversOf(parts, kind, ids);
          return new Map(covers.map((row) => [row.uploaded_to, { cover: shown(row, moment, parts.baseUrl) }]));
        },
      });
  }
}

/** The covers of items of a kind. */
export function coversOf(parts: Parts, kind: string, ids: readonly number[]): Promise<ImageRow[]> {
  return rows<ImageRow>(
    parts.db,
    sql`select * from images where type = ${`cover_${kind}`} and uploaded_to = any(${[...ids]}::integer[])`,
  );
}

/** Gives an item another cover, or takes its cover away where the picture is null. Throws ApiError 422. */
export async function setCover(
  parts: Parts,
  kind: string,
  id: number,
  image: Upload | null | undefined,
  tx: EventTransaction,
): Promise<void> {
  if (image === undefined) return;
  await removeCovers(parts, kind, [id], tx);
  if (image === null) return;
  const { content, checked } = PREPARED.get(image) ?? (await prepared(parts, image));
  const draft = {
    type: `cover_${kind}` as const,
    uploaded_to: id,
    name: nameOf(image.name),
    fileName: image.name,
    content,
  };
  await insertImage(parts, draft, checked, tx);
}

/** Decodes a cover before its item is written: meanwhile nobody should wait for a connection. */
async function prepareCover(parts: Parts, image: Upload | null | undefined): Promise<void> {
  if (image) PREPARED.set(image, await prepared(parts, image));
}

async function prepared(parts: Parts, image: Upload): Promise<Prepared> {
  const content = await small(parts, image);
  return { content, checked: await checkImage(parts, content) };
}

async function removeCovers(parts: Parts, kind: string, ids: readonly number[], tx: EventTransaction): Promise<void> {
  const covers = await rows<{ id: number }>(
    tx.db,
    sql`select id from images where type = ${`cover_${kind}`} and uploaded_to = any(${[...ids]}::integer[])`,
  );
  if (covers.length > 0)
    await removeImages(
      parts,
      covers.map(({ id }) => id),
      tx,
    );
}

/** The picture scaled down, or its own bytes where that saves nothing or would cost it its frames. */
async function small(parts: Parts, image: Upload): Promise<Upload | Uint8Array> {
  await parts.pictures.watched(image);
  const scaled = await parts.pictures.fitted(image, BOX);
  return scaled && scaled.length < image.size ? scaled : image;
}

function shown(row: ImageRow, moment: "listed" | "saved" | "read", baseUrl: string) {
  const full = facts(row, baseUrl);
  return moment === "listed" ? { id: full.id, name: full.name, url: full.url } : full;
}
