/**
 * Runs an import (platform 8.6): the archive is judged again and unpacked, then everything is made in one transaction that
 * holds the import's row, so that nothing runs twice and a failure leaves the import as it was, to be tried again. What
 * fails is told in full; what is wrong with the runtime and not with the import is no client's to read.
 */
import type { MadeItem, Owned } from "lectern/contracts";
import { ApiError, type Input, type InputObject, rules, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { ImportRow } from "./contract.ts";
import { createItems } from "./create_items.ts";
import { extract } from "./extract.ts";
import { byRulesOf, type Parts, sourceOf } from "./parts.ts";
import { missingPermission } from "./permissions.ts";
import { type Opened, openArchive } from "./validate_archive.ts";
import { ArchiveError } from "./validation_errors.ts";

/** What a run of a chapter or page names. */
export const parentRules = rules({
  parent_type: ["required", "string", "in:book,chapter"],
  parent_id: ["required", "int"],
});

type Parent = Owned & { readonly kind: "book" | "chapter" };

const TABLES = { book: "books", chapter: "chapters" } as const;
const NEEDED: Readonly<Record<string, readonly [kinds: readonly string[], text: string]>> = {
  chapter: [["book"], "Parent book required for chapter import."],
  page: [["book", "chapter"], "Parent book or chapter required for page import."],
};

/** Runs an import the viewer sees, and answers what was made. Throws ApiError: 422, 409, 500 with what went wrong. */
export async function runImport(parts: Parts, viewer: Viewer, row: ImportRow, input: InputObject): Promise<MadeItem> {
  const named = row.type === "book" ? undefined : await parts.validate(parentRules, input, viewer);
  const source = await sourceOf(parts, row);
  const opened = await reopened(parts, viewer, source);
  const parent = await parentOf(parts, viewer, opened, named);
  const lacked = await missingPermission(
    parts.contracts.access,
    parts.slot("import_files"),
    viewer,
    opened.top,
    parent,
  );
  if (lacked.length > 0) throw failure(lacked.join("\n"));
  const files = await extract(source, opened.files).catch(refused);
  const options = { makers: parts.slot("content_maker"), stores: parts.slot("import_files"), fileOf: files.fileOf };
  try {
    const { made } = await parts.perform("import_run", viewer, row, async (final, tx) => {
      await lock(final, tx.db);
      const made = await createItems(options, opened.top, parent, tx);
      await tx.perform("import_delete", final, (gone, inner) => parts.remove(gone, inner));
      return { ...final, made };
    });
    return made;
  } catch (error) {
    throw told(error);
  } finally {
    await files.clear();
  }
}

async function reopened(parts: Parts, viewer: Viewer, source: Parameters<typeof openArchive>[0]): Promise<Opened> {
  return openArchive(source, { byRules: byRulesOf(parts, viewer), limitMb: parts.limitMb }).catch(refused);
}

function refused(error: unknown): never {
  if (error instanceof ArchiveError) throw failure(`Import ZIP failed to validate with errors:\n${error.message}`);
  throw error;
}

async function parentOf(
  parts: Parts,
  viewer: Viewer,
  { type }: Opened,
  named: Input<typeof parentRules> | undefined,
): Promise<Parent | undefined> {
  const [kinds, text] = NEEDED[type] ?? [[], ""];
  if (kinds.length === 0) return undefined;
  const kind = named?.parent_type as "book" | "chapter" | undefined;
  if (!named || kind === undefined || !kinds.includes(kind)) throw failure(text);
  const table = TABLES[kind];
  const [parent] = await rows<Owned>(
    parts.db,
    sql`select ${sql.table(table)}.* from ${sql.table(table)}
      where ${sql.ref(`${table}.id`)} = ${named.parent_id}::integer and ${parts.sees(table, viewer)}`,
  );
  if (!parent) throw failure(text);
  return { ...parent, kind };
}

/** One run at a time: whoever comes second is told so at once. */
async function lock({ id }: ImportRow, db: Parameters<typeof rows>[0]): Promise<void> {
  const locked = await rows(db, sql`select from imports where id = ${id}::integer for update skip locked`);
  if (locked.length > 0) return;
  const there = await rows(db, sql`select from imports where id = ${id}::integer`);
  if (there.length > 0) throw new Unavailable(409, "This import is already running.");
  throw new Unavailable(404, "Import not found");
}

/** The import itself cannot be run, whatever is in it. */
class Unavailable extends ApiError {}

/** Refusals of what was to be made, as the failure of the run; others as they are. */
function told(error: unknown): unknown {
  if (!(error instanceof ApiError) || error instanceof Unavailable) return error;
  const errors = Object.values(error.details.validation ?? {}).flat();
  return failure(errors.length > 0 ? errors.join("\n") : error.message);
}

function failure(text: string): ApiError {
  return importError(500, `ZIP import failed with the following errors: \n${text}`);
}

/** The runtime's shape of errors with the two keys that clients of the original read (platform 1.7). */
export function importError(status: number, message: string): ApiError {
  return new ApiError(status, message, { extra: { message, status: "error" } });
}
