import type { Selectable } from "kysely";
import type { Tag } from "lectern/contracts";
import {
  type Input,
  type ItemPermissions,
  type ItemTable,
  type People,
  type ResourceEvents,
  rules,
} from "lectern/core";

/** A chapter. */
export interface ChaptersTable extends ItemTable {
  book_id: number;
  description: string;
  /** As stored: empty where the plain text is all there is. */
  description_html: string;
  /** Its place among the chapters and pages of its book. */
  priority: number;
  /** A page whose content new pages start with; null for none. */
  default_template_id: number | null;
}

/** A chapter with its book's slug and its tags, as events carry it; `people` is there where it was read to be shown. */
export interface Chapter extends Selectable<ChaptersTable> {
  readonly book_slug: string;
  readonly tags: Tag[];
  readonly people?: People;
}

/** A book as a place for chapters. */
export interface BookPlace {
  readonly id: number;
  readonly slug: string;
}

/** A chapter as it is, and the book it shall go to; the result has the new `book_id`, `book_slug` and `slug`. */
export interface ChapterMove {
  readonly row: Chapter;
  readonly to: BookPlace;
}

const shared = {
  description: ["string", "max:1900"],
  description_html: ["string", "max:2000"],
  tags: ["array"],
  priority: ["integer"],
  default_template_id: ["nullable", "integer"],
} as const;

/** The body of a create (content-api 2.4). */
export const createRules = rules({
  book_id: ["required", "integer"],
  name: ["required", "string", "max:255"],
  ...shared,
});

/** The body of an update; another `book_id` moves the chapter. */
export const updateRules = rules({ book_id: ["integer"], name: ["string", "min:1", "max:255"], ...shared });

/** What a create asks for. */
export type ChapterDraft = Input<typeof createRules>;

/** What an update asks for: only what shall change. */
export type ChapterChange = Input<typeof updateRules>;

declare module "lectern/db" {
  interface Tables {
    chapters: ChaptersTable;
  }
}
declare module "lectern/core" {
  interface Events extends ResourceEvents<"chapter", ChapterDraft, ChapterChange, Chapter> {
    /** A chapter goes to another book, within the update that asked for it and before it; its pages join. */
    chapter_move: { draft: ChapterMove; result: Chapter };
  }
  interface Permissions extends ItemPermissions<"chapter"> {}
}
