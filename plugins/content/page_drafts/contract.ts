import type { Generated, Selectable } from "kysely";
import { rules } from "lectern/core";

/** What somebody has typed and not saved yet: a change of a page, or a new page in a book or chapter. */
export interface PageDraftsTable {
  user_id: number;
  /** What it is about: a page that is changed, or the book or chapter that a new page shall lie in. */
  kind: "page" | "chapter" | "book";
  item_id: number;
  /** Tells several new pages of one author in one place apart; "" for a change of a page. */
  slot: string;
  name: string;
  html: string;
  markdown: string;
  tags: unknown;
  /** The page's revision_count when it was opened; null for a new page. */
  base_revision: number | null;
  /** The draft page of a new page, which pictures can be uploaded to; null for a change of a page. */
  page_id: number | null;
  updated_at: Generated<string>;
}

/** A draft as the table holds it. */
export type PageDraft = Selectable<PageDraftsTable>;

/** Fields of a draft; those that are not sent are empty. */
export const draftRules = rules({
  name: ["string", "max:255"],
  html: ["string"],
  markdown: ["string"],
  tags: ["array"],
  slot: ["string", "max:40", "alpha_dash"],
  base_revision: ["integer"],
  kept_at: ["string"],
});

/** Which draft: of whom, about what, and under which slot. */
export type DraftKey = Pick<PageDraft, "user_id" | "kind" | "item_id" | "slot">;

/** A draft as it shall be kept. */
export interface DraftToKeep extends DraftKey, Pick<PageDraft, "name" | "html" | "markdown" | "base_revision"> {
  readonly tags: readonly { readonly name: string; readonly value: string }[];
  /** The updated_at of the draft that this one replaces, "none" where there was none; undefined: any. */
  readonly kept_at: string | undefined;
}

/** What can be looked at before it is saved. */
export const previewRules = rules({
  html: ["required_without:markdown", "string"],
  markdown: ["required_without:html", "string"],
});

declare module "lectern/db" {
  interface Tables {
    page_drafts: PageDraftsTable;
  }
}

declare module "lectern/core" {
  interface Events {
    page_draft_save: { draft: DraftToKeep; result: DraftKey & { readonly page_id: number | null } };
    page_draft_discard: {
      draft: { readonly drafts: readonly DraftKey[] };
      result: { readonly drafts: readonly DraftKey[] };
    };
  }
}
