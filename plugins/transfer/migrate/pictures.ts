/**
 * Pictures of pages. Bytes are fetched before any transaction and only where the picture is not here yet or was replaced at
 * the source; they are kept as they are, under the address they have there as long as it is free here. Pages also show
 * pictures that no listing names, since the page they were put on is gone: those are fetched by their address and become
 * pictures of the page that shows them.
 */
import type { Json } from "lectern/cli";
import { type EventTransaction, uploadOf } from "lectern/core";
import { historyOf } from "./content.ts";
import type { Outcome } from "./contract.ts";
import { type Columns, insertRow, keep, keepWithin, updateRow } from "./keep.ts";
import type { Run } from "./run_parts.ts";
import { hashOf, idIn, textOf } from "./values.ts";

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
  if (/^\/uploads\/images\/[a-z_]+\/\d{4}-\d\d\/[^/\s"'<>?#\\]+\.[a-z]{3,4}$/i.test(path)) return path;
  const file = path.slice(path.lastIndexOf("/") + 1) || "picture.png";
  return `/uploads/images/${textOf(image.type) || "gallery"}/${textOf(image.created_at).slice(0, 7)}/${file}`;
}

/** What a picture is beside its file. */
export function columnsOf(run: Run, image: Json): Columns & { readonly name: string } {
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
    async write({ own, id: ownId, entry }, tx, bytes) {
      const keeper = run.keeper("images");
      const { name } = facts;
      const fileName = entry.slug.slice(entry.slug.lastIndexOf("/") + 1);
      const row = { ...facts, path: entry.slug };
      const create = async (final: { content: unknown }, inner: EventTransaction) => {
        const kept = await keeper.keep(final.content as Uint8Array, inner);
        return insertRow(inner, "images", { ...row, ...kept, id: ownId });
      };
      const update = async (_: unknown, inner: EventTransaction) => {
        const saved = await updateRow(inner, "images", ownId, { ...row, ...(await keeper.keep(bytes, inner)) });
        keeper.drop(String(own?.file_key), inner);
        return saved;
      };
      if (own) {
        const draft = { name, image: uploadOf(new Blob([bytes]), { name: fileName, type: "" }) };
        await tx.perform("image_update", { row: own as never, draft }, update as never);
      } else
        await tx.perform(
          "image_create",
          { type, uploaded_to: pageId, name, fileName, content: bytes },
          create as never,
        );
    },
  });
}

/** A picture that no listing names, by a number we give it. */
export interface Stray {
  readonly id: number;
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Fetches the pictures a text shows that no listing names; what cannot be had is left to be told of as a dead link. */
export async function fetchStrays(run: Run, text: string): Promise<Stray[]> {
  const strays: Stray[] = [];
  for (const path of run.addresses.unknownPictures(text)) {
    // Below zero, where no source has numbers.
    const id = -1 - (Number.parseInt(hashOf({ path }).slice(0, 8), 16) >>> 2);
    const bytes = await run.source.picture(path).catch(() => undefined);
    if (!bytes) continue;
    const slug = wishedPath({ path, type: "gallery" });
    await run.state.reserve("image", [{ id, slug, name: "", scope: 0 }]);
    run.places.addPicture(path, run.state.get("image", id)?.slug ?? slug);
    strays.push({ id, path, bytes });
  }
  return strays;
}

/** Writes such pictures within the transaction of the page that shows them. */
export async function writeStrays(
  run: Run,
  page: { readonly id: number; readonly columns: Columns },
  strays: readonly Stray[],
  tx: EventTransaction,
): Promise<void> {
  const { owned_by: _, ...history } = page.columns;
  for (const { id, path, bytes } of strays) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const row = { type: "gallery", uploaded_to: page.id, name, ...history } as const;
    const keeping = {
      kind: "image" as const,
      id,
      wanted: { path },
      async write({ id: ownId, entry }: { id: number; entry: { slug: string } }) {
        const create = async (_: unknown, inner: EventTransaction) => {
          const kept = await run.keeper("images").keep(bytes, inner);
          return insertRow(inner, "images", { ...row, ...kept, path: entry.slug, id: ownId });
        };
        const draft = { type: row.type, uploaded_to: page.id, name, fileName: name, content: bytes };
        await tx.perform("image_create", draft, create as never);
      },
    };
    const outcome = await keepWithin(run, keeping, tx, undefined);
    tx.afterCommit(() => run.report.count("image", outcome));
  }
}
