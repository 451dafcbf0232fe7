/**
 * Pictures of pages, and covers. Bytes are fetched before any transaction and only where the picture is not here yet or was
 * replaced at the source; they are kept as they are, under the address they have there as long as it is free here.
 */
import { type Json, sql, uploadOf, type Work } from "lectern/core";
import { rows } from "lectern/db";
import { historyOf } from "./content.ts";
import type { Outcome } from "./contract.ts";
import { type Columns, insertRow, isKept, keep, keepWithin, updateRow } from "./keep.ts";
import type { Run } from "./run_parts.ts";
import { idIn, objectOf, textOf } from "./values.ts";

/** The path of a picture at the source; "" where it is told in no way we know. */
export function picturePath(image: Json): string {
  const path = textOf(image.path);
  if (path.startsWith("/uploads/images/")) return path;
  const url = textOf(image.url);
  const at = url.indexOf("/uploads/images/");
  return at < 0 ? "" : url.slice(at).replace(/[?#].*$/, "");
}

/** The path to wish for here: that of the source where it has our form, else one like it. */
export function wishedPath(image: Json): string {
  const path = picturePath(image);
  if (/^\/uploads\/images\/[a-z_]+\/\d{4}-\d\d\/[^/]+\.[a-z]{3,4}$/i.test(path)) return path;
  const file = path.slice(path.lastIndexOf("/") + 1) || "picture.png";
  return `/uploads/images/${textOf(image.type) || "gallery"}/${textOf(image.created_at).slice(0, 7)}/${file}`;
}

/** What a picture is beside its file. */
function columnsOf(run: Run, image: Json): Columns & { readonly name: string } {
  const { owned_by: _, ...history } = historyOf(run, image);
  return { name: textOf(image.name), ...history };
}

/** Copies a picture of a page, as a listing shows it. Undefined where its page is not here. */
export async function copyPicture(run: Run, id: number, image: Json): Promise<Outcome | undefined> {
  const pageId = run.state.written("page", idIn(image.uploaded_to));
  if (pageId === undefined) return undefined;
  const type = image.type === "drawio" ? "drawio" : "gallery";
  const facts = { type, uploaded_to: pageId, ...columnsOf(run, image) } as const;
  return keep(run, {
    kind: "image",
    id,
    wanted: { ...facts, path: picturePath(image) },
    prepare: () => run.source.picture(textOf(image.url), id),
    async write({ own, id: ownId, entry }, work, bytes) {
      const keeper = run.keeper("images");
      const { name } = facts;
      const fileName = entry.slug.slice(entry.slug.lastIndexOf("/") + 1);
      const row = { ...facts, path: entry.slug };
      const create = async (final: { content: unknown }, inner: Work) => {
        const kept = await keeper.keep(final.content as Uint8Array, inner);
        return insertRow(inner, "images", { ...row, ...kept, id: ownId });
      };
      const update = async (_: unknown, inner: Work) => {
        const saved = await updateRow(inner, "images", ownId, { ...row, ...(await keeper.keep(bytes, inner)) });
        keeper.drop(String(own?.file_key), inner);
        return saved;
      };
      if (own) {
        const draft = { name, image: uploadOf(new Blob([bytes]), { name: fileName, type: "" }) };
        await work.perform("image_update", { row: own as never, draft }, update as never);
      } else
        await work.perform(
          "image_create",
          { type, uploaded_to: pageId, name, fileName, content: bytes },
          create as never,
        );
    },
  });
}

/** The cover of a book or shelf: what it shall be here, and its bytes unless it is here already. */
export interface Cover {
  readonly id: number;
  readonly wanted: Columns;
  readonly bytes: Uint8Array | undefined;
}

/** Reads the cover of an item; undefined where there is none or it cannot be had, which is told of. */
export async function fetchCover(run: Run, shown: unknown): Promise<Cover | undefined> {
  const image = objectOf(shown);
  const id = idIn(image);
  if (id === undefined || picturePath(image) === "") return undefined;
  await run.state.reserve("cover", [{ id, slug: wishedPath(image), name: textOf(image.name), scope: 0 }]);
  const path = run.state.get("cover", id)?.slug;
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
    return undefined;
  }
}

/** Writes the cover of an item within its transaction, in place of any other. */
export async function writeCover(
  run: Run,
  item: { readonly kind: "book" | "bookshelf"; readonly id: number },
  cover: Cover | undefined,
  work: Work,
): Promise<void> {
  const keeper = run.keeper("images");
  const type = `cover_${item.kind}`;
  const ownId = run.state.get("cover", cover?.id)?.own_id ?? 0;
  const gone = await rows<{ file_key: string }>(
    work.db,
    sql`delete from images where type = ${type} and uploaded_to = ${item.id}::integer and id <> ${ownId}::integer
      returning file_key`,
  );
  for (const { file_key } of gone) keeper.drop(file_key, work);
  if (!cover?.bytes) return;
  const { id, wanted, bytes } = cover;
  const outcome = await keepWithin(
    run,
    {
      kind: "cover",
      id,
      wanted,
      async write({ own, id: imageId }) {
        const row = { type, uploaded_to: item.id, ...wanted, ...(await keeper.keep(bytes, work)) };
        if (own) await updateRow(work, "images", imageId, row);
        else await insertRow(work, "images", { ...row, id: imageId });
        if (own) keeper.drop(String(own.file_key), work);
      },
    },
    work,
    undefined,
  );
  work.after(() => run.report.count("cover", outcome));
}
