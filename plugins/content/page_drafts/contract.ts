/**
 * What the plugin of drafts declares: its table, the bodies, queries and answers of its routes, its events, and what its files
 * share. A draft belongs to one user; nobody else reads it.
 */
import type { Generated, Selectable } from "kysely";
import {
  idSchema,
  nullable,
  type PluginContext,
  rules,
  type Static,
  t,
  timestampSchema,
  userRefSchema,
} from "lectern/core";
import type { Executor } from "lectern/db";

/** Drafts: unsaved changes of a page, or an unsaved new page in a book or chapter. */
export interface PageDraftsTable {
  user_id: number;
  /** The kind of `item_id`: the page that is changed, or the book or chapter that a new page is for. */
  kind: "page" | "chapter" | "book";
  item_id: number;
  /** Distinguishes several new pages of one author in one place; "" for a change of a page. */
  slot: string;
  name: string;
  html: string;
  markdown: string;
  tags: { name: string; value: string }[];
  /** The revision_count of the page that the draft was made from; null for a new page. */
  base_revision: number | null;
  /** The tags that the page had then; null where they are not known. */
  base_tags: { name: string; value: string }[] | null;
  /** The draft page of a new page, which pictures can be uploaded to; null for a change of a page. */
  page_id: number | null;
  updated_at: Generated<string>;
}

/** A draft as the table stores it. */
export type PageDraft = Selectable<PageDraftsTable>;

/** The body of a save; fields that are absent are empty. */
export const draftRules = rules({
  name: ["string", "max:255"],
  html: ["string"],
  markdown: ["string"],
  tags: ["array"],
  slot: ["string", "max:40", "alpha_dash"],
  base_revision: ["integer"],
  base_tags: ["array"],
  merged: ["boolean"],
  kept_at: ["string"],
});

/** The query that names one of several drafts; a wrong value counts as none. */
export const slotRules = rules({ slot: ["string", "max:40", "alpha_dash"] });

/** The same, or the draft page. */
export const placeRules = rules({ ...slotRules, page_id: ["integer"], base_revision: ["integer"] });

/** The body of a preview. */
export const previewRules = rules({
  html: ["required_without:markdown", "string"],
  markdown: ["required_without:html", "string"],
});

/** Identifies a draft: its author, its item, and its slot. */
export type DraftKey = Pick<PageDraft, "user_id" | "kind" | "item_id" | "slot">;

/** A draft to store. */
export interface DraftToKeep extends DraftKey, Pick<PageDraft, "name" | "html" | "markdown" | "base_revision"> {
  readonly tags: readonly { readonly name: string; readonly value: string }[];
  readonly base_tags: readonly { readonly name: string; readonly value: string }[] | null;
  /** Whether the text was merged with `base_revision`, so that it replaces the one of the present draft. */
  readonly merged: boolean;
  /** The updated_at of the draft that this one replaces, "none" where there was none; undefined replaces any. */
  readonly kept_at: string | undefined;
}

const draftTagsSchema = t.Array(t.Object({ name: t.String(), value: t.String() }, { additionalProperties: true }));
const draftFields = { slot: t.String(), name: t.String(), page_id: nullable(idSchema), updated_at: timestampSchema };

/** A draft of the viewer. */
export const draftSchema = t.Object(
  {
    ...draftFields,
    html: t.String(),
    markdown: t.String(),
    tags: draftTagsSchema,
    base_revision: nullable(t.Integer()),
    base_tags: nullable(draftTagsSchema),
  },
  { $id: "Draft" },
);

const draftNewsFields = {
  others: t.Array(
    t.Object(
      {
        user: nullable(userRefSchema),
        updated_at: timestampSchema,
        saved: t.Boolean({ description: "Whether the page has a revision of theirs since the base of the draft" }),
      },
      { $id: "DraftAuthor" },
    ),
  ),
  newer: nullable(
    t.Object(
      {
        revision: t.Integer({ description: "The revision_count of the page now" }),
        by: nullable(userRefSchema),
        at: timestampSchema,
      },
      { $id: "NewerPage", description: "The page as it was saved since the base of the draft" },
    ),
  ),
};

/** What the others have done since the base of a draft. */
export type DraftNews = Static<ReturnType<typeof t.Object<typeof draftNewsFields>>>;

/** The drafts of the viewer in one place, and who else edits the page. */
export const draftsSchema = t.Object(
  {
    draft: nullable(draftSchema),
    drafts: t.Array(t.Object(draftFields, { $id: "DraftRef" })),
    ...draftNewsFields,
  },
  { $id: "Drafts" },
);

/** A draft after it was saved; none where it was discarded meanwhile. */
export const savedDraftSchema = t.Object({ draft: t.Optional(draftSchema), ...draftNewsFields }, { $id: "SavedDraft" });

/** The HTML of a preview. */
export const previewSchema = t.Object({ html: t.String() }, { $id: "Preview" });

/** What the files of this plugin share. */
export interface PageDraftsContext
  extends Pick<
    PluginContext<"access" | "markup" | "pages" | "tags" | "users">,
    "app" | "contracts" | "perform" | "validate" | "visible"
  > {
  readonly db: Executor;
}

declare module "lectern/contracts" {
  interface Answers {
    "POST /api/drafts/preview": Static<typeof previewSchema>;
    [drafts: `/api/drafts/${string}/${number}`]: Static<typeof draftsSchema>;
    [draft: `PUT /api/drafts/${string}/${number}`]: Static<typeof savedDraftSchema>;
  }
}

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
