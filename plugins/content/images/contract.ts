/**
 * The table, rules, events and permissions of images, and what the files of this plugin share. One table holds the images
 * of the gallery, which belong to pages, the covers of books and shelves, and the pictures of users.
 */
import type { Generated, Selectable } from "kysely";
import type { UserRef } from "lectern/contracts";
import {
  type Contracts,
  type FileStore,
  fileKilobytes,
  type Input,
  idSchema,
  type Log,
  listingSchema,
  nullable,
  personSchema,
  type RawBuilder,
  rules,
  type Static,
  t,
  timesFields,
  type Upload,
  type Viewer,
} from "lectern/core";
import type { Executor, TableName } from "lectern/db";
import type { ImageDecoder } from "./decoder.ts";

/** What the files of this plugin share. */
export interface ImagesContext {
  readonly db: Executor;
  readonly contracts: Pick<Contracts, "access" | "users">;
  readonly files: FileStore;
  readonly decoder: ImageDecoder;
  /** Whether files keep where their pictures were taken. */
  readonly keepsPositions: boolean;
  readonly baseUrl: string;
  readonly log: Log;
  /** SQL condition for the rows of a table that a viewer sees. */
  readonly visibleTo: (table: TableName, viewer: Viewer) => RawBuilder<boolean>;
}

/** Images of pages, which the gallery lists, and covers. */
export interface ImagesTable {
  id: Generated<number>;
  /** "gallery" and "drawio" belong to a page, "cover_" followed by a kind to an item of that kind, "user" to a user. */
  type: ImageType;
  /** Id of the page, of the item that it is the cover of, or of the user. */
  uploaded_to: number;
  name: string;
  /** Path of its URL below the base URL; never changes. */
  path: string;
  /** Key within this plugin's file store. A replaced file gets a new key. */
  file_key: string;
  /** Format of the bytes: "png", "jpeg", "gif", "webp" or "avif". */
  format: string;
  /** Pixels as displayed, after the rotation of the EXIF orientation. */
  width: number;
  height: number;
  animated: boolean;
  /** Whether only its header can be read, so that it has no smaller variants. */
  damaged: Generated<boolean>;
  created_by: number | null;
  updated_by: number | null;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

/** What an image is used for. */
export type ImageType = "gallery" | "drawio" | "user" | `cover_${string}`;

/** A row of the table; the result of the events of images. */
export type ImageRow = Selectable<ImagesTable>;

/** An image with its author and last editor. */
export interface FoundImage extends ImageRow {
  readonly people: { readonly created_by: UserRef | null; readonly updated_by: UserRef | null };
}

/** The draft of a new image: an uploaded file, or bytes that were embedded in a page or an import. */
export interface ImageDraft {
  readonly type: ImageType;
  readonly uploaded_to: number;
  readonly name: string;
  /** The name of the file on the client; only its letters, digits and extension are used. */
  readonly fileName: string;
  readonly content: Upload | Uint8Array;
}

/** The rules of both bodies and of the query by URL (content-api 2.4), for a file size limit in megabytes. */
export function rulesFor(limitMb: number) {
  const file = ["image_extension", "mimes:jpeg,png,gif,webp,avif", `max:${fileKilobytes(limitMb)}`] as const;
  return {
    create: rules({
      type: ["required", "string", "in:gallery,drawio"],
      uploaded_to: ["required", "integer"],
      image: ["required", "file", ...file],
      name: ["string", "max:180"],
    }),
    update: rules({ name: ["string", "min:1", "max:180"], image: ["file", ...file] }),
    byUrl: rules({ url: ["required", "string"] }),
  };
}

const imageFields = {
  id: idSchema,
  name: t.String(),
  url: t.String(),
  ...timesFields,
  created_by: nullable(idSchema),
  updated_by: nullable(idSchema),
  path: t.String(),
  type: t.String(),
  uploaded_to: t.Integer({ description: "Id of the page, or of the item that it is the cover of" }),
};

/** A row of the gallery, and a cover in full. */
export const imageSummarySchema = t.Object(imageFields, { $id: "ImageListItem" });

/** A listing of images. */
export const imageListingSchema = listingSchema(imageSummarySchema);

/** The images that no page shows: the first of them, and their number. */
export const unusedImagesSchema = t.Object(
  { data: t.Array(imageSummarySchema), total: t.Integer({ minimum: 0 }) },
  { $id: "UnusedImages" },
);

/** An image in full (content-api 12). */
export const imageSchema = t.Object(
  {
    ...imageFields,
    created_by: personSchema,
    updated_by: personSchema,
    thumbs: t.Object({ gallery: nullable(t.String()), display: nullable(t.String()) }),
    content: t.Object({ html: t.String(), markdown: t.String() }),
  },
  { $id: "Image" },
);

/** The number of deleted images. */
export const deletedImagesSchema = t.Object({ delete_count: t.Integer({ minimum: 0 }) }, { $id: "DeletedImages" });

/** The pages that show an image, as far as the viewer sees them: the first of them, and their number. */
export const imageUsesSchema = t.Object(
  {
    data: t.Array(
      t.Object({ id: idSchema, name: t.String(), slug: t.String(), book_id: idSchema }, { $id: "ImageUse" }),
    ),
    total: t.Integer({ minimum: 0 }),
  },
  { $id: "ImageUses" },
);

const listedCover = t.Object({ id: idSchema, name: t.String(), url: t.String() }, { $id: "CoverRef" });

/** What the plugin adds to answers about books and shelves: the cover (content-api 4.6), shorter in listings. */
export const coverFields = {
  listed: { cover: nullable(listedCover) },
  saved: { cover: nullable(imageSummarySchema) },
  read: { cover: nullable(imageSummarySchema) },
} as const;

/** The draft of a change. */
export type ImageChange = Input<ReturnType<typeof rulesFor>["update"]>;

/** Permissions of roles on images (platform 2.1). */
export type ImagePermission = `image-${"create" | "update" | "delete"}-${"all" | "own"}`;

declare module "lectern/contracts" {
  interface Answers {
    "DELETE /api/image-gallery/unused": Static<typeof deletedImagesSchema>;
    "POST /api/image-gallery": Static<typeof imageSchema>;
    "/api/image-gallery": Static<typeof imageListingSchema>;
    "/api/image-gallery/unused": Static<typeof unusedImagesSchema>;
    [image: `/api/image-gallery/${number}`]: Static<typeof imageSchema>;
    [imageUses: `/api/image-gallery/${number}/uses`]: Static<typeof imageUsesSchema>;
  }
}

declare module "lectern/db" {
  interface Tables {
    images: ImagesTable;
  }
}

declare module "lectern/core" {
  interface ItemFields {
    "book.read.cover": Static<typeof coverFields.read.cover>;
    "book.listed.cover": Static<typeof coverFields.listed.cover>;
    "bookshelf.read.cover": Static<typeof coverFields.read.cover>;
    "bookshelf.listed.cover": Static<typeof coverFields.listed.cover>;
  }
  /** Events of images on pages; covers are part of the events of their items. */
  interface Events {
    image_create: { draft: ImageDraft; result: ImageRow };
    /** `row` is locked, with the values before the change. */
    image_update: { draft: { row: ImageRow; draft: ImageChange }; result: ImageRow };
    image_delete: { draft: ImageRow; result: ImageRow };
    /** A maintenance action is run; `action` is its name in the log, such as "cleanup-images". */
    maintenance_action_run: { draft: { action: string }; result: { action: string } };
  }
  interface Permissions extends Record<ImagePermission, true> {}
}
