import type { Contracts, EventTransaction, PluginContext, RawBuilder, Viewer } from "lectern/core";
import { ApiError } from "lectern/core";
import type { Db } from "lectern/db";
import type { ImportRow } from "./contract.ts";
import { archiveErrors, type ValidateByRules } from "./validate_archive.ts";
import type { Source } from "./zip.ts";

/** What the parts of this plugin share. */
export interface Parts extends Pick<PluginContext, "files" | "perform" | "slot" | "validate"> {
  readonly db: Pick<Db, "executeQuery">;
  readonly contracts: Pick<Contracts, "access">;
  /** The condition under which a viewer sees rows of a table. */
  readonly sees: (table: "imports" | "books" | "chapters", viewer: Viewer) => RawBuilder<boolean>;
  /** Largest file in megabytes of 1000 kilobytes of 1024 bytes. */
  readonly limitMb: number;
  /** Removes an import's row, and its archive with the commit. */
  remove(row: ImportRow, tx: EventTransaction): Promise<ImportRow>;
}

/** The stored archive of an import. Throws ApiError 500 where the store of files has lost it. */
export async function sourceOf({ files }: Pick<Parts, "files">, { id, file_key }: ImportRow): Promise<Source> {
  const file = await files.get(file_key);
  if (!file) throw new ApiError(500, `The stored file of import ${id} is missing`);
  return file;
}

/** The runtime's rules, answering with errors. */
export function byRulesOf({ validate }: Pick<Parts, "validate">, viewer: Viewer): ValidateByRules {
  return async (rules, data) => {
    try {
      await validate(rules, data as Parameters<typeof validate>[1], viewer);
      return {};
    } catch (error) {
      return archiveErrors(error);
    }
  };
}
