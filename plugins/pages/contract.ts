import type { ColumnType, Generated, Selectable } from "kysely";
import type { RawBuilder, Tag, UserRef } from "lectern/core";
import type { PageCreate, PageUpdate } from "./rules.ts";

/** A timestamp: text in wire format when read. */
type Time = ColumnType<string, string | RawBuilder<unknown> | undefined, string | RawBuilder<unknown>>;

/** Pages with their content and what is derived from it. */
export interface PagesTable {
  id: Generated<number>;
  book_id: number;
  /** Null for a page directly in its book. */
  chapter_id: number | null;
  name: string;
  slug: string;
  /** As stored, not sanitised: what answers call `raw_html`. */
  html: string;
  /** The source of a page written in Markdown, else "". */
  markdown: string;
  /** Plain text of the content, for search. */
  text: string;
  /** What answers call `html`; null where includes must be resolved for each reader. */
  rendered: string | null;
  priority: number;
  draft: Generated<boolean>;
  template: Generated<boolean>;
  revision_count: Generated<number>;
  editor: string;
  created_by: number | null;
  updated_by: number | null;
  owned_by: number | null;
  created_at: Time;
  updated_at: Time;
  deleted_at: ColumnType<string | null, string | null | undefined, string | RawBuilder<unknown> | null>;
}

/** States of pages worth keeping (content-api 8.6). */
export interface PageRevisionsTable {
  id: Generated<number>;
  page_id: number;
  /** The page's revision_count at that time. */
  number: number;
  name: string;
  slug: string;
  book_slug: string;
  html: string;
  markdown: string;
  text: string;
  summary: string;
  created_by: number | null;
  created_at: Time;
}

/** A page as the table holds it; the result of the events of pages. */
export type PageRow = Selectable<PagesTable>;

/** A page as one statement reads it for an answer: without the text for search, with users and tags. */
export type FoundPage = Omit<PageRow, "text"> & {
  readonly creator: UserRef | null;
  readonly updater: UserRef | null;
  readonly owner: UserRef | null;
  readonly tags: Tag[];
};

/** What holds a page: `chapter_id` is null for a book itself. */
export interface PageParent {
  readonly book_id: number;
  readonly chapter_id: number | null;
}

declare module "lectern/db" {
  interface Tables {
    pages: PagesTable;
    page_revisions: PageRevisionsTable;
  }
}

declare module "lectern/core" {
  interface Events {
    page_create: { draft: PageCreate; result: PageRow };
    /** The draft's row is the locked one, as it was before. */
    page_update: { draft: { row: PageRow; draft: PageUpdate }; result: PageRow };
    /** Performed within page_update, before the other fields change. */
    page_move: { draft: { row: PageRow; parent: PageParent }; result: PageRow };
    page_delete: { draft: PageRow; result: PageRow };
  }
}
