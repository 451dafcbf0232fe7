/**
 * What the plugin of pages declares: its tables, the bodies of its routes, its events and permissions, and what its files
 * share. Events carry pages as the table stores them; people, tags and the HTML rendered for a reader are read for answers
 * only.
 */
import type { Generated, Selectable } from "kysely";
import type { Item, ItemListing, ItemPermissions, ListingOf, People, Tag } from "lectern/contracts";
import {
  fieldsOf,
  type Input,
  type ItemTable,
  idSchema,
  nullable,
  type PluginContext,
  peopleFields,
  personSchema,
  rules,
  type Static,
  t,
  timesFields,
  timestampSchema,
} from "lectern/core";
import type { Executor } from "lectern/db";
import { chapterPageSchema, namedFields, pageListItemSchema, tagSchema } from "../_items/answers.ts";
import type { RenderCache } from "./render_cache.ts";

/** Pages with their content and what is derived from it. */
export interface PagesTable extends ItemTable {
  book_id: number;
  /** Null for a page directly in its book. */
  chapter_id: number | null;
  /** As stored, not sanitised: `raw_html` in answers. */
  html: string;
  /** The source of a page written in Markdown, else "". */
  markdown: string;
  /** Plain text of the content, for search. */
  text: string;
  /** `html` in answers; null where includes must be resolved for each reader. */
  rendered: string | null;
  priority: number;
  draft: Generated<boolean>;
  template: Generated<boolean>;
  revision_count: Generated<number>;
  editor: string;
}

/** Earlier states of pages (content-api 8.6). */
export interface PageRevisionsTable {
  id: Generated<number>;
  page_id: number;
  /** The page's revision_count at that time. */
  number: number;
  /** The last revision_count with this content, where the next revision was deleted; else null, and known by that one. */
  until_number: Generated<number | null>;
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

/** A page as the table stores it; the result of the events of pages. */
export type PageRow = Selectable<PagesTable>;

/** A page as one statement reads it for an answer: without the text and key for search, with people and tags. */
export type FoundPage = Omit<PageRow, "text" | "name_key"> & {
  readonly people: People;
  readonly tags: Tag[];
};

/** A revision with the present slugs that its address is made of. */
export interface KeptRevision extends Selectable<PageRevisionsTable> {
  readonly page_slug: string;
  readonly present_book_slug: string;
}

/** What contains a page: `chapter_id` is null for a page directly in a book. */
export interface PageParent {
  readonly book_id: number;
  readonly chapter_id: number | null;
}

/**
 * The body of a create (content-api 2.4); beyond BookStack's fields, `draft_id`: the viewer's draft page to publish, and
 * `summary`: what its revision says of it.
 */
export const createRules = rules({
  book_id: ["required_without:chapter_id", "integer"],
  chapter_id: ["required_without:book_id", "integer"],
  name: ["required", "string", "max:255"],
  html: ["required_without:markdown", "string"],
  markdown: ["required_without:html", "string"],
  tags: ["array"],
  priority: ["integer"],
  draft_id: ["integer"],
  summary: ["string", "max:255"],
});

/**
 * The body of an update (content-api 2.4); beyond BookStack's fields, `base_revision`: the revision_count it starts from, and
 * `summary`: what the revision that it makes says of it.
 */
export const updateRules = rules({
  book_id: ["integer"],
  chapter_id: ["integer"],
  name: ["string", "min:1", "max:255"],
  html: ["string"],
  markdown: ["string"],
  tags: ["array"],
  priority: ["integer"],
  base_revision: ["integer"],
  summary: ["string", "max:255"],
});

/** The body of a merge: the changed text, with name and tags where these are merged too, and what it was made from. */
export const mergeRules = rules({
  base_revision: ["required", "integer"],
  html: ["string"],
  markdown: ["string"],
  name: ["string", "max:255"],
  tags: ["array"],
  base_tags: ["array"],
});

/** The body that marks a page. */
export const templateRules = rules({ template: ["required", "boolean"] });

const pageFields = {
  ...namedFields,
  book_id: idSchema,
  chapter_id: nullable(idSchema),
  html: t.String({ description: "Ready to show, with includes resolved" }),
  raw_html: t.String({ description: "The content as stored" }),
  priority: t.Integer(),
  ...timesFields,
  ...peopleFields,
  draft: t.Boolean(),
  markdown: t.String({ description: 'The source of a page written in Markdown, else ""' }),
  revision_count: t.Integer(),
  template: t.Boolean(),
  editor: t.String(),
  tags: t.Array(tagSchema),
};

/** The answers about pages (content-api 8). The plugin of comments contributes the schema of `comments`. */
export const pageAnswers = {
  listed: pageListItemSchema,
  saved: t.Object(pageFields, { $id: "SavedPage", ...fieldsOf("page", "saved") }),
  read: t.Object(
    { ...pageFields, comments: t.Object({ active: t.Array(t.Unknown()), archived: t.Array(t.Unknown()) }) },
    { $id: "Page", ...fieldsOf("page", "read") },
  ),
};

/** What the plugin adds to single reads of chapters: their pages. */
export const chapterPagesFields = { pages: t.Array(chapterPageSchema) };

const revisionFields = {
  id: idSchema,
  page_id: idSchema,
  number: t.Integer({ description: "The revision_count the page had then" }),
  name: t.String(),
  summary: t.String(),
  created_at: timestampSchema,
  created_by: personSchema,
};

/** A row of the listing of revisions. */
export const revisionListItemSchema = t.Object(revisionFields, { $id: "PageRevisionListItem" });

/** A revision with its content. */
export const revisionSchema = t.Object(
  { ...revisionFields, html: t.String(), raw_html: t.String(), markdown: t.String(), text: t.String() },
  { $id: "PageRevision" },
);

const comparedPartSchema = t.Object(
  { value: t.String(), added: t.Optional(t.Boolean()), removed: t.Optional(t.Boolean()) },
  { $id: "ComparedPart", description: "A piece of text; without a mark it is in both" },
);

/** The changes between two revisions; null for what is too long to compare. */
export const revisionComparisonSchema = t.Object(
  {
    from: revisionListItemSchema,
    to: revisionListItemSchema,
    name: t.Array(comparedPartSchema),
    format: t.Union([t.Literal("markdown"), t.Literal("html")], { description: "Of the source" }),
    source: t.Union([t.Array(comparedPartSchema), t.Null()]),
    html: t.Union([t.String(), t.Null()], { description: "As shown, with ins and del" }),
  },
  { $id: "PageRevisionComparison" },
);

const mergedPartSchema = t.Union([
  t.Object({ text: t.String() }),
  t.Object({ base: t.String(), mine: t.String(), theirs: t.String() }, { description: "A collision" }),
]);

const values = t.Array(t.String());
const mergedTagsSchema = t.Union([
  t.Object({ name: t.String(), values }),
  t.Object({ name: t.String(), base: values, mine: values, theirs: values }, { description: "A collision" }),
]);

/** The values of a tag after a merge: settled, or a collision with those of each side. */
export type MergedTags = Static<typeof mergedTagsSchema>;

/** A merge of a changed text with the page as it is now; `text` is null where something in it collides. */
export const pageMergeSchema = t.Object(
  {
    revision_count: t.Integer({ description: "The base_revision to save the merged text with" }),
    format: t.Union([t.Literal("markdown"), t.Literal("html")], {
      description: "HTML where one of the three texts is HTML",
    }),
    text: nullable(t.String()),
    parts: t.Array(mergedPartSchema),
    name: t.Optional(mergedPartSchema),
    tags: t.Optional(t.Array(mergedTagsSchema)),
  },
  { $id: "PageMerge" },
);

/** The query of a comparison: the later revision; without it the newest. */
export const comparisonRules = rules({ to: ["integer", "min:1"] });

/** What a create asks for. */
export type PageCreate = Input<typeof createRules>;

/** What an update asks for: fields that are absent stay. */
export type PageUpdate = Input<typeof updateRules>;

/** The draft of `page_update`. */
export interface PageChange {
  /** Locked, as it was before. */
  readonly row: PageRow;
  readonly draft: PageUpdate;
  /** The revision that the page is restored from, where the change is a restore. */
  readonly restored?: KeptRevision;
}

/** What the files of this plugin share. */
export interface PagesContext
  extends Pick<
    PluginContext<"access" | "markup" | "tags" | "users">,
    "app" | "baseUrl" | "cache" | "contracts" | "list" | "perform" | "slot" | "validate" | "visible"
  > {
  readonly db: Executor;
  readonly renderCache: RenderCache;
  /** The newest revisions kept of each page; 0 keeps all. */
  readonly revisionLimit: number;
}

declare module "lectern/contracts" {
  interface Answers {
    "/api/pages": ItemListing<"page">;
    "POST /api/pages": Static<typeof pageAnswers.saved>;
    [page: `/api/pages/${number}`]: Item<"page">;
    [pageUpdate: `PUT /api/pages/${number}`]: Static<typeof pageAnswers.saved>;
    [pageTemplate: `PUT /api/pages/${number}/template`]: Static<typeof pageAnswers.saved>;
    [pageMerge: `POST /api/pages/${number}/merge`]: Static<typeof pageMergeSchema>;
    [revisions: `/api/pages/${number}/revisions`]: ListingOf<typeof revisionListItemSchema>;
    [revision: `/api/pages/${number}/revisions/${number}`]: Static<typeof revisionSchema>;
    [comparison: `/api/pages/${number}/revisions/${number}/compare`]: Static<typeof revisionComparisonSchema>;
  }
}

declare module "lectern/db" {
  interface Tables {
    pages: PagesTable;
    page_revisions: PageRevisionsTable;
  }
}

declare module "lectern/core" {
  interface Items {
    page: { read: Static<typeof pageAnswers.read>; listed: Static<typeof pageAnswers.listed> };
  }
  interface ItemFields {
    "chapter.read.pages": Static<typeof chapterPageSchema>[];
  }
  interface Events {
    page_create: { draft: PageCreate; result: PageRow };
    page_update: { draft: PageChange; result: PageRow };
    /** Performed within page_update, before the other fields change. */
    page_move: { draft: { row: PageRow; parent: PageParent }; result: PageRow };
    page_delete: { draft: PageRow; result: PageRow };
    revision_delete: { draft: KeptRevision; result: KeptRevision };
  }
  interface Permissions extends ItemPermissions<"page"> {
    /** Change the editor that a page is edited with. */
    "editor-change": true;
    /** View the revisions of pages. */
    "revision-view-all": true;
    /** Mark pages as templates. */
    "templates-manage": true;
  }
}
