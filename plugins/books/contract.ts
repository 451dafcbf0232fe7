import type { Selectable } from "kysely";
import {
  type Input,
  type ItemPermissions,
  type ItemTable,
  type People,
  type ResourceEvents,
  rules,
  type Tag,
} from "lectern/core";

/** A book. */
export interface BooksTable extends ItemTable {
  description: string;
  /** As stored: empty where the plain text is all there is. */
  description_html: string;
  /** A page whose content new pages start with; null for none. */
  default_template_id: number | null;
}

/** A book with its tags, as events carry it; `people` is there where it was read to be shown. */
export interface Book extends Selectable<BooksTable> {
  readonly tags: Tag[];
  readonly people?: People;
}

const shared = {
  description: ["string", "max:1900"],
  description_html: ["string", "max:2000"],
  tags: ["array"],
  image: ["nullable", "image_extension", "mimes:jpeg,png,gif,webp,avif", "max:50000"],
  default_template_id: ["nullable", "integer"],
} as const;

/** The body of a create (content-api 2.4). */
export const createRules = rules({ name: ["required", "string", "max:255"], ...shared });

/** The body of an update. */
export const updateRules = rules({ name: ["string", "min:1", "max:255"], ...shared });

/** What a create asks for. */
export type BookDraft = Input<typeof createRules>;

/** What an update asks for: only what shall change. */
export type BookChange = Input<typeof updateRules>;

declare module "lectern/db" {
  interface Tables {
    books: BooksTable;
  }
}
declare module "lectern/core" {
  interface Events extends ResourceEvents<"book", BookDraft, BookChange, Book> {}
  interface Permissions extends ItemPermissions<"book"> {}
}
