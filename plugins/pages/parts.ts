import type { Contracts, PageContentHook, PictureKeeper, RawBuilder, Viewer } from "lectern/core";
import type { Db } from "lectern/db";

/** What the parts of this plugin share. */
export interface Parts {
  readonly db: Pick<Db, "executeQuery">;
  readonly contracts: Pick<Contracts, "access" | "markup" | "tags" | "users">;
  readonly baseUrl: string;
  /** The condition under which a viewer sees rows of a table. */
  readonly sees: (table: "books" | "chapters" | "pages", viewer: Viewer) => RawBuilder<boolean>;
  /** Who keeps pictures embedded in content, once the house has booted. */
  readonly pictureKeeper: () => PictureKeeper | undefined;
  /** What others make of content when it is stored and shown, once the house has booted. */
  readonly hooks: () => readonly PageContentHook[];
  /** Newest revisions kept of each page; 0 keeps all. */
  readonly revisionLimit: number;
}
