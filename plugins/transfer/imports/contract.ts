import type { Generated, Selectable } from "kysely";
import type { MadeItem } from "lectern/contracts";
import type { Upload } from "lectern/core";

/** Archives that were uploaded and have not been run. */
export interface ImportsTable {
  id: Generated<number>;
  /** Of the item at the top of the archive. */
  name: string;
  /** Bytes of the archive. */
  size: number;
  /** "book", "chapter" or "page". */
  type: string;
  /** Where the archive is, within this plugin's files. */
  file_key: string;
  /** The archive's items without their content, as reads show it: JSON. */
  details: string;
  created_by: number | null;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

/** An import as the table holds it, without its details. */
export type ImportRow = Omit<Selectable<ImportsTable>, "details">;

/** What an upload brings. */
export interface ImportDraft {
  readonly file: Upload;
  /** Judged already. */
  readonly name: string;
  readonly type: string;
}

declare module "lectern/db" {
  interface Tables {
    imports: ImportsTable;
  }
}

declare module "lectern/core" {
  interface Events {
    import_create: { draft: ImportDraft; result: ImportRow };
    /** What was made is in the result; the events of what was made have happened before, within the same transaction. */
    import_run: { draft: ImportRow; result: ImportRow & { readonly made: MadeItem } };
    import_delete: { draft: ImportRow; result: ImportRow };
  }
}
