import type { Contracts, FileStore, RawBuilder, Viewer } from "lectern/core";
import type { Db } from "lectern/db";

/** What the parts of this plugin share. */
export interface Parts {
  readonly db: Pick<Db, "executeQuery">;
  readonly contracts: Pick<Contracts, "access" | "users">;
  readonly files: FileStore;
  readonly baseUrl: string;
  /** The condition under which a viewer sees rows of a table. */
  readonly sees: (table: "attachments" | "pages", viewer: Viewer) => RawBuilder<boolean>;
}
