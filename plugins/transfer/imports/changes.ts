import { type EventTransaction, notFound, randomText, type Upload, type Viewer } from "lectern/core";
import { type ImportRow, type ImportsContext, LISTED_COLUMNS } from "./contract.ts";
import { detailsOf } from "./presenter.ts";
import { type OpenedArchive, openArchive, validatorOf } from "./validate_archive.ts";
import { ArchiveError, importError } from "./validation_errors.ts";

const KEY_LENGTH = 16;

/**
 * Creates an import from an upload. The archive is stored before it is validated, so that it is never held in memory as a
 * whole. Throws ApiError 422 with all errors of the archive.
 */
export async function createImport(context: ImportsContext, viewer: Viewer, file: Upload): Promise<ImportRow> {
  const { files, perform } = context;
  const key = `${randomText(KEY_LENGTH)}.zip`;
  try {
    await files.put(key, file);
    const { top, type: topType } = await validateStored(context, viewer, key);
    const details = JSON.stringify(detailsOf(top));
    const draft = { file, name: top.name, type: topType };
    return await perform("import_create", viewer, draft, ({ name, type }, tx) =>
      tx.db
        .insertInto("imports")
        .values({ name, size: file.size, type, file_key: key, details, created_by: viewer.id })
        .returning([...LISTED_COLUMNS, "file_key"])
        .executeTakeFirstOrThrow(),
    );
  } catch (error) {
    await files.remove(key);
    throw error;
  }
}

/** Deletes an import's row, and its archive after the commit. Throws ApiError 404 where it is gone. */
export async function removeImport(
  { files }: ImportsContext,
  row: ImportRow,
  tx: EventTransaction,
): Promise<ImportRow> {
  const gone = await tx.db.deleteFrom("imports").where("id", "=", row.id).returning("id").executeTakeFirst();
  if (!gone) throw notFound("Import");
  tx.afterCommit(() => files.remove(row.file_key));
  return row;
}

/** Clears the creator of a deleted user's imports. */
export async function forgetCreator(id: number, { db }: EventTransaction): Promise<void> {
  await db.updateTable("imports").set({ created_by: null }).where("created_by", "=", id).execute();
}

async function validateStored(context: ImportsContext, viewer: Viewer, key: string): Promise<OpenedArchive> {
  const source = await context.files.get(key);
  if (!source) throw new Error(`Cannot read the archive "${key}": it is missing although it was just stored`);
  try {
    const validate = validatorOf(context, viewer);
    return await openArchive(source, { validate, limitMb: context.settings.fileLimit });
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    throw importError(422, `ZIP upload failed with the following validation errors: \n${error.message}`);
  }
}
