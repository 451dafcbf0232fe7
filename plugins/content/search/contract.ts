/**
 * What the plugin of search declares: its tables, the answer of its route, its job, and what its files share (content-api 14). A
 * result has the columns that its kind has, without empty ones.
 */
import type { ContentKind, Searchable, SearchedParts, Tags } from "lectern/contracts";
import {
  idSchema,
  type RawBuilder,
  type Static,
  t,
  timestampSchema,
  type Viewer,
  type VisibleRows,
} from "lectern/core";
import type { Executor, TableName } from "lectern/db";
import { itemRefSchema } from "../_items/answers.ts";
import type { Engine } from "./engine.ts";
import type { FilterContext } from "./filters.ts";
import type { SearchQuery } from "./parse_query.ts";
import { facetsSchema } from "./relevance/facets.ts";
import type { Frequencies } from "./relevance/frequencies.ts";
import type { RestrictedIds } from "./restricted_ids.ts";
import type { IndexState } from "./stale_entries.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** A kind of content with the SQL for its text. */
export interface SearchedKind extends Pick<Searchable, "body" | "html"> {
  readonly kind: ContentKind;
}

/** What the files of this plugin share. */
export interface SearchContext {
  readonly db: Executor;
  /** The kinds that can be searched; complete once the runtime has booted. */
  readonly kinds: () => readonly SearchedKind[];
  /** Rows that are found with their items, of all kinds; complete once the runtime has booted. */
  readonly parts: () => readonly SearchedParts[];
  readonly tags: Tags;
  readonly baseUrl: string;
  /** Whether an installed plugin writes a table, which is missing otherwise; complete once the runtime has booted. */
  readonly hasTable: (table: "comments" | "entity_permissions") => boolean;
  /** Maximum number of candidates that are ranked. */
  readonly maxCandidates: number;
  /** Maximum number of index entries for a search for exact texts within words, which reads all texts. */
  readonly maxEntriesWithin: number;
  /** SQL condition for the rows of a table that a viewer sees. */
  readonly visibleTo: (table: TableName, viewer: Viewer) => RawBuilder<boolean>;
  /** The ids of a kind that a viewer sees. */
  readonly visibleRows: (searched: SearchedKind) => VisibleRows;
  readonly vocabulary: Vocabulary;
  readonly frequencies: Frequencies;
  /** The engine in use; known once the runtime has booted. */
  readonly engine: () => Engine;
  readonly indexState: () => Promise<IndexState>;
  /** The same as it was found last, for what costs time alone if it is wrong. */
  readonly lastIndexState: () => IndexState;
}

/** A page of the results, from 1, and its size. */
export interface Paging {
  readonly page: number;
  readonly count: number;
}

/** The input of the statements of a search. */
export interface SearchTask {
  readonly context: SearchContext;
  readonly viewer: Viewer;
  readonly search: SearchQuery;
  readonly filterContext: FilterContext;
  readonly kinds: readonly SearchedKind[];
  /** By kind, for kinds of which the viewer sees few rows. */
  readonly restricted: ReadonlyMap<string, RestrictedIds>;
  readonly paging: Paging;
  /** What items without a rank are ordered by; by id if undefined. */
  readonly order?: "updated" | "created" | "name";
}

/** The search index: one row for each item, derived from the item, so it can be rebuilt at any time. */
export interface SearchIndexTable {
  kind: string;
  item_id: number;
  /** Words as PostgreSQL's parser splits them, in entries written before migration 0002; empty before 0004; else `JOINED`. */
  document: string;
  /** Every word of the item, normalised, and since migration 0004 joined ones such as `r&d`; null in entries written before migration 0002. */
  words: string | null;
  /** The words that ranking uses: of the name with weight A, tags B, headings C, the most frequent of the body D. */
  digest: string | null;
  /** Number of words with repetitions; null in entries written before migration 0006, whose words the vocabulary may lack. */
  word_count: number | null;
}

/** The vocabulary: a row for each word of letters that an item has or had, possibly several. */
export interface SearchWordsTable {
  /** The language of the item, as a tag such as `de`. */
  language: string;
  word: string;
  /** What its forms have in common, without accents; null of words that say nothing, such as `the`. */
  stem: string | null;
}

/** The kinds of which an engine of a plugin got every item. */
export interface SearchEngineStateTable {
  kind: string;
  /** The name of the engine. */
  engine: string;
}

/** How often and when last a user opened an item. */
export interface ItemViewsTable {
  user_id: number;
  kind: string;
  item_id: number;
  count: number;
  viewed_at: string;
}

const foundTag = t.Object(
  {
    name: t.String(),
    value: t.String(),
    order: t.Integer(),
    highlight_name: t.Optional(t.Literal(true)),
    highlight_value: t.Optional(t.Literal(true)),
  },
  { $id: "FoundTag" },
);

const foundPart = t.Object(
  { id: idSchema, name: t.String(), url: t.String(), passages: t.Array(t.String()) },
  { $id: "FoundAttachment" },
);

/** A result of a search (content-api 14): an item with its parents by kind. Absent are the columns that its kind lacks. */
export const searchResultSchema = t.Object(
  {
    id: idSchema,
    name: t.String(),
    slug: t.String(),
    book_id: t.Optional(idSchema),
    chapter_id: t.Optional(idSchema),
    draft: t.Optional(t.Boolean()),
    template: t.Optional(t.Boolean()),
    priority: t.Optional(t.Integer()),
    created_at: timestampSchema,
    updated_at: timestampSchema,
    url: t.String(),
    type: t.String(),
    tags: t.Array(foundTag),
    book: t.Optional(itemRefSchema),
    chapter: t.Optional(itemRefSchema),
    preview_html: t.Object({ name: t.String(), content: t.String() }),
    passages: t.Optional(t.Array(t.String(), { description: "With mode=better: excerpts around the hits, as HTML" })),
    attachments: t.Optional(t.Array(foundPart, { description: "With mode=better: attached files with hits" })),
  },
  { $id: "SearchResult", additionalProperties: true },
);

/** The answer of a search. */
export const searchAnswerSchema = t.Object(
  {
    data: t.Array(searchResultSchema),
    total: t.Integer({ minimum: 0 }),
    total_is_lower_bound: t.Optional(t.Literal(true)),
    corrected: t.Optional(
      t.Object(
        {
          query: t.String({ description: "The search as it was understood" }),
          words: t.Array(t.Object({ typed: t.String(), used: t.String() })),
        },
        { description: "With mode=better: what was searched in place of words that no item has" },
      ),
    ),
    facets: t.Optional(facetsSchema),
  },
  { $id: "SearchAnswer" },
);

/** A result of a search. */
export type SearchResult = Static<typeof searchResultSchema>;

declare module "lectern/contracts" {
  interface Answers {
    "/api/search": Static<typeof searchAnswerSchema>;
  }
}

declare module "lectern/db" {
  interface Tables {
    search_engine_state: SearchEngineStateTable;
    search_index: SearchIndexTable;
    search_words: SearchWordsTable;
    item_views: ItemViewsTable;
  }
}

declare module "lectern/core" {
  interface Jobs {
    /** Indexes the items of a kind that have no current entry, or `all` of them, from the id after `after`. */
    search_index: { readonly kind: string; readonly after: number; readonly all?: true };
    /** Sends the current text of items to the engine of a plugin. */
    search_engine_index: { readonly kind: string; readonly ids: readonly number[] };
    /** Removes items from it. */
    search_engine_remove: { readonly kind: string; readonly ids: readonly number[] };
    /** Sends all items of a kind to it, from the id after `after`. */
    search_engine_fill: { readonly kind: string; readonly after: number };
  }
}
