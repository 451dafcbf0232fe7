import type { Selectable } from "kysely";
import type { Tag } from "lectern/contracts";
import {
  fileKilobytes,
  type Input,
  type ItemPermissions,
  type ItemTable,
  type People,
  type ResourceEvents,
  rules,
} from "lectern/core";

/** A shelf. */
export interface BookshelvesTable extends ItemTable {
  description: string;
  /** As stored: empty where the plain text is all there is. */
  description_html: string;
}

/** Which books stand on a shelf, and where. */
export interface BookshelfBooksTable {
  shelf_id: number;
  book_id: number;
  /** Ascending from left to right. */
  position: number;
}

/** A shelf with its tags, as events carry it; `people` is there where it was read to be shown. */
export interface Shelf extends Selectable<BookshelvesTable> {
  readonly tags: Tag[];
  readonly people?: People;
}

/** The bodies of a create and an update (content-api 2.4) for a limit on files in megabytes. */
export function rulesFor(limitMb: number) {
  const shared = {
    description: ["string", "max:1900"],
    description_html: ["string", "max:2000"],
    books: ["array"],
    tags: ["array"],
    image: ["nullable", "image_extension", "mimes:jpeg,png,gif,webp,avif", `max:${fileKilobytes(limitMb)}`],
  } as const;
  return {
    create: rules({ name: ["required", "string", "max:255"], ...shared }),
    update: rules({ name: ["string", "min:1", "max:255"], ...shared }),
  };
}

/** The rules of a create, as a type. */
export type CreateRules = ReturnType<typeof rulesFor>["create"];
/** The rules of an update, as a type. */
export type UpdateRules = ReturnType<typeof rulesFor>["update"];

/** What a create asks for. */
export type ShelfDraft = Input<CreateRules>;

/** What an update asks for: only what shall change. */
export type ShelfChange = Input<UpdateRules>;

declare module "lectern/db" {
  interface Tables {
    bookshelves: BookshelvesTable;
    bookshelf_books: BookshelfBooksTable;
  }
}
declare module "lectern/core" {
  interface Events extends ResourceEvents<"bookshelf", ShelfDraft, ShelfChange, Shelf> {}
  interface Permissions extends ItemPermissions<"bookshelf"> {}
}
