import type { Generated, Selectable } from "kysely";
import type { UserRef } from "lectern/contracts";
import type { Input, Upload } from "lectern/core";
import type { rulesFor } from "./rules.ts";

/** Pictures of pages, which the gallery lists, and covers. */
export interface ImagesTable {
  id: Generated<number>;
  /** "gallery" and "drawio" hang on pages, "cover_" and a kind on an item of that kind. */
  type: ImageType;
  /** Id of the page, or of the item it is the cover of. */
  uploaded_to: number;
  name: string;
  /** Of its address below the instance's own; never changes. */
  path: string;
  /** Where the file is, within this plugin's files; another content has another key. */
  file_key: string;
  /** What the bytes are: "png", "jpeg", "gif", "webp" or "avif". */
  format: string;
  /** Pixels as shown, turned as the camera was held. */
  width: number;
  height: number;
  animated: boolean;
  /** Whether its head alone can be read, so that nothing smaller can be made of it. */
  damaged: Generated<boolean>;
  created_by: number | null;
  updated_by: number | null;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

/** What pictures are for. */
export type ImageType = "gallery" | "drawio" | `cover_${string}`;

/** A picture as the table holds it; the result of the events of pictures. */
export type ImageRow = Selectable<ImagesTable>;

/** A picture with who made and changed it. */
export interface FoundImage extends ImageRow {
  readonly people: { readonly created_by: UserRef | null; readonly updated_by: UserRef | null };
}

/** A new picture: its file as it came with a request, or bytes that were found inside something else. */
export interface ImageDraft {
  readonly type: ImageType;
  readonly uploaded_to: number;
  readonly name: string;
  /** As the client named the file; only its letters, digits and extension are used. */
  readonly fileName: string;
  readonly content: Upload | Uint8Array;
}

/** A change of a picture as asked for. */
export type ImageChange = Input<ReturnType<typeof rulesFor>["update"]>;

/** What roles may hold about pictures (platform 2.1). */
export type ImagePermission = `image-${"create" | "update" | "delete"}-${"all" | "own"}`;

declare module "lectern/db" {
  interface Tables {
    images: ImagesTable;
  }
}

declare module "lectern/core" {
  /** Of pictures on pages; a cover is part of what happens to its item. */
  interface Events {
    image_create: { draft: ImageDraft; result: ImageRow };
    /** The draft's row is the locked one, as it was before. */
    image_update: { draft: { row: ImageRow; draft: ImageChange }; result: ImageRow };
    image_delete: { draft: ImageRow; result: ImageRow };
    /** Somebody tidies up; `action` is what the log says, such as "cleanup-images". */
    maintenance_action_run: { draft: { action: string }; result: { action: string } };
  }
  interface Permissions extends Record<ImagePermission, true> {}
}
