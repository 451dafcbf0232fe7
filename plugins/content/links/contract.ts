/** A link from an item's content to another item of this instance. */
export interface ContentLinksTable {
  /** As events spell it: "page", "chapter", "book", "bookshelf". */
  from_kind: string;
  from_id: number;
  to_kind: string;
  to_id: number;
  /** The address as the content has it, below the instance's own: "/books/runbooks/page/failover". */
  path: string;
}

declare module "lectern/db" {
  interface Tables {
    content_links: ContentLinksTable;
  }
}
