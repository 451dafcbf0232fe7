/**
 * What the plugin of chapters declares: its table, its kind and listing, the bodies and answers of its routes, its events, and
 * what its files share (content-api 7).
 */
import type { QueryCreator } from "kysely";
import type { Item, ItemListing, ItemPermissions } from "lectern/contracts";
import {
  fieldsOf,
  type Input,
  idSchema,
  type PluginContext,
  peopleFields,
  peopleIdFields,
  type ResourceEvents,
  rules,
  type Static,
  sql,
  t,
} from "lectern/core";
import { refs, type Tables } from "lectern/db";
import { describedFields, savedFields, templateField } from "../_items/answers.ts";
import type { DescribedItem, DescribedTable } from "../_items/contract.ts";
import { HISTORY_FIELDS, itemListing, NAME_FIELDS } from "../_items/listing.ts";
import { itemRules } from "../_items/rules.ts";
import { itemStatements } from "../_items/statements.ts";

/** Chapters. */
export interface ChaptersTable extends DescribedTable {
  book_id: number;
  /** Its place among the chapters and pages of its book. */
  priority: number;
  /** The page whose content new pages start with; null for none. */
  default_template_id: number | null;
}

/** A chapter with its book's slug, as events carry it. */
export type Chapter = DescribedItem<ChaptersTable> & { readonly book_slug: string };

/** A book that a chapter is in or goes to. */
export interface BookPlace {
  readonly id: number;
  readonly slug: string;
}

/** A locked chapter and the book that it goes to; the result has the new `book_id`, `book_slug` and `slug`. */
export interface ChapterMove {
  readonly row: Chapter;
  readonly to: BookPlace;
}

/** The kind "chapter". */
export const CHAPTER = {
  kind: "chapter",
  noun: "Chapter",
  table: "chapters",
  joined: {
    columns: sql`, ${refs("books.slug as book_slug")}`,
    joins: sql`join books on ${refs("books.id")} = ${refs("chapters.book_id")}`,
  },
  statements: itemStatements("chapters", { book_id: true, priority: true, default_template_id: true }, selectChapters),
} as const;

/** Chapters with the slugs of their books. */
export function selectChapters(db: QueryCreator<Tables>) {
  return db
    .selectFrom("chapters")
    .innerJoin("books", "books.id", "chapters.book_id")
    .selectAll("chapters")
    .select("books.slug as book_slug");
}

/** The listing of chapters (content-api 3). */
export const listing = itemListing(CHAPTER, {
  id: "integer",
  book_id: "integer",
  ...NAME_FIELDS,
  description: "text",
  priority: "integer",
  ...HISTORY_FIELDS,
});

const { create, update } = itemRules({
  tags: ["array"],
  priority: ["integer"],
  default_template_id: ["nullable", "integer"],
});

/** The body of a create (content-api 2.4). */
export const createRules = rules({ book_id: ["required", "integer"], ...create });

/** The body of an update; a `book_id` other than the present one moves the chapter. */
export const updateRules = rules({ book_id: ["integer"], ...update });

const placeFields = { book_id: idSchema, priority: t.Integer(), book_slug: t.String() };
const chapterFields = { ...describedFields, ...placeFields, ...savedFields, ...templateField };

/** The answers about chapters (content-api 7). The plugin of pages contributes the schema of `pages`. */
export const chapterAnswers = {
  listed: t.Object(
    { ...describedFields, ...placeFields, ...peopleIdFields },
    { $id: "ChapterListItem", ...fieldsOf("chapter", "listed") },
  ),
  saved: t.Object({ ...chapterFields, ...peopleIdFields }, { $id: "SavedChapter", ...fieldsOf("chapter", "saved") }),
  read: t.Object(
    { ...chapterFields, ...peopleFields, pages: t.Array(t.Unknown()) },
    { $id: "Chapter", ...fieldsOf("chapter", "read") },
  ),
};

/** What a create asks for. */
export type ChapterDraft = Input<typeof createRules>;

/** What an update asks for: fields that are absent stay. */
export type ChapterChange = Input<typeof updateRules>;

/** What the files of this plugin share. */
export type ChaptersContext = Pick<
  PluginContext<"access" | "users" | "tags" | "markup", "chapters" | "books" | "pages">,
  "baseUrl" | "contracts" | "db" | "slot" | "visible"
>;

declare module "lectern/contracts" {
  interface Answers {
    "/api/chapters": ItemListing<"chapter">;
    "POST /api/chapters": Static<typeof chapterAnswers.saved>;
    [chapter: `/api/chapters/${number}`]: Item<"chapter">;
    [chapterUpdate: `PUT /api/chapters/${number}`]: Static<typeof chapterAnswers.saved>;
  }
}

declare module "lectern/db" {
  interface Tables {
    chapters: ChaptersTable;
  }
}
declare module "lectern/core" {
  interface Items {
    chapter: { read: Static<typeof chapterAnswers.read>; listed: Static<typeof chapterAnswers.listed> };
  }
  interface Events extends ResourceEvents<"chapter", ChapterDraft, ChapterChange, Chapter> {
    /** A chapter moves to another book, within `chapter_update` and before the other fields change. */
    chapter_move: { draft: ChapterMove; result: Chapter };
  }
  interface Permissions extends ItemPermissions<"chapter"> {}
}
