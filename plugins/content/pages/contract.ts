import type { Generated, Selectable } from "kysely";
import type { Tag } from "lectern/contracts";
import type { ItemPermissions, ItemTable, People } from "lectern/core";
import type { PageCreate, PageUpdate } from "./rules.ts";

/** Pages with their content and what is derived from it. */
export interface PagesTable extends ItemTable {
  book_id: number;
  /** Null for a page directly in its book. */
  chapter_id: number | null;
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
  created_at: Generated<string>;
}

/** A page as the table holds it; the result of the events of pages. */
export type PageRow = Selectable<PagesTable>;

/** A page as one statement reads it for an answer: without the text for search, with users and tags. */
export type FoundPage = Omit<PageRow, "text"> & {
  readonly people: People;
  readonly tags: Tag[];
};

/** A revision with what its address is made of today. */
export interface KeptRevision extends Selectable<PageRevisionsTable> {
  readonly page_slug: string;
  readonly present_book_slug: string;
}

/** A change of a page as its event has it. */
export interface PageChange {
  /** Locked, as it was before. */
  readonly row: PageRow;
  readonly draft: PageUpdate;
  /** The revision that the page goes back to, where that is what changes it. */
  readonly restored?: KeptRevision;
}

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
    page_update: { draft: PageChange; result: PageRow };
    /** Performed within page_update, before the other fields change. */
    page_move: { draft: { row: PageRow; parent: PageParent }; result: PageRow };
    page_delete: { draft: PageRow; result: PageRow };
    revision_delete: { draft: KeptRevision; result: KeptRevision };
  }
  interface Permissions extends ItemPermissions<"page"> {
    /** Change the editor a page is edited with. */
    "editor-change": true;
    /** See what pages were. */
    "revision-view-all": true;
  }
}
