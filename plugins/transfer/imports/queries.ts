import { ApiError, idOf, type ListSpec, notFound, type RawBuilder, sql, type Viewer } from "lectern/core";
import { prepared, refs } from "lectern/db";
import { type ImportRow, type ImportsContext, LISTED_COLUMNS } from "./contract.ts";
import type { Source } from "./zip.ts";

/** The listing of imports. */
export const listSpec: ListSpec = {
  table: "imports",
  fields: {
    id: "integer",
    name: "text",
    size: "integer",
    type: "code",
    created_by: { type: "integer", nullable: true },
    created_at: "timestamp",
    updated_at: "timestamp",
  },
  columns: refs(...LISTED_COLUMNS),
};

const readImport = prepared("imports.find", (db, p: { id: number; visible: RawBuilder<boolean> }) =>
  db
    .selectFrom("imports")
    .select([...LISTED_COLUMNS, "file_key", "details"])
    .where("imports.id", "=", sql<number>`${p.id}::integer`)
    .where(p.visible),
);

/** The import with the id of a path, with its details. Throws ApiError 404 where the viewer may not see it. */
export async function findImport(
  { db, visible }: ImportsContext,
  viewer: Viewer,
  param: string,
): Promise<{ row: ImportRow; details: string }> {
  const found = await readImport.executeTakeFirst(db, {
    id: idOf(param, "Import"),
    visible: visible.where("imports", viewer),
  });
  if (!found) throw notFound("Import");
  const { details, ...row } = found;
  return { row, details };
}

/** Those of the given keys that an import refers to. */
export async function usedKeys({ db }: ImportsContext, keys: readonly string[]): Promise<string[]> {
  const used = await db
    .selectFrom("imports")
    .select("file_key")
    .where("file_key", "=", sql<string>`any(${[...keys]}::text[])`)
    .execute();
  return used.map(({ file_key }) => file_key);
}

/** The archive of an import. Throws ApiError 500 where the file store has lost it. */
export async function archiveOf({ files }: ImportsContext, { id, file_key }: ImportRow): Promise<Source> {
  const file = await files.get(file_key);
  if (!file) throw new ApiError(500, `The stored file of import ${id} is missing`);
  return file;
}
