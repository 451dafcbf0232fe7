/**
 * What the plugin of copies and conversions declares: the table of copies in the background, the bodies and answers of its routes,
 * its events, and what its files share. Copies and conversions are additions to BookStack's API, which has them on screens alone.
 */
import type { Generated, Selectable } from "kysely";
import type { ItemRef, MadeItem } from "lectern/contracts";
import { type Input, idSchema, nullable, type PluginContext, rules, type Static, t, timesFields } from "lectern/core";
import { namedFields } from "../_items/answers.ts";
import type { settings } from "./settings.ts";

/** Copies that are made in the background. */
export interface ContentCopiesTable {
  id: Generated<number>;
  /** The item that is copied, and the name of the copy. */
  kind: string;
  item_id: number;
  name: string;
  /** What the copy goes into; null for a copy of a book. */
  parent_kind: string | null;
  parent_id: number | null;
  status: Generated<CopyStatus>;
  /** Items that are copied by now, and those that are to be. */
  done: Generated<number>;
  total: number;
  /** How often it was started: only the last start may complete it. */
  run: Generated<number>;
  /** The copy, once it is there; of the same kind as the item. */
  copy_id: number | null;
  error: string | null;
  /** The permissions of a narrower credential, separated by commas; null for all of the user. */
  scope: string | null;
  created_by: number;
  created_at: Generated<string>;
  /** Of a copy that runs, its last sign of life. */
  updated_at: Generated<string>;
}

/** The state of a copy in the background. */
export type CopyStatus = "waiting" | "running" | "done" | "failed";

/** A copy in the background. */
export type CopyRow = Selectable<ContentCopiesTable>;

/** The kinds that have a route to be copied, by the segment of their paths. */
export const COPIED = { pages: "page", chapters: "chapter", books: "book" } as const;

const name = ["string", "max:255"] as const;

/** The bodies of copies, by kind. Without a parent the copy goes where the original is. */
export const copyRules = {
  page: rules({ name, book_id: ["integer"], chapter_id: ["integer"] }),
  chapter: rules({ name, book_id: ["integer"] }),
  book: rules({ name }),
};

/** The body of a copy of any kind. */
export type CopyInput = Partial<Input<typeof copyRules.page>>;

/** The answer of a copy and of a conversion: what a read of the new item answers, whose kind has further fields. */
export const createdItemSchema = t.Object(namedFields, {
  $id: "CreatedItem",
  additionalProperties: true,
  description: "The new page, chapter, book or shelf, as a read of it answers",
});

/** The progress of a copy in the background. */
export const copySchema = t.Object(
  {
    id: idSchema,
    kind: t.String({ description: "Of the original and of the copy: page, chapter, book" }),
    item_id: t.Integer({ description: "The original" }),
    name: t.String({ description: "The name of the copy" }),
    status: t.Union([t.Literal("waiting"), t.Literal("running"), t.Literal("done"), t.Literal("failed")]),
    done: t.Integer({ minimum: 0, description: "Items that are copied" }),
    total: t.Integer({ minimum: 0, description: "Items that are to be copied" }),
    copy_id: nullable(t.Integer({ description: "The copy, once it is done" })),
    error: nullable(t.String({ description: "Why it failed; nothing was copied then" })),
    url: t.String({ description: "The address of this answer" }),
    ...timesFields,
  },
  { $id: "Copy" },
);

/** What a copy starts from. */
export interface CopyDraft extends ItemRef {
  /** The name of the copy. */
  readonly name: string;
  /** What the copy goes into; absent for kinds without a parent. */
  readonly parent?: ItemRef;
}

/** An item and its copy. */
export interface CopiedPair {
  readonly from: ItemRef;
  readonly to: ItemRef;
}

/** What the files of this plugin share. */
export type CopiesContext = Pick<
  PluginContext<
    "access" | "users",
    "content_copies" | "books" | "chapters" | "bookshelf_books",
    typeof settings,
    "overrides"
  >,
  | "app"
  | "baseUrl"
  | "callAs"
  | "contracts"
  | "db"
  | "jobs"
  | "log"
  | "perform"
  | "settings"
  | "slot"
  | "texts"
  | "validate"
  | "visible"
>;

/** An item that is to be converted. */
export interface Convertible {
  readonly id: number;
  readonly name: string;
}

/** What an item was converted into, and that item. */
export interface Converted extends ItemRef {
  readonly name: string;
  readonly from: ItemRef;
}

declare module "lectern/contracts" {
  interface Answers {
    [copy: `/api/copies/${number}`]: Static<typeof copySchema>;
    [pageCopy: `POST /api/pages/${number}/copy`]: Static<typeof createdItemSchema> | Static<typeof copySchema>;
    [chapterCopy: `POST /api/chapters/${number}/copy`]: Static<typeof createdItemSchema> | Static<typeof copySchema>;
    [bookCopy: `POST /api/books/${number}/copy`]: Static<typeof createdItemSchema> | Static<typeof copySchema>;
    [toBook: `POST /api/chapters/${number}/convert-to-book`]: Static<typeof createdItemSchema>;
    [toShelf: `POST /api/books/${number}/convert-to-shelf`]: Static<typeof createdItemSchema>;
  }
}

declare module "lectern/db" {
  interface Tables {
    content_copies: ContentCopiesTable;
  }
}

declare module "lectern/core" {
  interface Events {
    /** The create events of the copies were performed before, in the same transaction. `copies` begins with the item itself. */
    content_copy: {
      draft: CopyDraft;
      result: CopyDraft & { readonly made: MadeItem; readonly copies: readonly CopiedPair[] };
    };
    /**
     * A chapter became a book: `book_create`, and `chapter_move` for its pages, were performed before, in the same transaction. The
     * chapter is gone.
     */
    chapter_convert: { draft: Convertible; result: Converted };
    /** A book became a shelf: `bookshelf_create`, and `chapter_convert` for each of its chapters, were performed before. */
    book_convert: { draft: Convertible; result: Converted };
  }
  interface Jobs {
    content_copy_run: { readonly id: number };
  }
}
