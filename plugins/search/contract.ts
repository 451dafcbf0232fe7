/** What can be found, one row for each item; made of the item itself, so it may be made anew at any time. */
export interface SearchIndexTable {
  kind: string;
  item_id: number;
  /** Name with weight A, tags with B, body with D. */
  document: string;
}

declare module "lectern/db" {
  interface Tables {
    search_index: SearchIndexTable;
  }
}
