/** What can be found, one row for each item; made of the item itself, so it may be made anew at any time. */
export interface SearchIndexTable {
  kind: string;
  item_id: number;
  /** Words as PostgreSQL's parser splits them, in entries of the first form; else empty. */
  document: string;
  /** Every word of the item, folded; null in entries of the first form. */
  words: string | null;
  /** The words that decide about rank: of the name with weight A, tags B, headings C, the most frequent of the body D. */
  digest: string | null;
}

/** Who opened which item, how often, and when last. */
export interface ItemViewsTable {
  user_id: number;
  kind: string;
  item_id: number;
  count: number;
  viewed_at: string;
}

declare module "lectern/db" {
  interface Tables {
    search_index: SearchIndexTable;
    item_views: ItemViewsTable;
  }
}

declare module "lectern/core" {
  interface Jobs {
    /** Goes on indexing a kind of content after an id. */
    search_index: { readonly kind: string; readonly after: number };
  }
}
