/**
 * Runs an import (platform 8.6): the archive is validated again and unpacked, then all items are created in one transaction
 * that locks the import's row, so that nothing runs twice and a failed run can be repeated. The answer has all errors of the
 * import, but no internal ones.
 */
import type { MadeItem, Owned } from "lectern/contracts";
import {
  ApiError,
  type EventTransaction,
  type Input,
  type InputObject,
  type RawBuilder,
  sql,
  type Viewer,
} from "lectern/core";
import { prepared } from "lectern/db";
import { removeImport } from "./changes.ts";
import { type ImportRow, type ImportsContext, parentRules } from "./contract.ts";
import { createItems } from "./create_items.ts";
import { extract } from "./extract.ts";
import { missingPermissions } from "./permissions.ts";
import { archiveOf } from "./queries.ts";
import { type OpenedArchive, openArchive, validatorOf } from "./validate_archive.ts";
import { ArchiveError, importError } from "./validation_errors.ts";

interface ParentParameters {
  readonly id: number;
  readonly visible: RawBuilder<boolean>;
}

type Parent = Owned & { readonly kind: "book" | "chapter" };

const findParent = {
  book: prepared("imports.findBook", (db, p: ParentParameters) =>
    db
      .selectFrom("books")
      .select(["books.id", "books.owned_by", "books.acl_id"])
      .where("books.id", "=", sql<number>`${p.id}::integer`)
      .where(p.visible),
  ),
  chapter: prepared("imports.findChapter", (db, p: ParentParameters) =>
    db
      .selectFrom("chapters")
      .select(["chapters.id", "chapters.owned_by", "chapters.acl_id"])
      .where("chapters.id", "=", sql<number>`${p.id}::integer`)
      .where(p.visible),
  ),
};
const TABLES = { book: "books", chapter: "chapters" } as const;
const PARENTS: Readonly<Record<string, readonly [kinds: readonly string[], text: string]>> = {
  chapter: [["book"], "Parent book required for chapter import."],
  page: [["book", "chapter"], "Parent book or chapter required for page import."],
};

/** Runs an import and returns the created item. Throws ApiError 422, 404, 409, or 500 with the errors of the import. */
export async function runImport(
  context: ImportsContext,
  viewer: Viewer,
  row: ImportRow,
  input: InputObject,
): Promise<MadeItem> {
  const named = row.type === "book" ? undefined : await context.validate(parentRules, input, viewer);
  const source = await archiveOf(context, row);
  const archive = await reopen(context, viewer, source);
  const parent = await parentOf(context, viewer, archive, named);
  const missing = await missingPermissions(
    context.contracts.access,
    context.slot("import_files"),
    viewer,
    archive.top,
    parent,
  );
  if (missing.length > 0) throw failure(missing.join("\n"));
  const files = await extract(source, archive.files).catch(rejectInvalid);
  const options = { makers: context.slot("content_maker"), stores: context.slot("import_files"), fileOf: files.fileOf };
  try {
    const { made } = await context.perform("import_run", viewer, row, async (final, tx) => {
      await lock(final, tx);
      const made = await createItems(options, archive.top, parent, tx);
      await tx.perform("import_delete", final, (deleted, inner) => removeImport(context, deleted, inner));
      return { ...final, made };
    });
    return made;
  } catch (error) {
    throw asFailure(error);
  } finally {
    await files.clear();
  }
}

async function reopen(
  context: ImportsContext,
  viewer: Viewer,
  source: Parameters<typeof openArchive>[0],
): Promise<OpenedArchive> {
  return openArchive(source, { validate: validatorOf(context, viewer), limitMb: context.settings.fileLimit }).catch(
    rejectInvalid,
  );
}

function rejectInvalid(error: unknown): never {
  if (error instanceof ArchiveError) throw failure(`Import ZIP failed to validate with errors:\n${error.message}`);
  throw error;
}

async function parentOf(
  context: ImportsContext,
  viewer: Viewer,
  { type }: OpenedArchive,
  named: Input<typeof parentRules> | undefined,
): Promise<Parent | undefined> {
  const [kinds, text] = PARENTS[type] ?? [[], ""];
  if (kinds.length === 0) return undefined;
  const kind = named?.parent_type as "book" | "chapter" | undefined;
  if (!named || kind === undefined || !kinds.includes(kind)) throw failure(text);
  const parent = await findParent[kind].executeTakeFirst(context.db, {
    id: named.parent_id,
    visible: context.visible.where(TABLES[kind], viewer),
  });
  if (!parent) throw failure(text);
  return { ...parent, kind };
}

/** Locks the import; a second run fails at once instead of waiting. */
async function lock({ id }: ImportRow, { db }: EventTransaction): Promise<void> {
  const row = db.selectFrom("imports").select("id").where("id", "=", id);
  if (await row.forUpdate().skipLocked().executeTakeFirst()) return;
  if (await row.executeTakeFirst()) throw new Unavailable(409, "This import is already running.");
  throw new Unavailable(404, "Import not found");
}

/** The import is gone or already running. */
class Unavailable extends ApiError {}

/** Errors of creating an item as the failure of the run; other errors unchanged. */
function asFailure(error: unknown): unknown {
  if (!(error instanceof ApiError) || error instanceof Unavailable) return error;
  const errors = Object.values(error.details.validation ?? {}).flat();
  return failure(errors.length > 0 ? errors.join("\n") : error.message);
}

function failure(text: string): ApiError {
  return importError(500, `ZIP import failed with the following errors: \n${text}`);
}
