/** A tag on an item of any kind. */
export interface TagsTable {
  /** As events spell it: "book". */
  kind: string;
  item_id: number;
  /** From 0, in the order of the request. */
  position: number;
  name: string;
  value: string;
  /** Shown as `order`; rows sort by it first. Always 0 for tags that came through the API. */
  sort_order: number;
}

declare module "lectern/db" {
  interface Tables {
    tags: TagsTable;
  }
}
