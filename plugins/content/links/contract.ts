import type { PluginContext } from "lectern/core";

/** Links from an item's content to another item of this instance. */
export interface ContentLinksTable {
  /** As events spell it: "page", "chapter", "book", "bookshelf". */
  from_kind: LinkSource["kind"];
  from_id: number;
  to_kind: LinkSource["kind"];
  to_id: number;
  /** The address in the content, below the instance's own: "/books/runbooks/page/failover". */
  path: string;
}

/** An item whose content can link to others. */
export interface LinkSource {
  readonly kind: "page" | "chapter" | "book" | "bookshelf";
  readonly id: number;
}

/** What the files of this plugin share. */
export type LinksContext = Pick<PluginContext<"markup" | "pages">, "baseUrl" | "contracts" | "visible">;

declare module "lectern/db" {
  interface Tables {
    content_links: ContentLinksTable;
  }
}
