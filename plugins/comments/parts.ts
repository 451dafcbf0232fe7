import type { Contracts, RawBuilder, Viewer } from "lectern/core";
import type { Db } from "lectern/db";

/** What the parts of this plugin share. */
export interface Parts {
  readonly db: Pick<Db, "executeQuery">;
  readonly contracts: Pick<Contracts, "access" | "markup" | "users">;
  /** The condition under which a viewer sees rows of a table. */
  readonly sees: (table: "comments" | "pages", viewer: Viewer) => RawBuilder<boolean>;
}
