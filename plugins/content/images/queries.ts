/**
 * Reads of images. Functions that take a viewer return what the viewer sees: images of visible pages, covers of visible
 * items. The others serve checks that are made elsewhere, such as the setting of who may fetch a file.
 */
import { type FileClaim, jsonTime } from "lectern/contracts";
import { type ListSpec, type RawBuilder, sql, type Viewer } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { FoundImage, ImageRow, ImagesContext } from "./contract.ts";
import { originalKey } from "./variants.ts";

/** SQL condition for images of the gallery, which covers are not. */
const IN_GALLERY = sql<boolean>`images.type in ('gallery', 'drawio')`;

/** The listing of the gallery (content-api 3, 12). URLs are made from paths. */
export function galleryListing(baseUrl: string): ListSpec {
  return {
    table: "images",
    fields: {
      id: "integer",
      name: { type: "text", key: "name_key" },
      url: { type: "code", column: sql`${baseUrl}::text || images.path` },
      path: "code",
      type: "code",
      uploaded_to: "integer",
      created_at: "timestamp",
      updated_at: "timestamp",
      created_by: { type: "integer", nullable: true },
      updated_by: { type: "integer", nullable: true },
    },
    columns: sql`images.id, images.name, images.path, images.type, images.uploaded_to,
  images.created_by, images.updated_by, images.created_at, images.updated_at`,
    where: IN_GALLERY,
  };
}

/** An image of the gallery, whether or not the viewer sees its page. */
export async function findImage(context: ImagesContext, id: number): Promise<FoundImage | undefined> {
  const [found] = await rows<FoundImage>(
    context.db,
    sql`${imagesWithPeople(context)} where images.id = ${id} and ${IN_GALLERY}`,
  );
  return found;
}

/**
 * An image by id or path, if the viewer sees what it belongs to: the page of an image, the item of a cover. By id, only images
 * of the gallery are found, since covers are read with their items.
 */
export async function findVisible(
  context: ImagesContext,
  viewer: Viewer,
  by: { readonly id: number } | { readonly path: string },
): Promise<FoundImage | undefined> {
  const condition = "id" in by ? sql`images.id = ${by.id} and ${IN_GALLERY}` : sql`images.path = ${by.path}`;
  const [found] = await rows<FoundImage>(
    context.db,
    sql`${imagesWithPeople(context)} where ${condition} and ${context.visibleTo("images", viewer)}`,
  );
  return found;
}

function imagesWithPeople({ contracts: { users } }: ImagesContext): RawBuilder<unknown> {
  return sql`select images.*, json_build_object('created_by', ${users.ref(sql.ref("images.created_by"))},
    'updated_by', ${users.ref(sql.ref("images.updated_by"))}) as people from images`;
}

/** An image by its path, whether or not anybody sees what it belongs to. */
export async function findByPath({ db }: ImagesContext, path: string): Promise<ImageRow | undefined> {
  const [row] = await rows<ImageRow>(db, sql`select * from images where path = ${path}`);
  return row;
}

/** An image, and whether the viewer sees what it belongs to. */
export type SeenImage = ImageRow & { readonly seen: boolean };

/** Images by their paths, visible or not. */
export async function findByPaths(
  context: ImagesContext,
  viewer: Viewer,
  paths: readonly string[],
): Promise<ReadonlyMap<string, SeenImage>> {
  if (paths.length === 0) return new Map();
  const found = await rows<SeenImage>(
    context.db,
    sql`select images.*, ${context.visibleTo("images", viewer)} as seen from images
      where images.path = any(${[...paths]}::text[])`,
  );
  return new Map(found.map((row) => [row.path, row]));
}

/** The covers of items of a kind. */
export function coversOf({ db }: ImagesContext, kind: string, ids: readonly number[]): Promise<ImageRow[]> {
  return rows<ImageRow>(
    db,
    sql`select * from images where type = ${`cover_${kind}`} and uploaded_to = any(${[...ids]}::integer[])`,
  );
}

/** The covers of those items of a kind that the viewer sees. */
export function visibleCoversOf(
  context: ImagesContext,
  viewer: Viewer,
  kind: string,
  ids: readonly number[],
): Promise<SeenImage[]> {
  return rows<SeenImage>(
    context.db,
    sql`select images.*, true as seen from images where images.type = ${`cover_${kind}`}
          and images.uploaded_to = any(${[...ids]}::integer[]) and ${context.visibleTo("images", viewer)}`,
  );
}

/** SQL for the field `cover` of a single read, over the column of the item's id; null for an item without a cover. */
export function selectedCover(
  { baseUrl }: Pick<ImagesContext, "baseUrl">,
  kind: string,
  itemId: RawBuilder<unknown>,
): RawBuilder<Record<string, unknown> | null> {
  return sql`(select json_build_object('cover', json_build_object('id', images.id, 'name', images.name,
      'url', ${baseUrl}::text || images.path, 'created_at', ${jsonTime("images.created_at")}, 'updated_at', ${jsonTime("images.updated_at")},
      'created_by', images.created_by, 'updated_by', images.updated_by, 'path', images.path, 'type', images.type,
      'uploaded_to', images.uploaded_to))
    from images where images.type = ${`cover_${kind}`} and images.uploaded_to = ${itemId})`;
}

/** Whether the viewer sees a page. */
export async function seesPage(context: ImagesContext, viewer: Viewer, id: number): Promise<boolean> {
  const seen = await rows(
    context.db,
    sql`select from pages where pages.id = ${id}::integer and ${context.visibleTo("pages", viewer)}`,
  );
  return seen.length > 0;
}

/** Those of the keys that some image names, for the sweep of orphaned files. A variant is used if its original is. */
export async function usedFileKeys({ db }: ImagesContext, keys: Parameters<FileClaim["used"]>[0]): Promise<string[]> {
  const originals = keys.map(originalKey);
  const found = await rows<{ file_key: string }>(
    db,
    sql`select file_key from images where file_key = any(${originals}::text[])`,
  );
  const used = new Set(found.map(({ file_key }) => file_key));
  return keys.filter((key) => used.has(originalKey(key)));
}

/** Which images count as unused. */
export interface UnusedOptions {
  /** Whether images that only revisions show count as unused. */
  readonly ignoreRevisions: boolean;
  /** Minimum age in days. */
  readonly days: number;
}

/** Images of the gallery whose file name is in the HTML of no page, in the recycle bin or not, nor of a kept revision. */
export function unusedImages(
  db: Pick<Db, "executeQuery">,
  { ignoreRevisions, days }: UnusedOptions,
): Promise<ImageRow[]> {
  const name = sql`substring(images.path from '[^/]+/[^/]+/[^/]+$')`;
  const stem = sql`split_part(${name}, '/', 1) || '/' || split_part(${name}, '/', 2) || '/'`;
  const file = sql`'/' || split_part(${name}, '/', 3)`;
  const shownIn = (table: string): RawBuilder<unknown> =>
    sql`exists (select from ${sql.table(table)} t where position(${stem} in t.html) > 0 and position(${file} in t.html) > 0)`;
  return rows<ImageRow>(
    db,
    sql`select * from images where type in ('gallery', 'drawio')
      and greatest(created_at, updated_at) <= now() - make_interval(days => ${days}::integer) and not ${shownIn("pages")}
      ${ignoreRevisions ? sql`` : sql`and not ${shownIn("page_revisions")}`} order by id`,
  );
}
