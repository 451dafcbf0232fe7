import type { PictureKeeper } from "lectern/contracts";
import type { Contracts, PageContentHook, RawBuilder, Viewer } from "lectern/core";
import type { Db } from "lectern/db";
import type { Renderings } from "./renderings.ts";

/** What the parts of this plugin share. */
export interface Parts {
  readonly db: Pick<Db, "executeQuery">;
  readonly contracts: Pick<Contracts, "access" | "markup" | "tags" | "users">;
  readonly baseUrl: string;
  /** The condition under which a viewer sees rows of a table. */
  readonly sees: (table: "books" | "chapters" | "pages", viewer: Viewer) => RawBuilder<boolean>;
  /** Who keeps pictures embedded in content, once the runtime has booted. */
  readonly pictureKeeper: () => PictureKeeper | undefined;
  /** What others make of content when it is stored and shown, once the runtime has booted. */
  readonly hooks: () => readonly PageContentHook[];
  /** Pages with includes, as readers of different rights have seen them. */
  readonly renderings: Renderings;
  /** Newest revisions kept of each page; 0 keeps all. */
  readonly revisionLimit: number;
}
