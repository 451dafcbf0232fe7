/**
 * Covers of books and shelves (content-api 4.6). They take part in the events of their items: the picture is decoded before,
 * and written in the transaction that writes the item, so that neither exists without the other.
 */
import { type PluginContext, sql, type Upload, type Work } from "lectern/core";
import { rows } from "lectern/db";
import type { ImageRow } from "./contract.ts";
import { nameOf } from "./names.ts";
import type { Parts } from "./parts.ts";
import { facts } from "./show.ts";
import { insertImage, type Judged, judge, removeImages } from "./write.ts";

const BOX = { width: 512, height: 512 };

/** A cover that is ready to be stored. */
interface Prepared {
  readonly content: Upload | Uint8Array;
  readonly judged: Judged;
}

/** By the upload it was made of; gone with it. */
const PREPARED = new WeakMap<Upload, Prepared>();

/** Gives books and shelves their covers. */
export function keepCovers({ contribute, on }: Pick<PluginContext, "contribute" | "on">, parts: Parts): void {
  for (const kind of ["book", "bookshelf"] as const) {
    on(`${kind}_create`, {
      prepare: ({ image }) => prepareCover(parts, image),
      join: ({ id }, work, { draft }) => setCover(parts, kind, id, draft.image, work),
    });
    on(`${kind}_update`, {
      prepare: ({ draft }) => prepareCover(parts, draft.image),
      join: ({ id }, work, { draft }) => setCover(parts, kind, id, draft.draft.image, work),
    });
    contribute("hanging", { kind, destroy: (ids, work) => removeCovers(parts, kind, ids, work) });
    for (const moment of ["listed", "saved", "read"] as const)
      contribute("shown", {
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
  work: Work,
): Promise<void> {
  if (image === undefined) return;
  await removeCovers(parts, kind, [id], work);
  if (image === null) return;
  const { content, judged } = PREPARED.get(image) ?? (await prepared(parts, image));
  const draft = {
    type: `cover_${kind}` as const,
    uploaded_to: id,
    name: nameOf(image.name),
    fileName: image.name,
    content,
  };
  await insertImage(parts, draft, judged, work);
}

/** Decodes a cover before its item is written: meanwhile nobody should wait for a connection. */
async function prepareCover(parts: Parts, image: Upload | null | undefined): Promise<void> {
  if (image) PREPARED.set(image, await prepared(parts, image));
}

async function prepared(parts: Parts, image: Upload): Promise<Prepared> {
  const content = await small(parts, image);
  return { content, judged: await judge(parts, content) };
}

async function removeCovers(parts: Parts, kind: string, ids: readonly number[], work: Work): Promise<void> {
  const covers = await rows<{ id: number }>(
    work.db,
    sql`select id from images where type = ${`cover_${kind}`} and uploaded_to = any(${[...ids]}::integer[])`,
  );
  if (covers.length > 0)
    await removeImages(
      parts,
      covers.map(({ id }) => id),
      work,
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
