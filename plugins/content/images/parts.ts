import type { Contracts, FileStore, Log, RawBuilder, Viewer } from "lectern/core";
import type { Db, TableName } from "lectern/db";
import type { Pictures } from "./pictures.ts";

/** What the parts of this plugin share. */
export interface Parts {
  readonly db: Pick<Db, "executeQuery">;
  readonly contracts: Pick<Contracts, "access" | "users">;
  readonly files: FileStore;
  readonly pictures: Pictures;
  readonly baseUrl: string;
  readonly log: Log;
  /** The condition under which a viewer sees rows of a table. */
  readonly sees: (table: TableName, viewer: Viewer) => RawBuilder<boolean>;
}
