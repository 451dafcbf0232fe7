import type { Generated, Selectable } from "kysely";
import type { MadeItem } from "lectern/contracts";
import { type PluginContext, rules, type Upload } from "lectern/core";

/** What the files of this plugin share. */
export interface ImportsContext
  extends Pick<
    PluginContext<"access", "imports" | "books" | "chapters">,
    "app" | "contracts" | "db" | "files" | "list" | "perform" | "slot" | "validate" | "visible"
  > {
  readonly settings: {
    /** Largest file in megabytes of 1000 kilobytes of 1024 bytes. */
    readonly fileLimit: number;
  };
}

/** Uploaded archives that are yet to be run. */
export interface ImportsTable {
  id: Generated<number>;
  /** Name of the item at the top of the archive. */
  name: string;
  /** Bytes of the archive. */
  size: number;
  /** "book", "chapter" or "page". */
  type: string;
  /** Key of the archive in this plugin's file store. */
  file_key: string;
  /** The archive's items without their content, as JSON (`detailsOf`). */
  details: string;
  created_by: number | null;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

/** A row of the table without its details. */
export type ImportRow = Omit<Selectable<ImportsTable>, "details">;

/** An upload whose archive has been validated. */
export interface ImportDraft {
  readonly file: Upload;
  readonly name: string;
  readonly type: string;
}

/** The columns of listings and answers. */
export const LISTED_COLUMNS = [
  "imports.id",
  "imports.name",
  "imports.size",
  "imports.type",
  "imports.created_by",
  "imports.created_at",
  "imports.updated_at",
] as const;

/** The rules for running an import of a chapter or page. */
export const parentRules = rules({
  parent_type: ["required", "string", "in:book,chapter"],
  parent_id: ["required", "int"],
});

declare module "lectern/db" {
  interface Tables {
    imports: ImportsTable;
  }
}

declare module "lectern/core" {
  interface Events {
    import_create: { draft: ImportDraft; result: ImportRow };
    /** The result has the created item, whose own events were performed before, in the same transaction. */
    import_run: { draft: ImportRow; result: ImportRow & { readonly made: MadeItem } };
    import_delete: { draft: ImportRow; result: ImportRow };
  }
}
