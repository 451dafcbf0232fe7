/**
 * Reads of images. Functions that take a viewer return what the viewer sees: images of visible pages, covers of visible
 * items. The others serve checks that are made elsewhere, such as the setting of who may fetch a file.
 */
import type { Expression, QueryCreator } from "kysely";
import { type FileClaim, jsonTime, type UserRef } from "lectern/contracts";
import { type EventTransaction, type ListSpec, type RawBuilder, sql, type Viewer } from "lectern/core";
import { type Executor, flattened, prepared, refs, type Tables } from "lectern/db";
import type { FoundImage, ImageRow, ImagesContext } from "./contract.ts";
import { originalKey } from "./variants.ts";

/** SQL condition for images of the gallery, which covers are not. */
export const IN_GALLERY = flattened(sql<boolean>`${refs("images.type")} in ('gallery', 'drawio')`);

const BOOK_OF_PAGE = flattened(
  sql<number>`(select pages.book_id from pages where pages.id = ${refs("images.uploaded_to")})`,
);

/** The listing of the gallery (content-api 3, 12). URLs are made from paths. */
export function galleryListing(baseUrl: string): ListSpec {
  return {
    table: "images",
    fields: {
      id: "integer",
      name: { type: "text", key: "name_key" },
      url: { type: "code", column: sql`${baseUrl}::text || ${refs("images.path")}` },
      path: "code",
      type: "code",
      uploaded_to: "integer",
      // An addition: the book of the page, by which a book's images are found.
      book_id: { type: "integer", nullable: true, column: BOOK_OF_PAGE },
      created_at: "timestamp",
      updated_at: "timestamp",
      created_by: { type: "integer", nullable: true },
      updated_by: { type: "integer", nullable: true },
    },
    columns: refs(
      ...(["images.id", "images.name", "images.path", "images.type", "images.uploaded_to"] as const),
      ...(["images.created_by", "images.updated_by", "images.created_at", "images.updated_at"] as const),
    ),
    where: IN_GALLERY,
  };
}

const CREATED_BY = flattened(refs("images.created_by"));
const UPDATED_BY = flattened(refs("images.updated_by"));

interface PeopleParameters {
  readonly createdBy: RawBuilder<UserRef | null>;
  readonly updatedBy: RawBuilder<UserRef | null>;
}

function selectWithPeople(db: QueryCreator<Tables>, p: PeopleParameters) {
  return db
    .selectFrom("images")
    .selectAll("images")
    .select(
      sql<FoundImage["people"]>`json_build_object('created_by', ${p.createdBy}, 'updated_by', ${p.updatedBy})`.as(
        "people",
      ),
    );
}

const find = prepared("images.find", (db, p: PeopleParameters & { readonly id: number }) =>
  selectWithPeople(db, p).where("images.id", "=", p.id).where(IN_GALLERY),
);

const findVisibleById = prepared(
  "images.findVisible",
  (db, p: PeopleParameters & { readonly id: number; readonly visible: RawBuilder<boolean> }) =>
    selectWithPeople(db, p).where("images.id", "=", p.id).where(IN_GALLERY).where(p.visible),
);

const findVisibleByPath = prepared(
  "images.findVisibleByPath",
  (db, p: PeopleParameters & { readonly path: string; readonly visible: RawBuilder<boolean> }) =>
    selectWithPeople(db, p).where("images.path", "=", p.path).where(p.visible),
);

const byPath = prepared("images.byPath", (db, p: { path: string }) =>
  db.selectFrom("images").selectAll().where("path", "=", p.path),
);

const byPaths = prepared("images.byPaths", (db, p: { paths: readonly string[]; visible: RawBuilder<boolean> }) =>
  db
    .selectFrom("images")
    .selectAll("images")
    .select(p.visible.as("seen"))
    .where("images.path", "=", sql<string>`any(${p.paths}::text[])`),
);

interface CoverParameters {
  readonly type: `cover_${string}`;
  readonly itemIds: readonly number[];
}

const covers = prepared("images.covers", (db, p: CoverParameters) =>
  db
    .selectFrom("images")
    .selectAll()
    .where("type", "=", p.type)
    .where("uploaded_to", "=", sql<number>`any(${p.itemIds}::integer[])`),
);

const idsOfCovers = prepared("images.coverIds", (db, p: CoverParameters) =>
  db
    .selectFrom("images")
    .select("id")
    .where("type", "=", p.type)
    .where("uploaded_to", "=", sql<number>`any(${p.itemIds}::integer[])`),
);

const visibleCovers = prepared(
  "images.visibleCovers",
  (db, p: CoverParameters & { readonly visible: RawBuilder<boolean> }) =>
    db
      .selectFrom("images")
      .selectAll("images")
      .select(sql<boolean>`true`.as("seen"))
      .where("images.type", "=", p.type)
      .where("images.uploaded_to", "=", sql<number>`any(${p.itemIds}::integer[])`)
      .where(p.visible),
);

const isPageVisible = prepared("images.isPageVisible", (db, p: { id: number; visible: RawBuilder<boolean> }) =>
  db.selectFrom("pages").where("pages.id", "=", p.id).where(p.visible),
);

const usedKeys = prepared("images.usedKeys", (db, p: { keys: readonly string[] }) =>
  db.selectFrom("images").select("file_key").where("file_key", "=", sql<string>`any(${p.keys}::text[])`),
);

/** SQL conditions for HTML that names the file of an image by its path, whole or of a smaller variant. */
export function namesImage(html: Expression<string>, path: Expression<string>) {
  const name = sql`substring(${path} from '[^/]+/[^/]+/[^/]+$')`;
  const stem = sql`split_part(${name}, '/', 1) || '/' || split_part(${name}, '/', 2) || '/'`;
  const file = sql`'/' || split_part(${name}, '/', 3)`;
  return [sql<boolean>`position(${stem} in ${html}) > 0`, sql<boolean>`position(${file} in ${html}) > 0`];
}

/** SQL for whether the HTML of a table names an image. */
function shownIn(db: QueryCreator<Tables>, table: "pages" | "page_revisions") {
  const shown = db
    .selectFrom(table)
    .where((eb) => eb.and(namesImage(eb.ref("html"), sql<string>`${refs("images.path")}`)));
  return sql<boolean>`exists ${shown}`;
}

function selectUnused(db: QueryCreator<Tables>, p: { days: number }) {
  return db
    .selectFrom("images")
    .selectAll("images")
    .where(IN_GALLERY)
    .where(
      (eb) => eb.fn<string>("greatest", ["images.created_at", "images.updated_at"]),
      "<=",
      sql<string>`now() - make_interval(days => ${p.days}::integer)`,
    )
    .where((eb) => eb.not(shownIn(db, "pages")))
    .orderBy("images.id");
}

const unused = prepared("images.unused", selectUnused);
const unusedInRevisions = prepared("images.unusedInRevisions", (db, p: { days: number }) =>
  selectUnused(db, p).where((eb) => eb.not(shownIn(db, "page_revisions"))),
);

/** An image of the gallery, whether or not the viewer sees its page. */
export async function findImage(context: ImagesContext, id: number): Promise<FoundImage | undefined> {
  return find.executeTakeFirst(context.db, { id, ...peopleOfImages(context) });
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
  const more = { ...peopleOfImages(context), visible: context.visibleTo("images", viewer) };
  return "id" in by
    ? findVisibleById.executeTakeFirst(context.db, { id: by.id, ...more })
    : findVisibleByPath.executeTakeFirst(context.db, { path: by.path, ...more });
}

function peopleOfImages({ contracts: { users } }: ImagesContext): PeopleParameters {
  return {
    createdBy: users.ref(CREATED_BY),
    updatedBy: users.ref(UPDATED_BY),
  };
}

/** An image by its path, whether or not anybody sees what it belongs to. */
export async function findByPath({ db }: ImagesContext, path: string): Promise<ImageRow | undefined> {
  return byPath.executeTakeFirst(db, { path });
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
  const visible = context.visibleTo("images", viewer);
  const found = await byPaths.execute(context.db, { paths: [...paths], visible });
  return new Map(found.map((row) => [row.path, row]));
}

/** The covers of items of a kind. */
export function coversOf({ db }: ImagesContext, kind: string, ids: readonly number[]): Promise<ImageRow[]> {
  return covers.execute(db, { type: `cover_${kind}`, itemIds: [...ids] });
}

/** The ids of the covers of items of a kind. */
export async function coverIds({ db }: EventTransaction, kind: string, ids: readonly number[]): Promise<number[]> {
  return (await idsOfCovers.execute(db, { type: `cover_${kind}`, itemIds: [...ids] })).map(({ id }) => id);
}

/** The covers of those items of a kind that the viewer sees. */
export function visibleCoversOf(
  context: ImagesContext,
  viewer: Viewer,
  kind: string,
  ids: readonly number[],
): Promise<SeenImage[]> {
  const visible = context.visibleTo("images", viewer);
  return visibleCovers.execute(context.db, { type: `cover_${kind}`, itemIds: [...ids], visible });
}

/** SQL for the field `cover` of a read or a row of a listing, over the column of the item's id; null for an item without a cover. */
export function selectedCover(
  { baseUrl }: Pick<ImagesContext, "baseUrl">,
  kind: string,
  moment: "listed" | "read",
  itemId: RawBuilder<unknown>,
): RawBuilder<Record<string, unknown> | null> {
  const more = sql`, 'created_at', ${jsonTime("images.created_at")}, 'updated_at', ${jsonTime("images.updated_at")},
      'created_by', images.created_by, 'updated_by', images.updated_by, 'path', images.path, 'type', images.type,
      'uploaded_to', images.uploaded_to`;
  const type = `cover_${kind}`;
  const cover = sql<Record<
    string,
    unknown
  > | null>`(select json_build_object('cover', json_build_object('id', images.id, 'name', images.name,
      'url', ${baseUrl}::text || images.path${moment === "read" ? more : sql``}))
    from images where images.type = ${type} and images.uploaded_to = ${itemId})`;
  // Asked once, and not for each row of a listing.
  return moment === "read"
    ? cover
    : sql<Record<
        string,
        unknown
      > | null>`case when exists (select from images where images.type = ${type}) then ${cover} end`;
}

/** Whether the viewer sees a page. */
export async function seesPage(context: ImagesContext, viewer: Viewer, id: number): Promise<boolean> {
  const visible = context.visibleTo("pages", viewer);
  return (await isPageVisible.executeTakeFirst(context.db, { id, visible })) !== undefined;
}

/** Those of the keys that some image names, for the sweep of orphaned files. A variant is used if its original is. */
export async function usedFileKeys({ db }: ImagesContext, keys: Parameters<FileClaim["used"]>[0]): Promise<string[]> {
  const originals = keys.map(originalKey);
  const found = await usedKeys.execute(db, { keys: originals });
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
export function unusedImages(db: Executor, { ignoreRevisions, days }: UnusedOptions): Promise<ImageRow[]> {
  return (ignoreRevisions ? unused : unusedInRevisions).execute(db, { days });
}
